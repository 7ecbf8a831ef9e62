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

/// What could not be done, for people.
struct SystemFailure {
  std::string what;            ///< in one line
  bool has_timed_out = false;  ///< Trying again would take as long again.
  std::string errors = {};     ///< what a program has written to its standard error
};

/// What a measurement gave.
struct Reading {
  double reward = 0.0;
  std::map<std::string, double> metrics = {};  ///< other numbers, by name
};

constexpr std::size_t kMostMetrics = 32;

/// Names of metrics are shown, and are words in files.
[[nodiscard]] inline bool is_metric_name(std::string_view name) {
  const auto fits = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits);
}

/// A system that runs, and is set and measured while it does.
class LiveSystem {
 public:
  virtual ~LiveSystem() = default;

  /// Whether a setting can be given without being measured.
  [[nodiscard]] virtual bool can_be_set() const = 0;

  /// What is observed now, before a setting is chosen: a coordinate per variable of the context, as
  /// it was observed. Empty: there is no context.
  [[nodiscard]] virtual std::variant<std::vector<double>, SystemFailure> observe() {
    return std::vector<double>();
  }

  /// The context in which settings are given and measured from now on. True: that changes what
  /// `apply` does, so the present setting has to be given again.
  virtual bool enter(Context /*context*/) { return false; }

  /// Gives the system a setting. None when that went well.
  [[nodiscard]] virtual std::optional<SystemFailure> apply(Arm arm) = 0;

  /// One pull at the setting that was applied last.
  [[nodiscard]] virtual std::variant<Reading, SystemFailure> measure(Arm arm) = 0;

  /// Applies the setting that the system keeps after tuning: at once, and even if the tuner was
  /// asked to stop.
  [[nodiscard]] virtual std::optional<SystemFailure> leave_at(Arm arm) = 0;
};

}  // namespace canopy
