#pragma once

#include <span>
#include <string>
#include <string_view>

namespace canopy {

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string to_text(double value);

/// The candidate with the fewest single-letter edits from `name`, for "did you mean"; empty when
/// none is near enough to be a likely slip.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       std::span<const std::string_view> candidates);

/// `unknown key, did you mean "rho"?`, or a list of what is known when nothing is near.
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view name,
                                       std::span<const std::string_view> candidates);

}  // namespace canopy
