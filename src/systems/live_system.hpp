#pragma once

#include "canopy/context.hpp"
#include "canopy/space.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace canopy {

/// A failed operation on the system.
struct SystemFailure {
  std::string what;            ///< one line for users
  bool has_timed_out = false;  ///< a retry would take as long again
  std::string errors = {};     ///< standard error of the program
};

/// The result of a measurement.
struct Reading {
  double reward = 0.0;
  std::map<std::string, double> metrics = {};  ///< other numbers, by name
};

constexpr std::size_t kMostMetrics = 32;

/// Names of metrics are displayed, and used as identifiers in files.
[[nodiscard]] inline bool is_metric_name(std::string_view name) {
  const auto fits = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits);
}

/// A running system that can be set and measured.
class LiveSystem {
 public:
  virtual ~LiveSystem() = default;

  /// Whether settings can be applied without a measurement.
  [[nodiscard]] virtual bool can_be_set() const = 0;

  /// Observes the context before a setting is chosen: one coordinate per variable. Empty if there
  /// are no contexts.
  [[nodiscard]] virtual std::variant<std::vector<double>, SystemFailure> observe() {
    return std::vector<double>();
  }

  /// Sets the context for the following calls of apply and measure. Returns true if it changes the
  /// effect of `apply`, so that the current setting has to be applied again.
  virtual bool enter(Context /*context*/) { return false; }

  /// Applies a setting. Returns none on success.
  [[nodiscard]] virtual std::optional<SystemFailure> apply(Arm arm) = 0;

  /// Measures one pull at the setting that was applied last.
  [[nodiscard]] virtual std::variant<Reading, SystemFailure> measure(Arm arm) = 0;

  /// Applies the final setting after tuning, even if the stop flag is set.
  [[nodiscard]] virtual std::optional<SystemFailure> leave_at(Arm arm) = 0;
};

}  // namespace canopy
