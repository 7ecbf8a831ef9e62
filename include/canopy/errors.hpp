#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace canopy {

/// One thing that is wrong with a configuration: `optimizer.rho = 1.5: must be in (0, 1)`.
struct Violation {
  std::string field;     ///< Dotted name, as in a study file: `optimizer.rho`, `space.x.low`.
  std::string value;     ///< The given value as text; empty when there was none.
  std::string expected;  ///< The constraint: `must be in (0, 1)`.

  /// The sentence, on one line.
  [[nodiscard]] std::string text() const;
};

/// Thrown for an invalid configuration, mostly by constructors. It lists all violations in a group
/// of options, not only the first. Errors of a client at run time (an unknown ticket, a NaN reward)
/// are returned as a `Status` instead.
class ConfigurationError : public std::invalid_argument {
 public:
  explicit ConfigurationError(std::vector<Violation> violations);

  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }

 private:
  std::vector<Violation> violations_;
};

/// Throws a ConfigurationError if `violations` is not empty.
void throw_if_any(std::vector<Violation> violations);

}  // namespace canopy
