#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/errors.hpp"
#include "canopy/intervals.hpp"
#include "canopy/options.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Metrics that are measured together with a reward, by name.
using Metrics = std::map<std::string, double>;

/// A bound on a metric's mean over the pulls of an arm.
struct Limit {
  std::string metric;
  std::optional<double> min = std::nullopt;
  std::optional<double> max = std::nullopt;
  double factor = 2.0;  ///< a single pull beyond the limit by this factor ends the turn

  friend bool operator==(const Limit&, const Limit&) = default;

  /// The distance from a value to the limit; negative if the value is beyond it.
  [[nodiscard]] double room(double value) const;
  /// Whether a value is beyond the limit by `factor`.
  [[nodiscard]] bool is_far_broken_by(double value) const;
  /// Whether the whole interval is beyond the limit.
  [[nodiscard]] bool is_surely_broken(const Interval& interval) const;
  /// Whether no value between `smallest` and `largest` is strictly within the limit, for example
  /// with a limit of 0 errors.
  [[nodiscard]] bool is_at_end(double smallest, double largest) const;
  /// Text of the limit: `at most 50`.
  [[nodiscard]] std::string text() const;
};

template <class Visit>
void visit_fields(Limit& limit, Visit&& visit) {
  static constexpr Range kFactor{"a number of at least 1", [](double x) { return x >= 1.0; }};
  visit(Field{"min", "the smallest value allowed"}, limit.min);
  visit(Field{"max", "the largest value allowed"}, limit.max);
  visit(Field{"factor",
              "a pull beyond the limit by this factor ends the measurement of its arm at once",
              kFactor},
        limit.factor);
}

/// All violations of limits' constraints; their keys begin with `limit[0].`.
[[nodiscard]] std::vector<Violation> violations(const std::vector<Limit>& limits);

/// Whether an arm keeps a limit, by its measurements.
enum class LimitState : std::uint8_t { kept, probably_kept, probably_broken, broken };

template <>
struct EnumNames<LimitState> {
  static constexpr std::array<std::string_view, 4> names{"kept", "probably_kept", "probably_broken",
                                                         "broken"};
};

/// The estimate of a metric with a limit at an arm.
struct LimitCheck {
  /// The deviations that `best` requires of an arm, if any arm has that many: a probability of
  /// 0.84.
  static constexpr double kEnough = 1.0;
  /// Deviations for the states `kept` and `broken`: a probability of 0.95.
  static constexpr double kSure = 1.65;

  std::string metric;
  std::string limit = {};  ///< text of the limit: `at most 60`
  LimitState state = LimitState::probably_kept;
  double probability = 0.5;  ///< probability that the limit is kept
  double deviations = 0.0;   ///< from the estimate to the limit, in its standard deviations
  double estimate = 0.0;     ///< estimated value of the metric at the arm
  double excess = 0.0;      ///< distance of the estimate beyond the limit, in spreads of the metric
  std::uint64_t pulls = 0;  ///< pulls of this arm in which it was measured
};

template <class Visit>
void visit_fields(LimitCheck& check, Visit&& visit) {
  visit(Field{"metric", "name of the metric"}, check.metric);
  visit(Field{"limit", "the limit as text"}, check.limit);
  visit(Field{"state", "whether the setting keeps the limit, by its measurements"}, check.state);
  visit(Field{"probability", "probability that the limit is kept"}, check.probability);
  visit(Field{"estimate", "estimated value of the metric at the setting"}, check.estimate);
  visit(Field{"pulls", "pulls of the setting in which the metric was measured"}, check.pulls);
}

/// The check of a metric with this estimate at an arm, `deviations` standard deviations from the
/// limit, and with this spread over all arms.
[[nodiscard]] LimitCheck check_of(const Limit& limit, double estimate, double deviations,
                                  double spread, std::uint64_t pulls);

/// Text of a check: `p99_ms 57.2 (at most 60): probably kept (p 0.88)`.
[[nodiscard]] std::string limit_text(const LimitCheck& check);

/// The check with the least deviations from its limit; null if there are none.
[[nodiscard]] const LimitCheck* worst_of(const std::vector<LimitCheck>& checks);

/// Whether an arm with these checks is more likely to break a limit than to keep them all.
[[nodiscard]] bool is_probably_broken(const std::vector<LimitCheck>& checks);

/// The deviations that `best` requires of an arm, given those of the arms with enough pulls:
/// kEnough if any arm has that many, else the largest. Infinite if no arm keeps its limits.
[[nodiscard]] double required_deviations(const std::vector<double>& of_arms);

}  // namespace canopy
