#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace canopy {

/// An untrusted text in a form safe for messages: valid UTF-8 on one line, without terminal control
/// characters, at most `longest` characters, ending in "..." if it was longer.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t longest = 60);

}  // namespace canopy
