#pragma once

#include "canopy/store.hpp"
#include "canopy/study.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace canopy {

/// A study for many callers at once. No call returns before what it did, and all that it saw, is
/// on the disk; one commit serves all calls that have arrived meanwhile. Thread-safe.
class StudySession {
 public:
  /// Keeps the store and the study that `open` opens in it. Others may have the same store if it is
  /// thread-safe.
  StudySession(std::shared_ptr<Store> store, const std::function<Study(Store&)>& open);
  ~StudySession();
  StudySession(const StudySession&) = delete;
  StudySession& operator=(const StudySession&) = delete;

  /// Calls action(study), one caller at a time, and returns its result once it is on the disk.
  /// Throws what the action throws, and StoreError if nothing could be written: then it has not
  /// happened, nor has anything else since the last commit, and every waiting call throws. What an
  /// action returns must not point into the study.
  template <class Action>
  auto perform(Action&& action) {
    std::unique_lock lock(mutex_);
    begin();
    if constexpr (std::is_void_v<decltype(action(*study_))>) {
      action(*study_);
      wait_until_kept(lock);
    } else {
      auto result = action(*study_);
      wait_until_kept(lock);
      return result;
    }
  }

  /// Between these, `perform` does not wait for the disk on this thread; the last end_batch does,
  /// and throws if anything of the batch was lost. They may nest.
  void begin_batch();
  void end_batch();

  /// Waits for the disk, keeps a snapshot and releases the study: later calls throw
  /// StudyError. Throws StoreError itself.
  void close();
  [[nodiscard]] bool is_open() const;

 private:
  /// Why events are gone. Each thread throws an exception of its own: one that all of them share
  /// would end when the slowest lets go of it.
  struct Loss {
    StoreError::Fault fault;
    std::string why;
  };

  /// What somebody who was not told yet has done or seen.
  struct Claim {
    std::uint64_t events = 0;       // all up to this one
    std::optional<Loss> lost = {};  // why some of them are gone
  };

  struct OpenBatch {
    int depth = 0;
    Claim claim = {};
  };

  void begin();
  void wait_until_kept(std::unique_lock<std::mutex>& lock);
  void wait_for(std::unique_lock<std::mutex>& lock, std::uint64_t events);
  void commit(std::unique_lock<std::mutex>& lock);
  void tell_of_loss(const Loss& loss);

  std::shared_ptr<Store> store_;
  std::optional<Study> study_;  // none: closed
  bool closing_ = false;
  std::string name_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool committing_ = false;   // a thread is writing, without the mutex
  std::uint64_t kept_ = 0;    // events that are on the disk
  std::set<Claim*> waiting_;  // of those who wait for the disk
  std::map<std::thread::id, OpenBatch> batches_;
};

}  // namespace canopy
