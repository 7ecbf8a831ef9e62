#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"

#include <string>
#include <string_view>

namespace canopy {

// What an optimizer says, as documents: what `canopy pipe` answers and commands print as JSON.

/// The number, or null where it is not finite.
[[nodiscard]] Document number_or_none(double value);

/// A pull and its place in the tree, unless every region of contexts has a tree of its own; the
/// open tickets.
[[nodiscard]] Document pull_document(const Space& space, Optimizer& optimizer, const Pull& pull);
[[nodiscard]] Document in_flight_document(const Space& space, const Optimizer& optimizer);

/// Said when something failed, nobody says what that is worth, and no reward tells.
inline constexpr std::string_view kNoRewardYet =
    "there is no reward yet to say what a failure is worth: give a reward that is worse than all "
    "others, or drop the ticket";

/// Why there is no policy.
inline constexpr std::string_view kNoContexts =
    "the study has no [[context]]: its best arm is the same everywhere";

/// Why there is no best arm: `no setting so far keeps p99_ms at most 60; the nearest, x = 0.3, has
/// 71.2`.
[[nodiscard]] std::string no_best_text(const Space& space, const Optimizer& optimizer,
                                       Context context = {});

/// A list of all nodes; empty where there is no tree.
[[nodiscard]] Document tree_document(const Space& space, Optimizer& optimizer);

}  // namespace canopy
