#include "canopy/loss.hpp"

#include "canopy/moments.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {
namespace {

constexpr double kMargin = 2.5;         // standard errors of the loss
constexpr double kSureOfSign = 3.0;     // standard errors of the level
constexpr double kOwnDeviations = 2.0;  // standard deviations of an arm's mean
constexpr std::size_t kFewestBlocks = 2;
constexpr std::size_t kFewestOfOne = 8;  // blocks of one measurement each

}  // namespace

void LossBudget::add_to_block(std::size_t block, const Rewards& rewards) {
  const auto count = static_cast<double>(rewards.count);
  Block& known = blocks_.at(block);
  if (rewards.count > 1) {  // only sums are known: squared differences average twice the variance
    squares_ += 2.0 * rewards.squared_deviations;
    differences_ += count - 1.0;
  } else if (known.count > 0.0) {
    squares_ += (rewards.sum - known.last) * (rewards.sum - known.last);
    differences_ += 1.0;
  }
  known.last = rewards.mean();
  known.count += count;
  known.sum += rewards.sum;
  known.times += count * (pulls_ + 0.5 * (count + 1.0));
  pulls_ += count;
}

void LossBudget::add(const Rewards& rewards) {
  const auto count = static_cast<double>(rewards.count);
  const double time = pulls_ + 0.5 * (count + 1.0);
  pulls_ += count;
  if (blocks_.empty()) return;  // the baseline has not been measured yet
  others_ += count;
  earned_ += rewards.sum;
  blocks_.back().others += count;
  blocks_.back().other_times += count * time;
  const auto last = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                 [](const Block& block) { return block.count > 0.0; });
  if (last != blocks_.rend()) worst_ = std::max(worst_, last->mean() - rewards.min);
}

void LossBudget::add_failure(double lost) {
  pulls_ += 1.0;
  failed_ += lost;
}

std::vector<LossBudget::Block> LossBudget::measured() const {
  std::vector<Block> blocks;
  Block before;  // pulls before the first measured block
  for (const Block& block : blocks_) {
    Block& last = blocks.empty() ? before : blocks.back();
    if (block.count > 0.0) {
      blocks.push_back(block);
    } else {  // its measurements were dropped, or are still missing
      last.others += block.others;
      last.other_times += block.other_times;
    }
  }
  if (!blocks.empty()) {
    blocks.front().others += before.others;
    blocks.front().other_times += before.other_times;
  }
  return blocks;
}

/// The weight of each block's level in a linear interpolation between blocks.
std::vector<double> LossBudget::weights(const std::vector<Block>& blocks) {
  std::vector<double> weights(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    if (block.others == 0.0) continue;
    double part = 0.0;
    if (i + 1 < blocks.size()) {
      const double way = blocks[i + 1].time() - block.time();
      part = std::clamp((block.other_times / block.others - block.time()) / way, 0.0, 1.0);
      weights[i + 1] += block.others * part;
    }
    weights[i] += block.others * (1.0 - part);
  }
  return weights;
}

double LossBudget::lost() const {
  const std::vector<Block> blocks = measured();
  const std::vector<double> weight = weights(blocks);
  double by_baseline = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) by_baseline += weight[i] * blocks[i].mean();
  return by_baseline - earned_ + failed_;
}

/// The variance of a measurement.
double LossBudget::noise() const {
  if (differences_ > 0.0) return squares_ / (2.0 * differences_);
  Moments means;  // blocks of one measurement each
  for (const Block& block : measured()) means.add(block.mean());
  return means.count < 2.0 ? 0.0 : means.variance();
}

/// The variance of a block's level: by the noise, or by the differences between blocks.
double LossBudget::level_noise(const std::vector<Block>& blocks) const {
  double squares = 0.0;
  double pulls = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    pulls += blocks[i].count;
    if (i == 0) continue;
    const double apart = blocks[i].mean() - blocks[i - 1].mean();
    squares += apart * apart;
  }
  const auto count = static_cast<double>(blocks.size());
  const double by_noise = noise() * count / std::max(1.0, pulls);
  if (blocks.size() < 3) return by_noise;
  return std::max(by_noise, squares / (2.0 * (count - 1.0)));
}

double LossBudget::margin() const {
  const std::vector<Block> blocks = measured();
  const double of_level = level_noise(blocks);
  double squares = 0.0;
  for (const double weight : weights(blocks)) squares += weight * weight;
  const double variance = others_ * std::max(noise(), of_level) + of_level * squares;
  return kMargin * std::sqrt(variance);
}

double LossBudget::mean_level() const {
  double sum = 0.0;
  double count = 0.0;
  for (const Block& block : blocks_) {
    sum += block.sum;
    count += block.count;
  }
  return count == 0.0 ? 0.0 : sum / count;
}

double LossBudget::level() const {
  const std::vector<Block> blocks = measured();
  if (blocks.empty()) return 0.0;
  const Block& last = blocks.back();
  return blocks.size() == 1 ? last.mean() : 0.5 * (last.mean() + blocks[blocks.size() - 2].mean());
}

bool LossBudget::knows_level() const {
  const std::vector<Block> blocks = measured();
  if (blocks.size() < (differences_ > 0.0 ? kFewestBlocks : kFewestOfOne)) return false;
  if (!rule_.share) return true;
  const double error = std::sqrt(level_noise(blocks) / static_cast<double>(blocks.size()));
  return std::abs(mean_level()) > kSureOfSign * error;
}

double LossBudget::allowance(double pulls) const {
  return pulls * (rule_.share ? *rule_.share * std::abs(mean_level()) : rule_.per_pull);
}

double LossBudget::worst_loss(bool is_first, double pulls, double mean) const {
  double worst = worst_;
  if (is_first) {
    const double presumed =
        rule_.share ? rule_.worst_share * std::abs(level()) : rule_.worst_per_pull;
    worst = std::max(worst, presumed);
  }
  if (pulls > 0.0) {
    const double own = level() - mean + kOwnDeviations * std::sqrt(noise() / pulls);
    worst = std::min(worst, own);
  }
  return std::max(0.0, worst);
}

bool LossBudget::allows(double worst, double pulls, double in_flight) const {
  return knows_level() && lost() + margin() + worst <= allowance(pulls_ + in_flight + pulls);
}

void LossBudget::transfer(State& state) {
  state(blocks_, pulls_, others_, earned_, failed_, worst_, squares_, differences_);
  if (!state.restoring()) return;
  for (const Block& block : blocks_) {
    State::require(State::are_counts({block.count, block.others}) &&
                   State::are_finite({block.sum, block.times, block.other_times, block.last}));
  }
  State::require(State::are_counts({pulls_, others_, differences_}) &&
                 State::are_sizes({squares_, worst_}) && State::are_finite({earned_, failed_}));
}

}  // namespace canopy
