#pragma once

#include "canopy/state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace canopy {

/// Detects correlation between consecutive rewards of an arm. If rewards are independent, the
/// variances of the means of 1, 2, 4, ... consecutive rewards are in the ratio 1 : 1/2 : 1/4 : ...;
/// if they are correlated, the means of long blocks vary more than that.
///
/// Rewards are added in batches. The rewards of one visit to an arm are a run.
class BlockMeans {
 public:
  /// Rewards in a full batch.
  static constexpr std::size_t kBatch = 256;

  /// Count, sum and sum of squares of numbers, relative to a reference.
  struct Sums {
    double count = 0.0;
    double sum = 0.0;
    double squares = 0.0;

    void add(const Sums& others) {
      count += others.count;
      sum += others.sum;
      squares += others.squares;
    }
    void transfer(State& state) {
      state(count, sum, squares);
      state.require_restored(State::are_counts({count}) && State::are_finite({sum}) &&
                             State::are_sizes({squares}));
    }
  };

  BlockMeans();

  [[nodiscard]] bool is_running() const { return !run_.empty(); }

  /// Begins a run: its rewards are given relative to `reference`.
  void begin_run(double reference);
  [[nodiscard]] double reference() const { return reference_; }

  /// Adds the next rewards of a run, at most a full batch, and their sums.
  void add(std::span<const double> rewards, const Sums& sums);

  /// Ends the run of an arm that now has this mean over `pulls` rewards.
  void end_run(double mean, double pulls);

  /// The factor by which the variance of an arm's mean exceeds that of independent rewards: the
  /// largest ratio over block lengths with at least 32 blocks and a ratio significantly above 1;
  /// else 1. The arm of the current run has this mean over `pulls` rewards.
  [[nodiscard]] double inflation(double mean, double pulls) const;

  void transfer(State& state) {
    state(reference_, batches_, run_, halves_, variations_);
    state.require_restored(State::are_finite({reference_}) && run_.size() <= kMostLevels &&
                           halves_.size() <= kMostLevels && variations_.size() <= kMostLevels);
  }

 private:
  static constexpr std::size_t kMostLevels = 64;  // a run is at most 2^64 rewards long

  /// Squared deviations of block means from the means of their arms, and the number expected in
  /// units of the variance of a block's mean.
  struct Variation {
    double blocks = 0.0;
    double squares = 0.0;
    double freedom = 0.0;

    void transfer(State& state) {
      state(blocks, squares, freedom);
      state.require_restored(State::are_counts({blocks}) && State::are_sizes({squares, freedom}));
    }
  };

  void add_short_blocks(std::span<const double> rewards);
  void add_long_block(double mean);
  [[nodiscard]] Sums& run_at(std::size_t level);
  void count_run(double mean, double pulls, std::vector<Variation>& to) const;

  double reference_ = 0.0;
  std::uint64_t batches_ = 0;  // number of batches in all runs
  std::vector<Sums> run_;      // block means of the current run, by log2 of the block length
  std::vector<std::optional<double>> halves_;  // first half of the next long block, by level
  std::vector<Variation> variations_;          // variations of finished runs
};

}  // namespace canopy
