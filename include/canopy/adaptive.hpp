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

/// Which pulls after a change of arm are passed over.
enum class SettleRule : std::uint8_t {
  strict,  ///< As many as were declared.
  /// Fewer after a small change, as if the system came nearer by the same part of the way at every
  /// pull, and 5 % of a change were left after `settle` pulls. Saves pulls, and is wrong where a
  /// system takes as long after a small change.
  by_distance,
};

template <>
struct EnumNames<SettleRule> {
  static constexpr std::array<std::string_view, 2> names{"strict", "by_distance"};
};

/// What the tree does about a world that moves.
enum class Drift : std::uint8_t {
  none,       ///< Nothing: f stays as it is, and noise is independent.
  automatic,  ///< It follows the level of rewards, and lets what it knows of f go out of date.
};

template <>
struct EnumNames<Drift> {
  static constexpr std::array<std::string_view, 2> names{"none", "auto"};
};

struct AdaptiveOptions {
  /// How many pulls the system takes to settle after a change of arm. Their rewards are passed
  /// over.
  std::uint64_t settle = 0;

  /// Which of them are passed over.
  SettleRule settle_rule = SettleRule::by_distance;

  /// >= 0: how much of the best it knows the explorer may spend on looking where the model sees
  /// nothing. Raising it to 0.3 or 1 finds narrow peaks, and costs regret elsewhere.
  double coverage = 0.06;

  /// What to do when the level of rewards, or the optimum, moves.
  Drift drift = Drift::automatic;
};

template <class Visit>
void visit_fields(AdaptiveOptions& options, Visit&& visit) {
  visit(Field{"settle", "pulls that the system takes to settle after a change of arm", kAnyWhole},
        options.settle);
  visit(Field{"settle_rule",
              "which of them are passed over: all (`strict`; so for a live system, unless this is "
              "given), or fewer after a small change (`by_distance`)"},
        options.settle_rule);
  visit(Field{"coverage", "how much to spend on looking where nothing seems to be", kNotNegative},
        options.coverage);
  visit(Field{"drift",
              "whether to follow a level of rewards that moves, and an optimum that does (`auto`); "
              "`none` takes the system to stay as it is (so with contexts)"},
        options.drift);
}

/// The adaptive tree: HCT's cover tree and its idea, with a model in place of constants that
/// someone has to know. Smoothness, noise and spread of f are learnt while it runs
/// (`AdaptiveModel`); it is told nothing but the box.
///
/// A turn goes to the leaf with the largest index m + sqrt(3 ln(1 + t v / (leaves sg)) v), down
/// by the larger one, and lasts 0.15 T pulls, at least one. A leaf whose value is known better than
/// it varies, v <= D2, is cut. A model can be sure and wrong: an explorer with a budget, which it
/// counts by what its pulls have lost beyond doubt, covers the box and sweeps the depths.
/// Every metric with a limit has a model of its own over the same cells: the index counts among
/// cells that may keep their limits. docs/adaptive.md has the formulas, and what each part gives.
class Adaptive final : public TicketedOptimizer, private TreeView {
 public:
  /// Throws ConfigurationError when options or objective are wrong.
  explicit Adaptive(const Space& space, const AdaptiveOptions& options = {},
                    const Objective& objective = {});

  /// The same over any partition: another rule for boxes, or a tree over a set of your own.
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

  // What Contextual needs, which has one of these for each region of contexts.

  /// What the context of the next rewards adds to those of all arms, in mapped units: it is taken
  /// off before they are learnt. Intervals are of rewards as they were told.
  void set_level_effect(double effect) { level_effect_ = effect; }

  /// The same for every metric with a limit, in its own units: taken off the next metrics.
  void set_metric_effects(std::vector<double> effects) { metric_effects_ = std::move(effects); }

  /// Where the contexts for which limits are to be kept add to each metric: asks and `best` are for
  /// these from now on.
  void judge_limits_at(const std::vector<Interval>& effects) { judged_effects_ = effects; }
  [[nodiscard]] const std::vector<Interval>& judged_effects() const { return judged_effects_; }

  [[nodiscard]] const AdaptiveModel& metric_model(std::size_t metric) const {
    return metrics_[metric];
  }

  /// Whether some cells that were measured keep a limit, and others break it, where contexts add
  /// this to the metric.
  [[nodiscard]] bool is_limit_at_stake(std::size_t metric, const Interval& effects) const;

  [[nodiscard]] const RewardMap& reward_map() const { return map_; }
  [[nodiscard]] bool has_begun() const { return has_begun_; }

  /// Rewards of arms, in mapped units.
  using RewardsOfArms = std::map<std::vector<double>, Rewards>;

  /// Brings `model` up to date with all rewards, also in the middle of a turn.
  void update_model();

  /// Learns these in place of all rewards that it was told.
  void relearn(const RewardsOfArms& rewards);
  void relearn_metric(std::size_t metric, const RewardsOfArms& values);

  /// Of all that it knows, what rewards of some contexts have taught it.
  struct Part {
    RewardsOfArms rewards;                     ///< as they were told
    RewardsOfArms learnt;                      ///< the same less the effect of their contexts
    std::vector<RewardsOfArms> metrics = {};   ///< of each limit, less the effect of their contexts
    std::vector<std::uint64_t> beyond = {};    ///< measurements of each that were beyond the limit
    std::uint64_t pulls = 0;                   ///< told, with those that failed
    std::function<bool(Ticket)> keeps_ticket;  ///< the others are closed
    bool is_second = false;                    ///< of two: the explorer's go to the first, if any
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
  bool tell_about_arm(NodeIndex node, std::uint64_t pulls) override;
  void pass_over(NodeIndex index, std::uint64_t pulls) override;
  void transfer(State& state) override;

  /// Pulls of one leaf after which something is decided.
  struct Turn {
    NodeIndex node = 0;
    std::uint64_t length = 1;    ///< Pulls that are to count.
    std::uint64_t unissued = 1;  ///< Of these, those that no ticket was given out for yet.
    std::uint64_t skipped = 0;   ///< Pulls that were passed over; after them the first that counts.
    bool counts = true;          ///< One has counted.
    bool is_beyond = false;      ///< The arm is beyond a limit: it ends with the next reward.
    double mean = 0.0;           ///< of the leaf before it
    Learnt::Why why = Learnt::Why::start;

    [[nodiscard]] bool is_explorers() const {
      return why == Learnt::Why::cover || why == Learnt::Why::sweep;
    }
    void transfer(State& state) {
      state(node, length, unissued, skipped, counts, is_beyond, mean, why);
    }
  };

  /// Rewards within a turn that the model has not learnt yet, less its mean.
  struct Pending {
    double count = 0.0;
    double sum = 0.0;
    double squares = 0.0;
    double least = kInfinity;
    double largest = -kInfinity;
    double weight = 0.0;  ///< I, where a level is followed: the number they are worth

    void add(double off) {
      count += 1.0;
      sum += off;
      squares += off * off;
      least = std::min(least, off);
      largest = std::max(largest, off);
    }

    /// Off f as the model has it, less a level that has taken all but this part of an error of it.
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

  /// Which a cell is judged by.
  enum class Of { itself, its_parts };
  [[nodiscard]] double judged_effect(std::size_t metric, double level) const;
  [[nodiscard]] double room(std::size_t metric, double level) const {
    return limits()[metric].room(level + judged_effect(metric, level));
  }
  void judge_anew();
  [[nodiscard]] double beyond_limits(NodeIndex node, double favour, Of of = Of::itself) const;
  [[nodiscard]] bool is_at_end(std::size_t metric, const AdaptiveModel::Known& known) const;
  [[nodiscard]] double deviations(std::size_t metric, const AdaptiveModel::Known& known) const;
  [[nodiscard]] AdaptiveModel::Known judged(std::size_t metric, AdaptiveModel::Known known) const;
  [[nodiscard]] double least_deviations(NodeIndex node) const;
  [[nodiscard]] Learnt::OfMetric learnt_of(std::size_t metric) const;
  [[nodiscard]] bool only_parts_may_keep_limits(NodeIndex leaf) const;
  [[nodiscard]] bool is_passed_by(NodeIndex leaf) const;
  [[nodiscard]] AdaptiveModel::Cut cut_models(NodeIndex leaf);
  void cut(NodeIndex leaf);

  // What moves, in adaptive_drift.cpp.
  [[nodiscard]] bool follows_changes() const { return options_.drift == Drift::automatic; }
  /// Where many pulls fail, rewards jump up and down without a change of the system.
  [[nodiscard]] bool keeps_score() const {
    return follows_changes() && has_begun_ && !probe_.is_running() &&
           32.0 * static_cast<double>(penalized()) <= steps();
  }
  [[nodiscard]] LevelTrackers::Expected expected_of(NodeIndex leaf, std::uint64_t number) const;
  void expect_rewards();
  bool score(NodeIndex index, NodeIndex owner, const Rewards& mapped);
  bool learn_beside_level(NodeIndex index, NodeIndex owner, const Rewards& mapped);
  void learn_followed(NodeIndex index, double expected, const Pending& rewards, double explorered);
  [[nodiscard]] bool tells_little(NodeIndex leaf) const;
  [[nodiscard]] NodeIndex most_promising_but(NodeIndex leaf);
  void raise_alarm();
  [[nodiscard]] std::vector<NodeIndex> leaves_to_probe() const;
  [[nodiscard]] std::optional<NodeIndex> leaf_with_most_pulls(NodeIndex cell = Tree::kRoot) const;
  [[nodiscard]] NodeIndex start_cell_of(NodeIndex node) const;
  void accept_answer(NodeIndex index, const Rewards& mapped);
  void review_probe();
  void judge();
  void age(double variance);

  /// What f is now in mapped units, with the level that is taken off rewards.
  [[nodiscard]] double as_of_now(double level) const { return level + trackers_.level(); }
  [[nodiscard]] Interval around(const Node& node) const;

  [[nodiscard]] double steps() const { return static_cast<double>(t_ - 1); }

  AdaptiveModel model_;
  std::vector<AdaptiveModel> metrics_;  // of each limit; node i is the same cell in all
  std::vector<std::uint64_t> beyond_;   // measurements of each that were beyond the limit
  AdaptiveOptions options_;
  Settling settling_;
  Settling metrics_settling_;  // the same by what was measured: rewards may be told later
  MemoryWatch watch_;
  LevelTrackers trackers_;
  LevelTrackers::Expected expected_;  // of rewards of the turn
  ChangeProbe probe_;
  std::uint64_t changes_ = 0;
  Change last_change_;            // its size in mapped units
  std::vector<NodeIndex> start_;  // the cells that are pulled first
  bool has_begun_ = false;        // all of them were
  Turn turn_{.unissued = 0};
  Pending pending_;
  bool is_steady_ = false;  // the turn has more pulls, one after the other, and each counts

  std::uint64_t since_pass_ = 0;  // pulls
  double explorer_loss_ = 0.0;    // CG
  double search_loss_ = 0.0;      // CM
  bool covers_next_ = true;       // the explorer, or it sweeps
  std::vector<NodeIndex> sweep_;  // leaves that it has not come to, the next one last

  double level_effect_ = 0.0;             // of the context of the rewards that are told
  std::vector<double> metric_effects_;    // of that of the metrics; empty: none
  std::vector<Interval> judged_effects_;  // of the contexts for which limits are to be kept
  std::vector<Interval> bound_effects_;   // for which the leaves were compared last
  std::uint64_t passed_over_ = 0;
  std::uint64_t switches_ = 0;
  NodeIndex last_played_ = kNobody;

  static constexpr std::uint32_t kStartDepth = 3;
  static constexpr double kFavour = 0.5;  // standard deviations, of a cell beside its limits
  static constexpr NodeIndex kNobody = std::numeric_limits<NodeIndex>::max();
};

}  // namespace canopy
