#include "canopy/detail/block_means.hpp"

#include "core/number_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace canopy {
namespace {

constexpr double kLeastBlocks = 32.0;
constexpr std::size_t kLongBlock = 8;  // log2 of a full batch
static_assert(std::size_t{1} << kLongBlock == BlockMeans::kBatch);

/// In a long study, short blocks are numerous, so their means are taken only from every sixteenth
/// batch.
bool takes_short_blocks(std::uint64_t batch) {
  return batch < 1024 || batch % 16 == 0;
}

/// The length of the blocks of a level.
double block_length(std::size_t level) {
  return static_cast<double>(std::uint64_t{1} << level);
}

/// Replaces 2 `count` numbers by the `count` sums of neighbouring pairs, and returns the sums over
/// these.
BlockMeans::Sums add_neighbours(double* numbers, std::size_t count) {
  NumberPair sum{};
  NumberPair squares{};
  std::size_t i = 0;
  for (; i + 1 < count; i += 2) {
    const NumberPair first = pair_at(numbers + 2 * i);
    const NumberPair second = pair_at(numbers + 2 * i + 2);
    const NumberPair sums = NumberPair{first[0], second[0]} + NumberPair{first[1], second[1]};
    sum += sums;
    squares += sums * sums;
    std::memcpy(numbers + i, &sums, sizeof(sums));
  }
  BlockMeans::Sums all{static_cast<double>(count), total(sum), total(squares)};
  if (i < count) {
    numbers[i] = numbers[2 * i] + numbers[2 * i + 1];
    all.sum += numbers[i];
    all.squares += numbers[i] * numbers[i];
  }
  return all;
}

}  // namespace

BlockMeans::BlockMeans() {
  run_.reserve(kMostLevels);
  halves_.reserve(kMostLevels);
  variations_.reserve(kMostLevels);
}

void BlockMeans::begin_run(double reference) {
  reference_ = reference;
  run_.resize(1);
}

BlockMeans::Sums& BlockMeans::run_at(std::size_t level) {
  if (run_.size() <= level) run_.resize(level + 1);
  return run_[level];
}

void BlockMeans::add(std::span<const double> rewards, const Sums& sums) {
  run_[0].add(sums);
  if (rewards.size() > 1 && takes_short_blocks(batches_)) add_short_blocks(rewards);
  ++batches_;
  if (rewards.size() == kBatch) {
    add_long_block(sums.sum / sums.count);
  } else {
    halves_.clear();  // the next block does not follow the last one
  }
}

/// Adds the blocks of 2, 4, ... rewards.
void BlockMeans::add_short_blocks(std::span<const double> rewards) {
  std::array<double, kBatch> sums;
  std::transform(rewards.begin(), rewards.end(), sums.begin(),
                 [this](double reward) { return reward - reference_; });
  std::size_t count = rewards.size() / 2;
  double part = 0.5;  // weight of a reward in a block's mean
  for (std::size_t level = 1; level < kLongBlock && count != 0; ++level) {
    const Sums blocks = add_neighbours(sums.data(), count);
    run_at(level).add({blocks.count, part * blocks.sum, part * part * blocks.squares});
    count /= 2;
    part *= 0.5;
  }
}

/// Adds the block of a full batch, and longer blocks that it completes.
void BlockMeans::add_long_block(double mean) {
  for (std::size_t level = kLongBlock; level < kMostLevels; ++level) {
    run_at(level).add({1.0, mean, mean * mean});
    if (halves_.size() <= level - kLongBlock) halves_.resize(level - kLongBlock + 1);
    std::optional<double>& half = halves_[level - kLongBlock];
    if (!half) {
      half = mean;
      return;
    }
    mean = 0.5 * (*half + mean);
    half.reset();
  }
}

void BlockMeans::end_run(double mean, double pulls) {
  count_run(mean, pulls, variations_);
  run_.clear();
  halves_.clear();
}

/// The mean of a block of b among T independent rewards deviates from the overall mean with
/// variance (1/b - 1/T) times that of a reward.
void BlockMeans::count_run(double mean, double pulls, std::vector<Variation>& to) const {
  const double shift = mean - reference_;
  const double part = 1.0 / pulls;  // weight of a reward in the arm's mean
  for (std::size_t level = 0; level < run_.size(); ++level) {
    const auto& [count, sum, squares] = run_[level];
    const double share = 1.0 - block_length(level) * part;
    if (count == 0.0 || share <= 0.0) continue;
    if (to.size() <= level) to.resize(level + 1);
    to[level].blocks += count;
    to[level].squares += std::max(0.0, squares - 2.0 * shift * sum + count * shift * shift);
    to[level].freedom += count * share;
  }
}

double BlockMeans::inflation(double mean, double pulls) const {
  std::vector<Variation> all = variations_;
  count_run(mean, pulls, all);
  double inflation = 1.0;
  for (std::size_t level = 1; level < all.size(); ++level) {
    if (all[level].blocks < kLeastBlocks || !(all[0].squares > 0.0)) continue;
    const double single = all[0].squares / all[0].freedom;
    const double ratio = block_length(level) * all[level].squares / all[level].freedom / single;
    if (ratio - 1.0 > 3.0 * std::sqrt(2.0 / (all[level].blocks - 1.0))) {
      inflation = std::max(inflation, ratio);
    }
  }
  return inflation;
}

}  // namespace canopy
