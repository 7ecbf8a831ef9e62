#pragma once

#include <string>
#include <string_view>

namespace canopy {

/// Percent-encodes a text for the path or query of a URL: everything except letters, digits and
/// `-._~` becomes %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace canopy
