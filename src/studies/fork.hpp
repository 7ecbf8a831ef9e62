#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/store.hpp"
#include "canopy/study_specification.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace canopy {

/// What a fork begins with.
enum class ForkStart : std::uint8_t {
  journal,  ///< All of it: nothing that learning depends on differs.
  rewards,  ///< Those of every arm that is still in the space, as observations.
  nothing,  ///< The parameters or the contexts are others, or the commands that measure.
};

template <>
struct EnumNames<ForkStart> {
  static constexpr std::array<std::string_view, 3> names{"journal", "rewards", "nothing"};
};

/// By how the specification of a fork differs from the one of the study that it is made from. A
/// fork without an optimizer has that of the study. Other commands may be accepted: see
/// OpenOptions.
[[nodiscard]] ForkStart fork_start(const StudySpecification& before, StudySpecification fork,
                                   bool accept_changes = false);

/// The same in a sentence.
[[nodiscard]] std::string_view text_of(ForkStart start);

/// What a fork of a study is unless something is changed: its specification with the range
/// of rewards that is in force, and the optimizer in the revision that is here.
[[nodiscard]] StudySpecification specification_of_fork(Store& store, const StudyRecord& record);

}  // namespace canopy
