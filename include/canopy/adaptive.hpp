#pragma once

#include "canopy/detail/adaptive_model.hpp"
#include "canopy/detail/change_probe.hpp"
#include "canopy/detail/level_trackers.hpp"
#include "canopy/detail/memory_watch.hpp"
#include "canopy/detail/settling.hpp"
#include "canopy/detail/ticketed_optimizer.hpp"
#include "canopy/enum_names.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/options.hpp"
#include "canopy/partition.hpp"
#include "canopy/space.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// Which pulls after a change of arm are discarded because the system has not settled.
enum class SettleRule : std::uint8_t {
  strict,  ///< The first `settle` pulls.
  /// Fewer after a small change: assumes that the system covers the same fraction of the remaining
  /// distance at every pull, so that 5 % is left after `settle` pulls. Saves pulls; wrong for a
  /// system that takes as long to settle after a small change.
  by_distance,
};

template <>
struct EnumNames<SettleRule> {
  static constexpr std::array<std::string_view, 2> names{"strict", "by_distance"};
};

/// How the tree handles a system that changes over time.
enum class Drift : std::uint8_t {
  none,       ///< Nothing: f stays as it is, and noise is independent.
  automatic,  ///< Tracks the level of rewards, and discounts old rewards when f changes.
};

template <>
struct EnumNames<Drift> {
  static constexpr std::array<std::string_view, 2> names{"none", "auto"};
};

struct AdaptiveOptions {
  /// Pulls that the system takes to settle after a change of arm. Their rewards are discarded.
  std::uint64_t settle = 0;

  /// Which of these pulls are discarded.
  SettleRule settle_rule = SettleRule::by_distance;

  /// >= 0: scales the explorer's budget for cells in which the model expects little, in units of
  /// the range of f. Raising it to 0.3 or 1 finds narrow peaks, at the cost of regret elsewhere.
  double coverage = 0.06;

  /// What to do when the level of rewards, or the optimum, changes.
  Drift drift = Drift::automatic;
};

template <class Visit>
void visit_fields(AdaptiveOptions& options, Visit&& visit) {
  visit(Field{"settle", "pulls that the system takes to settle after a change of arm", kAnyWhole},
        options.settle);
  visit(
      Field{"settle_rule",
            "which of these pulls are discarded: all (`strict`, the default for a live system), or "
            "fewer after a small change (`by_distance`)"},
      options.settle_rule);
  visit(Field{"coverage", "budget for exploring where the model expects no optimum", kNotNegative},
        options.coverage);
  visit(
      Field{
          "drift",
          "whether to track changes of the reward level and of the optimum (`auto`), or to assume "
          "that the system does not change (`none`; always so with contexts)"},
      options.drift);
}

/// The adaptive tree: HCT's cover tree with a model in place of constants that the user would have
/// to know. Smoothness, noise and spread of f are learnt while it runs (`AdaptiveModel`); it needs
/// only the search space.
///
/// A turn goes to the leaf with the largest index m + sqrt(3 ln(1 + t v / (leaves sg)) v), reached
/// by following the larger index from the root, and lasts 0.15 T pulls, at least one. A leaf is cut
/// when its value is known more precisely than f varies within it, v <= D2. Because a model can be
/// confident and wrong, an explorer covers the box and sweeps all depths. Its budget limits the
/// reward that its pulls have significantly lost. Every metric with a limit has a model of its own
/// over the same cells, and the index is compared only among cells that may keep their limits.
/// docs/adaptive.md has the formulas and what each part contributes.
class Adaptive final : public TicketedOptimizer, private TreeView {
 public:
  /// Throws ConfigurationError when options or objective are wrong.
  explicit Adaptive(const Space& space, const AdaptiveOptions& options = {},
                    const Objective& objective = {});

  /// As above, over any partition: another rule for cutting boxes, or a tree over a custom set.
  explicit Adaptive(const std::shared_ptr<const Partition>& partition,
                    const AdaptiveOptions& options = {}, const Objective& objective = {});

  Pull ask(std::uint64_t pulls = UINT64_MAX) override;
  Pull ask_again() override;
  [[nodiscard]] Status tell(Ticket ticket, double reward) override;
  using TicketedOptimizer::tell;
  [[nodiscard]] Status drop(Ticket ticket) override;
  void finish() override;
  void interrupt() override;

  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] std::uint64_t changes() const override { return changes_; }
  [[nodiscard]] std::optional<Learnt> learnt() const override;
  [[nodiscard]] const TreeView* tree() override { return this; }
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;
  [[nodiscard]] std::vector<LimitCheck> limit_checks(Arm arm) const override;

  [[nodiscard]] const AdaptiveModel& model() const { return model_; }

  // Used by Contextual, which has one Adaptive for each region of contexts.

  /// Sets the effect of the next rewards' context on the rewards of all arms, in mapped units. It
  /// is subtracted before rewards are learnt; intervals are for the rewards as told.
  void set_level_effect(double effect) { level_effect_ = effect; }

  /// Sets the same effect for every metric with a limit, in the metric's units; subtracted from the
  /// next metrics.
  void set_metric_effects(std::vector<double> effects) { metric_effects_ = std::move(effects); }

  /// Sets the range of each metric's context effect within which limits must be kept: from now on
  /// `ask` and `best` respect the limits in these contexts.
  void judge_limits_at(const std::vector<Interval>& effects) { judged_effects_ = effects; }
  [[nodiscard]] const std::vector<Interval>& judged_effects() const { return judged_effects_; }

  [[nodiscard]] const AdaptiveModel& metric_model(std::size_t metric) const {
    return metrics_[metric];
  }

  /// Whether some measured cells keep a limit and others break it, given this range of the
  /// context's effect on the metric.
  [[nodiscard]] bool is_limit_at_stake(std::size_t metric, const Interval& effects) const;

  [[nodiscard]] const RewardMap& reward_map() const { return map_; }
  [[nodiscard]] bool has_begun() const { return has_begun_; }

  /// Rewards by arm, in mapped units.
  using RewardsOfArms = std::map<std::vector<double>, Rewards>;

  /// Brings `model` up to date with all rewards, also in the middle of a turn.
  void update_model();

  /// Replaces all rewards learnt so far by `rewards`.
  void relearn(const RewardsOfArms& rewards);
  void relearn_metric(std::size_t metric, const RewardsOfArms& values);

  /// The part of the optimizer's state that comes from a subset of contexts.
  struct Part {
    RewardsOfArms rewards;                     ///< as told
    RewardsOfArms learnt;                      ///< less the effect of their contexts
    std::vector<RewardsOfArms> metrics = {};   ///< for each limit, less the context effect
    std::vector<std::uint64_t> beyond = {};    ///< for each limit, measurements beyond it
    std::uint64_t pulls = 0;                   ///< told, including failed pulls
    std::function<bool(Ticket)> keeps_ticket;  ///< all other tickets are closed
    bool is_second = false;  ///< second half of a split; the first half gets explorer turns
  };
  void keep_part(const Part& part);

 private:
  using Node = AdaptiveModel::Node;
  using Tree = AdaptiveModel::Tree;

  [[nodiscard]] std::vector<NodeView> nodes() const override;
  [[nodiscard]] std::optional<Place> place(Ticket ticket) const override;
  [[nodiscard]] std::string path(NodeIndex node) const override;

  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return model_.tree().arm(node); }
  [[nodiscard]] bool contains(Arm arm) const override {
    return model_.tree().partition().contains(arm);
  }
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  [[nodiscard]] std::optional<Interval> model_interval(Arm arm) const override;
  void accept(NodeIndex index, const Rewards& mapped) override;
  void accept_observed(Arm arm, const Rewards& mapped) override;
  void accept_penalty(NodeIndex index, double mapped) override;
  void accept_bar(Arm arm, double mapped, std::uint64_t weight) override;
  void accept_metrics(Ticket ticket, Arm arm, const std::vector<double>& values) override;
  bool record_pulls(NodeIndex node, std::uint64_t pulls) override;
  void pass_over(NodeIndex index, std::uint64_t pulls) override;
  void transfer(State& state) override;

  /// Consecutive pulls of one leaf. The next decision is made at their end.
  struct Turn {
    NodeIndex node = 0;
    std::uint64_t length = 1;    ///< Pulls of the turn, not counting those discarded.
    std::uint64_t unissued = 1;  ///< Pulls for which no ticket has been issued yet.
    std::uint64_t skipped = 0;   ///< Pulls discarded before the system settled.
    bool has_settled = true;     ///< A pull has been used: the system has settled.
    bool is_beyond = false;      ///< The arm breaks a limit: the turn ends with the next reward.
    double mean = 0.0;           ///< Mean of the leaf before the turn.
    Learnt::Why why = Learnt::Why::start;

    [[nodiscard]] bool is_explorers() const {
      return why == Learnt::Why::cover || why == Learnt::Why::sweep;
    }
    void transfer(State& state) {
      state(node, length, unissued, skipped, has_settled, is_beyond, mean, why);
    }
  };

  /// Rewards of the current turn that the model has not learnt yet, relative to the turn's mean.
  struct Pending {
    double count = 0.0;
    double sum = 0.0;
    double squares = 0.0;
    double least = kInfinity;
    double largest = -kInfinity;
    double weight = 0.0;  ///< I: effective number of rewards while a level is tracked

    void add(double off) {
      count += 1.0;
      sum += off;
      squares += off * off;
      least = std::min(least, off);
      largest = std::max(largest, off);
    }

    /// Adds a reward's deviation `off` from the model's f. `part` is the fraction of an error in f
    /// that the tracked level has not absorbed.
    void add_followed(double off, double part) {
      count += 1.0;
      sum += part * off;
      squares += off * off;
      least = std::min(least, off);
      largest = std::max(largest, off);
      weight += part * part;
    }
    void add_followed(const Rewards& off, double part) {
      const Moments moments = off.moments();
      count += moments.count;
      sum += part * off.sum;
      squares += moments.squared_deviations + moments.count * moments.mean * moments.mean;
      least = std::min(least, off.min);
      largest = std::max(largest, off.max);
      weight += moments.count * part * part;
    }

    void transfer(State& state) {
      state(count, sum, squares, least, largest, weight);
      state.require_restored(State::are_counts({count}) && State::are_finite({sum}) &&
                             State::are_sizes({squares, weight}) &&
                             State::are_ends(least, largest) &&
                             (count == 0.0) == (least == kInfinity));
    }
  };

  void begin_or_resume();
  [[nodiscard]] Pull issue(std::uint64_t length);
  void choose();
  [[nodiscard]] Turn next_turn();
  [[nodiscard]] NodeIndex next_of_start();
  [[nodiscard]] double asked_for(NodeIndex index) const;
  [[nodiscard]] bool explorer_may_play() const;
  [[nodiscard]] std::optional<NodeIndex> cover();
  [[nodiscard]] std::optional<NodeIndex> sweep();
  void list_for_sweep();
  [[nodiscard]] NodeIndex most_promising() const;
  [[nodiscard]] NodeIndex left_child_of_cut(NodeIndex leaf);

  void learn_pending();
  bool learn(NodeIndex index, NodeIndex owner, const Rewards& mapped);
  void update_leaf(NodeIndex node);
  void pass_if_due();
  void lose_track();
  [[nodiscard]] static double take_back(Node& node, double pulls);
  void end_turn(NodeIndex node);
  void pass();
  void after_pass();
  void count_losses();
  void set_bounds();
  [[nodiscard]] static double expected_variance(const Node& leaf);
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] bool is_ripe(NodeIndex index) const;
  [[nodiscard]] double index(const Node& leaf, double more_variance = 0.0) const;
  void set_key(NodeIndex leaf);
  void take_key_of_better_child(NodeIndex node);
  void set_bound(NodeIndex leaf);
  void take_keys_above(NodeIndex node);
  [[nodiscard]] NodeIndex better_child(NodeIndex node) const;

  /// Whether a cell is judged by its own arm or by its parts.
  enum class JudgedBy { own_arm, parts };
  [[nodiscard]] double judged_effect(std::size_t metric, double level) const;
  [[nodiscard]] double room(std::size_t metric, double level) const {
    return limits()[metric].room(level + judged_effect(metric, level));
  }
  void judge_anew();
  [[nodiscard]] double beyond_limits(NodeIndex node, double favour,
                                     JudgedBy by = JudgedBy::own_arm) const;
  [[nodiscard]] bool is_at_end(std::size_t metric, const AdaptiveModel::Posterior& known) const;
  [[nodiscard]] double deviations(std::size_t metric, const AdaptiveModel::Posterior& known) const;
  [[nodiscard]] AdaptiveModel::Posterior judged(std::size_t metric,
                                                AdaptiveModel::Posterior known) const;
  [[nodiscard]] double least_deviations(NodeIndex node) const;
  [[nodiscard]] Learnt::OfMetric learnt_of(std::size_t metric) const;
  [[nodiscard]] bool only_parts_may_keep_limits(NodeIndex leaf) const;
  [[nodiscard]] bool is_passed_by(NodeIndex leaf) const;
  [[nodiscard]] AdaptiveModel::Cut cut_models(NodeIndex leaf);
  void cut(NodeIndex leaf);

  // Drift; implemented in adaptive_drift.cpp.
  [[nodiscard]] bool follows_changes() const { return options_.drift == Drift::automatic; }
  /// False where many pulls fail: penalties make rewards jump without a change of the system.
  [[nodiscard]] bool keeps_score() const {
    return follows_changes() && has_begun_ && !probe_.is_running() &&
           32.0 * static_cast<double>(penalized()) <= steps();
  }
  [[nodiscard]] LevelTrackers::Expected expected_of(NodeIndex leaf, std::uint64_t number) const;
  void expect_rewards();
  bool score(NodeIndex index, NodeIndex owner, const Rewards& mapped);
  bool learn_beside_level(NodeIndex index, NodeIndex owner, const Rewards& mapped);
  void learn_followed(NodeIndex index, double expected, const Pending& rewards, double by_explorer);
  [[nodiscard]] bool tells_little(NodeIndex leaf) const;
  [[nodiscard]] NodeIndex most_promising_but(NodeIndex leaf);
  void raise_alarm();
  [[nodiscard]] std::vector<NodeIndex> leaves_to_probe() const;
  [[nodiscard]] std::optional<NodeIndex> leaf_with_most_pulls(NodeIndex cell = Tree::kRoot) const;
  [[nodiscard]] NodeIndex start_cell_of(NodeIndex node) const;
  void accept_reading(NodeIndex index, const Rewards& mapped);
  void review_probe();
  void judge();
  void age(double variance);

  /// Current value of f in mapped units, including the level that is subtracted from rewards.
  [[nodiscard]] double as_of_now(double level) const { return level + trackers_.level(); }
  [[nodiscard]] Interval around(const Node& node) const;

  [[nodiscard]] double steps() const { return static_cast<double>(t_ - 1); }

  AdaptiveModel model_;
  std::vector<AdaptiveModel> metrics_;  // one per limit; node i is the same cell in all
  std::vector<std::uint64_t> beyond_;   // for each limit, measurements beyond it
  AdaptiveOptions options_;
  Settling settling_;
  Settling metrics_settling_;  // by measurements, which may precede their rewards
  MemoryWatch watch_;
  LevelTrackers trackers_;
  LevelTrackers::Expected expected_;  // for rewards of the current turn
  ChangeProbe probe_;
  std::uint64_t changes_ = 0;
  Change last_change_;            // size in mapped units
  std::vector<NodeIndex> start_;  // cells that are pulled first
  bool has_begun_ = false;        // all cells of start_ have been pulled
  Turn turn_{.unissued = 0};
  Pending pending_;
  bool is_steady_ = false;  // pulls of the turn remain, are sequential, and none is discarded

  std::uint64_t since_pass_ = 0;  // pulls since the last pass
  double explorer_loss_ = 0.0;    // CG
  double search_loss_ = 0.0;      // CM
  bool covers_next_ = true;       // the explorer's next turn covers; otherwise it sweeps
  std::vector<NodeIndex> sweep_;  // leaves still to be swept, the next one last

  double level_effect_ = 0.0;             // effect of the context of the next rewards
  std::vector<double> metric_effects_;    // effects of that context on metrics; empty: none
  std::vector<Interval> judged_effects_;  // effects of the contexts in which limits must be kept
  std::vector<Interval> bound_effects_;   // judged_effects_ at the last comparison of leaves
  std::uint64_t passed_over_ = 0;
  std::uint64_t switches_ = 0;
  NodeIndex last_played_ = kNoNode;

  static constexpr std::uint32_t kStartDepth = 3;
  static constexpr double kFavour = 0.5;  // in standard deviations, for a cell close to its limits
  static constexpr NodeIndex kNoNode = std::numeric_limits<NodeIndex>::max();
};

}  // namespace canopy
