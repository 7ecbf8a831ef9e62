#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace canopy::terminal {

/// Prints a message to standard error. Errors are ignored: work continues if the terminal is gone.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  const std::string text = fmt::format(format, std::forward<Values>(values)...);
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Asks a question at the terminal. Without a terminal the answer is yes.
[[nodiscard]] bool confirmed_at_terminal(const std::string& question);

}  // namespace canopy::terminal
