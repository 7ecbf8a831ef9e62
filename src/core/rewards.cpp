#include "canopy/rewards.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

Rewards Rewards::of(std::span<const double> rewards) {
  Rewards all = one(rewards.front());
  double mean = rewards.front();
  for (const double reward : rewards.subspan(1)) {  // Welford, 1962
    ++all.count;
    all.sum += reward;
    const double off = reward - mean;
    mean += off / static_cast<double>(all.count);
    all.squared_deviations += off * (reward - mean);
    all.min = std::min(all.min, reward);
    all.max = std::max(all.max, reward);
  }
  return all;
}

Rewards Rewards::from_sums(std::uint64_t count, double sum, double sum_squares) {
  const double mean = sum / static_cast<double>(count);
  double squared_deviations = sum_squares - sum * mean;
  if (squared_deviations < 0.0 && squared_deviations >= -1e-6 * sum_squares) {
    squared_deviations = 0.0;
  }
  const double deviation =
      std::sqrt(std::max(0.0, squared_deviations) / static_cast<double>(count));
  return {count, sum, squared_deviations, mean - deviation, mean + deviation};
}

Rewards& Rewards::operator+=(const Rewards& others) {
  if (others.count == 0) return *this;
  if (count == 0) return *this = others;
  const auto here = static_cast<double>(count);
  const auto there = static_cast<double>(others.count);
  const double apart = others.mean() - mean();
  squared_deviations += others.squared_deviations + apart * apart * here * there / (here + there);
  count += others.count;
  sum += others.sum;
  min = std::min(min, others.min);
  max = std::max(max, others.max);
  return *this;
}

}  // namespace canopy
