#include "insight/history_document.hpp"

#include "files/arm_document.hpp"
#include "studies/answers.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace canopy {
namespace {

template <class List, class Value>
Document column(const List& list, Value&& value) {
  Document::List values;
  values.reserve(list.size());
  for (const auto& each : list) values.emplace_back(value(each));
  return values;
}

double deviation_of(const Rewards& rewards) {
  if (rewards.count < 2) return 0.0;
  return std::sqrt(rewards.squared_deviations / static_cast<double>(rewards.count - 1));
}

/// The columns that rewards and the baseline have both.
void set_columns(Document& table, const std::vector<HistoryPart>& parts,
                 Rewards HistoryPart::*which) {
  const auto set = [&](const char* name, auto&& value) { table.set(name, column(parts, value)); };
  set("pull", [](const HistoryPart& part) { return part.pull(); });
  set("at", [](const HistoryPart& part) { return part.at(); });
  set("count", [&](const HistoryPart& part) { return (part.*which).count; });
  set("mean", [&](const HistoryPart& part) { return (part.*which).mean(); });
  set("deviation", [&](const HistoryPart& part) { return deviation_of(part.*which); });
  set("least", [&](const HistoryPart& part) { return (part.*which).min; });
  set("largest", [&](const HistoryPart& part) { return (part.*which).max; });
}

Document mark_document(const HistoryMark& mark) {
  return Document::Table{{"number", mark.number},
                         {"pull", mark.pull},
                         {"at", mark.at},
                         {"kind", event_kinds()[mark.kind]},
                         {"text", mark.text}};
}

}  // namespace

Document history_document(const Space& space, const RewardHistory& history,
                          const HistoryRange& range, const HistoryPicture& picture) {
  Document time;  // there may be none
  if (history.events() > 0) time = Document::List{history.first_at(), history.last_at()};
  Document table = Document::Table{
      {"by", range.by_time ? "time" : "pulls"},
      {"extent",
       Document::Table{{"pulls", Document::List{0, history.pulls()}}, {"time", std::move(time)}}},
      {"range", Document::List{picture.from, picture.to}},
      {"raw", picture.is_raw}};
  const std::vector<HistoryPart>& parts = picture.rewards;
  table.set("number", column(parts, [](const HistoryPart& part) { return part.first; }));
  set_columns(table, parts, &HistoryPart::rewards);
  table.set("changes", column(parts, [](const HistoryPart& part) { return part.changes; }));
  table.set("failures", column(parts, [](const HistoryPart& part) { return part.failures; }));
  if (picture.is_raw) {
    table.set("arm", column(picture.arms, [&](const std::vector<double>& arm) {
                return space.contains(arm) ? arm_document(space, arm) : Document();
              }));
  }
  Document baseline = Document::Table{};
  set_columns(baseline, picture.baseline, &HistoryPart::baseline);
  table.set("baseline", std::move(baseline));
  table.set("marks", column(picture.marks, mark_document));
  table.set("marks_left_out", picture.marks_left_out);
  return table;
}

}  // namespace canopy
