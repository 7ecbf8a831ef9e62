#pragma once

#include "canopy/adaptive.hpp"
#include "canopy/context.hpp"
#include "canopy/detail/frozen_policy.hpp"
#include "canopy/detail/level_effect.hpp"
#include "canopy/detail/split_test.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/policy.hpp"
#include "canopy/space.hpp"
#include "canopy/state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// The adaptive tree for problems in which the best arm depends on variables observed before each
/// pull: the load, the hour, the size of a request.
///
/// The box of contexts is cut into regions, each with an adaptive tree of its own (`Adaptive`,
/// unchanged). There is one region at first. Regions are tested from time to time: would two trees,
/// one for either side of a threshold, have predicted the rewards better than one (`SplitTest`)? If
/// so, the region is split, and each tree takes over its part of the rewards. Irrelevant context
/// variables do not pass that test. The effect of a context on the rewards of all arms alike
/// (`LevelEffect`) is subtracted from rewards before they are learnt. docs/contexts.md has the
/// formulas.
///
/// Metrics with limits have level effects of their own, and their models are part of the trees.
/// `ask` judges limits in its own context; `policy` judges them in the least favourable context of
/// the region among those observed.
///
/// Functions without a context (`best`, `estimate`, `learnt`, `tree`) answer for the most recent
/// context. The model's values (`learnt`, `tree`) exclude the level effect: they are those of an
/// average context of the region.
class Contextual final : public Optimizer {
 public:
  /// Throws ConfigurationError for wrong options, if there are no context variables, or if `settle`
  /// is set, which contexts do not support. `drift` is always `none`.
  Contextual(const Space& space, const ContextSpace& contexts, const AdaptiveOptions& options = {},
             const Objective& objective = {});
  Contextual(std::shared_ptr<const Partition> partition, const ContextSpace& contexts,
             const AdaptiveOptions& options = {}, const Objective& objective = {});

  Contextual(const Contextual& other);
  Contextual& operator=(const Contextual&) = delete;
  ~Contextual() override = default;

  [[nodiscard]] const ContextSpace& contexts() const override { return contexts_; }

  /// Throws ConfigurationError, because a context is required.
  Pull ask(std::uint64_t pulls = UINT64_MAX) override;
  /// Always one pull, whatever `pulls` is.
  Pull ask_in(Context context, std::uint64_t pulls = UINT64_MAX) override;
  Pull ask_again() override;
  [[nodiscard]] Status tell(Ticket ticket, double reward) override;
  [[nodiscard]] Status tell(Ticket ticket, std::span<const double> rewards) override;
  [[nodiscard]] Status tell(Ticket ticket, const Rewards& rewards) override;
  [[nodiscard]] Status penalize(Ticket ticket, double reward) override;
  [[nodiscard]] Status bar(Arm arm, double reward) override;
  [[nodiscard]] bool is_barred(Arm arm) const override;
  [[nodiscard]] std::optional<double> failure_reward() const override;
  /// Returns Status::needs_context.
  [[nodiscard]] Status observe(Arm arm, const Rewards& rewards) override;
  [[nodiscard]] Status observe_in(Context context, Arm arm, const Rewards& rewards) override;
  [[nodiscard]] Status remember(Arm arm, const Rewards& rewards) override;
  /// Returns Status::needs_context without a ticket.
  [[nodiscard]] Status measure(Ticket ticket, Arm arm, const Metrics& metrics) override;
  [[nodiscard]] Status measure_in(Context context, Arm arm, const Metrics& metrics) override;
  void set_reward_range(const std::optional<RewardRange>& range) override;
  [[nodiscard]] std::optional<RewardRange> reward_range() const override;
  [[nodiscard]] Status drop(Ticket ticket) override;
  void finish() override;
  [[nodiscard]] std::optional<Best> best() const override;
  [[nodiscard]] std::optional<Best> best_in(Context context) const override;
  [[nodiscard]] std::optional<Policy> policy() const override;
  [[nodiscard]] std::optional<Best> nearest() const override;
  [[nodiscard]] std::optional<Best> nearest_in(Context context) const override;
  [[nodiscard]] std::vector<LimitCheck> limit_checks(Arm arm) const override;
  [[nodiscard]] std::optional<ArmEstimate> estimate(Arm arm) const override;
  [[nodiscard]] std::optional<Evidence> evidence() const override;
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] std::optional<Learnt> learnt() const override;
  [[nodiscard]] const TreeView* tree() override;
  [[nodiscard]] std::optional<Pull> pull_of(Ticket ticket) const override;
  [[nodiscard]] std::vector<Pull> in_flight() const override;
  [[nodiscard]] std::string save() override;
  void restore(std::string_view saved) override;
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

  // Used by ContextualWithBaseline, which compares policies with a baseline.

  /// Skips a ticket number, for a pull that another optimizer makes in this context.
  [[nodiscard]] Ticket skip_ticket(Context context);
  [[nodiscard]] ContextBins bins_in(Context context) const;
  [[nodiscard]] const LevelEffect& effect() const { return effect_; }
  /// Converts a difference of rewards from mapped to the user's units.
  [[nodiscard]] double to_user_difference(double difference) const {
    return here().reward_map().to_user_difference(difference);
  }
  /// The current policy; without an arm in contexts where no arm keeps its limits.
  [[nodiscard]] FrozenPolicy freeze() const;

  /// The number of regions. `level_effect` is the effect of a context that is subtracted from
  /// rewards, in their units.
  [[nodiscard]] std::size_t regions() const;
  [[nodiscard]] double level_effect(Context context) const;

 private:
  using Bins = std::array<BinSet, ContextSpace::kMostVariables>;

  /// Measurements of a metric with a limit.
  struct Measured {
    RewardsByContext values = {};
    std::map<ContextBins, std::uint64_t> beyond = {};  // number beyond the limit

    void transfer(State& state) { state(values, beyond); }
  };

  /// A node of the tree of context sets: a region, or a set that was split into places_[parts] and
  /// places_[parts + 1].
  struct Place {
    Bins bins{};  // for each variable
    std::size_t parts = 0;
    ContextSplit split = {};
    double evidence = 0.0;  // for the split, in nats

    std::unique_ptr<Adaptive> tree = {};              // null once split
    RewardsByContext rewards = {};                    // in mapped units
    std::map<ContextBins, std::uint64_t> pulls = {};  // told, including failed pulls
    std::uint64_t known = 0;                          // number of rewards
    std::uint64_t tested_at = 0;                      // number of rewards at the last test
    std::vector<Measured> metrics = {};               // one per limit
  };

  struct Open {
    std::size_t place = 0;
    Ticket ticket = 0;  // ticket of that region's tree
    ContextBins bins = 0;
    std::vector<double> arm =
        {};  // copied, as the tree may be replaced while the pull is in flight

    void transfer(State& state) { state(place, ticket, bins, arm); }
  };

  /// The region and the bins of a context, after its coordinates were brought into range.
  struct Seen {
    std::size_t place = 0;
    ContextBins bins = 0;
  };
  [[nodiscard]] Seen see(Context context);
  [[nodiscard]] std::size_t place_of(ContextBins bins) const;
  [[nodiscard]] const Adaptive& here() const { return *places_[place_of(last_bins_)].tree; }
  [[nodiscard]] Place new_place() const;

  [[nodiscard]] Pull issue(std::size_t place, Pull of_tree);
  template <class Tell>
  Status told(Ticket ticket, const Tell& tell);
  [[nodiscard]] Status absence(Ticket ticket) const;
  template <class Tell>
  Status counted(const Place& place, const Tell& tell);
  void keep(Place& place, ContextBins bins, Arm arm, const Rewards& rewards);
  [[nodiscard]] Status learn_metrics(Place& place, ContextBins bins, Ticket of_tree, Arm arm,
                                     const Metrics& metrics);
  [[nodiscard]] std::vector<Interval> metric_effects_at(ContextBins bins) const;
  [[nodiscard]] std::vector<Interval> metric_effects_of(const Place& place) const;
  /// Calls `ask` with the tree of a region while limits are judged with these context effects.
  template <class Ask>
  [[nodiscard]] auto judged_at(const Place& place, const std::vector<Interval>& effects,
                               const Ask& ask) const {
    Adaptive& tree = *place.tree;
    const std::vector<Interval> before = tree.judged_effects();
    tree.judge_limits_at(effects);
    auto answer = ask(std::as_const(tree));
    tree.judge_limits_at(before);
    return answer;
  }
  template <class Ask>
  [[nodiscard]] auto judged_in(ContextBins bins, const Ask& ask) const;
  [[nodiscard]] bool is_at_end(std::size_t metric) const;
  void fit_metric_effect(std::size_t metric);
  void step_if_due();
  void fit_effect();
  [[nodiscard]] static Adaptive::RewardsOfArms less_effect(const RewardsByContext& rewards,
                                                           const LevelEffect& effect);
  void split_if_it_pays(std::size_t index);
  /// A split and the evidence for it.
  struct ScoredSplit {
    ContextSplit split = {};
    double evidence = -kInfinity;
  };
  [[nodiscard]] bool is_short_list(const Place& place, std::size_t variable) const;
  [[nodiscard]] std::vector<ContextSplit> candidates(const Place& place,
                                                     std::size_t variable) const;
  [[nodiscard]] static double extra_evidence(int values);
  [[nodiscard]] ScoredSplit best_of(const SplitTest& test, const std::vector<ContextSplit>& splits,
                                    const Place& place, std::size_t variable) const;
  static void regroup(const SplitTest& test, BinSet bins, ScoredSplit& best);
  void split(std::size_t index, const ScoredSplit& judged);
  [[nodiscard]] std::vector<std::size_t> regions_in_order() const;
  [[nodiscard]] PolicyRow row_of(const Place& place) const;
  [[nodiscard]] ContextRange range_of(std::size_t variable, BinSet bins) const;
  [[nodiscard]] bool are_neighbours(const Place& a, const Place& b) const;
  void transfer(State& state);

  ContextSpace contexts_;
  std::shared_ptr<const Partition> partition_;
  AdaptiveOptions options_;
  Objective objective_;
  std::vector<Place> places_;  // the first is the whole box of contexts
  LevelEffect effect_;
  std::vector<LevelEffect> metric_effects_;  // one per limit, in the units of the metric
  std::map<Ticket, Open> open_;
  Ticket newest_ = 0;
  std::uint64_t told_ = 0;  // pulls told
  double next_step_ = 12.0;
  ContextBins last_bins_ = 0;        // bins of the most recent context
  ContextBins last_asked_bins_ = 0;  // from the most recent ask
  std::vector<double> last_arm_;     // from the most recent ask
  std::uint64_t switches_ = 0;       // changes of the arm
  std::uint64_t observed_ = 0;       // rewards of arms that were not asked for
  std::uint64_t penalized_ = 0;      // failed pulls
  std::uint64_t out_of_range_ = 0;
  std::uint64_t moved_ = 0;  // contexts that were outside a range
};

}  // namespace canopy
