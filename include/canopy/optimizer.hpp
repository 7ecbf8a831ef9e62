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

/// Two ends: the first is below the second.
using RewardRange = std::array<double, 2>;

/// What a reward means.
struct Objective {
  Direction direction = Direction::maximize;

  /// About how far rewards range: what is large and what is small. None: the algorithms learn it
  /// from the rewards they see. Nothing is clipped; single rewards outside of it are used and
  /// counted.
  std::optional<RewardRange> reward_range = std::nullopt;

  /// In (0, 1): the level of the intervals of `best`, for all arms and all times at once.
  double confidence = 0.95;

  /// Whether no reward can be outside of `reward_range`. The intervals then hold for rewards of any
  /// distribution. It is ignored once a reward was outside nevertheless.
  bool hard_range = false;

  /// Metrics that must stay within limits; no two of the same metric. `best` names only arms that
  /// probably keep them, and the adaptive tree searches among those that may.
  std::vector<Limit> limits = {};

  friend bool operator==(const Objective&, const Objective&) = default;
};

/// Names one `ask`. Numbers start at 1 and are never reused.
using Ticket = std::uint64_t;

/// What a pull is for.
enum class Purpose : std::uint8_t {
  search,    ///< The search has chosen the arm.
  baseline,  ///< The arm is the baseline, whose rewards are remembered.
  duel,      ///< Two arms right after each other, one of which is the baseline; see WithBaseline.
  wait,      ///< A setting that is known to be good, until another may be tried; see LossBudget.
};

template <>
struct EnumNames<Purpose> {
  static constexpr std::array<std::string_view, 4> names{"search", "baseline", "duel", "wait"};
};

/// What to try next: play `arm` up to `length` times in a row and tell the rewards.
struct Pull {
  Ticket ticket = 0;
  Arm arm;                   ///< Valid until the ticket is closed.
  std::uint64_t length = 0;  ///< How many rewards the ticket is good for.
  Purpose purpose = Purpose::search;
  /// Of a duel: to be played in place of `arm` for the last `then_length` rewards.
  Arm then = {};
  std::uint64_t then_length = 0;
  std::uint64_t round = 0;  ///< of comparing with the baseline, from 1; 0: it is of none
  /// How many of the next rewards are passed over, since the system has not settled.
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

/// What became of a `tell`, a `drop` or an `observe`. Unless it was taken, the optimizer is as it
/// was before.
enum class Status {
  ok,
  passed_over,       ///< Taken as a pull, and not learnt from: the system had not settled.
  unknown_ticket,    ///< No such ticket was ever given out.
  closed_ticket,     ///< All its rewards were told, it failed, or it was dropped.
  too_many_rewards,  ///< More than the ticket is still good for.
  not_a_reward,      ///< NaN, infinite, or beyond 1e100.
  impossible_sums,   ///< No rewards have this count, sum and spread.
  not_an_arm,        ///< It is not in the space.
  two_arms,          ///< Metrics are of one arm, and these rewards are of both arms of a duel.
  needs_study,       ///< Roles are kept by studies.
  needs_context,     ///< The best arm depends on contexts: it has to be said in which these were.
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

/// A one-line description for people.
[[nodiscard]] std::string_view describe(Status status);

/// The arm to recommend, in the user's units: lower <= mean <= upper.
struct Best {
  /// What the choice rests on.
  enum class Basis {
    interval,  ///< It has the largest lower bound, variances pooled upward; see Evidence::safest.
    repeats_few,   ///< Too few arms were repeated to know the noise: it is the algorithm's own
                   ///< choice.
    no_noise,      ///< Rewards of one arm never differ: it has the best mean.
    model,         ///< The algorithm's own model of f says so.
    least_broken,  ///< No arm keeps its limits: it is the one that is beyond them least.
  };

  std::vector<double> arm;
  double mean = 0.0;  ///< of all its rewards
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::uint64_t pulls = 0;  ///< rewards that the mean rests on
  double level = 0.95;      ///< Probability with which the intervals of all arms hold, always.
  /// What the interval assumes about the rewards of the arm; none: there is no interval.
  Assumption assumes = Assumption::none;
  /// Whether rewards have rare extreme values: the interval then assumes that none is more extreme
  /// here than those seen at any arm, in standard deviations of the arm.
  bool rare_extremes = false;
  std::uint64_t rivals = 0;   ///< Other arms whose intervals do not exclude that they are better.
  std::uint64_t unknown = 0;  ///< Other arms without an interval.
  std::uint64_t arms = 0;     ///< that have rewards, this one included
  bool all_alike = false;     ///< All of them have the same mean, and there is no noise.
  /// The last pull before the system was seen to change: rewards until then do not count, here or
  /// below. None: it was not.
  std::optional<std::uint64_t> since = std::nullopt;
  /// Whether the level of all rewards is seen to move: there is no interval then, and the mean is
  /// what the model has for now.
  bool level_moves = false;
  /// Whether a baseline is measured: there is no interval then, since the level of rewards may
  /// move; see `uplift`.
  bool is_compared = false;
  Basis basis = Basis::interval;

  /// What the algorithm itself would recommend, where that is another arm; else empty.
  std::vector<double> own = {};

  /// Where f is at this arm by the algorithm's model of it, which draws on the arms around, too: an
  /// interval at the 95 % level at a single look, not at all looks. None without a model, with
  /// fewer than eight pulls, where rewards of an arm never differ, where they have rare extreme
  /// values, and where they have two values and the arm has fewer than ten of each.
  std::optional<Interval> by_model = std::nullopt;

  /// Of all metrics with a limit that were measured.
  std::vector<LimitCheck> limits = {};
};

/// The level of `Best::by_model`, at a single look.
inline constexpr double kModelLevel = 0.95;

template <>
struct EnumNames<Best::Basis> {
  static constexpr std::array<std::string_view, 5> names{"interval", "repeats_few", "no_noise",
                                                         "model", "least_broken"};
};

template <class Visit>
void visit_fields(Best& best, Visit&& visit) {
  visit(SettingField{{"arm", "the setting"}}, best.arm);
  visit(Field{"mean", "of all its rewards"}, best.mean);
  visit(Field{"lower", "of the interval of f; null while there is none"}.or_null(), best.lower);
  visit(Field{"upper", "of the interval of f"}.or_null(), best.upper);
  visit(Field{"level", "of the interval"}, best.level);
  visit(Field{"assumes", "what the interval assumes about the rewards of the arm"}, best.assumes);
  visit(
      Field{"rare_extremes",
            "rewards have rare extreme values; the interval assumes that none is more extreme here "
            "than those seen at any arm"}
          .or_none(),
      best.rare_extremes);
  visit(Field{"pulls", "how many rewards"}, best.pulls);
  visit(Field{"rivals", "other arms whose intervals do not exclude that they are better"},
        best.rivals);
  visit(Field{"unknown", "other arms without an interval"}, best.unknown);
  visit(Field{"arms", "that have rewards, this one included"}, best.arms);
  visit(Field{"all_alike", "all of them have the same mean, and there is no noise"}.or_none(),
        best.all_alike);
  visit(Field{"since",
              "the last pull before the system was seen to change: rewards until then do not count"}
            .or_none(),
        best.since);
  visit(
      Field{"level_moves",
            "of all rewards: while it does, no interval is given, and `mean` is what the model has "
            "for now"}
          .or_none(),
      best.level_moves);
  visit(Field{"is_compared",
              "with a baseline: no interval is given, since the level of rewards may move"}
            .or_none(),
        best.is_compared);
  visit(Field{"basis", "what the choice rests on"}, best.basis);
  visit(SettingField{Field{"own",
                           "what the algorithm itself would recommend, where that is another arm"}
                         .or_none()},
        best.own);
  visit(Field{"by_model",
              "where the algorithm's model has f at the arm: 95 % at this look, not at all looks"}
            .or_none(),
        best.by_model);
  visit(Field{"limits", "of metrics, and whether the arm keeps them"}.or_none(), best.limits);
}

struct Summary {
  std::uint64_t t = 1;             ///< Index of the next pull: answers so far plus one.
  std::uint64_t nodes = 0;         ///< of the tree
  std::uint32_t depth = 0;         ///< of the deepest of them
  std::uint64_t switches = 0;      ///< Changes of arm; the first selection is one.
  std::uint64_t refreshes = 0;     ///< Phases begun.
  std::uint64_t out_of_range = 0;  ///< Single rewards outside the range that was given.
  std::uint64_t in_flight = 0;     ///< Tickets that are open.
  std::uint64_t observed = 0;      ///< Rewards of arms that nobody asked for.
  std::uint64_t passed_over = 0;   ///< Pulls not learnt from, since the system had not settled.
  std::uint64_t penalized = 0;     ///< Pulls that failed.

  std::uint64_t changes = 0;  ///< of the system, as far as an optimizer notices any

  /// The last of these.
  std::optional<Change> last_change = std::nullopt;

  /// While the level of all rewards moves: what is taken off every reward for it.
  std::optional<double> followed_level = std::nullopt;

  /// Where the range that was given does not fit: that of the rewards so far.
  std::optional<RewardRange> fitting_range = std::nullopt;

  /// Where rewards seem to take some pulls to settle after a change of arm, and nobody has said so:
  /// how many.
  std::optional<std::uint64_t> settling = std::nullopt;
};

template <class Visit>
void visit_fields(Summary& summary, Visit&& visit) {
  visit(Field{"t", "the index of the next pull"}, summary.t);
  visit(Field{"nodes", "of the tree"}, summary.nodes);
  visit(Field{"depth", "of the tree"}, summary.depth);
  visit(Field{"switches", "changes of arm, the first selection included"}, summary.switches);
  visit(Field{"refreshes", "phases begun"}, summary.refreshes);
  visit(Field{"out_of_range", "rewards outside reward_range"}, summary.out_of_range);
  visit(Field{"in_flight", "open tickets"}, summary.in_flight);
  visit(Field{"observed", "rewards of arms that nobody asked for"}, summary.observed);
  visit(Field{"penalized", "pulls that failed"}, summary.penalized);
  visit(
      Field{"fitting_range", "of the rewards, where the one that was given does not fit"}.or_none(),
      summary.fitting_range);
  visit(Field{"passed_over",
              "rewards that were not learnt from, since the system had not settled; left out: none"}
            .or_none(),
        summary.passed_over);
  visit(Field{"changes", "of the system that were noticed; left out: none"}.or_none(),
        summary.changes);
  visit(Field{"last_change", "of these"}.or_none(), summary.last_change);
  visit(Field{"followed_level",
              "where the level of all rewards is, from 0 at the start, while it moves and is taken "
              "off them"}
            .or_none(),
        summary.followed_level);
  visit(Field{"settling", "rewards seem to take so many pulls to settle, and nobody has said so"}
            .or_none(),
        summary.settling);
}

/// What an algorithm with a model of f has learnt, in the user's units.
struct Learnt {
  /// Why an arm is played.
  enum class Why : std::uint8_t {
    start,         ///< The first cells are played once each.
    search,        ///< Nowhere may f be better, as far as the model tells.
    cover,         ///< Nobody has looked there, and the model can be wrong.
    sweep,         ///< It is the best of its depth, whatever the model thinks of it.
    least_broken,  ///< Everything seems to be beyond a limit, and this by least.
    probe,  ///< Something may have changed; this pull helps to tell whether it is the same for all.
  };

  /// The arm that was last chosen.
  struct Turn {
    Why why = Why::start;
    std::vector<double> arm;
    std::uint64_t pulls = 0;   ///< of this arm so far
    std::uint64_t length = 1;  ///< pulls to come when it was chosen
    double level = 0.0;        ///< f there
    double deviation = 0.0;    ///< of that
    double bound = 0.0;        ///< the best that f may be there
  };

  /// What its model of a metric with a limit has learnt.
  struct OfMetric {
    std::string metric;
    double noise = 0.0;          ///< Standard deviation of a measurement.
    double smoothness = 0.0;     ///< It varies as a distance to this power.
    double kept = 0.0;           ///< Part of the box in which the limit is kept,
    double broken = 0.0;         ///< ... and in which it is broken; elsewhere that is open.
    std::uint64_t measured = 0;  ///< How often it was,
    std::uint64_t beyond = 0;    ///< ... and was beyond the limit.
  };

  double noise = 0.0;        ///< Standard deviation of a reward.
  double correlation = 0.0;  ///< Of rewards of an arm that follow each other; 0: none for sure.
  double smoothness = 0.0;   ///< f varies as a distance to this power.
  double lowest = 0.0;       ///< f, over the cells
  double highest = 0.0;
  std::vector<double> shares = {};  ///< of the variation of f over the box, by coordinate; or empty
  std::uint64_t explorer_pulls = 0;  ///< that went where the model sees nothing
  double lost = 0.0;                 ///< by all pulls beyond doubt, against the best arm
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
  visit(Field{"why", "it was chosen"}, turn.why);
  visit(SettingField{{"arm", "the setting"}}, turn.arm);
  visit(Field{"pulls", "of this arm so far"}, turn.pulls);
  visit(Field{"length", "pulls to come when it was chosen"}, turn.length);
  visit(Field{"level", "of f there"}.or_null(), turn.level);
  visit(Field{"deviation", "of that"}.or_null(), turn.deviation);
  visit(Field{"bound", "the best that f may be there"}.or_null(), turn.bound);
}

template <class Visit>
void visit_fields(Learnt::OfMetric& metric, Visit&& visit) {
  visit(Field{"metric", "its name"}, metric.metric);
  visit(Field{"noise", "the standard deviation of a measurement"}.or_null(), metric.noise);
  visit(Field{"smoothness", "it varies as a distance to this power"}.or_null(), metric.smoothness);
  visit(Field{"kept", "the part of the box in which its limit is kept"}, metric.kept);
  visit(Field{"broken", "that in which it is broken; elsewhere that is open"}, metric.broken);
  visit(Field{"measured", "how often it was"}, metric.measured);
  visit(Field{"beyond", "how often it was beyond its limit"}, metric.beyond);
}

template <class Visit>
void visit_fields(Learnt& learnt, Visit&& visit) {
  visit(Field{"noise", "the standard deviation of a reward"}.or_null(), learnt.noise);
  visit(Field{"correlation", "of rewards of an arm that follow each other"}.or_null(),
        learnt.correlation);
  visit(Field{"smoothness", "f varies as a distance to this power"}.or_null(), learnt.smoothness);
  visit(Field{"lowest", "of f"}.or_null(), learnt.lowest);
  visit(Field{"highest", "of f"}.or_null(), learnt.highest);
  visit(Field{"explorer_pulls", "where the model sees nothing, since it can be wrong"},
        learnt.explorer_pulls);
  visit(Field{"lost", "against the best arm, beyond doubt"}.or_null(), learnt.lost);
  visit(PerParameterField{Field{"shares", "of the variation, by parameter"}.or_null()},
        learnt.shares);
  visit(Field{"turn", "the arm that was chosen last"}.or_none(), learnt.turn);
  visit(Field{"metrics", "what is known of metrics with a limit"}.or_none(), learnt.metrics);
}

class TreeView;

/// The protocol that every optimizer speaks. Concrete classes are final, and Hct defines `ask` and
/// `tell` inline, so that a loop over it makes no virtual call; hold an Optimizer where the
/// algorithm is chosen at run time. Not thread-safe: guard it, and keep many pulls in flight.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// What to try next, for at most `pulls` pulls (at least one); by default for as long as the
  /// algorithm wants to stay. Learns nothing: asked again, it returns the same arm on a new ticket
  /// until enough has been told; `Adaptive` counts what is in flight and spreads it over arms.
  virtual Pull ask(std::uint64_t pulls = UINT64_MAX) = 0;

  /// One more pull of the arm that was asked for last and not answered yet, whatever the algorithm
  /// would choose: for a system that must not change yet.
  virtual Pull ask_again() { return ask(1); }

  /// What is observed before every ask; nothing, unless the best arm depends on it: see Contextual.
  [[nodiscard]] virtual const ContextSpace& contexts() const;

  /// The same as `ask` where this is observed. Throws ConfigurationError if a variable is missing
  /// or has a value that is impossible; a number beyond its range is moved to the end of it.
  /// Without contexts it is `ask`.
  virtual Pull ask_in(Context context, std::uint64_t pulls = UINT64_MAX);

  /// What an earlier ask was answered with, when it is done again from a journal: see WithBaseline.
  virtual Pull ask_as(const Pull& earlier, std::uint64_t pulls, Context context = {});

  /// One reward, in the user's units. Only this and what is below learns.
  [[nodiscard]] virtual Status tell(Ticket ticket, double reward) = 0;
  /// Several rewards: all of them, or none if the status is not ok.
  [[nodiscard]] virtual Status tell(Ticket ticket, std::span<const double> rewards) = 0;
  /// Several rewards as sums: equal to telling them one by one, up to rounding.
  [[nodiscard]] virtual Status tell(Ticket ticket, const Rewards& rewards) = 0;

  /// The pull of this ticket failed: the search learns that reward in its place, and no range,
  /// variance or interval does. The ticket is closed. See `failure_reward`.
  [[nodiscard]] virtual Status penalize(Ticket ticket, double reward) = 0;
  /// An arm is out of the question: `best` never names it again, and the search learns that reward
  /// as often as it has learnt anything of the arm, so that it leaves it. A ticket for it stays
  /// open.
  [[nodiscard]] virtual Status bar(Arm arm, double reward) = 0;
  [[nodiscard]] virtual bool is_barred(Arm arm) const = 0;
  /// What a failure is worth unless someone knows better: the worst reward so far less a tenth of
  /// the spread (more, when minimizing). None before the first reward.
  [[nodiscard]] virtual std::optional<double> failure_reward() const = 0;

  /// Rewards of an arm that nobody asked for: history, another study, a colleague's measurements.
  /// They count as pulls of the arm, not as steps (t stays). An algorithm that has no place for
  /// the arm yet keeps them until it has.
  [[nodiscard]] virtual Status observe(Arm arm, const Rewards& rewards) = 0;

  /// The same in a context. Throws ConfigurationError, as `ask_in` does.
  [[nodiscard]] virtual Status observe_in(Context context, Arm arm, const Rewards& rewards);

  /// Rewards of an arm that count for `best` and `estimate` alone, not for the search: of a
  /// baseline, say.
  [[nodiscard]] virtual Status remember(Arm arm, const Rewards& rewards) = 0;

  /// Numbers that come with the next reward of an arm, before that is told: of the pull of a
  /// ticket, or (0) of none. Those that have no limit are passed over.
  [[nodiscard]] virtual Status measure(Ticket ticket, Arm arm, const Metrics& metrics) = 0;

  /// Numbers that come with rewards of no ticket, which were observed in a context. Throws
  /// ConfigurationError, as `ask_in` does. Without contexts it is `measure`.
  [[nodiscard]] virtual Status measure_in(Context context, Arm arm, const Metrics& metrics);

  /// The system has had another setting meanwhile, which the search has not asked for.
  virtual void interrupt() {}

  /// A comparison of an arm with the baseline begins whose rewards are not told here; one has
  /// ended, and may have refuted the arm: it was worse, failed or broke a limit.
  virtual void begin_comparison(Arm /*arm*/) {}
  virtual void end_comparison(bool /*refuted*/) {}

  /// Another range of rewards; in force from the next phase on.
  virtual void set_reward_range(const std::optional<RewardRange>& range) = 0;
  /// The last one that was given; none: rewards tell.
  [[nodiscard]] virtual std::optional<RewardRange> reward_range() const = 0;

  /// Closes a ticket that will not be answered, or not any further.
  [[nodiscard]] virtual Status drop(Ticket ticket) = 0;

  /// Ends the current episode and learns from the rewards told so far, as at the end of a run.
  virtual void finish() = 0;

  /// The arm to recommend; none before the first answer, and where no arm keeps its limits. Its
  /// interval holds although the arm was chosen by looking.
  [[nodiscard]] virtual std::optional<Best> best() const = 0;

  /// The same in a context; without contexts it is `best`.
  [[nodiscard]] virtual std::optional<Best> best_in(Context context) const;

  /// What to set in every context; none without contexts.
  [[nodiscard]] virtual std::optional<Policy> policy() const { return std::nullopt; }

  /// Where no arm keeps its limits: the one that is beyond them least. None if there is a best arm.
  [[nodiscard]] virtual std::optional<Best> nearest() const = 0;

  /// The same in a context; without contexts it is `nearest`.
  [[nodiscard]] virtual std::optional<Best> nearest_in(Context context) const;

  /// How an arm does beside the limits whose metrics were measured; in the context that was seen
  /// last.
  [[nodiscard]] virtual std::vector<LimitCheck> limit_checks(Arm arm) const = 0;

  /// What is known of an arm; none if it has no rewards.
  [[nodiscard]] virtual std::optional<ArmEstimate> estimate(Arm arm) const = 0;

  /// The best arm beside the baseline; none without one, and before it was measured.
  [[nodiscard]] virtual std::optional<Uplift> uplift() const { return std::nullopt; }

  /// What tuning has cost; none where nobody has said how much it may.
  [[nodiscard]] virtual std::optional<Loss> loss() const { return std::nullopt; }

  /// Of the arms that pairs have proven to be better than the baseline, and that keep their limits,
  /// as far as is known: the best arm first, if it is among them, then those with the largest
  /// difference.
  [[nodiscard]] virtual std::vector<Uplift> proven() const { return {}; }

  /// Of the policies that pairs have proven to be better than the baseline, what the best one sets
  /// in a context; none if there is none.
  [[nodiscard]] virtual std::optional<std::vector<double>> proven_in(Context /*context*/) const {
    return std::nullopt;
  }

  /// What is known of all arms that have rewards; none of an algorithm that does not keep it.
  [[nodiscard]] virtual std::optional<Evidence> evidence() const { return std::nullopt; }

  [[nodiscard]] virtual Summary summary() const = 0;

  /// How often the system was seen to change; `summary` has the last one.
  [[nodiscard]] virtual std::uint64_t changes() const { return 0; }

  /// What its model of f has learnt; none of an algorithm that has no model, or not yet.
  [[nodiscard]] virtual std::optional<Learnt> learnt() const { return std::nullopt; }

  /// The tree of algorithms that have one, otherwise null. Brings bounds up to date that the
  /// algorithm has not needed yet. The view lives as long as the optimizer; its bounds are up to
  /// date until the next ask or tell, its places of tickets always.
  [[nodiscard]] virtual const TreeView* tree() { return nullptr; }

  /// The pull of an open ticket, with what remains of its length; none if it is not open.
  [[nodiscard]] virtual std::optional<Pull> pull_of(Ticket ticket) const = 0;

  /// The open tickets, oldest first, with what remains of their lengths.
  [[nodiscard]] virtual std::vector<Pull> in_flight() const = 0;

  /// Everything it knows, including tickets in flight, as text for `restore`.
  [[nodiscard]] virtual std::string save() = 0;

  /// Takes over what an optimizer of the same space, options and objective saved, and continues
  /// exactly from there. Throws StateError; after that this optimizer must not be used.
  virtual void restore(std::string_view saved) = 0;

  /// A copy in the same state, including tickets in flight; the two share nothing.
  [[nodiscard]] virtual std::unique_ptr<Optimizer> clone() const = 0;
};

/// A node as seen from outside, in the user's units. U and B are the better ends: when minimizing,
/// lower is better.
struct NodeView {
  std::string path;  ///< From the root down, a digit per level: 0 for the first part.
  Arm arm;           ///< Valid until the next ask or tell.
  std::uint64_t pulls = 0;
  double mean = 0.0;
  double upper = 0.0;  ///< U, possibly infinite
  double bound = 0.0;  ///< B, possibly infinite
  bool leaf = true;
  /// Where a model sees f in the cell: its level in the middle, three deviations to either side.
  std::optional<Interval> model = std::nullopt;
};

template <class Visit>
void visit_fields(NodeView& node, Visit&& visit) {
  visit(Field{"path", "the way down from the root, a digit per level: 0 for the first part"},
        node.path);
  visit(SettingField{{"arm", "the setting in the middle of the cell"}}, node.arm);
  visit(Field{"pulls", "of the arm"}, node.pulls);
  visit(Field{"mean", "says nothing while pulls is 0"}, node.mean);
  visit(Field{"upper", "U, the better end; null: infinite"}.or_null(), node.upper);
  visit(Field{"bound", "B, the better end; null: infinite"}.or_null(), node.bound);
  visit(Field{"leaf", "whether it has no children"}, node.leaf);
}

/// What only algorithms with a tree of cells can show.
class TreeView {
 public:
  /// Where in the tree the arm of a ticket is.
  struct Place {
    std::uint32_t node = 0;
    std::uint32_t depth = 0;
  };

  virtual ~TreeView() = default;

  /// Every node, shallow ones first, from left to right.
  [[nodiscard]] virtual std::vector<NodeView> nodes() const = 0;

  /// The place of an open ticket; none for any other.
  [[nodiscard]] virtual std::optional<Place> place(Ticket ticket) const = 0;

  /// The path from the root to a node, as in NodeView; empty for the root, and for a node that
  /// does not exist, or no longer does.
  [[nodiscard]] virtual std::string path(std::uint32_t node) const = 0;
};

}  // namespace canopy
