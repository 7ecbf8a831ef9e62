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

/// The histories of studies that somebody looks at: the journal of each is read once, and from then
/// on what is new in it. Thread-safe.
class Histories {
 public:
  using Look = std::function<Response(const RewardHistory&)>;

  /// Looks at the history of a study as it is in its record, or later.
  [[nodiscard]] Response look(Store& store, const StudyRecord& record, const Look& look);

  /// Of a study that is deleted.
  void forget(StudyId study);
  /// Forgets what nobody has looked at for some minutes; and more, if it is all too large.
  void drop_unused();

 private:
  using SteadyClock = std::chrono::steady_clock;

  struct Kept {
    std::shared_mutex mutex = {};  // of the history
    double created = 0.0;          // a number may name another study later
    RewardHistory history = {};
    SteadyClock::time_point used = {};
    std::size_t bytes = 0;
  };

  std::mutex mutex_;  // of what is below, but for the histories
  std::map<StudyId, std::shared_ptr<Kept>> kept_;
};

}  // namespace canopy::service
