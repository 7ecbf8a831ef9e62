#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"

#include <string>
#include <string_view>

namespace canopy {

// The state of an optimizer as documents: the responses of `canopy pipe` and the JSON output of
// commands.

/// Returns the number, or null if it is not finite.
[[nodiscard]] Document number_or_none(double value);

/// A pull with its place in the tree (omitted if every region of contexts has a tree of its own)
/// and the number of open tickets.
[[nodiscard]] Document pull_document(const Space& space, Optimizer& optimizer, const Pull& pull);
[[nodiscard]] Document in_flight_document(const Space& space, const Optimizer& optimizer);

/// The error for a failure without a given reward if there are no earlier rewards to derive it
/// from.
inline constexpr std::string_view kNoRewardYet =
    "there is no reward yet to derive the penalty of a failure from: give a reward that is worse "
    "than all others, or drop the ticket";

/// The error if a study without contexts is asked for a policy.
inline constexpr std::string_view kNoContexts =
    "the study has no [[context]], so it has a single best arm and no policy";

/// Explains why there is no best arm: `no setting so far keeps p99_ms at most 60; the nearest, x =
/// 0.3, has 71.2`.
[[nodiscard]] std::string no_best_text(const Space& space, const Optimizer& optimizer,
                                       Context context = {});

/// A list of all nodes of the tree; empty if the optimizer has none.
[[nodiscard]] Document tree_document(const Space& space, Optimizer& optimizer);

}  // namespace canopy
