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

// What can happen in a study: structs, each with its name, a line for people and its fields. From
// these lists come the form in which stores keep events, that in which they are sent and exported,
// and the checks on reading either.

inline constexpr Field kTicketField{"ticket", "the pull that it is about"};
inline constexpr Field kRewardField{"reward", "in the units of the user"};
inline constexpr ArmField kOtherArmField{
    Field{"arm", "of which they are, if not the system's setting"}.or_none()};
inline constexpr ContextField kContextField{
    Field{"context", "what was observed before, where the study has contexts"}.or_none()};

// First what concerns the optimizer; arms are coordinates of its space, and so are contexts.

struct Asked {
  static constexpr std::string_view kName = "ask";
  static constexpr std::string_view kLine = "An arm was asked for.";

  Ticket ticket = 0;
  std::uint64_t pulls = 0;       ///< that were asked for; 0: no limit
  std::uint64_t length = 0;      ///< that the ticket is good for
  std::vector<double> arm;       ///< to be played
  double lease = 0.0;            ///< seconds in which it is answered or dropped; 0: no limit
  bool again = false;            ///< one more pull of the last arm, which must not change yet
  std::string incarnation = {};  ///< that clients are told of this ticket and of those that follow
  Purpose purpose = Purpose::search;
  std::vector<double> then = {};  ///< of a duel: the other arm, for the second half of `length`
  std::uint64_t round = 0;        ///< of comparing with the baseline, from 1
  /// What was observed before, where the study has contexts; `again` is in the context before.
  std::vector<double> context = {};

  friend bool operator==(const Asked&, const Asked&) = default;
};

template <class Visit>
void visit_fields(Asked& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kArmField, event.arm);
  visit(Field{"pulls", "that were asked for; 0: no limit"}.usually(1), event.pulls);
  visit(Field{"length", "pulls that the ticket is good for"}.usually(1), event.length);
  visit(Field{"lease_seconds", "in which it is answered or dropped"}.or_none(), event.lease);
  visit(Field{"again", "one more pull of the last arm, which must not change yet"}.or_none(),
        event.again);
  visit(
      Field{"incarnation", "that a server tells with this ticket and those that follow"}.or_none(),
      event.incarnation);
  visit(Field{"purpose", "what the pull is for; by default `search`"}.or_none(), event.purpose);
  visit(ArmField{Field{"then", "of a duel: played for the second half of `length`"}.or_none(),
                 "then_coordinates"},
        event.then);
  visit(Field{"round", "of comparing with the baseline, from 1"}.or_none(), event.round);
  visit(kContextField, event.context);
}

struct Told {
  static constexpr std::string_view kName = "tell";
  static constexpr std::string_view kLine = "Rewards of a pull that was asked for.";

  Ticket ticket = 0;
  AnyRewards rewards;
  bool skipped = false;      ///< they were not learnt from, since the system had not settled
  bool is_baseline = false;  ///< they are of the baseline

  friend bool operator==(const Told&, const Told&) = default;
};

template <class Visit>
void visit_fields(Told& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kRewardsField, event.rewards);
  visit(Field{"skipped", "not learnt from, since the system had not settled"}.or_none(),
        event.skipped);
  visit(Field{"baseline", "of the baseline: remembered, not learnt from"}.or_none(),
        event.is_baseline);
}

struct Penalized {
  static constexpr std::string_view kName = "penalize";
  static constexpr std::string_view kLine = "A pull failed; the reward was learnt in its place.";

  Ticket ticket = 0;
  double reward = 0.0;
  bool barred = false;  ///< Nothing has failed: the arm was barred before, and not tried again.

  friend bool operator==(const Penalized&, const Penalized&) = default;
};

template <class Visit>
void visit_fields(Penalized& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kRewardField, event.reward);
  visit(Field{"barred", "nothing failed: the arm was barred before, and not tried"}.or_none(),
        event.barred);
}

struct Barred {
  static constexpr std::string_view kName = "bar";
  static constexpr std::string_view kLine =
      "An arm has broken a limit; the reward was learnt of it instead.";

  double reward = 0.0;
  std::vector<double> arm;

  friend bool operator==(const Barred&, const Barred&) = default;
};

template <class Visit>
void visit_fields(Barred& event, Visit&& visit) {
  visit(kRewardField, event.reward);
  visit(kArmField, event.arm);
}

/// What rewards were measured for.
enum class Role : std::uint8_t {
  search,    ///< The optimizer learns from them.
  baseline,  ///< They say what the baseline earns; the search does not learn from them.
  warm_up,   ///< The system had not settled, or was only tried: nothing learns from them.
};

template <>
struct EnumNames<Role> {
  static constexpr std::array<std::string_view, 3> names{"search", "baseline", "warm_up"};
};

struct Observed {
  static constexpr std::string_view kName = "observe";
  static constexpr std::string_view kLine = "Rewards of an arm that the search had not asked for.";

  std::vector<double> arm;
  AnyRewards rewards;
  Role role = Role::search;
  std::vector<double> context = {};  ///< in which they were earned, where the study has contexts

  friend bool operator==(const Observed&, const Observed&) = default;
};

template <class Visit>
void visit_fields(Observed& event, Visit&& visit) {
  visit(kArmField, event.arm);
  visit(kRewardsField, event.rewards);
  visit(Field{"role", "what they were measured for; by default `search`"}.or_none(), event.role);
  visit(kContextField, event.context);
}

struct Dropped {
  static constexpr std::string_view kName = "drop";
  static constexpr std::string_view kLine = "A ticket was closed without an answer.";

  Ticket ticket = 0;

  friend bool operator==(const Dropped&, const Dropped&) = default;
};

template <class Visit>
void visit_fields(Dropped& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
}

struct RangeSet {
  static constexpr std::string_view kName = "range";
  static constexpr std::string_view kLine =
      "Another range of rewards, in force from the next phase on.";

  std::optional<RewardRange> range;  ///< none: rewards tell

  friend bool operator==(const RangeSet&, const RangeSet&) = default;
};

template <class Visit>
void visit_fields(RangeSet& event, Visit&& visit) {
  visit(Field{"range", "of rewards; null: rewards tell"}, event.range);
}

struct Finished {
  static constexpr std::string_view kName = "finish";
  static constexpr std::string_view kLine = "An unfinished episode was ended.";

  friend bool operator==(const Finished&, const Finished&) = default;
};

template <class Visit>
void visit_fields(Finished& /*event*/, Visit&& /*visit*/) {}

// The rest concerns only the tuner, not the optimizer. Ticket 0 is the baseline.

struct TunerStarted {
  static constexpr std::string_view kName = "start";
  static constexpr std::string_view kLine = "The tuner started.";

  double earlier_seconds = 0.0;  ///< taken by earlier runs of the tuner

  friend bool operator==(const TunerStarted&, const TunerStarted&) = default;
};

template <class Visit>
void visit_fields(TunerStarted& event, Visit&& visit) {
  visit(Field{"earlier_seconds", "taken by earlier runs"}, event.earlier_seconds);
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
  visit(Field{"why", "for people"}, event.why);
  visit(Field{"at_limit", "the floor, or too many failures"}, event.at_limit);
}

struct Applied {
  static constexpr std::string_view kName = "apply";
  static constexpr std::string_view kLine =
      "The system was given a setting; ticket 0 is the baseline, or the setting at the end.";

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
  static constexpr std::string_view kLine = "A reward held back until the arm may change.";

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
      "The system could not be set or measured, or a command could not be obeyed.";

  Ticket ticket = 0;
  std::string what;
  bool for_good = false;    ///< it will not be tried again: the arm has failed
  std::string errors = {};  ///< what the command has written to its standard error

  friend bool operator==(const Failed&, const Failed&) = default;
};

template <class Visit>
void visit_fields(Failed& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(Field{"what", "failed, for people"}, event.what);
  visit(Field{"for_good", "it will not be tried again"}, event.for_good);
  visit(Field{"errors", "what the command has written to its standard error, the last 4 KiB"}
            .or_none(),
        event.errors);
}

struct Deferred {
  static constexpr std::string_view kName = "defer";
  static constexpr std::string_view kLine =
      "An arm failed before the first reward; its penalty follows that.";

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
      "What else was measured with a reward: the last one, or that of the tuner that comes next.";

  Ticket ticket = 0;
  Metrics metrics;
  std::vector<double> arm;           ///< of which they are; empty: the system's setting
  std::vector<double> context = {};  ///< of those that belong to no ticket

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
      "A comparison with the baseline begins: of this arm or, in contexts, of the policy.";

  std::uint64_t pulls = 0;  ///< at most, of both together
  std::uint64_t visit = 1;  ///< pulls in a row
  std::vector<double> arm;  ///< empty: what is best in each context
  std::uint64_t seed = 0;   ///< of the coin

  friend bool operator==(const ComparisonBegun&, const ComparisonBegun&) = default;
};

template <class Visit>
void visit_fields(ComparisonBegun& event, Visit&& visit) {
  visit(Field{"pulls", "at most, of both together"}, event.pulls);
  visit(Field{"visit", "pulls in a row", kOneOrMore}, event.visit);
  visit(
      ArmField{
          Field{"arm", "the setting; left out: the policy, in a study with contexts"}.or_none()},
      event.arm);
  visit(Field{"seed", "of the coin that orders the pairs"}, event.seed);
}

struct Compared {
  static constexpr std::string_view kName = "compare";
  static constexpr std::string_view kLine = "A reward of the comparison.";

  bool is_baseline = false;
  double reward = 0.0;
  std::vector<double> context = {};  ///< in which it was earned, where the study has contexts
  double effect = 0.0;               ///< of the context, as far as it is the same for all settings

  friend bool operator==(const Compared&, const Compared&) = default;
};

template <class Visit>
void visit_fields(Compared& event, Visit&& visit) {
  visit(Field{"is_baseline", "or the arm"}, event.is_baseline);
  visit(kRewardField, event.reward);
  visit(kContextField, event.context);
  visit(Field{"effect", "of the context on all settings alike, which is taken off the reward"}
            .or_none(),
        event.effect);
}

struct ComparisonEnded {
  static constexpr std::string_view kName = "verdict";
  static constexpr std::string_view kLine = "What came of the comparison.";

  bool confirmed = false;  ///< the arm is better, beyond doubt, and keeps its limits
  std::string verdict;     ///< for people
  bool refuted = false;    ///< it is worse beyond doubt, breaks a limit, or has failed

  friend bool operator==(const ComparisonEnded&, const ComparisonEnded&) = default;
};

template <class Visit>
void visit_fields(ComparisonEnded& event, Visit&& visit) {
  visit(Field{"confirmed", "the arm is better"}, event.confirmed);
  visit(Field{"verdict", "for people"}, event.verdict);
  visit(Field{"refuted", "the arm is worse, breaks a limit, or has failed"}.or_none(),
        event.refuted);
}

/// The study goes on with other commands, as the user has accepted.
struct CommandsChanged {
  static constexpr std::string_view kName = "commands";
  static constexpr std::string_view kLine =
      "From here on the system is set or measured by other commands, as the user has accepted.";

  std::string changes;  ///< for people

  friend bool operator==(const CommandsChanged&, const CommandsChanged&) = default;
};

template <class Visit>
void visit_fields(CommandsChanged& event, Visit&& visit) {
  visit(Field{"changes", "for people"}, event.changes);
}

/// It follows from the rewards before it, and is kept for those who read the journal.
struct Changed {
  static constexpr std::string_view kName = "changed";
  static constexpr std::string_view kLine = "The system was seen to change.";

  Change change;

  friend bool operator==(const Changed&, const Changed&) = default;
};

template <class Visit>
void visit_fields(Changed& event, Visit&& visit) {
  visit(kChangePullField, event.change.pull);
  visit(Field{"what", kChangeKindField.help}, event.change.kind);
  visit(kChangeSizeField, event.change.size);
}

/// It follows from the rewards before it, too: about one in 64 pulls, while the level moves.
struct LevelSeen {
  static constexpr std::string_view kName = "level";
  static constexpr std::string_view kLine = "The level of all rewards moves: where it is now.";

  double reward = 0.0;

  friend bool operator==(const LevelSeen&, const LevelSeen&) = default;
};

template <class Visit>
void visit_fields(LevelSeen& event, Visit&& visit) {
  visit(Field{"reward", "what the best setting earns now, by the model"}, event.reward);
}

/// What people may command the runner of a study.
enum class RunnerCommand : std::uint8_t {
  pause,     ///< Wait, at the best setting that is known.
  resume,    ///< Go on, after any of the others.
  hold,      ///< Wait, at the present setting.
  baseline,  ///< Wait, at the baseline.
  confirm,   ///< Compare the best arm with the baseline.
  end,       ///< Nothing more is tried.
};

template <>
struct EnumNames<RunnerCommand> {
  static constexpr std::array<std::string_view, 6> names{"pause",    "resume",  "hold",
                                                         "baseline", "confirm", "end"};
};

struct CommandAccepted {
  static constexpr std::string_view kName = "command";
  static constexpr std::string_view kLine = "The runner of the study accepted a command.";

  std::uint64_t number = 0;  ///< of the command, as it was posted
  RunnerCommand command = RunnerCommand::pause;
  std::uint64_t pulls = 0;  ///< for a comparison; 0: as many as are usual
  std::string by;           ///< who wants it

  friend bool operator==(const CommandAccepted&, const CommandAccepted&) = default;
};

template <class Visit>
void visit_fields(CommandAccepted& event, Visit&& visit) {
  visit(Field{"command_number", "as it was posted"}, event.number);
  visit(Field{"command", "what is wanted"}, event.command);
  visit(Field{"pulls", "for a comparison; 0: the usual number"}, event.pulls);
  visit(Field{"by", "who wants it"}, event.by);
}

/// Any of these. A new kind is its struct, with its name and its fields, and a place here.
using Event = std::variant<Asked, Told, Penalized, Dropped, Observed, Barred, RangeSet, Finished,
                           TunerStarted, TunerStopped, Applied, Held, Failed, Deferred,
                           MetricsMeasured, ComparisonBegun, Compared, ComparisonEnded,
                           CommandAccepted, CommandsChanged, Changed, LevelSeen>;

/// What it is called: `ask`, `tell`, `observe`, ...
[[nodiscard]] std::string_view kind_name(const Event& event);
/// All of these names, as Event numbers the kinds.
[[nodiscard]] std::span<const std::string_view> event_kinds();
/// An event of that name with nothing in it; none if there is no such kind.
[[nodiscard]] std::optional<Event> event_named(std::string_view kind);

/// One line of a study's journal.
struct JournalEntry {
  std::uint64_t number = 0;  ///< 1, 2, 3, ... in a study
  double at = 0.0;           ///< seconds since 1970, never less than in the entry before
  Event event;

  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

/// An event as one line of JSON, as stores keep it: its name and the values of its fields, in their
/// order: `["tell",7,0.5]`.
[[nodiscard]] std::string encode(const Event& event);

/// Reads it back. Throws StudyError (`damaged`), which says what is wrong with it.
[[nodiscard]] Event decode(std::string_view text);

}  // namespace canopy
