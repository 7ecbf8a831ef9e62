#pragma once

#include <string>
#include <string_view>

namespace canopy {

/// A text as it may stand in the path or the query of an address: everything but letters, digits
/// and `-._~` as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace canopy
