#pragma once

#include "canopy/study.hpp"

#include <string>
#include <vector>

namespace canopy {

/// The setting that a system is to be left with, and why.
struct ExitChoice {
  std::vector<double> arm = {};  ///< empty: the one that it has
  std::string why = {};          ///< for people: `the best arm: ...`
};

/// What `on_exit` says, as far as the rewards bear it out.
[[nodiscard]] ExitChoice exit_choice(const Study& study);

/// When something is wrong: the baseline, else a setting that worked.
[[nodiscard]] ExitChoice exit_choice_in_need(const Study& study);

/// The best setting that is known, whatever `on_exit` says: for a pause.
[[nodiscard]] ExitChoice best_known_setting(const Study& study);

}  // namespace canopy
