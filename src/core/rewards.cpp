#include "canopy/rewards.hpp"

#include "canopy/moments.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

Rewards Rewards::of(std::span<const double> rewards) {
  Rewards all = one(rewards.front());
  Moments moments{1.0, rewards.front(), 0.0};
  for (const double reward : rewards.subspan(1)) {
    ++all.count;
    all.sum += reward;
    moments.add(reward);
    all.min = std::min(all.min, reward);
    all.max = std::max(all.max, reward);
  }
  all.squared_deviations = moments.squared_deviations;
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

bool Rewards::knows_ends() const {
  if (count <= 2 || min == max) return true;
  const double deviation = std::sqrt(squared_deviations / static_cast<double>(count));
  const auto stands_in = [&](double distance) {
    return std::abs(distance - deviation) <= 1e-6 * deviation;
  };
  return !(stands_in(max - mean()) && stands_in(mean() - min));
}

Rewards Rewards::less(double level) const {
  return {count, sum - static_cast<double>(count) * level, squared_deviations, min - level,
          max - level};
}

Rewards& Rewards::operator+=(const Rewards& others) {
  if (others.count == 0) return *this;
  if (count == 0) return *this = others;
  Moments together = moments();
  together.merge(others.moments());
  squared_deviations = together.squared_deviations;
  count += others.count;
  sum += others.sum;
  min = std::min(min, others.min);
  max = std::max(max, others.max);
  return *this;
}

std::uint64_t count_of(const AnyRewards& rewards) {
  if (const auto* list = std::get_if<std::vector<double>>(&rewards)) return list->size();
  if (const auto* sums = std::get_if<Rewards>(&rewards)) return sums->count;
  return 1;
}

Rewards sums_of(const AnyRewards& rewards) {
  if (const auto* list = std::get_if<std::vector<double>>(&rewards)) return Rewards::of(*list);
  if (const auto* sums = std::get_if<Rewards>(&rewards)) return *sums;
  return Rewards::one(std::get<double>(rewards));
}

AnyRewards shortest(const Rewards& rewards) {
  if (rewards == Rewards::one(rewards.sum)) return rewards.sum;
  return rewards;
}

}  // namespace canopy
