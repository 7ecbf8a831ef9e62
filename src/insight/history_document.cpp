#include "insight/history_document.hpp"

#include "files/record.hpp"

#include <cmath>

namespace canopy {
namespace {

double deviation_of(const Rewards& rewards) {
  if (rewards.count < 2) return 0.0;
  return std::sqrt(rewards.squared_deviations / static_cast<double>(rewards.count - 1));
}

HistoryColumns columns_of(const std::vector<HistoryPart>& parts, Rewards HistoryPart::*which) {
  HistoryColumns columns;
  for (const HistoryPart& part : parts) {
    const Rewards& rewards = part.*which;
    columns.pull.push_back(part.pull());
    columns.at.push_back(part.at());
    columns.count.push_back(rewards.count);
    columns.mean.push_back(rewards.mean());
    columns.deviation.push_back(deviation_of(rewards));
    columns.least.push_back(rewards.min);
    columns.largest.push_back(rewards.max);
  }
  return columns;
}

}  // namespace

Document history_document(const Space& space, const RewardHistory& history,
                          const HistoryRange& range, const HistoryPicture& picture) {
  HistoryAnswer answer{.by = range.by_time ? HistoryAxis::time : HistoryAxis::pulls,
                       .extent = {.pulls = {0.0, static_cast<double>(history.pulls())}},
                       .range = {picture.from, picture.to},
                       .raw = picture.is_raw,
                       .rewards = columns_of(picture.rewards, &HistoryPart::rewards),
                       .baseline = columns_of(picture.baseline, &HistoryPart::baseline),
                       .level = columns_of(picture.level, &HistoryPart::level),
                       .marks_left_out = picture.marks_left_out};
  if (history.events() > 0) answer.extent.time = {history.first_at(), history.last_at()};
  for (const HistoryPart& part : picture.rewards) {
    answer.number.push_back(part.first);
    answer.changes.push_back(part.changes);
    answer.failures.push_back(part.failures);
  }
  if (picture.is_raw) answer.arm = picture.arms;
  for (const HistoryMark& mark : picture.marks) {
    answer.marks.push_back(
        {mark.number, mark.pull, mark.at, std::string(event_kinds()[mark.kind]), mark.text});
  }
  return record_of(space, answer);
}

}  // namespace canopy
