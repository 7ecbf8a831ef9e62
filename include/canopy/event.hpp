#pragma once

#include "canopy/enum_names.hpp"
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

// First what concerns the optimizer; arms are coordinates of its space.

struct Asked {
  static constexpr std::string_view kName = "ask";
  static constexpr std::string_view kLine = "An arm was asked for.";

  Ticket ticket = 0;
  std::uint64_t pulls = 0;   ///< that were asked for; 0: no limit
  std::uint64_t length = 0;  ///< that the ticket is good for
  std::vector<double> arm;   ///< to be played
  double lease = 0.0;        ///< seconds in which it is answered or dropped; 0: no limit

  friend bool operator==(const Asked&, const Asked&) = default;
};

template <class Visit>
void visit_fields(Asked& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kArmField, event.arm);
  visit(Field{"pulls", "that were asked for; 0: no limit"}.usually(1), event.pulls);
  visit(Field{"length", "pulls that the ticket is good for"}.usually(1), event.length);
  visit(Field{"lease_seconds", "in which it is answered or dropped"}.or_none(), event.lease);
}

struct AskedAgain {
  static constexpr std::string_view kName = "ask_again";
  static constexpr std::string_view kLine =
      "One more pull of the arm that was asked for last, which must not change yet.";

  Ticket ticket = 0;
  std::vector<double> arm;

  friend bool operator==(const AskedAgain&, const AskedAgain&) = default;
};

template <class Visit>
void visit_fields(AskedAgain& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kArmField, event.arm);
}

struct Told {
  static constexpr std::string_view kName = "tell";
  static constexpr std::string_view kLine = "One reward.";

  Ticket ticket = 0;
  double reward = 0.0;

  friend bool operator==(const Told&, const Told&) = default;
};

template <class Visit>
void visit_fields(Told& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kRewardField, event.reward);
}

struct ToldList {
  static constexpr std::string_view kName = "tell_list";
  static constexpr std::string_view kLine = "Several rewards, one by one.";

  Ticket ticket = 0;
  std::vector<double> rewards;

  friend bool operator==(const ToldList&, const ToldList&) = default;
};

template <class Visit>
void visit_fields(ToldList& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(Field{"rewards", "one by one"}, event.rewards);
}

struct ToldSums {
  static constexpr std::string_view kName = "tell_sums";
  static constexpr std::string_view kLine = "Several rewards, summed up.";

  Ticket ticket = 0;
  Rewards rewards;

  friend bool operator==(const ToldSums&, const ToldSums&) = default;
};

template <class Visit>
void visit_fields(ToldSums& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit_fields(event.rewards, visit);
}

struct PassedOver {
  static constexpr std::string_view kName = "pass_over";
  static constexpr std::string_view kLine =
      "Rewards that were told but not learnt from, since the system had not settled.";

  Ticket ticket = 0;
  Rewards rewards;

  friend bool operator==(const PassedOver&, const PassedOver&) = default;
};

template <class Visit>
void visit_fields(PassedOver& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit_fields(event.rewards, visit);
}

struct Penalized {
  static constexpr std::string_view kName = "penalty";
  static constexpr std::string_view kLine = "A pull failed; the reward was learnt in its place.";

  Ticket ticket = 0;
  double reward = 0.0;

  friend bool operator==(const Penalized&, const Penalized&) = default;
};

template <class Visit>
void visit_fields(Penalized& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kRewardField, event.reward);
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

struct Observed {
  static constexpr std::string_view kName = "observe";
  static constexpr std::string_view kLine = "Rewards of an arm that was not asked for.";

  std::vector<double> arm;
  Rewards rewards;

  friend bool operator==(const Observed&, const Observed&) = default;
};

template <class Visit>
void visit_fields(Observed& event, Visit&& visit) {
  visit(kArmField, event.arm);
  visit_fields(event.rewards, visit);
}

struct Remembered {
  static constexpr std::string_view kName = "remember";
  static constexpr std::string_view kLine = "The same; the search does not learn from them.";

  std::vector<double> arm;
  Rewards rewards;

  friend bool operator==(const Remembered&, const Remembered&) = default;
};

template <class Visit>
void visit_fields(Remembered& event, Visit&& visit) {
  visit(kArmField, event.arm);
  visit_fields(event.rewards, visit);
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

struct WarmedUp {
  static constexpr std::string_view kName = "warm_up";
  static constexpr std::string_view kLine =
      "A reward measured too soon after a change, or to see whether a setting works.";

  Ticket ticket = 0;
  double reward = 0.0;

  friend bool operator==(const WarmedUp&, const WarmedUp&) = default;
};

template <class Visit>
void visit_fields(WarmedUp& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kRewardField, event.reward);
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

struct BaselineMeasured {
  static constexpr std::string_view kName = "baseline";
  static constexpr std::string_view kLine = "A reward of the baseline.";

  double reward = 0.0;
  std::vector<double> arm;

  friend bool operator==(const BaselineMeasured&, const BaselineMeasured&) = default;
};

template <class Visit>
void visit_fields(BaselineMeasured& event, Visit&& visit) {
  visit(kRewardField, event.reward);
  visit(kArmField, event.arm);
}

struct Failed {
  static constexpr std::string_view kName = "failure";
  static constexpr std::string_view kLine =
      "The system could not be set or measured, or an act could not be obeyed.";

  Ticket ticket = 0;
  std::string what;
  bool for_good = false;  ///< it will not be tried again: the arm has failed

  friend bool operator==(const Failed&, const Failed&) = default;
};

template <class Visit>
void visit_fields(Failed& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(Field{"what", "failed, for people"}, event.what);
  visit(Field{"for_good", "it will not be tried again"}, event.for_good);
}

struct PutOff {
  static constexpr std::string_view kName = "put_off";
  static constexpr std::string_view kLine =
      "An arm failed before the first reward; its penalty follows that.";

  Ticket ticket = 0;
  std::vector<double> arm;

  friend bool operator==(const PutOff&, const PutOff&) = default;
};

template <class Visit>
void visit_fields(PutOff& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(kArmField, event.arm);
}

struct MetricsMeasured {
  static constexpr std::string_view kName = "metrics";
  static constexpr std::string_view kLine = "What else was measured with the next reward.";

  Ticket ticket = 0;
  std::map<std::string, double> metrics;

  friend bool operator==(const MetricsMeasured&, const MetricsMeasured&) = default;
};

template <class Visit>
void visit_fields(MetricsMeasured& event, Visit&& visit) {
  visit(kTicketField, event.ticket);
  visit(Field{"metrics", "by name"}, event.metrics);
}

struct ComparisonBegun {
  static constexpr std::string_view kName = "confirm";
  static constexpr std::string_view kLine = "A comparison of this arm with the baseline begins.";

  std::uint64_t pulls = 0;  ///< at most, of both together
  std::uint64_t visit = 1;  ///< pulls in a row
  std::vector<double> arm;

  friend bool operator==(const ComparisonBegun&, const ComparisonBegun&) = default;
};

template <class Visit>
void visit_fields(ComparisonBegun& event, Visit&& visit) {
  visit(Field{"pulls", "at most, of both together"}, event.pulls);
  visit(Field{"visit", "pulls in a row", kOneOrMore}, event.visit);
  visit(kArmField, event.arm);
}

struct Compared {
  static constexpr std::string_view kName = "compare";
  static constexpr std::string_view kLine = "A reward of the comparison.";

  bool is_baseline = false;
  double reward = 0.0;

  friend bool operator==(const Compared&, const Compared&) = default;
};

template <class Visit>
void visit_fields(Compared& event, Visit&& visit) {
  visit(Field{"is_baseline", "or the arm"}, event.is_baseline);
  visit(kRewardField, event.reward);
}

struct ComparisonEnded {
  static constexpr std::string_view kName = "verdict";
  static constexpr std::string_view kLine = "What came of the comparison.";

  bool confirmed = false;  ///< the arm is better, beyond doubt
  std::string verdict;     ///< for people

  friend bool operator==(const ComparisonEnded&, const ComparisonEnded&) = default;
};

template <class Visit>
void visit_fields(ComparisonEnded& event, Visit&& visit) {
  visit(Field{"confirmed", "the arm is better"}, event.confirmed);
  visit(Field{"verdict", "for people"}, event.verdict);
}

/// What people want from whoever runs a study.
enum class Act : std::uint8_t {
  pause,     ///< Wait, at the best setting that is known.
  resume,    ///< Go on, after any of the others.
  hold,      ///< Wait, at the present setting.
  baseline,  ///< Wait, at the baseline.
  confirm,   ///< Compare the best arm with the baseline.
  end,       ///< Nothing more is tried.
};

template <>
struct EnumNames<Act> {
  static constexpr std::array<std::string_view, 6> names{"pause",    "resume",  "hold",
                                                         "baseline", "confirm", "end"};
};

struct ActTaken {
  static constexpr std::string_view kName = "act";
  static constexpr std::string_view kLine = "The runner of the study has accepted an act.";

  std::uint64_t number = 0;  ///< of the act, as it was posted
  Act act = Act::pause;
  std::uint64_t pulls = 0;  ///< for a comparison; 0: as many as are usual
  std::string by;           ///< who wants it

  friend bool operator==(const ActTaken&, const ActTaken&) = default;
};

template <class Visit>
void visit_fields(ActTaken& event, Visit&& visit) {
  visit(Field{"act_number", "as it was posted"}, event.number);
  visit(Field{"act", "what is wanted"}, event.act);
  visit(Field{"pulls", "for a comparison; 0: the usual number"}, event.pulls);
  visit(Field{"by", "who wants it"}, event.by);
}

/// Any of these. A new kind is its struct, with its name and its fields, and a place here.
using Event =
    std::variant<Asked, Told, ToldList, ToldSums, Dropped, Finished, TunerStarted, TunerStopped,
                 Applied, WarmedUp, Held, BaselineMeasured, Failed, Observed, RangeSet, Remembered,
                 PassedOver, AskedAgain, Penalized, Barred, PutOff, MetricsMeasured,
                 ComparisonBegun, Compared, ComparisonEnded, ActTaken>;

/// What it is called: `ask`, `tell`, `tell_list`, ...
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
};

/// An event as one line of JSON, as stores keep it: its name and the values of its fields, in their
/// order: `["tell",7,0.5]`.
[[nodiscard]] std::string encode(const Event& event);

/// Reads it back. Throws StudyError (`damaged`), which says what is wrong with it.
[[nodiscard]] Event decode(std::string_view text);

}  // namespace canopy
