#pragma once

#include "canopy/change.hpp"
#include "canopy/context.hpp"
#include "canopy/enum_names.hpp"
#include "canopy/evidence.hpp"
#include "canopy/limits.hpp"
#include "canopy/loss.hpp"
#include "canopy/options.hpp"
#include "canopy/policy.hpp"
#include "canopy/rewards.hpp"
#include "canopy/space.hpp"
#include "canopy/uplift.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

enum class Direction { maximize, minimize };

template <>
struct EnumNames<Direction> {
  static constexpr std::array<std::string_view, 2> names{"maximize", "minimize"};
};

/// The two ends of a range; the first is below the second.
using RewardRange = std::array<double, 2>;

/// How rewards are interpreted.
struct Objective {
  Direction direction = Direction::maximize;

  /// The approximate range of rewards. None: the algorithms estimate it from the rewards. Nothing
  /// is clipped; single rewards outside of it are used and counted.
  std::optional<RewardRange> reward_range = std::nullopt;

  /// In (0, 1): the level of the intervals of `best`, simultaneously for all arms and all times.
  double confidence = 0.95;

  /// Whether no reward can be outside of `reward_range`. The intervals then hold for rewards of any
  /// distribution. It is ignored once a reward is outside.
  bool hard_range = false;

  /// Limits on metrics, at most one per metric. `best` names only arms that probably keep them, and
  /// the adaptive tree searches among those that may.
  std::vector<Limit> limits = {};

  friend bool operator==(const Objective&, const Objective&) = default;
};

/// Identifies one `ask`. Numbers start at 1 and are never reused.
using Ticket = std::uint64_t;

/// Purpose of a pull.
enum class Purpose : std::uint8_t {
  search,    ///< The search has chosen the arm.
  baseline,  ///< The arm is the baseline, whose rewards are passed to `remember`.
  duel,      ///< Two consecutive arms, one of them the baseline; see WithBaseline.
  wait,      ///< A known good arm, until another may be tried; see LossBudget.
};

template <>
struct EnumNames<Purpose> {
  static constexpr std::array<std::string_view, 4> names{"search", "baseline", "duel", "wait"};
};

/// What to try next: play `arm` up to `length` times in a row and tell the rewards.
struct Pull {
  Ticket ticket = 0;
  Arm arm;                   ///< Valid until the ticket is closed.
  std::uint64_t length = 0;  ///< Number of rewards that may be told for the ticket.
  Purpose purpose = Purpose::search;
  /// For a duel: the arm to play instead of `arm` for the last `then_length` rewards.
  Arm then = {};
  std::uint64_t then_length = 0;
  std::uint64_t round = 0;  ///< round of the comparison with the baseline, from 1; 0: none
  /// Number of the next rewards that are discarded because the system has not settled.
  std::uint64_t unsettled = 0;
};

/// A pull that owns its arm, for code that keeps it.
struct OwnedPull {
  OwnedPull() = default;
  explicit OwnedPull(const Pull& pull)
      : ticket(pull.ticket),
        arm(pull.arm.begin(), pull.arm.end()),
        length(pull.length),
        purpose(pull.purpose),
        then(pull.then.begin(), pull.then.end()),
        then_length(pull.then_length),
        round(pull.round) {}

  Ticket ticket = 0;
  std::vector<double> arm;
  std::uint64_t length = 0;
  Purpose purpose = Purpose::search;
  std::vector<double> then;
  std::uint64_t then_length = 0;
  std::uint64_t round = 0;
};

/// The result of a `tell`, a `drop` or an `observe`. Unless it is `ok` or `passed_over`, the
/// optimizer is unchanged.
enum class Status {
  ok,
  passed_over,       ///< Counted as a pull, but not learnt: the system had not settled.
  unknown_ticket,    ///< No such ticket was issued.
  closed_ticket,     ///< All its rewards were told, or it failed or was dropped.
  too_many_rewards,  ///< More rewards than may still be told for the ticket.
  not_a_reward,      ///< NaN, infinite, or beyond 1e100.
  impossible_sums,   ///< No rewards have this count, sum and spread.
  not_an_arm,        ///< The arm is not in the space.
  two_arms,          ///< Metrics belong to one arm, but these rewards are of both arms of a duel.
  needs_study,       ///< Only studies support roles.
  needs_context,     ///< The optimizer has contexts: the context of the rewards is required.
};

template <>
struct EnumNames<Status> {
  static constexpr std::array<std::string_view, 11> names{
      "ok",           "passed_over",     "unknown_ticket", "closed_ticket", "too_many_rewards",
      "not_a_reward", "impossible_sums", "not_an_arm",     "two_arms",      "needs_study",
      "needs_context"};
};

[[nodiscard]] constexpr bool is_taken(Status status) {
  return status <= Status::passed_over;
}

/// A one-line description of a status.
[[nodiscard]] std::string_view describe(Status status);

/// The recommended arm, in the user's units: lower <= mean <= upper.
struct Best {
  /// The criterion by which the arm was chosen.
  enum class Basis {
    interval,      ///< Largest lower bound, with variances pooled upward; see Evidence::safest.
    repeats_few,   ///< The algorithm's own choice: too few arms were repeated to estimate
                   ///< the noise.
    no_noise,      ///< Best mean, as repeated rewards of an arm never differ.
    model,         ///< Recommended by the algorithm's own model of f.
    least_broken,  ///< No arm keeps its limits; this one breaks them least.
  };

  std::vector<double> arm;
  double mean = 0.0;  ///< mean of all its rewards
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::uint64_t pulls = 0;  ///< number of rewards in the mean
  double confidence =
      0.95;  ///< Probability with which the intervals of all arms hold at all times.
  /// The assumption on which the interval rests; none: there is no interval.
  Assumption assumes = Assumption::none;
  /// Whether rewards have rare extreme values: the interval then assumes that outliers of this arm
  /// are at most as extreme as those seen at any arm, in standard deviations of the arm.
  bool rare_extremes = false;
  std::uint64_t rivals = 0;   ///< Other arms whose intervals do not exclude that they are better.
  std::uint64_t unknown = 0;  ///< Other arms without an interval.
  std::uint64_t arms = 0;     ///< arms with rewards, including this one
  bool all_alike = false;     ///< All arms have the same mean, and there is no noise.
  /// The last pull before a change of the system was detected: earlier rewards are ignored, here
  /// and below. None: no change was detected.
  std::optional<std::uint64_t> since = std::nullopt;
  /// Whether the level of all rewards is moving: there is then no interval, and the mean is the
  /// model's current estimate.
  bool level_moves = false;
  /// Whether a baseline is measured: there is then no interval, since the level of rewards may
  /// move; see `uplift`.
  bool is_compared = false;
  Basis basis = Basis::interval;

  /// The algorithm's own recommendation if it is another arm; else empty.
  std::vector<double> own = {};

  /// The interval for f at this arm by the algorithm's model, which also uses neighbouring arms, at
  /// the 95 % level for a single look, not for all looks. There is none without a model, with fewer
  /// than eight pulls, if repeated rewards never differ or have rare extreme values, or if rewards
  /// have two values and the arm has fewer than ten of each.
  std::optional<Interval> by_model = std::nullopt;

  /// For every metric with a limit that was measured.
  std::vector<LimitCheck> limits = {};
};

/// The confidence level of `Best::by_model`, for a single look.
inline constexpr double kModelLevel = 0.95;

template <>
struct EnumNames<Best::Basis> {
  static constexpr std::array<std::string_view, 5> names{"interval", "repeats_few", "no_noise",
                                                         "model", "least_broken"};
};

template <class Visit>
void visit_fields(Best& best, Visit&& visit) {
  visit(SettingField{{"arm", "the setting"}}, best.arm);
  visit(Field{"mean", "mean of all its rewards"}, best.mean);
  visit(Field{"lower", "lower end of the interval of f; null if there is none"}.or_null(),
        best.lower);
  visit(Field{"upper", "upper end of the interval of f; null if there is none"}.or_null(),
        best.upper);
  visit(
      Field{"confidence", "probability with which the intervals of all settings hold at all times"},
      best.confidence);
  visit(Field{"assumes", "what the interval assumes about the rewards of the setting"},
        best.assumes);
  visit(Field{"rare_extremes",
              "rewards have rare extreme values; the interval assumes that outliers are at most as "
              "extreme here as those seen at any setting"}
            .or_none(),
        best.rare_extremes);
  visit(Field{"pulls", "number of rewards"}, best.pulls);
  visit(Field{"rivals", "other settings whose intervals do not exclude that they are better"},
        best.rivals);
  visit(Field{"unknown", "other settings without an interval"}, best.unknown);
  visit(Field{"arms", "settings with rewards, including this one"}, best.arms);
  visit(Field{"all_alike", "all settings have the same mean, and there is no noise"}.or_none(),
        best.all_alike);
  visit(
      Field{"since",
            "the last pull before a change of the system was detected; earlier rewards are ignored"}
          .or_none(),
      best.since);
  visit(Field{"level_moves",
              "the level of all rewards is moving: there is no interval, and `mean` is the model's "
              "current estimate"}
            .or_none(),
        best.level_moves);
  visit(Field{"is_compared",
              "a baseline is measured: there is no interval, since the level of rewards may move"}
            .or_none(),
        best.is_compared);
  visit(Field{"basis", "criterion by which the setting was chosen"}, best.basis);
  visit(
      SettingField{
          Field{"own", "the algorithm's own recommendation, if it is another setting"}.or_none()},
      best.own);
  visit(Field{"by_model",
              "95 % interval by the algorithm's model, for a single look, not for all looks"}
            .or_none(),
        best.by_model);
  visit(Field{"limits", "for each metric with a limit, whether the setting keeps it"}.or_none(),
        best.limits);
}

struct Summary {
  std::uint64_t t = 1;             ///< Index of the next pull: pulls told so far plus one.
  std::uint64_t nodes = 0;         ///< nodes of the tree
  std::uint32_t depth = 0;         ///< depth of the deepest node
  std::uint64_t switches = 0;      ///< Changes of arm; the first selection is one.
  std::uint64_t refreshes = 0;     ///< Phases begun.
  std::uint64_t out_of_range = 0;  ///< Single rewards outside the declared range.
  std::uint64_t in_flight = 0;     ///< Open tickets.
  std::uint64_t observed = 0;      ///< Rewards of arms that were not asked for.
  std::uint64_t passed_over = 0;   ///< Pulls discarded because the system had not settled.
  std::uint64_t penalized = 0;     ///< Pulls that failed.

  std::uint64_t changes = 0;  ///< changes of the system that were detected

  /// The last detected change.
  std::optional<Change> last_change = std::nullopt;

  /// The current level of all rewards, which is subtracted from every reward; none: it does not
  /// move.
  std::optional<double> followed_level = std::nullopt;

  /// The range of rewards so far if the declared range does not fit; else none.
  std::optional<RewardRange> fitting_range = std::nullopt;

  /// The number of pulls that rewards seem to take to settle after a change of arm although
  /// `settle` is not set; none: no sign of it.
  std::optional<std::uint64_t> settling = std::nullopt;
};

template <class Visit>
void visit_fields(Summary& summary, Visit&& visit) {
  visit(Field{"t", "the index of the next pull"}, summary.t);
  visit(Field{"nodes", "number of nodes of the tree"}, summary.nodes);
  visit(Field{"depth", "depth of the tree"}, summary.depth);
  visit(Field{"switches", "changes of the setting, including the first selection"},
        summary.switches);
  visit(Field{"refreshes", "phases begun"}, summary.refreshes);
  visit(Field{"out_of_range", "rewards outside reward_range"}, summary.out_of_range);
  visit(Field{"in_flight", "open tickets"}, summary.in_flight);
  visit(Field{"observed", "rewards of settings that were not asked for"}, summary.observed);
  visit(Field{"penalized", "pulls that failed"}, summary.penalized);
  visit(Field{"fitting_range", "range of the rewards so far, if the declared range does not fit"}
            .or_none(),
        summary.fitting_range);
  visit(Field{"passed_over", "rewards discarded because the system had not settled; omitted if 0"}
            .or_none(),
        summary.passed_over);
  visit(Field{"system_changes", "number of detected changes of the system; omitted if 0"}.or_none(),
        summary.changes);
  visit(Field{"last_system_change", "the last detected change"}.or_none(), summary.last_change);
  visit(
      Field{
          "followed_level",
          "the current level of all rewards, relative to the start, which is subtracted from them; "
          "omitted if it does not move"}
          .or_none(),
      summary.followed_level);
  visit(Field{"settling", "pulls that rewards seem to take to settle, although `settle` is not set"}
            .or_none(),
        summary.settling);
}

/// What an algorithm's model of f has learnt, in the user's units.
struct Learnt {
  /// Reason for playing an arm.
  enum class Why : std::uint8_t {
    start,         ///< The first cells are played once each.
    search,        ///< Highest potential value of f by the model.
    cover,         ///< Exploration of a part of the box with few pulls, as the model can be wrong.
    sweep,         ///< Exploration of the best cell of a depth.
    least_broken,  ///< All cells seem to break a limit, and this one breaks it least.
    probe,         ///< After an alarm: tells a change of level from a change of f.
  };

  /// The last chosen arm.
  struct Turn {
    Why why = Why::start;
    std::vector<double> arm;
    std::uint64_t pulls = 0;   ///< pulls of this arm so far
    std::uint64_t length = 1;  ///< planned number of pulls
    double estimate = 0.0;     ///< estimate of f at the arm
    double deviation = 0.0;    ///< standard deviation of that estimate
    double bound = 0.0;        ///< upper bound of f at the arm
  };

  /// What the model of a metric with a limit has learnt.
  struct OfMetric {
    std::string metric;
    double noise = 0.0;          ///< Standard deviation of a measurement.
    double smoothness = 0.0;     ///< The metric varies like distance to this power.
    double kept = 0.0;           ///< Fraction of the box in which the limit is kept.
    double broken = 0.0;         ///< Fraction in which it is broken; the rest is undecided.
    std::uint64_t measured = 0;  ///< Number of measurements.
    std::uint64_t beyond = 0;    ///< Number of measurements beyond the limit.
  };

  double noise = 0.0;        ///< Standard deviation of a reward.
  double correlation = 0.0;  ///< Correlation of consecutive rewards of an arm; 0: not significant.
  double smoothness = 0.0;   ///< f varies like distance to this power.
  double lowest = 0.0;       ///< least estimate of f over the cells
  double highest = 0.0;
  std::vector<double> shares = {};   ///< fraction of the variance of f, by coordinate; or empty
  std::uint64_t explorer_pulls = 0;  ///< pulls outside the model's favourites
  double lost = 0.0;                 ///< significant loss of all pulls against the best arm
  std::optional<Turn> turn = std::nullopt;
  std::vector<OfMetric> metrics = {};
};

template <>
struct EnumNames<Learnt::Why> {
  static constexpr std::array<std::string_view, 6> names{"start", "search",       "cover",
                                                         "sweep", "least_broken", "probe"};
};

template <class Visit>
void visit_fields(Learnt::Turn& turn, Visit&& visit) {
  visit(Field{"why", "reason for the choice"}, turn.why);
  visit(SettingField{{"arm", "the setting"}}, turn.arm);
  visit(Field{"pulls", "pulls of this setting so far"}, turn.pulls);
  visit(Field{"length", "planned number of pulls"}, turn.length);
  visit(Field{"estimate", "estimate of f at the setting"}.or_null(), turn.estimate);
  visit(Field{"deviation", "standard deviation of that estimate"}.or_null(), turn.deviation);
  visit(Field{"bound", "upper bound of f at the setting"}.or_null(), turn.bound);
}

template <class Visit>
void visit_fields(Learnt::OfMetric& metric, Visit&& visit) {
  visit(Field{"metric", "name of the metric"}, metric.metric);
  visit(Field{"noise", "the standard deviation of a measurement"}.or_null(), metric.noise);
  visit(Field{"smoothness", "the metric varies like distance to this power"}.or_null(),
        metric.smoothness);
  visit(Field{"kept", "fraction of the search space in which the limit is kept"}, metric.kept);
  visit(Field{"broken", "fraction in which the limit is broken; the rest is undecided"},
        metric.broken);
  visit(Field{"measured", "number of measurements"}, metric.measured);
  visit(Field{"beyond", "number of measurements beyond the limit"}, metric.beyond);
}

template <class Visit>
void visit_fields(Learnt& learnt, Visit&& visit) {
  visit(Field{"noise", "the standard deviation of a reward"}.or_null(), learnt.noise);
  visit(Field{"correlation", "correlation of consecutive rewards of a setting"}.or_null(),
        learnt.correlation);
  visit(Field{"smoothness", "f varies like distance to this power"}.or_null(), learnt.smoothness);
  visit(Field{"lowest", "least estimate of f"}.or_null(), learnt.lowest);
  visit(Field{"highest", "largest estimate of f"}.or_null(), learnt.highest);
  visit(
      Field{"explorer_pulls", "pulls outside the model's favourites, since the model can be wrong"},
      learnt.explorer_pulls);
  visit(Field{"lost", "significant loss of all pulls against the best setting"}.or_null(),
        learnt.lost);
  visit(PerParameterField{Field{"shares", "fraction of the variance of f, by parameter"}.or_null()},
        learnt.shares);
  visit(Field{"turn", "the last chosen setting"}.or_none(), learnt.turn);
  visit(Field{"metrics", "what was learnt about metrics with a limit"}.or_none(), learnt.metrics);
}

class TreeView;

/// The interface of every optimizer. Concrete classes are final, and Hct defines `ask` and `tell`
/// inline, so that a loop over it makes no virtual call; use a pointer to Optimizer where the
/// algorithm is chosen at run time. Not thread-safe: callers must lock. Many pulls may be in
/// flight.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// The next arm to play, for at most `pulls` pulls (at least one); by default as many as the
  /// algorithm wants. Asking does not change what was learnt: further asks return the same arm with
  /// new tickets until enough rewards have been told. (`Adaptive` counts pulls in flight and
  /// spreads them over arms.)
  virtual Pull ask(std::uint64_t pulls = UINT64_MAX) = 0;

  /// Asks for one more pull of the arm of the last unanswered ask, whatever the algorithm would
  /// choose. For a system that must not change yet.
  virtual Pull ask_again() { return ask(1); }

  /// The variables observed before every ask; empty unless the optimizer has contexts: see
  /// Contextual.
  [[nodiscard]] virtual const ContextSpace& contexts() const;

  /// `ask` in this context. Throws ConfigurationError if a variable is missing or has an impossible
  /// value; a number outside its range is moved to the nearest end. Without contexts it is `ask`.
  virtual Pull ask_in(Context context, std::uint64_t pulls = UINT64_MAX);

  /// Repeats an earlier ask with its recorded result when a journal is replayed: see WithBaseline.
  virtual Pull ask_as(const Pull& earlier, std::uint64_t pulls, Context context = {});

  /// Tells one reward, in the user's units. The optimizer learns only by this function and those
  /// below.
  [[nodiscard]] virtual Status tell(Ticket ticket, double reward) = 0;
  /// Tells several rewards: all of them, or none if the status is not ok.
  [[nodiscard]] virtual Status tell(Ticket ticket, std::span<const double> rewards) = 0;
  /// Tells several rewards as sums: equal to telling them one by one, up to rounding.
  [[nodiscard]] virtual Status tell(Ticket ticket, const Rewards& rewards) = 0;

  /// Reports that the pull of this ticket failed: the search learns `reward` in its place, which
  /// does not affect ranges, variances or intervals. The ticket is closed. See `failure_reward`.
  [[nodiscard]] virtual Status penalize(Ticket ticket, double reward) = 0;
  /// Excludes an arm: `best` never names it again, and the search learns `reward` as many times as
  /// it has learnt rewards of the arm, so that it leaves the arm. A ticket for it stays open.
  [[nodiscard]] virtual Status bar(Arm arm, double reward) = 0;
  [[nodiscard]] virtual bool is_barred(Arm arm) const = 0;
  /// The default reward of a failure: the worst reward so far less a tenth of the spread (plus,
  /// when minimizing). None before the first reward.
  [[nodiscard]] virtual std::optional<double> failure_reward() const = 0;

  /// Adds rewards of an arm that was not asked for: history, another study, external measurements.
  /// They count as pulls of the arm, not as steps (t stays the same). An algorithm without a node
  /// for the arm keeps them until it has one.
  [[nodiscard]] virtual Status observe(Arm arm, const Rewards& rewards) = 0;

  /// `observe` in a context. Throws ConfigurationError, as `ask_in` does.
  [[nodiscard]] virtual Status observe_in(Context context, Arm arm, const Rewards& rewards);

  /// Adds rewards of an arm, such as a baseline, that affect `best` and `estimate` only, not the
  /// search.
  [[nodiscard]] virtual Status remember(Arm arm, const Rewards& rewards) = 0;

  /// Adds metrics of the next reward of an arm, before that reward is told; `ticket` is that of the
  /// pull, or 0 if it has none. Metrics without a limit are ignored.
  [[nodiscard]] virtual Status measure(Ticket ticket, Arm arm, const Metrics& metrics) = 0;

  /// Adds metrics of rewards without a ticket that were observed in a context. Throws
  /// ConfigurationError, as `ask_in` does. Without contexts it is `measure`.
  [[nodiscard]] virtual Status measure_in(Context context, Arm arm, const Metrics& metrics);

  /// Reports that the system has had a setting that the search did not ask for.
  virtual void interrupt() {}

  /// `begin_comparison` reports that a comparison of an arm with the baseline begins, whose rewards
  /// are not told here. `end_comparison` reports that it has ended; `refuted`: the arm was worse,
  /// failed or broke a limit.
  virtual void begin_comparison(Arm /*arm*/) {}
  virtual void end_comparison(bool /*refuted*/) {}

  /// Declares another range of rewards, which takes effect in the next phase.
  virtual void set_reward_range(const std::optional<RewardRange>& range) = 0;
  /// The last declared range; none: it is estimated from rewards.
  [[nodiscard]] virtual std::optional<RewardRange> reward_range() const = 0;

  /// Closes a ticket for which no further rewards will be told.
  [[nodiscard]] virtual Status drop(Ticket ticket) = 0;

  /// Ends the current episode and learns from the rewards told so far, as at the end of a run.
  virtual void finish() = 0;

  /// The recommended arm; none before the first reward, or if no arm keeps its limits. Its interval
  /// is valid even though the same rewards were used to choose the arm.
  [[nodiscard]] virtual std::optional<Best> best() const = 0;

  /// The recommended arm in a context; without contexts it is `best`.
  [[nodiscard]] virtual std::optional<Best> best_in(Context context) const;

  /// The recommended arm for every context; none without contexts.
  [[nodiscard]] virtual std::optional<Policy> policy() const { return std::nullopt; }

  /// If no arm keeps its limits: the arm that breaks them least. None if there is a best arm.
  [[nodiscard]] virtual std::optional<Best> nearest() const = 0;

  /// `nearest` in a context; without contexts it is `nearest`.
  [[nodiscard]] virtual std::optional<Best> nearest_in(Context context) const;

  /// Checks an arm against the limits whose metrics were measured, in the most recent context.
  [[nodiscard]] virtual std::vector<LimitCheck> limit_checks(Arm arm) const = 0;

  /// The estimate of an arm's mean; none if it has no rewards.
  [[nodiscard]] virtual std::optional<ArmEstimate> estimate(Arm arm) const = 0;

  /// The comparison of the best arm with the baseline; none without a baseline, or before it was
  /// measured.
  [[nodiscard]] virtual std::optional<Uplift> uplift() const { return std::nullopt; }

  /// The loss due to tuning; none without a loss budget.
  [[nodiscard]] virtual std::optional<Loss> loss() const { return std::nullopt; }

  /// The arms that pairs have proven to be better than the baseline and that keep their limits by
  /// their measurements: the best arm first, if it is among them, then by decreasing difference.
  [[nodiscard]] virtual std::vector<Uplift> proven() const { return {}; }

  /// The arm in a context of the best policy that pairs have proven to be better than the baseline;
  /// none if there is none.
  [[nodiscard]] virtual std::optional<std::vector<double>> proven_in(Context /*context*/) const {
    return std::nullopt;
  }

  /// The rewards and intervals of all arms; none for an algorithm that does not keep them.
  [[nodiscard]] virtual std::optional<Evidence> evidence() const { return std::nullopt; }

  [[nodiscard]] virtual Summary summary() const = 0;

  /// The number of detected changes of the system; `summary` has the last one.
  [[nodiscard]] virtual std::uint64_t changes() const { return 0; }

  /// What the model of f has learnt; none without a model, or before it has begun.
  [[nodiscard]] virtual std::optional<Learnt> learnt() const { return std::nullopt; }

  /// The tree, or null if the algorithm has none. Updates bounds that the algorithm has not needed
  /// yet. The view lives as long as the optimizer; its bounds are valid until the next ask or tell,
  /// its ticket places always.
  [[nodiscard]] virtual const TreeView* tree() { return nullptr; }

  /// The pull of an open ticket, with its remaining length; none if it is not open.
  [[nodiscard]] virtual std::optional<Pull> pull_of(Ticket ticket) const = 0;

  /// The open tickets, oldest first, with their remaining lengths.
  [[nodiscard]] virtual std::vector<Pull> in_flight() const = 0;

  /// The complete state, including tickets in flight, as text for `restore`.
  [[nodiscard]] virtual std::string save() = 0;

  /// Restores the state saved by an optimizer of the same space, options and objective, and
  /// continues exactly from there. Throws StateError; after that this optimizer must not be used.
  virtual void restore(std::string_view saved) = 0;

  /// A copy in the same state, including tickets in flight; the two share nothing.
  [[nodiscard]] virtual std::unique_ptr<Optimizer> clone() const = 0;
};

/// A node of the tree, in the user's units. U and B are the better ends: when minimizing, lower is
/// better.
struct NodeView {
  std::string path;  ///< Path from the root, a digit per level: 0 for the first part.
  Arm arm;           ///< Valid until the next ask or tell.
  std::uint64_t pulls = 0;
  double mean = 0.0;
  double upper = 0.0;  ///< U, possibly infinite
  double bound = 0.0;  ///< B, possibly infinite
  bool leaf = true;
  /// The model's interval for f in the cell: its mean in the middle, three deviations to either
  /// side.
  std::optional<Interval> model = std::nullopt;
};

template <class Visit>
void visit_fields(NodeView& node, Visit&& visit) {
  visit(Field{"path", "the path from the root, a digit per level: 0 for the first part"},
        node.path);
  visit(SettingField{{"arm", "the setting in the middle of the cell"}}, node.arm);
  visit(Field{"pulls", "pulls of the setting"}, node.pulls);
  visit(Field{"mean", "mean of its rewards; meaningless while pulls is 0"}, node.mean);
  visit(Field{"upper", "U, the better end; null: infinite"}.or_null(), node.upper);
  visit(Field{"bound", "B, the better end; null: infinite"}.or_null(), node.bound);
  visit(Field{"leaf", "whether it has no children"}, node.leaf);
}

/// Access to the tree, for algorithms that have one.
class TreeView {
 public:
  /// The node of a ticket's arm, and its cell.
  struct Place {
    std::uint32_t node = 0;
    std::uint32_t depth = 0;
  };

  virtual ~TreeView() = default;

  /// All nodes in breadth-first order, each level from left to right.
  [[nodiscard]] virtual std::vector<NodeView> nodes() const = 0;

  /// The place of an open ticket; none for any other ticket.
  [[nodiscard]] virtual std::optional<Place> place(Ticket ticket) const = 0;

  /// The path from the root to a node, as in NodeView; empty for the root, and for a node that does
  /// not exist or was removed.
  [[nodiscard]] virtual std::string path(std::uint32_t node) const = 0;
};

}  // namespace canopy
