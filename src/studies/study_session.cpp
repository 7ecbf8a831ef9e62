#include "canopy/study_session.hpp"

#include "studies/committer.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace canopy {
namespace {

/// Whether the error means that this process no longer owns the study, or that it was deleted.
bool is_ownership_lost(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const StoreError& its) {
    return its.fault() == StoreError::Fault::taken_over;
  } catch (const StudyError& its) {
    return its.fault() == StudyError::Fault::missing;
  } catch (...) {
    return false;
  }
}

}  // namespace

StudySession::StudySession(std::shared_ptr<Store> store, const std::function<Study(Store&)>& open)
    : StudySession(std::move(store), open, {}) {}

StudySession::StudySession(std::shared_ptr<Store> store, const std::function<Study(Store&)>& open,
                           Options options)
    : store_(std::move(store)),
      options_(std::move(options)),
      study_(open(*store_)),
      name_(study_->record().name) {}

StudySession::~StudySession() = default;

bool StudySession::is_open() const {
  const std::lock_guard lock(mutex_);
  return is_open_;
}

/// All-or-nothing tasks must not be rolled back together with others, and closing requires that no
/// commit is in progress.
bool StudySession::is_exclusive(const Waiting& waiting) {
  return waiting.task.all_or_nothing || waiting.closes;
}

// --- the queue -------------------------------------------------------------------------------

void StudySession::post(Task task) {
  put({.task = std::move(task)});
}

void StudySession::post_close(std::function<void(Outcome)> done) {
  put({.task = {.perform = [](Study& /*study*/) { return ""; }, .done = std::move(done)},
       .closes = true});
}

void StudySession::put(Waiting waiting) {
  {
    std::unique_lock lock(mutex_);
    if (!is_open_) {
      lock.unlock();
      waiting.task.done({.error = std::make_exception_ptr(closed())});
      return;
    }
    queue_.push_back(std::move(waiting));
    if (!options_.execute || std::exchange(is_working_, true)) return;
  }
  options_.execute([self = shared_from_this()] { self->run(); });
}

/// Waits until an action has been performed and is durable. This thread does the work itself if
/// there is no executor and no other thread is working.
void StudySession::wait_for(const std::function<void(Study&)>& action, bool closes) {
  Outcome outcome;
  bool is_done = false;
  Waiting waiting{.closes = closes};
  waiting.task.perform = [&](Study& study) {
    action(study);
    return std::string();
  };
  waiting.task.done = [&](Outcome its) {
    const std::lock_guard lock(mutex_);
    outcome = std::move(its);
    is_done = true;
    changed_.notify_all();
  };
  {
    const std::lock_guard lock(mutex_);
    const auto batch = batches_.find(std::this_thread::get_id());
    if (batch != batches_.end()) waiting.batch = batch->first;
  }
  put(std::move(waiting));
  std::unique_lock lock(mutex_);
  while (!is_done) {
    if (options_.execute || is_working_ || !has_work()) {
      changed_.wait(lock);
      continue;
    }
    is_working_ = true;
    take_step(lock);
    is_working_ = false;
    changed_.notify_all();
  }
  lock.unlock();
  if (outcome.error) std::rethrow_exception(outcome.error);
}

// --- performing tasks ------------------------------------------------------------------------

/// Works until there is nothing left to do.
void StudySession::run() {
  std::unique_lock lock(mutex_);
  while (is_open_ && has_work()) take_step(lock);
  is_working_ = false;
  changed_.notify_all();
}

/// Requires the mutex. Called by the working thread, or while there is none.
bool StudySession::has_work() const {
  if (commit_) {
    const bool ends = commit_->waiting.back().closes;
    return commit_->is_over || (!ends && !queue_.empty() && !is_exclusive(queue_.front()));
  }
  return !performed_.empty() || !queue_.empty();
}

/// Performs one step of the work.
void StudySession::take_step(std::unique_lock<std::mutex>& lock) {
  if (commit_ && commit_->is_over) {
    std::unique_ptr<Commit> commit = std::move(commit_);
    lock.unlock();
    end_commit(std::move(commit));
    lock.lock();
  } else if (!commit_ && !performed_.empty()) {
    begin_commit(lock);
  } else {
    AllWaiting tasks = next_tasks();
    lock.unlock();
    perform_all(std::move(tasks));
    lock.lock();
  }
}

/// Requires the mutex.
StudySession::AllWaiting StudySession::next_tasks() {
  auto end = std::find_if(queue_.begin(), queue_.end(), is_exclusive);
  if (end == queue_.begin() && end != queue_.end()) ++end;
  AllWaiting tasks(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return tasks;
}

void StudySession::perform_all(AllWaiting tasks) {
  std::exception_ptr failure;
  try {
    study_->recover();
    if (!study_->is_held()) {
      throw StoreError(StoreError::Fault::taken_over, "another process has taken over the study");
    }
    find_kept_answers(tasks);
  } catch (...) {
    failure = std::current_exception();
  }
  // A client may retry a request before the first one has been committed.
  std::map<std::string_view, const Waiting*> keys;
  const auto note_keys = [&](const AllWaiting& earlier) {
    if (options_.answers == nullptr) return;
    for (const Waiting& each : earlier) {
      if (!each.task.key.empty()) keys.emplace(each.task.key, &each);
    }
  };
  if (commit_) note_keys(commit_->waiting);
  note_keys(performed_);
  for (Waiting& each : tasks) {
    if (each.is_performed) continue;
    if (failure) {
      each.outcome.error = failure;
      continue;
    }
    if (options_.answers != nullptr && !each.task.key.empty()) {
      const auto [first, is_new] = keys.emplace(each.task.key, &each);
      if (!is_new) {
        if (first->second->task.request == each.task.request) {
          each.outcome = first->second->outcome;
        } else {
          each.outcome.error = std::make_exception_ptr(ReusedKey());
        }
        continue;
      }
    }
    perform_one(each);
  }
  for (Waiting& each : tasks) {
    if (!each.batch) {
      performed_.push_back(std::move(each));
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      const auto batch = batches_.find(*each.batch);
      if (batch != batches_.end()) batch->second.events = study_->events();
    }
    each.task.done(std::move(each.outcome));
  }
}

/// Sets the responses of tasks whose idempotency key has a stored response.
void StudySession::find_kept_answers(AllWaiting& tasks) {
  if (options_.answers == nullptr) return;
  std::vector<AnswerKey> keys;
  std::vector<Waiting*> owners;
  for (Waiting& each : tasks) {
    if (each.task.key.empty()) continue;
    keys.push_back({study_->record().id, each.task.key});
    owners.push_back(&each);
  }
  if (keys.empty()) return;
  const std::vector<std::optional<KeptAnswer>> kept = options_.answers->find_answers(keys);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    Waiting& owner = *owners[i];
    owner.is_performed = true;
    if (kept[i]->request == owner.task.request) {
      owner.outcome.answer = kept[i]->answer;
    } else {
      owner.outcome.error = std::make_exception_ptr(ReusedKey());
    }
  }
}

void StudySession::perform_one(Waiting& waiting) {
  const Task& task = waiting.task;
  const std::uint64_t before = study_->events();
  waiting.is_performed = true;
  try {
    waiting.outcome.answer = task.perform(*study_);
    if (options_.answers != nullptr && !task.key.empty() && study_->events() != before) {
      study_->keep_answer({task.key, task.request, waiting.outcome.answer, study_->now()});
    }
  } catch (...) {
    waiting.outcome.error = std::current_exception();
    if (!task.all_or_nothing || study_->events() == before) return;
    try {
      study_->roll_back();
    } catch (const std::exception&) {
      return;  // the next task tries to recover
    }
  }
}

/// Writes everything so far. Other tasks can be performed meanwhile; they wait for the next commit.
void StudySession::begin_commit(std::unique_lock<std::mutex>& lock) {
  auto commit = std::make_unique<Commit>(Commit{std::exchange(performed_, {})});
  lock.unlock();
  if (study_->is_readable()) commit->batch = study_->take_batch();
  if (commit->batch.empty()) {
    end_commit(std::move(commit));
    lock.lock();
    return;
  }
  lock.lock();
  commit_ = std::move(commit);
  const Study::Batch& batch = commit_->batch;
  if (options_.committer != nullptr) {
    options_.committer->write(study_->record().id, batch,
                              [self = shared_from_this()](std::optional<StoreError> error) {
                                self->on_written(std::move(error));
                              });
    return;
  }
  is_working_ = false;
  changed_.notify_all();
  lock.unlock();
  std::optional<StoreError> error;
  try {
    study_->write(batch);
  } catch (const StoreError& its) {
    error = its;
  } catch (const std::exception& its) {
    error = StoreError(StoreError::Fault::other, its.what());
  }
  lock.lock();
  commit_->is_over = true;
  commit_->error = std::move(error);
  changed_.wait(lock, [this] { return !is_working_; });
  is_working_ = true;
}

/// Called by the committer.
void StudySession::on_written(std::optional<StoreError> error) {
  {
    const std::lock_guard lock(mutex_);
    commit_->is_over = true;
    commit_->error = std::move(error);
    if (std::exchange(is_working_, true)) return;
  }
  options_.execute([self = shared_from_this()] { self->run(); });
}

/// Reports the results to the tasks that waited for a commit.
void StudySession::end_commit(std::unique_ptr<Commit> commit) {
  AllWaiting& waiting = commit->waiting;
  std::optional<StoreError> error;
  if (commit->error) {
    error = study_->resolve_failure(commit->batch, *commit->error);
    if (error) fail_uncommitted(waiting, *error);
    // Tasks performed during the commit are lost even if the batch was stored after all, because
    // the study has been reloaded from the journal.
    const StoreError lost(StoreError::Fault::unreachable, commit->error->what());
    fail_uncommitted(performed_, error.value_or(lost));
    std::move(performed_.begin(), performed_.end(), std::back_inserter(waiting));
    performed_.clear();
  } else {
    study_->mark_written(commit->batch);
  }
  if (!error && options_.after_commit && study_->is_readable()) {
    options_.after_commit(*study_, !commit->batch.entries.empty());
  }
  const Waiting& last = waiting.back();
  const bool closes = last.closes && !last.outcome.error;
  const bool is_lost = std::any_of(waiting.begin(), waiting.end(), [](const Waiting& each) {
    return each.outcome.error && is_ownership_lost(each.outcome.error);
  });
  if (closes || is_lost) close_study(waiting);
  for (Waiting& each : waiting) each.task.done(std::move(each.outcome));
}

/// Fails all tasks whose effects were not committed.
void StudySession::fail_uncommitted(AllWaiting& waiting, const StoreError& error) {
  for (Waiting& each : waiting) {
    if (each.outcome.error) continue;
    // Each task gets its own copy, because threads must not share one exception object.
    each.outcome.error = std::make_exception_ptr(StoreError(error));
  }
  const std::uint64_t kept = study_->record().events;
  const std::lock_guard lock(mutex_);
  for (auto& [thread, batch] : batches_) {
    if (batch.events > kept) batch.lost = error;
  }
}

/// Closes the study and fails the tasks that are still waiting.
void StudySession::close_study(AllWaiting& waiting) {
  try {
    if (study_->is_readable()) study_->snapshot();
  } catch (const StoreError&) {
    // A snapshot can be rebuilt from the journal.
  }
  study_.reset();
  store_.reset();
  const auto refuse = [&](AllWaiting all) {
    for (Waiting& each : all) {
      each.outcome = {.error = std::make_exception_ptr(closed())};
      waiting.push_back(std::move(each));
    }
  };
  refuse(std::exchange(performed_, {}));
  const std::lock_guard lock(mutex_);
  is_open_ = false;
  refuse(std::exchange(queue_, {}));
}

StudyError StudySession::closed() const {
  return {StudyError::Fault::closed, "the study " + name_ + " is closed"};
}

// --- batches and closing ---------------------------------------------------------------------

void StudySession::begin_batch() {
  wait_for([](Study& /*study*/) {});  // throws if the study is closed or cannot be read
  const std::lock_guard lock(mutex_);
  ++batches_[std::this_thread::get_id()].depth;
}

void StudySession::end_batch() {
  std::optional<StoreError> lost;
  {
    const std::lock_guard lock(mutex_);
    const auto batch = batches_.find(std::this_thread::get_id());
    if (batch == batches_.end() || --batch->second.depth > 0) return;
    lost = std::move(batch->second.lost);
    batches_.erase(batch);
    if (!lost && !is_open_) return;
  }
  if (lost) throw StoreError(*lost);
  wait_for([](Study& /*study*/) {});
}

void StudySession::close() {
  {
    const std::lock_guard lock(mutex_);
    if (!is_open_) return;
    batches_.erase(std::this_thread::get_id());
  }
  wait_for([](Study& /*study*/) {}, true);
}

}  // namespace canopy
