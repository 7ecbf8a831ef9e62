#include "terminal/say.hpp"

#include <iostream>
#include <unistd.h>

namespace canopy::terminal {

bool confirmed_at_terminal(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0) return true;
  say("{} [y/N] ", question);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

}  // namespace canopy::terminal
