#pragma once

#include "canopy/state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace canopy {

/// Whether rewards of an arm that follow each other depend on each other. The means of 1, 2, 4, ...
/// consecutive rewards vary as 1, 1/2, 1/4, ... if they do not; if they do, the means of long
/// blocks vary more than that.
///
/// Rewards come in batches. Those of one visit to an arm are a run.
class BlockMeans {
 public:
  /// Rewards in a full batch.
  static constexpr std::size_t kBatch = 256;

  /// Numbers, less some reference: how many, their sum and that of their squares.
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

  /// Deviations of the rewards of the next run are from this.
  void begin_run(double reference);
  [[nodiscard]] double reference() const { return reference_; }

  /// The next rewards of a run, at most a full batch, and their sums.
  void add(std::span<const double> rewards, const Sums& sums);

  /// Of an arm with this mean of so many rewards.
  void end_run(double mean, double pulls);

  /// How much more the mean of an arm varies than that of as many independent rewards would: the
  /// largest ratio among the lengths of blocks that have 32 blocks and are surely above 1; else 1.
  /// The arm of the present run has this mean of so many rewards.
  [[nodiscard]] double inflation(double mean, double pulls) const;

  void transfer(State& state) {
    state(reference_, batches_, run_, halves_, variations_);
    state.require_restored(State::are_finite({reference_}) && run_.size() <= kMostLevels &&
                           halves_.size() <= kMostLevels && variations_.size() <= kMostLevels);
  }

 private:
  static constexpr std::size_t kMostLevels = 64;  // no run is longer than 2^64

  /// Squared deviations of the means of blocks from the means of their arms, and what they would be
  /// in units of the variance of a block's mean.
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
  std::uint64_t batches_ = 0;                  // of all runs
  std::vector<Sums> run_;                      // means, by the logarithm of the block's length
  std::vector<std::optional<double>> halves_;  // of long blocks, the first half of the next
  std::vector<Variation> variations_;          // of runs that have ended
};

}  // namespace canopy
