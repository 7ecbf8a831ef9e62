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

/// A study for many callers at once: one queue. What waits in it is performed by one thread at a
/// time, and nobody is answered before what they did, and all that they saw, is on the disk; one
/// commit serves all that was performed since the one before began. Thread-safe.
class StudySession : public std::enable_shared_from_this<StudySession> {
 public:
  /// What came of a task.
  struct Outcome {
    std::string answer = {};
    std::exception_ptr error = nullptr;  ///< why there is no answer
  };

  /// Something to be done to the study.
  struct Task {
    /// Does it, and returns the answer.
    std::function<std::string(Study&)> perform = {};
    /// Called once.
    std::function<void(Outcome)> done = {};
    /// A task that has a key is performed once: one that has the same key later gets the same
    /// answer, as long as answers are kept. Throws ReusedKey if it is for another request.
    std::string key = {};
    std::string request = {};
    /// If it throws, nothing that it did stays.
    bool all_or_nothing = false;
  };

  /// A key was used for another request before.
  class ReusedKey : public std::runtime_error {
   public:
    ReusedKey() : std::runtime_error("this key was used for another request before") {}
  };

  struct Options {
    /// Runs something on another thread; the session must be a shared_ptr. None: whoever waits in
    /// `perform` does the work, and nothing can be posted.
    std::function<void(std::function<void()>)> execute = {};
    /// Commits for many studies at once; needs `execute`. None: the study writes for itself.
    Committer* committer = nullptr;
    /// Of the same store, where answers to tasks with a key are kept. None: keys mean nothing.
    KeptAnswers* answers = nullptr;
    /// Called after every commit that has succeeded, also of nothing.
    std::function<void(const Study&, bool has_written)> after_commit = {};
  };

  /// Keeps the store and the study that `open` opens in it. Others may have the same store if it is
  /// thread-safe.
  StudySession(std::shared_ptr<Store> store, const std::function<Study(Store&)>& open);
  StudySession(std::shared_ptr<Store> store, const std::function<Study(Store&)>& open,
               Options options);
  /// Nothing may be under way.
  ~StudySession();
  StudySession(const StudySession&) = delete;
  StudySession& operator=(const StudySession&) = delete;

  /// Puts a task into the queue. If the study is closed its error is StudyError (`closed`).
  void post(Task task);

  /// Calls action(study) and returns its result once it is on the disk. Throws what the action
  /// throws, and StoreError if nothing could be written: then it has not happened, nor has anything
  /// else since the last commit, and every waiting call throws. What an action returns must not
  /// point into the study.
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

  /// Between these, `perform` does not wait for the disk on this thread; the last end_batch does,
  /// and throws if anything of the batch was lost. They may nest.
  void begin_batch();
  void end_batch();

  /// Waits for the disk, keeps a snapshot and releases the study: later calls throw
  /// StudyError. Throws StoreError itself.
  void close();
  /// The same without waiting; the answer of `done` is empty.
  void post_close(std::function<void(Outcome)> done);
  [[nodiscard]] bool is_open() const;

 private:
  struct Waiting {
    Task task = {};
    std::optional<std::thread::id> batch = {};  // whose end waits for the disk instead
    bool closes = false;
    Outcome outcome = {};
    bool is_performed = false;
  };
  using AllWaiting = std::vector<Waiting>;

  /// What is on its way to the disk, and those who wait for it.
  struct Commit {
    AllWaiting waiting;
    Study::Batch batch = {};
    bool is_over = false;
    std::optional<StoreError> error = {};
  };

  /// What was done on one thread between begin_batch and end_batch.
  struct OpenBatch {
    int depth = 0;
    std::uint64_t events = 0;             // all up to this one
    std::optional<StoreError> lost = {};  // why some of them are gone
  };

  [[nodiscard]] static bool must_be_alone(const Waiting& waiting);
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
  void note_result(std::optional<StoreError> error);
  void end_commit(std::unique_ptr<Commit> commit);
  void tell_of_loss(AllWaiting& waiting, const StoreError& error);
  void release(AllWaiting& waiting);
  [[nodiscard]] StudyError closed() const;

  std::shared_ptr<Store> store_;
  Options options_;
  std::optional<Study> study_;  // of whoever is at work; none: closed
  AllWaiting performed_;        // since the last commit began; of whoever is at work
  std::string name_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true;
  bool is_at_work_ = false;  // somebody is
  AllWaiting queue_;
  std::unique_ptr<Commit> commit_;  // that is on its way
  std::map<std::thread::id, OpenBatch> batches_;
};

}  // namespace canopy
