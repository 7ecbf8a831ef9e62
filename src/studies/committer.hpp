#pragma once

#include "canopy/store.hpp"
#include "canopy/study.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace canopy {

/// Writes what happens to all studies of a store, on a thread of its own: whatever has come while
/// one transaction was on its way to the disk goes into the next one together. Thread-safe.
class Committer {
 public:
  /// One transaction.
  struct Commit {
    std::size_t studies = 0;
    std::size_t events = 0;
    double seconds = 0.0;
  };

  using Done = std::function<void(std::optional<StoreError>)>;

  /// `on_commit` is called by the thread, after each transaction.
  explicit Committer(Store& store, std::function<void(const Commit&)> on_commit = {});
  /// Writes what has come.
  ~Committer();
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  /// Writes a batch, which must stay until `done` is called by the thread. There may be one of each
  /// study at a time.
  void write(StudyId study, const Study::Batch& batch, Done done);

 private:
  using SteadyClock = std::chrono::steady_clock;

  struct Wanted {
    StudyId study = 0;
    const Study::Batch* batch = nullptr;
    Done done = {};
    SteadyClock::time_point since = {};
    std::optional<StoreError> error = {};
  };
  using Group = std::vector<Wanted>;

  void run();
  void write_group(Group& group);
  void write_together(Wanted* first, std::size_t count);
  [[nodiscard]] Group finish(Group group);

  Store& store_;
  std::function<void(const Commit&)> on_commit_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Group wanted_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace canopy
