#pragma once

#include "canopy/change.hpp"
#include "canopy/enum_names.hpp"
#include "canopy/limits.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/options.hpp"
#include "canopy/rewards.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace canopy {

// The events of a study: structs, each with its name, a description and its fields. The stored
// form, the form that is sent and exported, and the validation of both are derived from these
// lists.

inline constexpr Field kTicketField{"ticket", "the ticket of the pull"};
inline constexpr Field kRewardField{"reward", "in the user's units"};
inline constexpr ArmField kOtherArmField{
    Field{"arm", "the measured arm; if omitted, the system's setting"}.or_none()};
inline constexpr ContextField kContextField{
    Field{"context", "the context observed before the pull, if the study has contexts"}.or_none()};

// First, the events that concern the optimizer. Arms and contexts are given as coordinates.

struct Asked {
  static constexpr std::string_view kName = "ask";
  static constexpr std::string_view kLine = "The optimizer chose an arm for a new ticket.";

  Ticket ticket = 0;
  std::uint64_t pulls = 0;   ///< number of pulls requested; 0: no limit
  std::uint64_t length = 0;  ///< number of pulls that the ticket is for
  std::vector<double> arm;   ///< the arm to play
  double lease = 0.0;        ///< seconds until the ticket expires; 0: never
  bool again = false;        ///< one more pull of the last arm, because the arm must not change yet
  std::string incarnation = {};  ///< that of the study from this ticket on
  Purpose purpose = Purpose::search;
  std::vector<double> then = {};  ///< the second arm of a duel, for the second half of `length`
  std::uint64_t round = 0;        ///< round of comparison with the baseline, from 1
  /// The context observed before the pull, if the study has contexts. With `again`, the context of
  /// the previous ask applies.
  std::vector<double> context = {};

  friend bool operator==(const Asked&, const Asked&) = default;
};

template <class Visit>
void visit_fields(Asked& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kArmField, event.arm);
  visit(Field{"pulls", "number of pulls requested; 0: no limit"}.usually(1), event.pulls);
  visit(Field{"length", "number of pulls that the ticket is for"}.usually(1), event.length);
  visit(
      Field{"lease_seconds", "seconds until the ticket expires unless rewards are told"}.or_none(),
      event.lease);
  visit(Field{"again", "one more pull of the last arm, because the arm must not change yet"}
            .or_none(),
        event.again);
  visit(Field{"incarnation",
              "that of the study from this ticket on; clients get it with their tickets"}
            .or_none(),
        event.incarnation);
  visit(Field{"purpose", "what the pull is for; by default `search`"}.or_none(), event.purpose);
  visit(
      ArmField{Field{"then", "the second arm of a duel, for the second half of `length`"}.or_none(),
               "then_coordinates"},
      event.then);
  visit(Field{"round", "round of comparison with the baseline, from 1"}.or_none(), event.round);
  visit(kContextField, event.context);
}

struct Told {
  static constexpr std::string_view kName = "tell";
  static constexpr std::string_view kLine = "Rewards of a ticket.";

  Ticket ticket = 0;
  AnyRewards rewards;
  bool skipped = false;      ///< not learnt from, because the system had not settled
  bool is_baseline = false;  ///< the rewards are of the baseline

  friend bool operator==(const Told&, const Told&) = default;
};

template <class Visit>
void visit_fields(Told& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kRewardsField, event.rewards);
  visit(Field{"passed_over", "not learnt from, because the system had not settled"}.or_none(),
        event.skipped);
  visit(Field{"is_baseline",
              "rewards of the baseline: recorded, but the search does not learn from them"}
            .or_none(),
        event.is_baseline);
}

struct Penalized {
  static constexpr std::string_view kName = "penalize";
  static constexpr std::string_view kLine =
      "A pull failed; the optimizer learnt this reward instead.";

  Ticket ticket = 0;
  double reward = 0.0;
  bool barred = false;  ///< the pull did not fail: the arm was barred before, and not tried again

  friend bool operator==(const Penalized&, const Penalized&) = default;
};

template <class Visit>
void visit_fields(Penalized& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kRewardField, event.reward);
  visit(Field{"barred", "the pull did not fail: the arm was barred before, and not tried again"}
            .or_none(),
        event.barred);
}

struct Barred {
  static constexpr std::string_view kName = "bar";
  static constexpr std::string_view kLine =
      "An arm broke a limit and is barred; the optimizer learnt this reward for it.";

  double reward = 0.0;
  std::vector<double> arm;

  friend bool operator==(const Barred&, const Barred&) = default;
};

template <class Visit>
void visit_fields(Barred& event, Visit&& visit) {
  visit(kRewardField, event.reward);
  visit(kArmField, event.arm);
}

/// The purpose for which rewards were measured.
enum class Role : std::uint8_t {
  search,    ///< The optimizer learns from them.
  baseline,  ///< Rewards of the baseline; the search does not learn from them.
  warm_up,   ///< The system had not settled, or was only probed: not learnt from.
};

template <>
struct EnumNames<Role> {
  static constexpr std::array<std::string_view, 3> names{"search", "baseline", "warm_up"};
};

struct Observed {
  static constexpr std::string_view kName = "observe";
  static constexpr std::string_view kLine =
      "Rewards of an arm that were not measured for a ticket.";

  std::vector<double> arm;
  AnyRewards rewards;
  Role role = Role::search;
  std::vector<double> context = {};  ///< in which they were measured, if the study has contexts

  friend bool operator==(const Observed&, const Observed&) = default;
};

template <class Visit>
void visit_fields(Observed& event, Visit&& visit) {
  visit(kArmField, event.arm);
  visit(kRewardsField, event.rewards);
  visit(Field{"role", "the purpose of the measurement; by default `search`"}.or_none(), event.role);
  visit(kContextField, event.context);
}

struct Dropped {
  static constexpr std::string_view kName = "drop";
  static constexpr std::string_view kLine = "A ticket was closed without a reward.";

  Ticket ticket = 0;

  friend bool operator==(const Dropped&, const Dropped&) = default;
};

template <class Visit>
void visit_fields(Dropped& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
}

struct RangeSet {
  static constexpr std::string_view kName = "range";
  static constexpr std::string_view kLine = "The range of rewards changed, from the next phase on.";

  std::optional<RewardRange> range;  ///< none: learnt from the rewards

  friend bool operator==(const RangeSet&, const RangeSet&) = default;
};

template <class Visit>
void visit_fields(RangeSet& event, Visit&& visit) {
  visit(Field{"range", "of rewards; null: learnt from the rewards"}, event.range);
}

struct Finished {
  static constexpr std::string_view kName = "finish";
  static constexpr std::string_view kLine = "An unfinished episode was ended.";

  friend bool operator==(const Finished&, const Finished&) = default;
};

template <class Visit>
void visit_fields(Finished& /*event*/, Visit&& /*visit*/) {}

// The remaining events concern only the tuner. Ticket 0 stands for the baseline.

struct TunerStarted {
  static constexpr std::string_view kName = "start";
  static constexpr std::string_view kLine = "The tuner started.";

  double earlier_seconds = 0.0;  ///< duration of earlier runs of the tuner

  friend bool operator==(const TunerStarted&, const TunerStarted&) = default;
};

template <class Visit>
void visit_fields(TunerStarted& event, Visit&& visit) {
  visit(Field{"earlier_seconds", "duration of earlier runs"}, event.earlier_seconds);
}

struct TunerStopped {
  static constexpr std::string_view kName = "stop";
  static constexpr std::string_view kLine = "The tuner stopped.";

  std::string why;
  bool at_limit = false;  ///< because rewards were worse than the floor, or too many pulls failed

  friend bool operator==(const TunerStopped&, const TunerStopped&) = default;
};

template <class Visit>
void visit_fields(TunerStopped& event, Visit&& visit) {
  visit(Field{"why", "the reason, as text"}, event.why);
  visit(Field{"at_limit", "because rewards were worse than the floor, or too many pulls failed"},
        event.at_limit);
}

struct Applied {
  static constexpr std::string_view kName = "apply";
  static constexpr std::string_view kLine =
      "The system was given a setting; ticket 0: the baseline, or the setting on exit.";

  Ticket ticket = 0;
  std::vector<double> arm;

  friend bool operator==(const Applied&, const Applied&) = default;
};

template <class Visit>
void visit_fields(Applied& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kArmField, event.arm);
}

struct Held {
  static constexpr std::string_view kName = "hold";
  static constexpr std::string_view kLine =
      "A reward was measured, but not told yet, because the arm must not change.";

  Ticket ticket = 0;
  double reward = 0.0;

  friend bool operator==(const Held&, const Held&) = default;
};

template <class Visit>
void visit_fields(Held& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kRewardField, event.reward);
}

struct Failed {
  static constexpr std::string_view kName = "failure";
  static constexpr std::string_view kLine =
      "The system could not be set or measured, or a command could not be executed.";

  Ticket ticket = 0;
  std::string what;
  bool for_good = false;    ///< it will not be retried: the arm has failed
  std::string errors = {};  ///< standard error of the command

  friend bool operator==(const Failed&, const Failed&) = default;
};

template <class Visit>
void visit_fields(Failed& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(Field{"what", "what failed, as text"}, event.what);
  visit(Field{"for_good", "it will not be retried"}, event.for_good);
  visit(Field{"standard_error", "the last 4 KiB of the command's standard error"}.or_none(),
        event.errors);
}

struct Deferred {
  static constexpr std::string_view kName = "defer";
  static constexpr std::string_view kLine =
      "An arm failed before the first reward; it is penalized after that reward.";

  Ticket ticket = 0;
  std::vector<double> arm;

  friend bool operator==(const Deferred&, const Deferred&) = default;
};

template <class Visit>
void visit_fields(Deferred& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kArmField, event.arm);
}

struct MetricsMeasured {
  static constexpr std::string_view kName = "metrics";
  static constexpr std::string_view kLine =
      "Metrics that were measured together with the next reward of the arm.";

  Ticket ticket = 0;
  Metrics metrics;
  std::vector<double> arm;           ///< the measured arm; empty: the system's setting
  std::vector<double> context = {};  ///< if they belong to no ticket

  friend bool operator==(const MetricsMeasured&, const MetricsMeasured&) = default;
};

template <class Visit>
void visit_fields(MetricsMeasured& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(Field{"metrics", "by name"}, event.metrics);
  visit(kOtherArmField, event.arm);
  visit(kContextField, event.context);
}

struct ComparisonBegun {
  static constexpr std::string_view kName = "confirm";
  static constexpr std::string_view kLine =
      "A comparison of an arm with the baseline began or, with contexts, of the policy.";

  std::uint64_t pulls = 0;  ///< maximum for arm and baseline together
  std::uint64_t visit = 1;  ///< pulls in a row of the same setting
  std::vector<double> arm;  ///< empty: the policy, the best arm in each context
  std::uint64_t seed = 0;   ///< for the random order of the pairs

  friend bool operator==(const ComparisonBegun&, const ComparisonBegun&) = default;
};

template <class Visit>
void visit_fields(ComparisonBegun& event, Visit&& visit) {
  visit(Field{"pulls", "maximum number of pulls, of arm and baseline together"}, event.pulls);
  visit(Field{"visit", "pulls in a row of the same setting", kOneOrMore}, event.visit);
  visit(
      ArmField{Field{"arm", "the compared setting; if omitted, the policy of a study with contexts"}
                   .or_none()},
      event.arm);
  visit(Field{"seed", "for the random order of the pairs"}, event.seed);
}

struct Compared {
  static constexpr std::string_view kName = "compare";
  static constexpr std::string_view kLine = "A reward measured for the comparison.";

  bool is_baseline = false;
  double reward = 0.0;
  std::vector<double> context = {};  ///< in which it was measured, if the study has contexts
  double effect = 0.0;               ///< of the context on the rewards of all settings alike

  friend bool operator==(const Compared&, const Compared&) = default;
};

template <class Visit>
void visit_fields(Compared& event, Visit&& visit) {
  visit(Field{"is_baseline", "whether it is a reward of the baseline, not of the arm"},
        event.is_baseline);
  visit(kRewardField, event.reward);
  visit(kContextField, event.context);
  visit(
      Field{"effect",
            "of the context on the rewards of all settings alike; it is subtracted from the reward"}
          .or_none(),
      event.effect);
}

struct ComparisonEnded {
  static constexpr std::string_view kName = "verdict";
  static constexpr std::string_view kLine = "The comparison ended.";

  bool confirmed = false;  ///< the arm is significantly better and keeps its limits
  std::string verdict;     ///< as text
  bool refuted = false;    ///< the arm is significantly worse, breaks a limit, or failed

  friend bool operator==(const ComparisonEnded&, const ComparisonEnded&) = default;
};

template <class Visit>
void visit_fields(ComparisonEnded& event, Visit&& visit) {
  visit(Field{"confirmed", "the arm is significantly better and keeps its limits"},
        event.confirmed);
  visit(Field{"verdict", "the result, as text"}, event.verdict);
  visit(Field{"refuted", "the arm is significantly worse, breaks a limit, or failed"}.or_none(),
        event.refuted);
}

/// The user accepted that the study continues with different commands.
struct CommandsChanged {
  static constexpr std::string_view kName = "system_commands";
  static constexpr std::string_view kLine =
      "The commands that set and measure the system changed, and the user accepted that.";

  std::string changes;  ///< as text

  friend bool operator==(const CommandsChanged&, const CommandsChanged&) = default;
};

template <class Visit>
void visit_fields(CommandsChanged& event, Visit&& visit) {
  visit(Field{"changes", "the difference, as text"}, event.changes);
}

/// Redundant: it follows from the rewards before it. Recorded for readers of the journal.
struct Changed {
  static constexpr std::string_view kName = "changed";
  static constexpr std::string_view kLine = "A change of the system was detected.";

  Change change;

  friend bool operator==(const Changed&, const Changed&) = default;
};

template <class Visit>
void visit_fields(Changed& event, Visit&& visit) {
  visit(kChangePullField, event.change.pull);
  visit(Field{"change", kChangeKindField.help}, event.change.kind);
  visit(kChangeSizeField, event.change.size);
}

/// Redundant, too. Recorded about once every 64 pulls while the level of rewards moves.
struct LevelSeen {
  static constexpr std::string_view kName = "level";
  static constexpr std::string_view kLine =
      "The level of all rewards moves; this is the current level.";

  double reward = 0.0;

  friend bool operator==(const LevelSeen&, const LevelSeen&) = default;
};

template <class Visit>
void visit_fields(LevelSeen& event, Visit&& visit) {
  visit(Field{"reward", "the model's current estimate for the best setting"}, event.reward);
}

/// The commands that users can send to the runner of a study.
enum class RunnerCommand : std::uint8_t {
  pause,     ///< Wait at the best setting known.
  resume,    ///< Continue, after any of the other commands.
  hold,      ///< Wait at the current setting.
  baseline,  ///< Wait at the baseline.
  confirm,   ///< Compare the best arm with the baseline.
  end,       ///< End the search.
};

template <>
struct EnumNames<RunnerCommand> {
  static constexpr std::array<std::string_view, 6> names{"pause",    "resume",  "hold",
                                                         "baseline", "confirm", "end"};
};

struct CommandAccepted {
  static constexpr std::string_view kName = "command";
  static constexpr std::string_view kLine = "The runner of the study accepted a command.";

  std::uint64_t number = 0;  ///< assigned when it was posted
  RunnerCommand command = RunnerCommand::pause;
  std::uint64_t pulls = 0;  ///< for `confirm`; 0: the default number
  std::string by;           ///< the user who sent it

  friend bool operator==(const CommandAccepted&, const CommandAccepted&) = default;
};

template <class Visit>
void visit_fields(CommandAccepted& event, Visit&& visit) {
  visit(Field{"command_number", "assigned when the command was posted"}, event.number);
  visit(Field{"command", "the command"}, event.command);
  visit(Field{"pulls", "for `confirm`; 0: the default number"}, event.pulls);
  visit(Field{"by", "the user who sent it"}, event.by);
}

/// Any event. To add a kind, define its struct, with name and fields, and add it here.
using Event = std::variant<Asked, Told, Penalized, Dropped, Observed, Barred, RangeSet, Finished,
                           TunerStarted, TunerStopped, Applied, Held, Failed, Deferred,
                           MetricsMeasured, ComparisonBegun, Compared, ComparisonEnded,
                           CommandAccepted, CommandsChanged, Changed, LevelSeen>;

/// The name of an event's kind: `ask`, `tell`, `observe`, ...
[[nodiscard]] std::string_view kind_name(const Event& event);
/// The names of all kinds, in the order of the alternatives of Event.
[[nodiscard]] std::span<const std::string_view> event_kinds();
/// A default-constructed event of that kind; none if the kind is unknown.
[[nodiscard]] std::optional<Event> event_named(std::string_view kind);

/// An entry of a study's journal.
struct JournalEntry {
  std::uint64_t number = 0;  ///< 1, 2, 3, ... in a study
  double at = 0.0;           ///< seconds since 1970, never decreasing
  Event event;

  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

/// Encodes an event as one line of JSON, the form in which stores keep it: its name, then the
/// values of its fields in order: `["tell",7,0.5]`.
[[nodiscard]] std::string encode(const Event& event);

/// Decodes an event. Throws StudyError (`damaged`) with the reason if the text is invalid.
[[nodiscard]] Event decode(std::string_view text);

}  // namespace canopy
