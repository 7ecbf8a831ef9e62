#include "canopy/detail/level_effect.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace canopy {
namespace {

constexpr int kRounds = 3;         // passes over all variables
constexpr int kSteepest = 15;      // number of step variances tried, each half the previous one
constexpr double kEvidence = 3.0;  // in nats, for a walk as opposed to a constant level
constexpr double kFlat = 1e6;      // variance of the first level, in multiples of the largest step

/// The evidence of one bin about the effect there; infinite variance: none.
struct Seen {
  double mean = 0.0;
  double variance = kInfinity;
};

/// A level that is a random walk from bin to bin, u_j = u_(j-1) + N(0, step), measured with noise.
class Walk {
 public:
  Walk(const std::vector<Seen>& seen, double scale) : seen_(seen), scale_(scale) {}

  /// The log likelihood (Kalman filter), in which the first bin with rewards is free.
  double filter(double step) {
    double mean = 0.0;
    double variance = kFlat * scale_;
    double likelihood = 0.0;
    bool is_first = true;
    means_.clear();
    variances_.clear();
    for (std::size_t bin = 0; bin < seen_.size(); ++bin) {
      if (bin != 0) variance += step;
      if (seen_[bin].variance < kInfinity) {
        const double all = variance + seen_[bin].variance;
        const double error = seen_[bin].mean - mean;
        if (!is_first) likelihood -= 0.5 * (std::log(all) + error * error / all);
        is_first = false;
        const double gain = variance / all;
        mean += gain * error;
        variance *= 1.0 - gain;
      }
      means_.push_back(mean);
      variances_.push_back(variance);
    }
    return likelihood;
  }

  /// After `filter` with that step: the level of every bin, given the evidence of all bins.
  [[nodiscard]] std::vector<double> smoothed(double step) const {
    std::vector<double> levels = means_;
    for (std::size_t bin = levels.size() - 1; bin-- > 0;) {
      const double share = variances_[bin] / (variances_[bin] + step);
      levels[bin] += share * (levels[bin + 1] - means_[bin]);
    }
    return levels;
  }

 private:
  const std::vector<Seen>& seen_;
  double scale_;
  std::vector<double> means_;
  std::vector<double> variances_;
};

/// The most likely levels; none if they do not differ significantly.
std::optional<std::vector<double>> levels_by(const std::vector<Seen>& seen, double scale) {
  Walk walk(seen, scale);
  double likeliest = walk.filter(0.0) + kEvidence;
  double step = 0.0;
  for (int halvings = 0; halvings < kSteepest; ++halvings) {
    const double tried = std::ldexp(scale, -halvings);
    const double likelihood = walk.filter(tried);
    if (!(likelihood > likeliest)) continue;
    likeliest = likelihood;
    step = tried;
  }
  if (step == 0.0) return std::nullopt;
  (void)walk.filter(step);
  return walk.smoothed(step);
}

/// An arm of a tree: f there estimated from the other arms, and its own rewards.
struct KnownArm {
  double precision;
  double mean;
  double noise;
  double pulls;
  const ContextRewards* rewards;
};

std::vector<KnownArm> known_arms(std::span<const LevelEffect::TreeData> trees) {
  std::vector<KnownArm> arms;
  for (const auto& [model, rewards] : trees) {
    for (const auto& [arm, by_context] : *rewards) {
      const auto index = model->find(arm);
      if (!index) continue;
      const AdaptiveModel::Node& node = model->tree()[*index];
      if (node.penalties != 0.0 || node.pulls == 0.0) continue;
      const double own = node.pulls / node.noise;
      const double all = 1.0 / node.variance;
      const double rest = std::max(all - own, 1e-9 * all);
      double pulls = 0.0;  // another node may have some of them
      for (const auto& [bins, told] : by_context) pulls += static_cast<double>(told.count);
      arms.push_back(
          {rest, (all * node.level - own * node.mean) / rest, node.noise, pulls, &by_context});
    }
  }
  return arms;
}

}  // namespace

LevelEffect::LevelEffect(const ContextSpace& contexts) {
  for (std::size_t k = 0; k < contexts.size(); ++k) tables_.emplace_back(contexts.bin_count(k));
}

Rewards LevelEffect::without(const ContextRewards& rewards) const {
  Rewards all;
  for (const auto& [bins, told] : rewards) all += told.less(at(bins));
  return all;
}

bool LevelEffect::fit(std::span<const TreeData> trees) {
  const std::vector<KnownArm> arms = known_arms(trees);
  if (arms.empty()) return false;
  double largest_spread = 0.0;
  for (const TreeData& tree : trees) {
    largest_spread = std::max(largest_spread, tree.model->spread() * tree.model->spread());
  }
  const auto before = tables_;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      std::vector<double>& table = tables_[k];
      std::vector<double> weights(table.size());
      std::vector<double> sums(table.size());
      double weight_of_all = 0.0;
      double rewards_of_all = 0.0;
      for (const KnownArm& arm : arms) {
        double sum = 0.0;
        for (const auto& [bins, rewards] : *arm.rewards) {
          sum += static_cast<double>(rewards.count) * (rewards.mean() - at(bins));
        }
        const double level =
            (arm.precision * arm.mean + sum / arm.noise) / (arm.precision + arm.pulls / arm.noise);
        for (const auto& [bins, rewards] : *arm.rewards) {
          const std::size_t bin = ContextSpace::bin(bins, k);
          const double weight = static_cast<double>(rewards.count) / arm.noise;
          weights[bin] += weight;
          sums[bin] += weight * (rewards.mean() - level - at(bins) + table[bin]);
          weight_of_all += weight;
          rewards_of_all += static_cast<double>(rewards.count);
        }
      }
      std::vector<Seen> seen(table.size());
      for (std::size_t bin = 0; bin < table.size(); ++bin) {
        if (weights[bin] > 0.0) seen[bin] = {sums[bin] / weights[bin], 1.0 / weights[bin]};
      }
      const double scale = std::max(largest_spread, rewards_of_all / weight_of_all);
      const auto levels = levels_by(seen, scale);
      table.assign(table.size(), 0.0);
      if (!levels) continue;
      double mean = 0.0;
      for (std::size_t bin = 0; bin < table.size(); ++bin) mean += weights[bin] * (*levels)[bin];
      mean /= weight_of_all;
      for (std::size_t bin = 0; bin < table.size(); ++bin) table[bin] = (*levels)[bin] - mean;
    }
  }
  return tables_ != before;
}

void LevelEffect::transfer(State& state) {
  for (std::vector<double>& table : tables_) {
    for (double& number : table) {
      state(number);
      state.require_restored(State::are_finite({number}));
    }
  }
}

}  // namespace canopy
