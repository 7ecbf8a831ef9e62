#pragma once

#include "canopy/study.hpp"

#include "systems/live_system.hpp"

#include <string>

namespace canopy {

/// The limit that an arm breaks at the level of the study, for people; empty: none.
[[nodiscard]] std::string surely_broken_limit(const Study& study, Arm arm);

/// The limit that a reading breaks by far; empty: none.
[[nodiscard]] std::string far_broken_limit(const Study& study, const Reading& reading);

/// Bars every arm that breaks a limit at that level, for `reward`: what one arm shows about the
/// noise of a metric may settle the case of others.
void bar_broken_arms(Study& study, double reward);

}  // namespace canopy
