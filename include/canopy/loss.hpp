#pragma once

#include "canopy/options.hpp"
#include "canopy/rewards.hpp"
#include "canopy/state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

/// How much reward tuning may cost, compared with playing the baseline all the time.
struct LossRule {
  /// As a fraction of the baseline's reward; otherwise `per_pull` applies.
  std::optional<double> share = std::nullopt;
  double per_pull = 0.0;
  /// The largest loss per pull of an untried arm: as a fraction of the baseline's reward, or as a
  /// reward.
  double worst_share = 1.0;
  double worst_per_pull = 0.0;
};

/// The loss of reward due to tuning so far.
struct Loss {
  double lost = 0.0;           ///< against the baseline, over all pulls; negative: a gain
  double margin = 0.0;         ///< margin of error of `lost`
  double allowed = 0.0;        ///< loss allowed by now
  double baseline_mean = 0.0;  ///< mean reward of the baseline
  std::uint64_t pulls = 0;
  /// Whether that mean is known precisely enough to take a fraction of it.
  bool baseline_is_known = false;
  /// The arm that is postponed because it may lose too much; empty: none.
  std::vector<double> waits_for = {};
  double may_lose = 0.0;          ///< largest expected loss in a pull of that arm
  std::uint64_t waits_still = 0;  ///< approximate pulls before it is tried
};

template <class Visit>
void visit_fields(Loss& loss, Visit&& visit) {
  visit(Field{"lost", "reward lost against the baseline, over all pulls; negative: a gain"},
        loss.lost);
  visit(Field{"margin", "margin of error of `lost`"}, loss.margin);
  visit(Field{"allowed", "loss allowed by now"}, loss.allowed);
  visit(Field{"baseline_mean", "mean reward of the baseline"}, loss.baseline_mean);
  visit(Field{"pulls", "pulls for all purposes"}, loss.pulls);
  visit(Field{"baseline_is_known",
              "whether that mean is known precisely enough to take a fraction of it"},
        loss.baseline_is_known);
  visit(
      SettingField{Field{"waits_for", "setting that is postponed because it may lose too much now"}
                       .or_none()},
      loss.waits_for);
  visit(Field{"may_lose", "largest loss to expect in a pull of that setting"}, loss.may_lose);
  visit(Field{"waits_still", "approximate number of pulls before it is tried"}, loss.waits_still);
}

/// Tracks the loss due to tuning, and the largest loss that a pull may cause. Larger rewards are
/// better here.
///
/// The baseline's level is estimated only from its scheduled measurements, in blocks, because the
/// times of its other measurements depend on rewards. Between blocks the level is interpolated
/// linearly, so the value of pulls is recomputed when the next block arrives. docs/tune.md has the
/// rule, and how often it held in simulations.
class LossBudget {
 public:
  explicit LossBudget(const LossRule& rule) : rule_(rule) {}

  /// `begin_block` starts a block of measurements of the baseline; `add_to_block` adds to a block,
  /// counted from 0; `add_waiting` adds other measurements of the baseline, which do not affect the
  /// estimated level.
  void begin_block() { blocks_.emplace_back(); }
  void add_to_block(std::size_t block, const Rewards& rewards);
  void add_waiting(std::uint64_t pulls) { pulls_ += static_cast<double>(pulls); }
  /// Adds pulls of another arm.
  void add(const Rewards& rewards);
  /// Adds a failed pull, which could have lost up to `lost`.
  void add_failure(double lost);

  /// Whether the level is known well enough to try anything.
  [[nodiscard]] bool knows_level() const;
  /// The mean reward of the baseline, by the last blocks.
  [[nodiscard]] double level() const;
  /// The largest loss of a pull of an arm with `pulls` rewards and that mean; `is_first`: the arm
  /// is one of the first to be tried.
  [[nodiscard]] double worst_loss(bool is_first, double pulls, double mean) const;
  /// Whether `pulls` pulls that lose at most `worst` together are allowed, given the losses of
  /// pulls in flight.
  [[nodiscard]] bool allows(double worst, double pulls, double in_flight) const;

  [[nodiscard]] double lost() const;
  /// 2.5 standard errors of `lost`.
  [[nodiscard]] double margin() const;
  [[nodiscard]] double allowance(double pulls) const;
  [[nodiscard]] double pulls() const { return pulls_; }
  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }

  void transfer(State& state);

 private:
  /// A block of measurements of the baseline, and the pulls of other arms until the next block.
  struct Block {
    double count = 0.0;
    double sum = 0.0;
    double times = 0.0;  // sum of the indices of these pulls
    double others = 0.0;
    double other_times = 0.0;
    double last = 0.0;  // last measurement

    [[nodiscard]] double mean() const { return sum / count; }
    [[nodiscard]] double time() const { return times / count; }
    void transfer(State& state) { state(count, sum, times, others, other_times, last); }
  };

  [[nodiscard]] std::vector<Block> measured() const;
  [[nodiscard]] static std::vector<double> weights(const std::vector<Block>& blocks);
  [[nodiscard]] double noise() const;
  [[nodiscard]] double level_noise(const std::vector<Block>& blocks) const;
  [[nodiscard]] double mean_level() const;

  LossRule rule_;
  std::vector<Block> blocks_;
  double pulls_ = 0.0;    // pulls for all purposes
  double others_ = 0.0;   // pulls of other arms
  double earned_ = 0.0;   // rewards of other arms
  double failed_ = 0.0;   // losses of failed pulls
  double worst_ = 0.0;    // largest loss of a pull
  double squares_ = 0.0;  // squared differences of consecutive measurements
  double differences_ = 0.0;
};

}  // namespace canopy
