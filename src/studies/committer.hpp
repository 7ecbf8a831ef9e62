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

/// Writes the batches of all studies of a store on a thread of its own. Batches that arrive during
/// one transaction are combined in the next one. Thread-safe.
class Committer {
 public:
  /// Statistics of one transaction.
  struct Commit {
    std::size_t studies = 0;
    std::size_t events = 0;
    double seconds = 0.0;
  };

  using Done = std::function<void(std::optional<StoreError>)>;

  /// `on_commit` is called on the thread after each transaction.
  explicit Committer(Store& store, std::function<void(const Commit&)> on_commit = {});
  /// Writes all batches received so far, then stops the thread.
  ~Committer();
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  /// Queues a batch. The batch must stay valid until `done` is called on the thread. Each study may
  /// have only one batch in the queue.
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
