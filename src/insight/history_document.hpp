#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"
#include "insight/reward_history.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// What the places of a picture are counted in.
enum class HistoryAxis : std::uint8_t { pulls, time };

template <>
struct EnumNames<HistoryAxis> {
  static constexpr std::array<std::string_view, 2> names{"pulls", "time"};
};

/// Rewards over time, in columns of equal length.
struct HistoryColumns {
  std::vector<double> pull, at;
  std::vector<std::uint64_t> count;
  std::vector<double> mean, deviation, least, largest;
};

template <class Visit>
void visit_fields(HistoryColumns& columns, Visit&& visit) {
  visit(Field{"pull", "pulls before the middle of the bucket"}, columns.pull);
  visit(Field{"at", "its middle, in seconds since 1970"}, columns.at);
  visit(Field{"count", "of rewards"}, columns.count);
  visit(Field{"mean", "of the rewards"}, columns.mean);
  visit(Field{"deviation", "standard deviation; 0 of one reward"}, columns.deviation);
  visit(Field{"least", "of the rewards"}, columns.least);
  visit(Field{"largest", "of the rewards"}, columns.largest);
}

/// Something to be seen beside the rewards.
struct MarkAnswer {
  std::uint64_t number = 0;
  double pull = 0.0;
  double at = 0.0;
  std::string kind;
  std::string text;
};

template <class Visit>
void visit_fields(MarkAnswer& mark, Visit&& visit) {
  visit(Field{"number", "of its entry in the journal"}, mark.number);
  visit(Field{"pull", "pulls before it"}, mark.pull);
  visit(Field{"at", "seconds since 1970"}, mark.at);
  visit(Field{"kind", "of its event, as in the journal"}, mark.kind);
  visit(Field{"text", "for people"}, mark.text);
}

/// The ends of a whole history.
struct HistoryExtent {
  std::array<double, 2> pulls{};
  std::optional<std::array<double, 2>> time = std::nullopt;
};

template <class Visit>
void visit_fields(HistoryExtent& extent, Visit&& visit) {
  visit(Field{"pulls", "from 0 on"}, extent.pulls);
  visit(Field{"time", "in seconds since 1970; null: nothing has happened"}, extent.time);
}

/// A picture of a history: a place in each column for every bucket with rewards.
struct HistoryAnswer {
  HistoryAxis by = HistoryAxis::pulls;
  HistoryExtent extent = {};
  std::array<double, 2> range{};
  bool raw = false;
  std::vector<std::uint64_t> number = {};
  HistoryColumns rewards = {};
  std::vector<std::uint64_t> changes = {}, failures = {};
  std::optional<std::vector<std::vector<double>>> arm = std::nullopt;
  HistoryColumns baseline = {};
  HistoryColumns level = {};
  std::vector<MarkAnswer> marks = {};
  std::uint64_t marks_left_out = 0;
};

template <class Visit>
void visit_fields(HistoryAnswer& history, Visit&& visit) {
  visit(Field{"by", "what places are counted in"}, history.by);
  visit(Field{"extent", "of the whole history"}, history.extent);
  visit(Field{"range", "that the picture shows"}, history.range);
  visit(Field{"raw", "whether every bucket is one event"}, history.raw);
  visit(Field{"number", "of the bucket's first entry in the journal"}, history.number);
  visit_fields(history.rewards, visit);
  visit(Field{"changes", "of the arm, since the bucket before"}, history.changes);
  visit(Field{"failures", "since the bucket before"}, history.failures);
  visit(SettingField{Field{"arm", "where it is raw; null: the space has no such arm"}.or_none()},
        history.arm);
  visit(Field{"baseline", "measurements of the baseline, in the same way"}, history.baseline);
  visit(Field{"level",
              "what the best setting earned, while the level of all rewards was followed; in the "
              "same way"},
        history.level);
  visit(Field{"marks", "some of them where there are many: rare kinds first"}, history.marks);
  visit(Field{"marks_left_out", "about how many there are beside these"}, history.marks_left_out);
}

[[nodiscard]] Document history_document(const Space& space, const RewardHistory& history,
                                        const HistoryRange& range, const HistoryPicture& picture);

}  // namespace canopy
