#include "stores/postgres_lease.hpp"

#include "stores/process_identity.hpp"

#include <array>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::chrono::milliseconds kAfterFailure{500};
constexpr std::chrono::seconds kLongestBeat{5};

/// Blocks signals in threads created during its lifetime, so that other threads handle them.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_{};
};

/// In nanoseconds, including the time during which the machine was suspended.
std::int64_t time_since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string end_of_lease() {
  return fmt::format("clock_timestamp() + interval '{} s'", PostgresLease::kLength.count());
}

}  // namespace

PostgresLease::PostgresLease(const PostgresAddress& address)
    : process_(getpid()), heart_(std::make_unique<Heart>(address)) {}

PostgresLease::~PostgresLease() {
  if (process_ != getpid()) {
    (void)heart_.release();  // the thread does not exist in this process
    return;
  }
  if (heart_->thread.joinable()) {
    heart_->thread.request_stop();
    heart_->thread.join();
    heart_->end();
  }
}

std::int64_t PostgresLease::owner() {
  const std::lock_guard lock(heart_->mutex);
  if (heart_->owner == 0) heart_->start(process_identity());
  return heart_->owner;
}

void PostgresLease::hold(StudyId study, std::int64_t fence) {
  const std::lock_guard lock(held_mutex_);
  held_[study] = {fence, heart_->lapses};
}

bool PostgresLease::holds(StudyId study, std::int64_t fence) {
  // Must be read first, so that a lapse after this point is detected.
  const std::uint64_t lapses = heart_->lapses;
  const bool is_certain = time_since_boot() < heart_->certain_until;
  {
    const std::lock_guard lock(held_mutex_);
    const auto found = held_.find(study);
    if (found == held_.end() || found->second.fence != fence) return false;
    if (is_certain && found->second.lapses == lapses) return true;
  }
  {
    const std::lock_guard lock(heart_->mutex);
    heart_->beat();
    const PostgresRows rows =
        heart_->connection.run("SELECT 1 FROM studies WHERE id = $1 AND owner = $2 AND fence = $3",
                               study, heart_->owner, fence);
    if (rows.empty()) return false;
  }
  const std::lock_guard lock(held_mutex_);
  const auto found = held_.find(study);
  if (found != held_.end()) found->second.lapses = heart_->lapses;
  return true;
}

std::optional<std::int64_t> PostgresLease::fence(StudyId study) {
  const std::lock_guard lock(held_mutex_);
  const auto found = held_.find(study);
  return found != held_.end() ? std::optional(found->second.fence) : std::nullopt;
}

void PostgresLease::give_back(StudyId study, std::int64_t fence) {
  if (process_ != getpid()) return;  // it belongs to the parent
  {
    const std::lock_guard lock(held_mutex_);
    const auto found = held_.find(study);
    if (found != held_.end() && found->second.fence == fence) held_.erase(found);
  }
  const std::lock_guard lock(heart_->mutex);
  heart_->to_give_back.push_back({study, fence});
  try {
    heart_->give_back_some();
  } catch (const StoreError&) {
    heart_->waiting.notify_all();  // the thread retries
  }
}

PostgresLease::Heart::Heart(const PostgresAddress& address)
    : connection(address, std::chrono::milliseconds(kLongestBeat)) {}

void PostgresLease::Heart::start(const std::string& name) {
  // Removes owners of ended processes. A process that was only suspended inserts its row again.
  connection.run("DELETE FROM owners WHERE alive_until < clock_timestamp() - interval '1 hour'");
  const std::int64_t begin = time_since_boot();
  owner = connection
              .run("INSERT INTO owners (name, alive_until) VALUES ($1, " + end_of_lease() +
                       ") RETURNING id",
                   name)
              .integer(0, 0);
  certain_until = begin + std::chrono::nanoseconds(kLength).count();
  const WithoutSignals while_it_starts;
  thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void PostgresLease::Heart::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex);
  std::chrono::milliseconds pause = kBetweenBeats;
  while (!stop.stop_requested()) {
    waiting.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested()) return;
    try {
      beat();
      give_back_some();
      pause = kBetweenBeats;
    } catch (const StoreError&) {
      pause = kAfterFailure;  // retries indefinitely; the fencing token shows whether studies were
                              // lost meanwhile
    }
  }
}

void PostgresLease::Heart::beat() {
  const std::int64_t begin = time_since_boot();
  if (begin >= certain_until) ++lapses;
  connection.run("INSERT INTO owners (id, name, alive_until) VALUES ($1, $2, " + end_of_lease() +
                     ") ON CONFLICT (id) DO UPDATE SET alive_until = EXCLUDED.alive_until",
                 owner, process_identity());
  certain_until = begin + std::chrono::nanoseconds(kLength).count();
}

void PostgresLease::Heart::give_back_some() {
  while (!to_give_back.empty()) {
    const Held each = to_give_back.back();
    connection.run("UPDATE studies SET owner = NULL WHERE id = $1 AND owner = $2 AND fence = $3",
                   each.study, owner, each.fence);
    to_give_back.pop_back();
  }
}

void PostgresLease::Heart::end() {
  try {
    connection.run("UPDATE studies SET owner = NULL WHERE owner = $1", owner);
    connection.run("DELETE FROM owners WHERE id = $1", owner);
  } catch (const StoreError&) {
    return;  // the lease expires by itself
  }
}

}  // namespace canopy
