#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace canopy::terminal {

/// Says something to people, on the standard error. If nobody listens any more that is no failure:
/// work must not end because a terminal is gone.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  const std::string text = fmt::format(format, std::forward<Values>(values)...);
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Whether the user says yes to a question. Where standard input is no terminal, there is
/// no one to ask, and the command itself is the answer.
[[nodiscard]] bool confirmed_at_terminal(const std::string& question);

}  // namespace canopy::terminal
