#pragma once

#include "canopy/options.hpp"
#include "canopy/rewards.hpp"
#include "canopy/state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

/// How much tuning may cost, beside what the baseline would have earned in the same time.
struct LossRule {
  /// As a part of that; else as rewards per pull.
  std::optional<double> share = std::nullopt;
  double per_pull = 0.0;
  /// What a setting that was never tried may lose in a pull, at worst: as a part of what the
  /// baseline earns, or as a reward.
  double worst_share = 1.0;
  double worst_per_pull = 0.0;
};

/// What tuning has cost so far.
struct Loss {
  double lost = 0.0;     ///< beside the baseline, over all pulls; negative: it has gained
  double margin = 0.0;   ///< by which that may be wrong
  double allowed = 0.0;  ///< after so many pulls
  double level = 0.0;    ///< what the baseline earns in a pull
  std::uint64_t pulls = 0;
  /// Whether the level is known well enough for a part of it to mean anything.
  bool level_is_known = false;
  /// The arm that is not tried yet, since it may lose too much; empty: there is none.
  std::vector<double> waits_for = {};
  double may_lose = 0.0;          ///< in a pull of it
  std::uint64_t waits_still = 0;  ///< pulls, about
};

template <class Visit>
void visit_fields(Loss& loss, Visit&& visit) {
  visit(Field{"lost", "beside the baseline, over all pulls; negative: a gain"}, loss.lost);
  visit(Field{"margin", "by which that may be wrong"}, loss.margin);
  visit(Field{"allowed", "after so many pulls"}, loss.allowed);
  visit(Field{"level", "what the baseline earns in a pull"}, loss.level);
  visit(Field{"pulls", "of all purposes"}, loss.pulls);
  visit(Field{"level_is_known", "well enough for a part of it to mean anything"},
        loss.level_is_known);
  visit(
      SettingField{
          Field{"waits_for", "a setting that may lose too much to be tried now"}.or_none()},
      loss.waits_for);
  visit(Field{"may_lose", "in a pull of that setting"}, loss.may_lose);
  visit(Field{"waits_still", "pulls before it is tried, about"}, loss.waits_still);
}

/// Reckons what tuning has cost, and what a pull may cost at worst. Rewards are such that more is
/// better.
///
/// The level of the baseline is known from its scheduled measurements alone, in blocks: when others
/// come depends on rewards. Between blocks it is a straight line, so pulls are valued again when
/// the next block is there. docs/tune.md has the rule, and how often it has held.
class LossBudget {
 public:
  explicit LossBudget(const LossRule& rule) : rule_(rule) {}

  /// A block of measurements of the baseline begins; some of one, from 0; others that do not count.
  void begin_block() { blocks_.emplace_back(); }
  void add_to_block(std::size_t block, const Rewards& rewards);
  void add_waiting(std::uint64_t pulls) { pulls_ += static_cast<double>(pulls); }
  /// Pulls of another arm.
  void add(const Rewards& rewards);
  /// One that has failed, and could have lost that much.
  void add_failure(double lost);

  /// Whether the level is known well enough to try anything.
  [[nodiscard]] bool knows_level() const;
  /// What the baseline earns in a pull, by the last blocks.
  [[nodiscard]] double level() const;
  /// What a pull may lose, at worst: of an arm with so many rewards and that mean; of one of the
  /// first arms that are tried.
  [[nodiscard]] double worst_loss(bool is_first, double pulls, double mean) const;
  /// Whether so many pulls may be played, which lose that much together at worst, with these in
  /// flight.
  [[nodiscard]] bool allows(double worst, double pulls, double in_flight) const;

  [[nodiscard]] double lost() const;
  /// 2.5 standard errors of that.
  [[nodiscard]] double margin() const;
  [[nodiscard]] double allowance(double pulls) const;
  [[nodiscard]] double pulls() const { return pulls_; }
  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }

  void transfer(State& state);

 private:
  /// Measurements of the baseline, and the pulls of other arms until the next ones.
  struct Block {
    double count = 0.0;
    double sum = 0.0;
    double times = 0.0;  // sum of the numbers of these pulls
    double others = 0.0;
    double other_times = 0.0;
    double last = 0.0;  // measurement

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
  double pulls_ = 0.0;    // of all purposes
  double others_ = 0.0;   // of other arms
  double earned_ = 0.0;   // by them
  double failed_ = 0.0;   // lost by pulls that failed
  double worst_ = 0.0;    // that a pull has lost
  double squares_ = 0.0;  // of differences of measurements that follow each other
  double differences_ = 0.0;
};

}  // namespace canopy
