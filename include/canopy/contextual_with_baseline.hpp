#pragma once

#include "canopy/contextual.hpp"
#include "canopy/pairs.hpp"
#include "canopy/with_baseline.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Compares a policy with a baseline while it is learnt, as WithBaseline does for one arm.
///
/// It begins with a few pulls of the baseline. Later, rounds alternate with pulls of the search. A
/// round is a few pairs of pulls, one of a *challenger* and one of the baseline, in random order.
/// The challenger is a frozen copy of the whole policy; in the context of each pull either the
/// policy's arm or the baseline is played. If both are the same arm in a context, the pull is left
/// to the search; this does not depend on the random order. A pair is two tickets of one pull each
/// (`Purpose::duel`), since each pull has a context of its own; the level effect at the start of
/// the pair is subtracted from both rewards. With several challengers, each is tested at a stricter
/// level (`challenger_alpha`).
///
/// The search learns the challenger's rewards, not those of the baseline.
class ContextualWithBaseline final : public Optimizer {
 public:
  /// Uses `every`, `pulls`, `pairs`, `first` and `seed` of the rule. The baseline must be in the
  /// space, but need not be an arm that the search would play. Throws ConfigurationError.
  ContextualWithBaseline(std::unique_ptr<Contextual> search, Space space,
                         const Objective& objective, std::vector<double> baseline,
                         const BaselineRule& rule);

  [[nodiscard]] const ContextSpace& contexts() const override { return search_->contexts(); }

  Pull ask(std::uint64_t pulls = UINT64_MAX) override { return search_->ask(pulls); }
  Pull ask_in(Context context, std::uint64_t pulls = UINT64_MAX) override;
  Pull ask_again() override { return search_->ask_again(); }
  Pull ask_as(const Pull& earlier, std::uint64_t pulls, Context context = {}) override;
  [[nodiscard]] Status tell(Ticket ticket, double reward) override;
  [[nodiscard]] Status tell(Ticket ticket, std::span<const double> rewards) override;
  [[nodiscard]] Status tell(Ticket ticket, const Rewards& rewards) override;
  /// In a duel: if the challenger fails, the pair counts as a loss as large as any so far, and
  /// after its second failure it is no longer a challenger. If the baseline fails, the pair is
  /// void.
  [[nodiscard]] Status penalize(Ticket ticket, double reward) override;
  [[nodiscard]] Status bar(Arm arm, double reward) override { return search_->bar(arm, reward); }
  [[nodiscard]] bool is_barred(Arm arm) const override { return search_->is_barred(arm); }
  [[nodiscard]] std::optional<double> failure_reward() const override {
    return search_->failure_reward();
  }
  [[nodiscard]] Status observe(Arm arm, const Rewards& rewards) override {
    return search_->observe(arm, rewards);
  }
  [[nodiscard]] Status observe_in(Context context, Arm arm, const Rewards& rewards) override {
    return search_->observe_in(context, arm, rewards);
  }
  [[nodiscard]] Status remember(Arm arm, const Rewards& rewards) override {
    return search_->remember(arm, rewards);
  }
  [[nodiscard]] Status measure(Ticket ticket, Arm arm, const Metrics& metrics) override;
  [[nodiscard]] Status measure_in(Context context, Arm arm, const Metrics& metrics) override {
    return search_->measure_in(context, arm, metrics);
  }
  void set_reward_range(const std::optional<RewardRange>& range) override {
    search_->set_reward_range(range);
  }
  [[nodiscard]] std::optional<RewardRange> reward_range() const override {
    return search_->reward_range();
  }
  /// In a duel, the pair becomes void.
  [[nodiscard]] Status drop(Ticket ticket) override;
  void finish() override { search_->finish(); }
  [[nodiscard]] std::optional<Best> best() const override;
  [[nodiscard]] std::optional<Best> best_in(Context context) const override;
  [[nodiscard]] std::optional<Policy> policy() const override;
  [[nodiscard]] std::optional<Best> nearest() const override { return search_->nearest(); }
  [[nodiscard]] std::optional<Best> nearest_in(Context context) const override {
    return search_->nearest_in(context);
  }
  [[nodiscard]] std::vector<LimitCheck> limit_checks(Arm arm) const override {
    return search_->limit_checks(arm);
  }
  [[nodiscard]] std::optional<ArmEstimate> estimate(Arm arm) const override {
    return search_->estimate(arm);
  }
  [[nodiscard]] std::optional<Uplift> uplift() const override;
  [[nodiscard]] std::vector<Uplift> proven() const override;
  [[nodiscard]] std::optional<std::vector<double>> proven_in(Context context) const override;
  [[nodiscard]] std::optional<Evidence> evidence() const override { return search_->evidence(); }
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] std::optional<Learnt> learnt() const override { return search_->learnt(); }
  [[nodiscard]] const TreeView* tree() override { return search_->tree(); }
  [[nodiscard]] std::optional<Pull> pull_of(Ticket ticket) const override;
  [[nodiscard]] std::vector<Pull> in_flight() const override;
  [[nodiscard]] std::string save() override;
  void restore(std::string_view saved) override;
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  /// A frozen policy that was chosen as challenger in a round.
  struct Challenger {
    FrozenPolicy policy;
    Pairs pairs = {};
    std::uint64_t failures = 0;
    std::uint64_t named_at = 0;  // pulls told when it was chosen

    void transfer(State& state) { state(policy, pairs, failures, named_at); }
  };

  /// Two pulls, one of the challenger and one of the baseline.
  struct Pair {
    std::size_t challenger = 0;
    bool is_baseline_first = false;
    std::uint64_t asked = 0;  // pulls of the pair
    std::uint64_t told = 0;
    double difference = 0.0;  // challenger's less baseline's reward, without context effects
    LevelEffect effect = {};  // at the start of the pair, in mapped units

    void transfer(State& state) {
      state(challenger, is_baseline_first, asked, told, difference, effect);
    }
  };

  /// An open ticket for a pull of the baseline outside pairs (`pair` is 0) or for a pull of a pair.
  struct Open {
    std::vector<double> arm;
    std::vector<double> context;
    std::uint64_t pair = 0;  // number of the pair; void if no longer in pairs_
    bool is_baseline = true;
    std::uint64_t round = 0;

    void transfer(State& state) { state(arm, context, pair, is_baseline, round); }
  };

  ContextualWithBaseline(const ContextualWithBaseline& other);

  [[nodiscard]] bool is_in_round() const;
  [[nodiscard]] bool is_round_due() const;
  void begin_round();
  void choose_challenger();
  [[nodiscard]] std::optional<std::size_t> find_challenger(const FrozenPolicy& policy) const;
  [[nodiscard]] std::vector<double> challenger_arm(Context context) const;
  [[nodiscard]] Pull give_baseline(Context context);
  [[nodiscard]] Pull give_half(Context context, std::optional<bool> is_baseline);
  [[nodiscard]] Pull open_as(Open open);
  [[nodiscard]] static Pull pull_of(Ticket ticket, const Open& open);
  void add_to_pair(const Open& open, double reward);
  void void_pair(std::uint64_t pair);
  [[nodiscard]] Status counted(Status status);
  [[nodiscard]] double alpha(std::size_t challenger) const;
  [[nodiscard]] Uplift::Verdict verdict(std::size_t challenger) const;
  [[nodiscard]] bool is_out(const Challenger& challenger) const;
  [[nodiscard]] std::vector<std::size_t> proven_challengers() const;
  [[nodiscard]] Uplift uplift_of(std::optional<std::size_t> challenger) const;
  [[nodiscard]] std::uint64_t pulls() const;
  [[nodiscard]] Best described(Best best) const;
  void transfer(State& state);

  std::unique_ptr<Contextual> search_;
  Space space_;
  double level_;
  Direction direction_;
  std::vector<double> baseline_;
  BaselineRule rule_;

  std::vector<Challenger> challengers_;
  std::optional<std::size_t> challenger_;  // index of the current challenger
  bool is_duel_ = false;                   // whether this round has pairs
  std::uint64_t rounds_ = 0;
  std::uint64_t asked_ = 0;         // pulls of the baseline, or pairs, in this round
  std::uint64_t search_pulls_ = 0;  // told, including failed pulls
  std::uint64_t since_ = 0;         // search pulls since the last round
  std::map<std::uint64_t, Pair> pairs_;
  std::uint64_t tosses_ = 0;      // the number of the last pair
  std::uint64_t half_asked_ = 0;  // pair whose second pull has not been asked for; 0: none
  std::map<Ticket, Open> open_;
  std::uint64_t challenger_pulls_ = 0;
  std::uint64_t baseline_pulls_ = 0;
  double baseline_sum_ = 0.0;
};

}  // namespace canopy
