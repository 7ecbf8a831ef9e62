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

/// The unit of the horizontal axis.
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
  visit(Field{"pull", "number of pulls before the middle of the bucket"}, columns.pull);
  visit(Field{"at", "time of the middle, in seconds since 1970"}, columns.at);
  visit(Field{"count", "number of rewards"}, columns.count);
  visit(Field{"mean", "mean of the rewards"}, columns.mean);
  visit(Field{"deviation", "standard deviation of the rewards; 0 for a single one"},
        columns.deviation);
  visit(Field{"least", "smallest reward"}, columns.least);
  visit(Field{"largest", "largest reward"}, columns.largest);
}

/// An event that is marked in the picture.
struct MarkAnswer {
  std::uint64_t number = 0;
  double pull = 0.0;
  double at = 0.0;
  std::string kind;
  std::string text;
};

template <class Visit>
void visit_fields(MarkAnswer& mark, Visit&& visit) {
  visit(Field{"number", "number of its entry in the journal"}, mark.number);
  visit(Field{"pull", "number of pulls before it"}, mark.pull);
  visit(Field{"at", "seconds since 1970"}, mark.at);
  visit(Field{"kind", "kind of the event, as in the journal"}, mark.kind);
  visit(Field{"text", "description"}, mark.text);
}

/// The extent of a whole history.
struct HistoryExtent {
  std::array<double, 2> pulls{};
  std::optional<std::array<double, 2>> time = std::nullopt;
};

template <class Visit>
void visit_fields(HistoryExtent& extent, Visit&& visit) {
  visit(Field{"pulls", "from 0 to the number of pulls"}, extent.pulls);
  visit(Field{"time", "in seconds since 1970; null: there are no events"}, extent.time);
}

/// A picture of a history. Each column has one element per bucket with rewards.
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
  visit(Field{"by", "unit of the range and extent"}, history.by);
  visit(Field{"extent", "extent of the whole history"}, history.extent);
  visit(Field{"range", "the range shown"}, history.range);
  visit(Field{"raw", "whether every bucket is a single event"}, history.raw);
  visit(Field{"number", "number of the bucket's first entry in the journal"}, history.number);
  visit_fields(history.rewards, visit);
  visit(Field{"changes", "changes of the arm since the previous bucket"}, history.changes);
  visit(Field{"failures", "failures since the previous bucket"}, history.failures);
  visit(SettingField{Field{"arm", "if `raw`; null: the arm is not in the space"}.or_none()},
        history.arm);
  visit(Field{"baseline", "measurements of the baseline, in the same form"}, history.baseline);
  visit(Field{"level",
              "level of the best setting while the level of all rewards was tracked, in the same "
              "form"},
        history.level);
  visit(Field{"marks", "marked events; a selection if there are many, rare kinds first"},
        history.marks);
  visit(Field{"marks_left_out", "approximate number of events not listed"}, history.marks_left_out);
}

[[nodiscard]] Document history_document(const Space& space, const RewardHistory& history,
                                        const HistoryRange& range, const HistoryPicture& picture);

}  // namespace canopy
