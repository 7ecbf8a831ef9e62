#pragma once

#include "canopy/event.hpp"
#include "canopy/intervals.hpp"
#include "canopy/moments.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/state.hpp"
#include "canopy/study_specification.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// An arm beside the baseline: visits to one and the other in pairs, in random order. The verdict
/// rests on the differences between the two visits of a pair, and on nothing that was measured
/// before; it holds however often one looks.
class Comparison {
 public:
  /// Before so many there is no verdict.
  static constexpr std::uint64_t kFewestPairs = 9;

  /// How many pulls in a row a visit takes: as many as the system needs to settle.
  [[nodiscard]] static std::uint64_t visit_of(const StudySpecification& study);

  Comparison() = default;
  Comparison(const ComparisonBegun& begun, double level);

  void add(const Compared& pull);

  [[nodiscard]] const std::vector<double>& arm() const { return arm_; }
  [[nodiscard]] std::uint64_t pulls() const { return pulls_; }
  [[nodiscard]] std::uint64_t pulls_at_most() const { return pulls_at_most_; }

  /// Whether the next pull is one of the baseline. The order of a pair follows from its number.
  [[nodiscard]] bool is_baseline_next() const;

  /// The mean of the differences, arm less baseline; and where it may be,
  ///
  ///     mean -+ s sequence_width(pairs, alpha_1)     s: their standard deviation
  ///
  /// which is anywhere before nine pairs, and while all differences are equal.
  [[nodiscard]] double difference() const { return differences_.mean; }
  [[nodiscard]] Interval interval() const;
  [[nodiscard]] std::uint64_t pairs() const { return pulls_ / (2 * visit_); }

  /// Whether the arm is better beyond doubt, or worse; none while that is open.
  [[nodiscard]] std::optional<bool> is_better(Direction direction) const;
  [[nodiscard]] bool is_over(Direction direction) const {
    return is_better(direction) || (pulls_of_pair() == 0 && pulls_ + 2 * visit_ > pulls_at_most_);
  }

  void transfer(State& state);

 private:
  [[nodiscard]] std::uint64_t pulls_of_pair() const { return pulls_ % (2 * visit_); }

  std::vector<double> arm_;
  double level_ = 0.95;
  std::uint64_t pulls_at_most_ = 0;
  std::uint64_t visit_ = 1;  // pulls in a row
  std::uint64_t pulls_ = 0;
  double arm_sum_ = 0.0;  // of the pair that is not complete
  double baseline_sum_ = 0.0;
  Moments differences_;
};

}  // namespace canopy
