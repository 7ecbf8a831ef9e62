#pragma once

#include <stdexcept>
#include <string>

namespace canopy::terminal {

/// Exit statuses.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kWrongUse = 2;
inline constexpr int kInterrupted = 130;

/// A usage error. The message is one line: the option, its value, and what was expected.
class WrongUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace canopy::terminal
