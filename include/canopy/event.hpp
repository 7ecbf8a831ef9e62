#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/optimizer.hpp"
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

// What can happen in a study. First what concerns the optimizer; arms are coordinates of its space.

struct Asked {
  Ticket ticket = 0;
  std::uint64_t pulls = 0;   ///< that were asked for; 0: no limit
  std::uint64_t length = 0;  ///< that the ticket is good for
  std::vector<double> arm;   ///< to be played
  double lease = 0.0;        ///< seconds in which it is answered or dropped; 0: no limit

  friend bool operator==(const Asked&, const Asked&) = default;
};

/// The same for one more pull of the arm that was asked for last.
struct AskedAgain {
  Ticket ticket = 0;
  std::vector<double> arm;

  friend bool operator==(const AskedAgain&, const AskedAgain&) = default;
};

struct Told {
  Ticket ticket = 0;
  double reward = 0.0;

  friend bool operator==(const Told&, const Told&) = default;
};

/// Several rewards, one by one.
struct ToldList {
  Ticket ticket = 0;
  std::vector<double> rewards;

  friend bool operator==(const ToldList&, const ToldList&) = default;
};

/// Several rewards as sums.
struct ToldSums {
  Ticket ticket = 0;
  Rewards rewards;

  friend bool operator==(const ToldSums&, const ToldSums&) = default;
};

/// Rewards that were told and not learnt from, since the system had not settled (`settle` of the
/// adaptive tree).
struct PassedOver {
  Ticket ticket = 0;
  Rewards rewards;

  friend bool operator==(const PassedOver&, const PassedOver&) = default;
};

/// A pull failed: what was learnt in its place. Not a reward.
struct Penalized {
  Ticket ticket = 0;
  double reward = 0.0;

  friend bool operator==(const Penalized&, const Penalized&) = default;
};

/// An arm is out of the question: what was learnt of it instead.
struct Barred {
  double reward = 0.0;
  std::vector<double> arm;

  friend bool operator==(const Barred&, const Barred&) = default;
};

/// Rewards of an arm that nobody asked for.
struct Observed {
  std::vector<double> arm;
  Rewards rewards;

  friend bool operator==(const Observed&, const Observed&) = default;
};

/// The same, and the search does not learn from them.
struct Remembered {
  std::vector<double> arm;
  Rewards rewards;

  friend bool operator==(const Remembered&, const Remembered&) = default;
};

struct Dropped {
  Ticket ticket = 0;

  friend bool operator==(const Dropped&, const Dropped&) = default;
};

/// Another range of rewards, in force from the next phase on.
struct RangeSet {
  std::optional<RewardRange> range;  ///< none: rewards tell

  friend bool operator==(const RangeSet&, const RangeSet&) = default;
};

struct Finished {
  friend bool operator==(const Finished&, const Finished&) = default;
};

// The rest concerns only the tuner, not the optimizer. Ticket 0 is the baseline.

struct TunerStarted {
  double earlier_seconds = 0.0;  ///< taken by earlier runs of the tuner

  friend bool operator==(const TunerStarted&, const TunerStarted&) = default;
};

struct TunerStopped {
  std::string why;
  bool at_limit = false;  ///< because rewards were worse than the floor, or too many pulls failed

  friend bool operator==(const TunerStopped&, const TunerStopped&) = default;
};

/// The system was given a setting.
struct Applied {
  Ticket ticket = 0;
  std::vector<double> arm;

  friend bool operator==(const Applied&, const Applied&) = default;
};

/// Measured too soon after a change to be learnt from.
struct WarmedUp {
  Ticket ticket = 0;
  double reward = 0.0;

  friend bool operator==(const WarmedUp&, const WarmedUp&) = default;
};

/// Measured, and told later, when the arm may change.
struct Held {
  Ticket ticket = 0;
  double reward = 0.0;

  friend bool operator==(const Held&, const Held&) = default;
};

struct BaselineMeasured {
  double reward = 0.0;

  friend bool operator==(const BaselineMeasured&, const BaselineMeasured&) = default;
};

/// The system could not be set or measured.
struct Failed {
  Ticket ticket = 0;
  std::string what;
  bool for_good = false;  ///< it will not be tried again: the arm has failed

  friend bool operator==(const Failed&, const Failed&) = default;
};

/// An arm failed before there was any reward: it is penalized once there is one.
struct PutOff {
  Ticket ticket = 0;
  std::vector<double> arm;

  friend bool operator==(const PutOff&, const PutOff&) = default;
};

/// What else was measured with the reward that comes next.
struct MetricsMeasured {
  Ticket ticket = 0;
  std::map<std::string, double> metrics;

  friend bool operator==(const MetricsMeasured&, const MetricsMeasured&) = default;
};

/// From here on this arm is compared with the baseline.
struct ComparisonBegun {
  std::uint64_t pulls = 0;  ///< at most, of both together
  std::uint64_t visit = 1;  ///< pulls in a row
  std::vector<double> arm;

  friend bool operator==(const ComparisonBegun&, const ComparisonBegun&) = default;
};

/// One pull of it.
struct Compared {
  bool is_baseline = false;
  double reward = 0.0;

  friend bool operator==(const Compared&, const Compared&) = default;
};

/// What came of it.
struct ComparisonEnded {
  bool confirmed = false;  ///< the arm is better, beyond doubt
  std::string verdict;     ///< for people

  friend bool operator==(const ComparisonEnded&, const ComparisonEnded&) = default;
};

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

/// Whoever runs the study has taken note of what somebody wants.
struct ActTaken {
  std::uint64_t number = 0;  ///< of the act, as it was posted
  Act act = Act::pause;
  std::uint64_t pulls = 0;  ///< for a comparison; 0: as many as are usual
  std::string by;           ///< who wants it

  friend bool operator==(const ActTaken&, const ActTaken&) = default;
};

/// Any of these. Stores keep the index as a number: never reorder, only add at the end.
using Event =
    std::variant<Asked, Told, ToldList, ToldSums, Dropped, Finished, TunerStarted, TunerStopped,
                 Applied, WarmedUp, Held, BaselineMeasured, Failed, Observed, RangeSet, Remembered,
                 PassedOver, AskedAgain, Penalized, Barred, PutOff, MetricsMeasured,
                 ComparisonBegun, Compared, ComparisonEnded, ActTaken>;

/// What it is called: `ask`, `tell`, `tell_list`, ...
[[nodiscard]] std::string_view kind_name(const Event& event);
/// All of these names, as Event numbers the kinds.
[[nodiscard]] std::span<const std::string_view> event_kinds();

/// One line of a study's journal.
struct JournalEntry {
  std::uint64_t number = 0;  ///< 1, 2, 3, ... in a study
  double at = 0.0;           ///< seconds since 1970, never less than in the entry before
  Event event;
};

/// An event in four columns, as stores keep it.
struct EventColumns {
  int kind = 0;
  std::uint64_t ticket = 0;
  double value = 0.0;
  std::string data = {};
};

[[nodiscard]] EventColumns to_columns(const Event& event);

/// Throws StudyError if they are not those of an event.
[[nodiscard]] Event from_columns(const EventColumns& columns);

}  // namespace canopy
