#include "service/histories.hpp"

#include <algorithm>

namespace canopy::service {
namespace {

constexpr std::chrono::minutes kHistoriesAreKept{5};
constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of all histories together

}  // namespace

Response Histories::look(Store& store, const StudyRecord& record, const Look& look) {
  std::shared_ptr<Kept> kept;
  {
    const std::lock_guard lock(mutex_);
    auto& place = kept_[record.id];
    if (!place || place->created != record.created) {
      place = std::make_shared<Kept>();
      place->created = record.created;
    }
    kept = place;
    kept->used = SteadyClock::now();
  }
  {
    const std::shared_lock lock(kept->mutex);
    if (kept->history.events() >= record.events) return look(kept->history);
  }
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(kept->mutex);
    RewardHistory& history = kept->history;
    if (history.events() < record.events) {  // another thread may have read them meanwhile
      store.read(record.id, {history.events(), record.events - history.events()},
                 [&](const JournalEntry& entry) { history.take(entry); });
    }
    bytes = history.bytes();
  }
  {
    const std::lock_guard lock(mutex_);
    kept->bytes = bytes;
  }
  const std::shared_lock lock(kept->mutex);
  return look(kept->history);
}

void Histories::forget(StudyId study) {
  const std::lock_guard lock(mutex_);
  kept_.erase(study);
}

void Histories::drop_unused() {
  const auto now = SteadyClock::now();
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_,
                [&](const auto& each) { return now - each.second->used > kHistoriesAreKept; });
  std::size_t bytes = 0;
  for (const auto& each : kept_) bytes += each.second->bytes;
  while (bytes > kMostBytes && kept_.size() > 1) {
    const auto oldest = std::min_element(
        kept_.begin(), kept_.end(),
        [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
    bytes -= oldest->second->bytes;
    kept_.erase(oldest);
  }
}

}  // namespace canopy::service
