#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace canopy {

/// A text from outside as a message can show it: valid UTF-8 on one line, without anything that
/// steers a terminal, and of at most so many characters, the last three "..." when it was longer.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t longest = 60);

}  // namespace canopy
