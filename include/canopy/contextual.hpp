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

/// The adaptive tree where the best arm depends on what is observed before each pull: the load, the
/// hour, the size of a request.
///
/// The box of contexts is cut into regions, each with an adaptive tree of its own (`Adaptive`,
/// unchanged). There is one region at first. Now and then each is tested: would two trees, one for
/// either side of a threshold, have predicted its rewards better than one (`SplitTest`)? If so, it
/// is split, and both take over their part of the rewards. Contexts that do not matter do not win
/// that test. What a context adds to the rewards of all arms alike (`LevelEffect`) is taken off
/// rewards before they are learnt. docs/contexts.md has the formulas.
///
/// Metrics with limits have level effects of their own, and their models are part of the trees.
/// Whether a limit is kept is judged in the context of the ask; in `policy`, where the contexts of
/// a region that have come suit it least.
///
/// What is asked without a context (`best`, `estimate`, `learnt`, `tree`) is answered for the
/// context that was seen last. The model's values (`learnt`, `tree`) are less the level effect:
/// those of an average context of the region.
class Contextual final : public Optimizer {
 public:
  /// Throws ConfigurationError for wrong options, without contexts, and for what contexts cannot be
  /// combined with: `settle`. `drift` is always `none`.
  Contextual(const Space& space, const ContextSpace& contexts, const AdaptiveOptions& options = {},
             const Objective& objective = {});
  Contextual(std::shared_ptr<const Partition> partition, const ContextSpace& contexts,
             const AdaptiveOptions& options = {}, const Objective& objective = {});

  Contextual(const Contextual& other);
  Contextual& operator=(const Contextual&) = delete;
  ~Contextual() override = default;

  [[nodiscard]] const ContextSpace& contexts() const override { return contexts_; }

  /// Throws ConfigurationError: a context is missing.
  Pull ask(std::uint64_t pulls = UINT64_MAX) override;
  /// One pull, whatever number is asked for.
  Pull ask_in(Context context, std::uint64_t pulls = UINT64_MAX) override;
  Pull ask_again() override;
  [[nodiscard]] Status tell(Ticket ticket, double reward) override;
  [[nodiscard]] Status tell(Ticket ticket, std::span<const double> rewards) override;
  [[nodiscard]] Status tell(Ticket ticket, const Rewards& rewards) override;
  [[nodiscard]] Status penalize(Ticket ticket, double reward) override;
  [[nodiscard]] Status bar(Arm arm, double reward) override;
  [[nodiscard]] bool is_barred(Arm arm) const override;
  [[nodiscard]] std::optional<double> failure_reward() const override;
  /// Status::needs_context.
  [[nodiscard]] Status observe(Arm arm, const Rewards& rewards) override;
  [[nodiscard]] Status observe_in(Context context, Arm arm, const Rewards& rewards) override;
  [[nodiscard]] Status remember(Arm arm, const Rewards& rewards) override;
  /// Without a ticket: Status::needs_context.
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

  // What ContextualWithBaseline needs, which compares policies with a baseline.

  /// Passes over the number of the next ticket, for a pull in a context that this optimizer need
  /// not know of.
  [[nodiscard]] Ticket skip_ticket(Context context);
  [[nodiscard]] ContextBins bins_in(Context context) const;
  [[nodiscard]] const LevelEffect& effect() const { return effect_; }
  /// From mapped units.
  [[nodiscard]] double to_user_difference(double difference) const {
    return here().reward_map().to_user_difference(difference);
  }
  /// The policy as it is now; without an arm where none keeps its limits.
  [[nodiscard]] FrozenPolicy freeze() const;

  /// The number of regions, and the effect of a context that is taken off rewards, in their units.
  [[nodiscard]] std::size_t regions() const;
  [[nodiscard]] double level_effect(Context context) const;

 private:
  using Bins = std::array<BinSet, ContextSpace::kMostVariables>;

  /// What was measured of a metric with a limit.
  struct Measured {
    RewardsByContext values = {};
    std::map<ContextBins, std::uint64_t> beyond = {};  // how many were beyond the limit

    void transfer(State& state) { state(values, beyond); }
  };

  /// A set of contexts: a region, or one that was split into the two that follow each other from
  /// `parts`.
  struct Place {
    Bins bins{};  // in each variable
    std::size_t parts = 0;
    ContextSplit split = {};
    double evidence = 0.0;  // for the split

    std::unique_ptr<Adaptive> tree = {};              // null: it was split
    RewardsByContext rewards = {};                    // of its contexts, in mapped units
    std::map<ContextBins, std::uint64_t> pulls = {};  // told, with those that failed
    std::uint64_t known = 0;                          // rewards
    std::uint64_t tested_at = 0;                      // rewards that it had at the last test
    std::vector<Measured> metrics = {};               // of each limit
  };

  struct Open {
    std::size_t place = 0;
    Ticket ticket = 0;  // of the tree there
    ContextBins bins = 0;
    std::vector<double> arm = {};  // the tree may be replaced while it is in flight

    void transfer(State& state) { state(place, ticket, bins, arm); }
  };

  /// Where the context is, with every coordinate within its range.
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
  /// What the tree of a region answers where contexts add this to metrics.
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
  struct Judged {
    ContextSplit split = {};
    double evidence = -kInfinity;
  };
  [[nodiscard]] bool is_short_list(const Place& place, std::size_t variable) const;
  [[nodiscard]] std::vector<ContextSplit> candidates(const Place& place,
                                                     std::size_t variable) const;
  [[nodiscard]] static double extra_evidence(int values);
  [[nodiscard]] Judged best_of(const SplitTest& test, const std::vector<ContextSplit>& splits,
                               const Place& place, std::size_t variable) const;
  static void regroup(const SplitTest& test, BinSet bins, Judged& best);
  void split(std::size_t index, const Judged& judged);
  [[nodiscard]] std::vector<std::size_t> regions_in_order() const;
  [[nodiscard]] PolicyRow row_of(const Place& place) const;
  [[nodiscard]] ContextRange range_of(std::size_t variable, BinSet bins) const;
  [[nodiscard]] bool are_neighbours(const Place& a, const Place& b) const;
  void transfer(State& state);

  ContextSpace contexts_;
  std::shared_ptr<const Partition> partition_;
  AdaptiveOptions options_;
  Objective objective_;
  std::vector<Place> places_;  // the first is the whole box
  LevelEffect effect_;
  std::vector<LevelEffect> metric_effects_;  // of each limit, in the units of the metric
  std::map<Ticket, Open> open_;
  Ticket newest_ = 0;
  std::uint64_t told_ = 0;  // pulls
  double next_step_ = 12.0;
  ContextBins last_bins_ = 0;        // seen
  ContextBins last_asked_bins_ = 0;  // of an ask
  std::vector<double> last_arm_;     // that was asked for
  std::uint64_t switches_ = 0;       // of the arm
  std::uint64_t observed_ = 0;       // rewards that were not asked for
  std::uint64_t penalized_ = 0;      // pulls
  std::uint64_t out_of_range_ = 0;
  std::uint64_t moved_ = 0;  // contexts that were beyond a range
};

}  // namespace canopy
