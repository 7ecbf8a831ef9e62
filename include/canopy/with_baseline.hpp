#pragma once

#include "canopy/detail/ticketed_optimizer.hpp"
#include "canopy/level_alarm.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/pairs.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// The schedule on which an optimizer is compared with its baseline.
struct BaselineRule {
  std::uint64_t every = 10;  ///< pulls of the search between two rounds, on average; 0: no rounds
  std::uint64_t pulls = 4;   ///< baseline pulls at the start and in rounds without a challenger
  std::uint64_t pairs = 4;   ///< per round
  std::uint64_t visit = 1;   ///< consecutive pulls of each arm of a pair
  std::uint64_t settle = 0;  ///< pulls before these that are discarded
  std::uint64_t search_settle = 0;  ///< pulls that the search itself discards after a change
  std::uint64_t first = 80;         ///< pulls of the search before the first pair
  std::uint64_t seed = 1;           ///< seed of the random order of pairs
  std::optional<LossRule> loss = std::nullopt;  ///< loss budget; none: unlimited
};

/// Compares the best arm of an optimizer with a baseline while it searches.
///
/// It begins with a few pulls of the baseline. Later, rounds alternate with pulls of the search. A
/// round is a few pairs of consecutive pulls of the currently best arm, the *challenger*, and the
/// baseline, in random order (`Purpose::duel`). The search learns the challenger's rewards; the
/// baseline's are passed to `remember`. An arm becomes a challenger before its pairs are drawn, so
/// that earlier rewards do not count as evidence; with several challengers, each is tested at a
/// stricter level (`challenger_alpha`). The claims of `uplift` are therefore valid at all looks,
/// whatever the noise and the level of rewards do: see Pairs.
///
/// With a loss budget, an arm that the search wants to play is postponed until its largest
/// plausible loss fits the budget (LossBudget); until then a proven arm or else the baseline is
/// played (`Purpose::wait`).
///
/// Pairs describe the system at the time they were measured. Once the search detects a change that
/// is not only a change of level, earlier pairs no longer count as evidence: all challengers are
/// dropped, and the next ones get the subsequent levels.
///
/// Means of past rewards remain valid, but an interval of f would assume a constant level.
/// Therefore `best` has no interval once the baseline was measured.
class WithBaseline final : public Optimizer {
 public:
  /// The baseline must be in the optimizer's space, but need not be an arm that it would play.
  /// Throws ConfigurationError.
  WithBaseline(std::unique_ptr<TicketedOptimizer> search, Space space, const Objective& objective,
               std::vector<double> baseline, const BaselineRule& rule);

  Pull ask(std::uint64_t pulls = UINT64_MAX) override;
  Pull ask_again() override;
  Pull ask_as(const Pull& earlier, std::uint64_t pulls, Context context = {}) override;
  [[nodiscard]] Status tell(Ticket ticket, double reward) override;
  /// In a duel: first all rewards of the first arm, then those of the other one.
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
    return noted(search_->observe(arm, rewards));
  }
  [[nodiscard]] Status remember(Arm arm, const Rewards& rewards) override {
    return search_->remember(arm, rewards);
  }
  [[nodiscard]] Status measure(Ticket ticket, Arm arm, const Metrics& metrics) override {
    const auto open = open_.find(ticket);
    if (open == open_.end()) return search_->measure(ticket, arm, metrics);
    return open->second.unsettled() != 0 ? Status::passed_over : search_->measure(0, arm, metrics);
  }
  void interrupt() override;
  void begin_comparison(Arm arm) override { compared_.assign(arm.begin(), arm.end()); }
  void end_comparison(bool refuted) override;
  void set_reward_range(const std::optional<RewardRange>& range) override {
    search_->set_reward_range(range);
  }
  [[nodiscard]] std::optional<RewardRange> reward_range() const override {
    return search_->reward_range();
  }
  [[nodiscard]] Status drop(Ticket ticket) override;
  void finish() override { search_->finish(); }
  [[nodiscard]] std::optional<Best> best() const override;
  [[nodiscard]] std::optional<Best> nearest() const override;
  [[nodiscard]] std::vector<Uplift> proven() const override;
  [[nodiscard]] std::vector<LimitCheck> limit_checks(Arm arm) const override {
    return search_->limit_checks(arm);
  }
  [[nodiscard]] std::optional<ArmEstimate> estimate(Arm arm) const override {
    return search_->estimate(arm);
  }
  [[nodiscard]] std::optional<Uplift> uplift() const override;
  [[nodiscard]] std::optional<Loss> loss() const override;
  [[nodiscard]] std::optional<Evidence> evidence() const override { return search_->evidence(); }
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] std::uint64_t changes() const override { return changes_; }
  [[nodiscard]] std::optional<Learnt> learnt() const override { return search_->learnt(); }
  [[nodiscard]] const TreeView* tree() override { return search_->tree(); }
  [[nodiscard]] std::optional<Pull> pull_of(Ticket ticket) const override;
  [[nodiscard]] std::vector<Pull> in_flight() const override;
  [[nodiscard]] std::string save() override;
  void restore(std::string_view saved) override;
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

  /// Whether the next ask begins or continues a round, after `more` further rewards of the search.
  [[nodiscard]] bool is_round_due(std::uint64_t more = 0) const;

 private:
  /// An arm that was the best one when a round began.
  struct Challenger {
    std::vector<double> arm;
    Pairs pairs = {};
    std::uint64_t failures = 0;

    void transfer(State& state) { state(arm, pairs, failures); }
  };

  /// An open ticket of the baseline or of a duel.
  struct Open {
    std::vector<double> arm;
    std::vector<double> then = {};  // second arm of a duel; empty: baseline only
    std::uint64_t length = 1;       // rewards still to be told
    std::uint64_t visit = 1;        // rewards per arm
    std::uint64_t settle = 0;       // first rewards of each arm, which are discarded
    std::uint64_t round = 0;        // 0 for a wait
    double difference = 0.0;        // sum of the challenger's less the baseline's rewards so far
    bool is_wait = false;
    bool is_void = false;  // the system has changed since the duel began

    [[nodiscard]] bool is_duel() const { return !then.empty(); }
    /// The arm to be played now; `rest`: the number of its remaining pulls.
    [[nodiscard]] const std::vector<double>& now() const;
    [[nodiscard]] std::uint64_t rest() const;
    /// Number of these pulls before the system has settled.
    [[nodiscard]] std::uint64_t unsettled() const;
    void transfer(State& state) {
      state(arm, then, length, visit, settle, round, difference, is_wait, is_void);
    }
  };

  /// The baseline's rewards in one round.
  struct Round {
    double sum = 0.0;
    std::uint64_t count = 0;
    std::uint64_t from = 0;  // first and last pull
    std::uint64_t to = 0;

    void transfer(State& state) { state(sum, count, from, to); }
  };

  /// Owns the search optimizer; copying clones it.
  class Search {
   public:
    explicit Search(std::unique_ptr<TicketedOptimizer> optimizer)
        : optimizer_(std::move(optimizer)) {}
    Search(const Search& other);
    Search& operator=(const Search&) = delete;
    ~Search() = default;

    TicketedOptimizer* operator->() const { return optimizer_.get(); }

   private:
    std::unique_ptr<TicketedOptimizer> optimizer_;
  };

  WithBaseline(const WithBaseline&) = default;

  /// The next pull of the search, postponed because it may lose too much.
  struct Held {
    Ticket ticket = 0;
    std::vector<double> arm;
    bool is_first = false;  // one of the first arms tried

    void transfer(State& state) { state(ticket, arm, is_first); }
  };

  /// Consecutive pulls of the search at an arm, which a loss budget allowed together.
  struct Visit {
    std::vector<double> arm;
    std::uint64_t rest = 0;  // pulls not asked for yet
    double worst = 0.0;      // largest possible loss of a pull

    void transfer(State& state) { state(arm, rest, worst); }
  };

  [[nodiscard]] Pull ask_search(std::uint64_t pulls);
  void hold(std::uint64_t pulls = 1);
  [[nodiscard]] Pull let_go();
  void reserve(Ticket ticket, const std::vector<double>& arm, bool is_first);
  [[nodiscard]] bool is_visited(const std::vector<double>& arm) const {
    return visit_ && visit_->arm == arm;
  }
  void end_visit();
  void leave_search();
  [[nodiscard]] Pull wait();
  [[nodiscard]] bool is_held(Ticket ticket) const { return held_ && held_->ticket == ticket; }
  [[nodiscard]] std::vector<double> safe_arm() const;
  [[nodiscard]] std::uint64_t settle() const { return std::max(rule_.settle, rule_.search_settle); }
  [[nodiscard]] std::uint64_t pulls_of_visit() const { return settle() + rule_.visit; }
  [[nodiscard]] double worst_loss(const std::vector<double>& arm, bool is_first) const;
  [[nodiscard]] double reserved() const;
  [[nodiscard]] bool may_be_played(const Held& held) const;
  [[nodiscard]] std::uint64_t pulls_to_allow(const Held& held) const;
  [[nodiscard]] bool loss_allows(std::uint64_t pulls, double worst_of_each) const;
  void count_search(Ticket ticket, const Rewards& rewards);
  [[nodiscard]] Rewards better_is_more(const Rewards& rewards) const;

  void begin_round();
  [[nodiscard]] bool is_in_round() const;
  [[nodiscard]] std::uint64_t until_round() const;
  [[nodiscard]] bool is_possible(const Pull& earlier) const;
  [[nodiscard]] bool is_out(const Challenger& challenger) const;
  [[nodiscard]] Pull give(Open open);
  [[nodiscard]] Pull open_as(Open open);
  [[nodiscard]] Pull pull_of(Ticket ticket, const Open& open) const;
  [[nodiscard]] Status learn(Ticket ticket, Open& open, const Rewards& rewards);
  [[nodiscard]] Status pass_over(Open& open, const Rewards& rewards);
  void take_baseline(std::uint64_t round, const Rewards& rewards);
  /// Whether the arm of a duel that is not the baseline comes first; `challenger_of`: that arm's
  /// record.
  [[nodiscard]] bool is_challenger_first(const Open& duel) const { return duel.arm != baseline_; }
  [[nodiscard]] Challenger& challenger_of(const Open& duel);
  [[nodiscard]] std::optional<std::size_t> find_challenger(const std::vector<double>& arm) const;
  [[nodiscard]] std::size_t challenger_index(const std::vector<double>& arm);
  void choose_challenger();
  [[nodiscard]] double alpha(std::size_t challenger) const;
  [[nodiscard]] Direction direction() const {
    return sign_ > 0.0 ? Direction::maximize : Direction::minimize;
  }
  [[nodiscard]] Uplift::Verdict verdict(std::size_t challenger) const;
  [[nodiscard]] std::vector<std::size_t> proven_among(const std::vector<double>& best) const;
  [[nodiscard]] std::optional<std::size_t> told_challenger(const std::vector<double>& best) const;
  [[nodiscard]] Uplift uplift_of(std::optional<std::size_t> challenger,
                                 const std::vector<double>& best) const;
  [[nodiscard]] double tossed_rank() const;
  [[nodiscard]] std::vector<Round> measured_rounds(std::uint64_t after = 0) const;
  [[nodiscard]] LevelMove move() const;
  [[nodiscard]] std::uint64_t pulls() const;
  Status noted(Status status);
  void notice(const Change& change);
  void give_up_challengers();
  void transfer(State& state);

  Search search_;
  Space space_;
  double level_;
  double sign_;  // 1: larger is better; -1: smaller is better
  std::vector<double> baseline_;
  BaselineRule rule_;

  std::vector<Challenger> challengers_;  // the k-th one is number k - 1
  std::size_t given_up_ = 0;  // the first challengers, before the last change of the system
  std::optional<std::size_t> challenger_;  // index of the current challenger
  bool is_duel_ = false;                   // whether this round has pairs
  std::map<Ticket, Open> open_;
  std::vector<Round> rounds_;
  std::uint64_t asked_ = 0;         // pulls of the baseline, or pairs, in this round
  std::uint64_t search_pulls_ = 0;  // pulls of the search, including failures
  std::uint64_t since_ = 0;         // search pulls since the last round
  std::uint64_t challenger_pulls_ = 0;
  std::uint64_t baseline_pulls_ = 0;
  std::uint64_t tosses_ = 0;  // random draws of a pair's order
  LevelAlarm alarm_;

  std::uint64_t changes_ = 0;         // changes detected by the search or the alarm
  std::uint64_t search_changes_ = 0;  // changes detected by the search
  Change last_change_;
  std::optional<std::uint64_t> best_since_;   // last pull that is ignored by `best`
  std::optional<std::uint64_t> pairs_since_;  // last pull that is ignored by `uplift`

  std::optional<LossBudget> loss_;
  std::optional<Held> held_;
  std::optional<Visit> visit_;         // current visit of the search; none after another setting
  std::map<Ticket, double> reserved_;  // largest losses of open tickets of the search
  std::uint64_t tried_ = 0;            // visits that the search asked for
  std::uint64_t waits_ = 0;            // pulls of waits
  std::uint64_t passed_ = 0;           // pulls discarded before the system had settled
  std::uint64_t passed_alone_ = 0;     // discarded pulls of the baseline in rounds
  std::vector<double> waits_at_;       // arm of the last reward, if that was of a wait
  std::vector<double> compared_;       // arm of a comparison that continues outside of rounds
  std::vector<double> refuted_;        // arm of the last comparison, if it was refuted
};

}  // namespace canopy
