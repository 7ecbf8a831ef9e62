#pragma once

#include "canopy/store.hpp"

#include "insight/reward_history.hpp"
#include "service/message.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace canopy::service {

/// Caches the reward histories of the studies that clients view. Each journal is read once; later
/// requests read only its new events. Thread-safe.
class Histories {
 public:
  using Look = std::function<Response(const RewardHistory&)>;

  /// Calls `look` with the history of a study, which has at least the events of `record`.
  [[nodiscard]] Response look(Store& store, const StudyRecord& record, const Look& look);

  /// Drops the history of a deleted study.
  void forget(StudyId study);
  /// Drops histories that were not used for some minutes, and the least recently used ones while
  /// all histories together take too much memory.
  void drop_unused();

 private:
  using SteadyClock = std::chrono::steady_clock;

  struct Kept {
    std::shared_mutex mutex = {};  // guards history
    double created = 0.0;          // a later study may have the same id
    RewardHistory history = {};
    SteadyClock::time_point used = {};
    std::size_t bytes = 0;
  };

  std::mutex mutex_;  // guards kept_, but not the histories in it
  std::map<StudyId, std::shared_ptr<Kept>> kept_;
};

}  // namespace canopy::service
