#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/store.hpp"
#include "canopy/study_specification.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace canopy {

/// The data that a fork begins with.
enum class ForkStart : std::uint8_t {
  journal,  ///< The whole journal: nothing that learning depends on differs.
  rewards,  ///< The rewards of all arms that are still in the space, as observations.
  nothing,  ///< The parameters, the contexts or the commands that measure differ.
};

template <>
struct EnumNames<ForkStart> {
  static constexpr std::array<std::string_view, 3> names{"journal", "rewards", "nothing"};
};

/// Determines what a fork begins with from the differences between the two specifications. A fork
/// without an optimizer inherits that of the original. Different commands can be accepted: see
/// OpenOptions.
[[nodiscard]] ForkStart fork_start(const StudySpecification& before, StudySpecification fork,
                                   bool accept_changes = false);

/// The same as a sentence.
[[nodiscard]] std::string_view text_of(ForkStart start);

/// The default specification of a fork: the specification of the original study with its current
/// range of rewards and the current revision of its optimizer.
[[nodiscard]] StudySpecification specification_of_fork(Store& store, const StudyRecord& record);

}  // namespace canopy
