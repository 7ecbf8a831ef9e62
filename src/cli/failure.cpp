#include "cli/failure.hpp"

#include "cli/options.hpp"

namespace canopy::cli {

WrongUse wrong_options(const ConfigurationError& error) {
  std::string text;
  for (const Violation& violation : error.violations()) {
    const std::string name = violation.field.substr(violation.field.rfind('.') + 1);
    if (!text.empty()) text += "; ";
    text += flag(name) + " " + violation.value + ": " + violation.expected;
  }
  return WrongUse{text};
}

}  // namespace canopy::cli
