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

/// Numbers that are measured beside a reward, by name.
using Metrics = std::map<std::string, double>;

/// A metric that must stay within this, in the mean over the pulls of an arm.
struct Limit {
  std::string metric;
  std::optional<double> min = std::nullopt;
  std::optional<double> max = std::nullopt;
  double factor = 2.0;  ///< beyond it by this in a single pull, the arm is left at once

  friend bool operator==(const Limit&, const Limit&) = default;

  /// How far a value is within the limit, or beyond it if that is negative.
  [[nodiscard]] double room(double value) const;
  /// Whether a value is beyond it by `factor`.
  [[nodiscard]] bool is_far_broken_by(double value) const;
  /// Whether all that a metric may be is beyond it.
  [[nodiscard]] bool is_surely_broken(const Interval& interval) const;
  /// Whether no value of those from `smallest` to `largest` is better than those at the limit, as
  /// with errors of which there may be none.
  [[nodiscard]] bool is_at_end(double smallest, double largest) const;
  /// `at most 50`
  [[nodiscard]] std::string text() const;
};

template <class Visit>
void visit_fields(Limit& limit, Visit&& visit) {
  static constexpr Range kFactor{"a number of at least 1", [](double x) { return x >= 1.0; }};
  visit(Field{"min", "the least value"}, limit.min);
  visit(Field{"max", "the largest value"}, limit.max);
  visit(Field{"factor", "beyond it by so much in one pull, the arm is left at once", kFactor},
        limit.factor);
}

/// Everything that is wrong with limits; their keys begin with `limit[0].`.
[[nodiscard]] std::vector<Violation> violations(const std::vector<Limit>& limits);

/// Whether an arm keeps a limit, as far as is known.
enum class LimitState : std::uint8_t { kept, probably_kept, probably_broken, broken };

template <>
struct EnumNames<LimitState> {
  static constexpr std::array<std::string_view, 4> names{"kept", "probably_kept", "probably_broken",
                                                         "broken"};
};

/// What is known of a metric with a limit at an arm.
struct LimitCheck {
  /// What `best` asks of an arm, if it can be had: a probability of 0.84.
  static constexpr double kEnough = 1.0;
  /// Of what is said to be kept, or broken: a probability of 0.95.
  static constexpr double kSure = 1.65;

  std::string metric;
  std::string limit = {};  ///< `at most 60`
  LimitState state = LimitState::probably_kept;
  double probability = 0.5;  ///< that the limit is kept
  double deviations = 0.0;   ///< from the level to the limit, in standard deviations of the level
  double level = 0.0;        ///< of the metric
  double excess = 0.0;       ///< how far the level is beyond the limit, in spreads of the metric
  std::uint64_t pulls = 0;   ///< of this arm that it was measured in
};

template <class Visit>
void visit_fields(LimitCheck& check, Visit&& visit) {
  visit(Field{"metric", "its name"}, check.metric);
  visit(Field{"limit", "in words"}, check.limit);
  visit(Field{"state", "whether the arm keeps its limit, as far as is known"}, check.state);
  visit(Field{"probability", "that it does"}, check.probability);
  visit(Field{"level", "of the metric at the arm"}, check.level);
  visit(Field{"pulls", "of the arm that it was measured in"}, check.pulls);
}

/// A metric with this level at an arm, of so many standard deviations from the limit, and of that
/// spread over all arms.
[[nodiscard]] LimitCheck check_of(const Limit& limit, double level, double deviations,
                                  double spread, std::uint64_t pulls);

/// `p99_ms 57.2 (at most 60): probably kept (p 0.88)`
[[nodiscard]] std::string limit_text(const LimitCheck& check);

/// The check that an arm does worst in; none if there are none.
[[nodiscard]] const LimitCheck* worst_of(const std::vector<LimitCheck>& checks);

/// Whether an arm with these is more likely to break a limit than to keep them all.
[[nodiscard]] bool is_probably_broken(const std::vector<LimitCheck>& checks);

/// How many deviations `best` asks of an arm, where arms that were pulled often enough have these:
/// enough, if one has it; else as many as the one that has most. Infinite if no arm keeps its
/// limits.
[[nodiscard]] double required_deviations(const std::vector<double>& of_arms);

}  // namespace canopy
