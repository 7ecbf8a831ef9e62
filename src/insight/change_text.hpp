#pragma once

#include "canopy/change.hpp"
#include "canopy/optimizer.hpp"

#include <string>

namespace canopy {

/// Describes a change of the system: "the level of all rewards fell by about 0.5".
[[nodiscard]] std::string change_text(const Change& change);

/// Describes the last change of the system and the number of changes; empty if there was none.
[[nodiscard]] std::string changes_text(const Summary& summary);

}  // namespace canopy
