#pragma once

#include "canopy/optimizer.hpp"

#include "insight/best_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy::cli {

/// What to do about settings that do not fit what was seen: a range of rewards, rewards that take
/// time to settle.
[[nodiscard]] std::vector<std::string> advice(const Optimizer& optimizer);

/// `2026-11-15 12:00:00`, by the local clock.
[[nodiscard]] std::string date_text(double seconds_since_1970);

}  // namespace canopy::cli
