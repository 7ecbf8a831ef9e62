#include "canopy/errors.hpp"

#include <utility>

namespace canopy {
namespace {

std::string joined(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) {
    if (!text.empty()) text += "; ";
    text += violation.text();
  }
  return text;
}

}  // namespace

std::string Violation::text() const {
  return field + (value.empty() ? "" : " = " + value) + ": " + expected;
}

ConfigurationError::ConfigurationError(std::vector<Violation> violations)
    : std::invalid_argument(joined(violations)), violations_(std::move(violations)) {}

void throw_if_any(std::vector<Violation> violations) {
  if (!violations.empty()) throw ConfigurationError(std::move(violations));
}

}  // namespace canopy
