#pragma once

#include "canopy/event.hpp"
#include "canopy/intervals.hpp"
#include "canopy/moments.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/pairs.hpp"
#include "canopy/state.hpp"
#include "canopy/study_specification.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// Compares an arm with the baseline by pairs of visits in random order. The verdict depends only
/// on the differences within pairs, not on earlier measurements. It remains valid when checked
/// repeatedly, without assumptions on the noise: see Pairs.
class Comparison {
 public:
  Comparison() = default;
  Comparison(const ComparisonBegun& begun, double level);

  void add(const Compared& pull);
  /// Adds other metrics measured at the arm.
  void add(const Metrics& metrics);

  [[nodiscard]] const std::vector<double>& arm() const { return arm_; }
  [[nodiscard]] std::uint64_t pulls() const { return pulls_; }
  [[nodiscard]] std::uint64_t pulls_at_most() const { return pulls_at_most_; }

  /// Whether the next pull is one of the baseline.
  [[nodiscard]] bool is_baseline_next() const;

  /// The mean of the differences (arm minus baseline) and its confidence interval.
  [[nodiscard]] double difference() const { return pairs_.mean(); }
  [[nodiscard]] Interval interval() const { return pairs_.interval(1.0 - level_); }
  [[nodiscard]] std::uint64_t pairs() const { return pairs_.count(); }
  /// The mean reward of the baseline over all pairs.
  [[nodiscard]] double baseline_mean() const { return baseline_mean_; }

  /// Whether the arm is significantly better, or significantly worse; none while neither is known.
  [[nodiscard]] std::optional<bool> is_better(Direction direction) const;
  /// The state of a limit by the arm's own measurements; none if there are none.
  [[nodiscard]] std::optional<LimitCheck> check(const Limit& limit) const;
  [[nodiscard]] bool is_over(Direction direction) const {
    return is_better(direction) || (pulls_of_pair() == 0 && pulls_ + 2 * visit_ > pulls_at_most_);
  }

  void transfer(State& state);

 private:
  [[nodiscard]] std::uint64_t pulls_of_pair() const { return pulls_ % (2 * visit_); }

  std::vector<double> arm_;
  double level_ = 0.95;
  std::uint64_t pulls_at_most_ = 0;
  std::uint64_t visit_ = 1;  // pulls in a row of the same setting
  std::uint64_t pulls_ = 0;
  std::uint64_t seed_ = 0;
  double arm_sum_ = 0.0;  // of the incomplete pair
  double baseline_sum_ = 0.0;
  double baseline_mean_ = 0.0;
  Pairs pairs_;
  std::map<std::string, Moments> metrics_;
};

}  // namespace canopy
