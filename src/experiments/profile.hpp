#pragma once

#include "canopy/experiment.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace canopy {

/// The least n of a profile, unless the experiment lists other values; the next are ten, a hundred,
/// ... times as large.
inline constexpr std::uint64_t kFirstProfiled = 100;

/// The values of n in the profile of a suite.
[[nodiscard]] std::vector<std::uint64_t> profiled_steps(const ExperimentSpecification& experiment);

/// Comparison of the regrets of algorithms over many cases, after Dolan and More, "Benchmarking
/// optimization software with performance profiles", Mathematical Programming 91, 2002. A case is a
/// comparison at one n, at which the curves of a suite have points. Regrets are pseudo-regrets,
/// since realised regrets may be negative. The ratio of an algorithm in a case is its regret
/// divided by the least regret of any algorithm in the case, and infinite if it was not run that
/// far.
class Profile {
 public:
  Profile(const std::vector<ComparisonResult>& results, std::vector<std::uint64_t> steps);

  struct Row {
    std::string label;
    std::vector<std::vector<double>> ratios;  ///< by n, then by comparison
  };

  [[nodiscard]] const std::vector<std::uint64_t>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] std::size_t comparisons() const { return comparisons_; }

 private:
  std::vector<std::uint64_t> steps_;
  std::vector<Row> rows_;
  std::size_t comparisons_;
};

/// The fraction of the ratios that are at most `factor`.
[[nodiscard]] double share_within(const std::vector<double>& ratios, double factor);

/// All ratios of a row, for all n.
[[nodiscard]] std::vector<double> all_ratios(const Profile::Row& row);

/// Infinite if one of the ratios is.
[[nodiscard]] double geometric_mean(const std::vector<double>& ratios);

/// For a terminal: by n, the fractions of cases within twice the least regret, and the mean ratio.
[[nodiscard]] std::string table_of(const Profile& profile);

}  // namespace canopy
