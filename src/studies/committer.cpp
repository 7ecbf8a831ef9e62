#include "studies/committer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace canopy {
namespace {

/// How long to retry a study that another process keeps locked, and how often.
constexpr std::chrono::seconds kPatienceWithLocks{30};
constexpr std::chrono::milliseconds kBetweenTries{5};

}  // namespace

Committer::Committer(Store& store, std::function<void(const Commit&)> on_commit)
    : store_(store), on_commit_(std::move(on_commit)), thread_([this] { run(); }) {}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Committer::write(StudyId study, const Study::Batch& batch, Done done) {
  {
    const std::lock_guard lock(mutex_);
    wanted_.push_back({study, &batch, std::move(done), SteadyClock::now()});
  }
  changed_.notify_all();
}

void Committer::run() {
  Group locked;  // to be retried
  for (;;) {
    Group group;
    {
      std::unique_lock lock(mutex_);
      const auto has_work = [this] { return ends_ || !wanted_.empty(); };
      if (locked.empty()) {
        changed_.wait(lock, has_work);
      } else {
        changed_.wait_for(lock, kBetweenTries, has_work);
      }
      group = std::exchange(wanted_, {});
    }
    std::move(locked.begin(), locked.end(), std::back_inserter(group));
    if (group.empty()) return;
    write_group(group);
    locked = finish(std::move(group));
  }
}

/// Writes a group in one transaction. If that fails although the store works, writes each study by
/// itself.
void Committer::write_group(Group& group) {
  write_together(group.data(), group.size());
  const auto& error = group.front().error;
  const bool is_ours = error && error->fault() == StoreError::Fault::other;
  if (group.size() == 1 || !is_ours) return;
  for (Wanted& each : group) {
    each.error.reset();
    write_together(&each, 1);
  }
}

void Committer::write_together(Wanted* first, std::size_t count) {
  std::vector<StudyWrite> writes;
  Commit commit{.studies = count};
  for (const Wanted* each = first; each != first + count; ++each) {
    writes.push_back({.study = each->study,
                      .entries = each->batch->entries,
                      .pulls = each->batch->pulls,
                      .answers = each->batch->answers});
    commit.events += each->batch->entries.size();
  }
  const auto start = SteadyClock::now();
  const auto fail = [&](const StoreError& error) {
    for (Wanted* each = first; each != first + count; ++each) each->error = error;
  };
  try {
    std::vector<std::optional<StoreError>> errors = store_.write(writes);
    for (std::size_t i = 0; i < count; ++i) first[i].error = std::move(errors[i]);
    commit.seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
    if (on_commit_) on_commit_(commit);
  } catch (const StoreError& error) {
    fail(error);
  } catch (const std::exception& error) {
    fail({StoreError::Fault::other, error.what()});
  }
}

/// Reports the results to the callers, except for locked studies, which are returned; then writes
/// the snapshots that are due.
Committer::Group Committer::finish(Group group) {
  Group locked;
  std::vector<std::pair<StudyId, Snapshot>> snapshots;
  for (Wanted& each : group) {
    const bool is_locked = each.error && each.error->fault() == StoreError::Fault::locked &&
                           SteadyClock::now() - each.since < kPatienceWithLocks;
    if (is_locked) {
      each.error.reset();
      locked.push_back(std::move(each));
      continue;
    }
    if (!each.error && each.batch->snapshot) {
      snapshots.emplace_back(each.study, *each.batch->snapshot);
    }
    each.done(std::move(each.error));
  }
  for (const auto& [study, snapshot] : snapshots) {
    try {
      store_.set_snapshot(study, snapshot);
    } catch (const StoreError&) {
      continue;  // a snapshot can be rebuilt from the journal
    }
  }
  return locked;
}

}  // namespace canopy
