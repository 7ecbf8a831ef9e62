#pragma once

#include "canopy/store.hpp"
#include "canopy/study.hpp"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace canopy {

class Committer;

/// Shares a study between many callers by a queue. One thread at a time performs the queued tasks.
/// A caller gets its result only when its own effects, and everything that it has seen, are
/// durable. One commit covers all tasks performed since the previous commit began. Thread-safe.
class StudySession : public std::enable_shared_from_this<StudySession> {
 public:
  /// The result of a task.
  struct Outcome {
    std::string answer = {};
    std::exception_ptr error = nullptr;  ///< set if the task failed
  };

  /// A task to be performed on the study.
  struct Task {
    /// Performs the task and returns the response.
    std::function<std::string(Study&)> perform = {};
    /// Called exactly once.
    std::function<void(Outcome)> done = {};
    /// The idempotency key. A later task with the same key is not performed; it gets the same
    /// response, as long as that is kept. Fails with ReusedKey if its request differs.
    std::string key = {};
    std::string request = {};
    /// If it throws, all its effects are rolled back.
    bool all_or_nothing = false;
  };

  /// The idempotency key was used for a different request before.
  class ReusedKey : public std::runtime_error {
   public:
    ReusedKey() : std::runtime_error("this key was used for another request before") {}
  };

  struct Options {
    /// Runs a function on another thread; the session must then be owned by a shared_ptr. None: the
    /// threads that wait in `perform` do the work, and `post` must not be used.
    std::function<void(std::function<void()>)> execute = {};
    /// Commits for many studies together; requires `execute`. None: the study commits by itself.
    Committer* committer = nullptr;
    /// The responses stored under idempotency keys, in the same store. None: keys are ignored.
    KeptAnswers* answers = nullptr;
    /// Called after every successful commit, even if there was nothing to write.
    std::function<void(const Study&, bool has_written)> after_commit = {};
  };

  /// Owns the store and the study that `open` opens in it. The store may be shared if it is
  /// thread-safe.
  StudySession(std::shared_ptr<Store> store, const std::function<Study(Store&)>& open);
  StudySession(std::shared_ptr<Store> store, const std::function<Study(Store&)>& open,
               Options options);
  /// No calls may be in progress.
  ~StudySession();
  StudySession(const StudySession&) = delete;
  StudySession& operator=(const StudySession&) = delete;

  /// Adds a task to the queue. If the study is closed, the task fails with StudyError (`closed`).
  void post(Task task);

  /// Calls action(study) and returns its result once its effects are durable. Throws what the
  /// action throws. Throws StoreError if the commit failed: everything since the last commit is
  /// then rolled back, and every waiting call throws. The result must not refer to the study.
  template <class Action>
  auto perform(Action&& action) {
    using Result = std::invoke_result_t<Action, Study&>;
    if constexpr (std::is_void_v<Result>) {
      wait_for([&](Study& study) { action(study); });
    } else {
      std::optional<Result> result;
      wait_for([&](Study& study) { result.emplace(action(study)); });
      return *std::move(result);
    }
  }

  /// Between begin_batch and end_batch, `perform` on this thread does not wait for commits. The
  /// outermost end_batch waits, and throws if any part of the batch was lost. Calls may nest.
  void begin_batch();
  void end_batch();

  /// Commits, saves a snapshot and closes the study; later calls throw StudyError. Throws
  /// StoreError.
  void close();
  /// Closes without waiting; `done` is called with an empty response.
  void post_close(std::function<void(Outcome)> done);
  [[nodiscard]] bool is_open() const;

 private:
  struct Waiting {
    Task task = {};
    std::optional<std::thread::id> batch = {};  // of an open batch: the caller does not wait itself
    bool closes = false;
    Outcome outcome = {};
    bool is_performed = false;
  };
  using AllWaiting = std::vector<Waiting>;

  /// A commit in progress, and the tasks that wait for it.
  struct Commit {
    AllWaiting waiting;
    Study::Batch batch = {};
    bool is_over = false;
    std::optional<StoreError> error = {};
  };

  /// The work of one thread between begin_batch and end_batch.
  struct OpenBatch {
    int depth = 0;
    std::uint64_t events = 0;             // number of the last event of the batch
    std::optional<StoreError> lost = {};  // set if a part of the batch was lost
  };

  [[nodiscard]] static bool is_exclusive(const Waiting& waiting);
  void wait_for(const std::function<void(Study&)>& action, bool closes = false);
  void put(Waiting waiting);
  void run();
  [[nodiscard]] bool has_work() const;
  void take_step(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] AllWaiting next_tasks();
  void perform_all(AllWaiting tasks);
  void find_kept_answers(AllWaiting& tasks);
  void perform_one(Waiting& waiting);
  void begin_commit(std::unique_lock<std::mutex>& lock);
  void on_written(std::optional<StoreError> error);
  void end_commit(std::unique_ptr<Commit> commit);
  void fail_uncommitted(AllWaiting& waiting, const StoreError& error);
  void close_study(AllWaiting& waiting);
  [[nodiscard]] StudyError closed() const;

  std::shared_ptr<Store> store_;
  Options options_;
  std::optional<Study> study_;  // used only by the working thread; none: closed
  AllWaiting performed_;        // since the last commit began; used only by the working thread
  std::string name_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true;
  bool is_working_ = false;  // whether a thread is working
  AllWaiting queue_;
  std::unique_ptr<Commit> commit_;  // the commit in progress
  std::map<std::thread::id, OpenBatch> batches_;
};

}  // namespace canopy
