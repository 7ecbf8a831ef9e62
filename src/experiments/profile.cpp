#include "experiments/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

/// A lower bound of regrets, since ratios need positive numbers.
constexpr double kLeastRegret = 1e-9;

bool is_power_of_ten(std::uint64_t n) {
  while (n >= 10 && n % 10 == 0) n /= 10;
  return n == 1;
}

/// The regret of an algorithm after `steps` steps; infinite if it was not run that far.
double regret_at(const AlgorithmResult& algorithm, std::uint64_t steps) {
  for (const CurvePoint& point : algorithm.curve) {
    if (point.steps == steps) return std::max(point.regret.mean, kLeastRegret);
  }
  return std::numeric_limits<double>::infinity();
}

std::string steps_text(std::uint64_t steps) {
  return steps >= 10'000 && is_power_of_ten(steps)
             ? fmt::format("1e{:.0f}", std::log10(static_cast<double>(steps)))
             : std::to_string(steps);
}

}  // namespace

std::vector<std::uint64_t> profiled_steps(const ExperimentSpecification& experiment) {
  std::vector<std::uint64_t> steps = experiment.profile;
  if (!steps.empty()) return steps;
  for (std::uint64_t n = kFirstProfiled; n <= experiment.steps; n *= 10) steps.push_back(n);
  return steps;
}

Profile::Profile(const std::vector<ComparisonResult>& results, std::vector<std::uint64_t> steps)
    : steps_(std::move(steps)), comparisons_(results.size()) {
  for (const ComparisonResult& result : results) {
    for (const AlgorithmResult& algorithm : result.algorithms) {
      const bool known = std::any_of(rows_.begin(), rows_.end(),
                                     [&](const Row& row) { return row.label == algorithm.label; });
      if (!known) rows_.push_back({algorithm.label, {}});
    }
  }
  for (Row& row : rows_) {
    for (const std::uint64_t n : steps_) {
      std::vector<double>& ratios = row.ratios.emplace_back();
      for (const ComparisonResult& result : results) {
        double least = std::numeric_limits<double>::infinity();
        double own = least;
        for (const AlgorithmResult& algorithm : result.algorithms) {
          const double regret = regret_at(algorithm, n);
          least = std::min(least, regret);
          if (algorithm.label == row.label) own = regret;
        }
        ratios.push_back(std::isfinite(own) ? own / least : own);
      }
    }
  }
}

double share_within(const std::vector<double>& ratios, double factor) {
  const auto within =
      std::count_if(ratios.begin(), ratios.end(), [&](double ratio) { return ratio <= factor; });
  return static_cast<double>(within) / static_cast<double>(ratios.size());
}

std::vector<double> all_ratios(const Profile::Row& row) {
  std::vector<double> all;
  for (const std::vector<double>& some : row.ratios) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

double geometric_mean(const std::vector<double>& ratios) {
  double sum = 0.0;
  for (const double ratio : ratios) sum += std::log(ratio);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

std::string table_of(const Profile& profile) {
  std::size_t width = 0;
  for (const Profile::Row& row : profile.rows()) width = std::max(width, row.label.size());
  std::string table = fmt::format(
      "Share of {} comparisons with at most twice the least regret, and the mean ratio to it\n"
      "  {:<{}}",
      profile.comparisons(), "n", width);
  for (const std::uint64_t steps : profile.steps())
    table += fmt::format("{:>16}", steps_text(steps));
  table += '\n';
  for (const Profile::Row& row : profile.rows()) {
    table += fmt::format("  {:<{}}", row.label, width);
    for (const std::vector<double>& ratios : row.ratios) {
      const double mean = geometric_mean(ratios);
      table += std::isfinite(mean)
                   ? fmt::format("{:>8.2f}{:>8.2f}", share_within(ratios, 2.0), mean)
                   : fmt::format("{:>16}", "-");
    }
    table += '\n';
  }
  return table;
}

}  // namespace canopy
