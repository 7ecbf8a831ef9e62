#pragma once

#include "canopy/change.hpp"
#include "canopy/optimizer.hpp"

#include <string>

namespace canopy {

/// What has changed: "the level of all rewards fell by 0.5".
[[nodiscard]] std::string change_text(const Change& change);

/// How often the system was seen to change, and when last; empty if it was not.
[[nodiscard]] std::string changes_text(const Summary& summary);

}  // namespace canopy
