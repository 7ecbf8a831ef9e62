#pragma once

#include "canopy/experiment.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace canopy {

/// The least n of a profile, unless the experiment names others; the next are ten, a hundred, ...
/// times as large.
inline constexpr std::uint64_t kFirstProfiled = 100;

/// The n of the profile of a suite.
[[nodiscard]] std::vector<std::uint64_t> profiled_steps(const ExperimentSpecification& experiment);

/// How the regrets of algorithms compare over many cases, after Dolan and More, "Benchmarking
/// optimization software with performance profiles", Mathematical Programming 91, 2002. A case is a
/// comparison at one n, at which the
/// curves of a suite have points. Regrets are pseudo-regrets: those realised may be below zero. The
/// ratio of an algorithm in a case is its regret divided by the least regret of any algorithm in
/// it, and infinite where it was not run that far.
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

/// The share of the ratios that are at most `factor`.
[[nodiscard]] double share_within(const std::vector<double>& ratios, double factor);

/// All ratios of a row, whatever the n.
[[nodiscard]] std::vector<double> all_ratios(const Profile::Row& row);

/// Infinite if one of them is.
[[nodiscard]] double geometric_mean(const std::vector<double>& ratios);

/// The shares within twice the least regret by n, and the mean ratio, for a terminal.
[[nodiscard]] std::string table_of(const Profile& profile);

}  // namespace canopy
