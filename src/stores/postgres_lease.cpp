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
constexpr std::chrono::seconds kHeartbeatTimeout{5};

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

/// Returns nanoseconds, including the time during which the machine was suspended.
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
    : process_(getpid()), heartbeat_(std::make_unique<Heartbeat>(address)) {}

PostgresLease::~PostgresLease() {
  if (process_ != getpid()) {
    (void)heartbeat_.release();  // the thread does not exist in this process
    return;
  }
  if (heartbeat_->thread.joinable()) {
    heartbeat_->thread.request_stop();
    heartbeat_->thread.join();
    heartbeat_->end();
  }
}

std::int64_t PostgresLease::owner() {
  const std::lock_guard lock(heartbeat_->mutex);
  if (heartbeat_->owner == 0) heartbeat_->start(process_identity());
  return heartbeat_->owner;
}

void PostgresLease::hold(StudyId study, std::int64_t fence) {
  const std::lock_guard lock(held_mutex_);
  held_[study] = {fence, heartbeat_->lapses};
}

bool PostgresLease::owns(StudyId study, std::int64_t fence) {
  // Must be read first, so that a lapse after this point is detected.
  const std::uint64_t lapses = heartbeat_->lapses;
  const bool is_certain = time_since_boot() < heartbeat_->certain_until;
  {
    const std::lock_guard lock(held_mutex_);
    const auto found = held_.find(study);
    if (found == held_.end() || found->second.fence != fence) return false;
    if (is_certain && found->second.lapses == lapses) return true;
  }
  {
    const std::lock_guard lock(heartbeat_->mutex);
    heartbeat_->renew();
    const PostgresRows rows = heartbeat_->connection.run(
        "SELECT 1 FROM studies WHERE id = $1 AND owner = $2 AND fence = $3", study,
        heartbeat_->owner, fence);
    if (rows.empty()) return false;
  }
  const std::lock_guard lock(held_mutex_);
  const auto found = held_.find(study);
  if (found != held_.end()) found->second.lapses = heartbeat_->lapses;
  return true;
}

std::optional<std::int64_t> PostgresLease::fence(StudyId study) {
  const std::lock_guard lock(held_mutex_);
  const auto found = held_.find(study);
  return found != held_.end() ? std::optional(found->second.fence) : std::nullopt;
}

void PostgresLease::release(StudyId study, std::int64_t fence) {
  if (process_ != getpid()) return;  // it belongs to the parent
  {
    const std::lock_guard lock(held_mutex_);
    const auto found = held_.find(study);
    if (found != held_.end() && found->second.fence == fence) held_.erase(found);
  }
  const std::lock_guard lock(heartbeat_->mutex);
  heartbeat_->to_release.push_back({study, fence});
  try {
    heartbeat_->release_pending();
  } catch (const StoreError&) {
    heartbeat_->waiting.notify_all();  // the thread retries
  }
}

PostgresLease::Heartbeat::Heartbeat(const PostgresAddress& address)
    : connection(address, std::chrono::milliseconds(kHeartbeatTimeout)) {}

void PostgresLease::Heartbeat::start(const std::string& name) {
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

void PostgresLease::Heartbeat::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex);
  std::chrono::milliseconds pause = kHeartbeatInterval;
  while (!stop.stop_requested()) {
    waiting.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested()) return;
    try {
      renew();
      release_pending();
      pause = kHeartbeatInterval;
    } catch (const StoreError&) {
      // Retries indefinitely; the fencing token shows whether studies were lost meanwhile.
      pause = kAfterFailure;
    }
  }
}

void PostgresLease::Heartbeat::renew() {
  const std::int64_t begin = time_since_boot();
  if (begin >= certain_until) ++lapses;
  connection.run("INSERT INTO owners (id, name, alive_until) VALUES ($1, $2, " + end_of_lease() +
                     ") ON CONFLICT (id) DO UPDATE SET alive_until = EXCLUDED.alive_until",
                 owner, process_identity());
  certain_until = begin + std::chrono::nanoseconds(kLength).count();
}

void PostgresLease::Heartbeat::release_pending() {
  while (!to_release.empty()) {
    const Held each = to_release.back();
    connection.run("UPDATE studies SET owner = NULL WHERE id = $1 AND owner = $2 AND fence = $3",
                   each.study, owner, each.fence);
    to_release.pop_back();
  }
}

void PostgresLease::Heartbeat::end() {
  try {
    connection.run("UPDATE studies SET owner = NULL WHERE owner = $1", owner);
    connection.run("DELETE FROM owners WHERE id = $1", owner);
  } catch (const StoreError&) {
    return;  // the lease expires by itself
  }
}

}  // namespace canopy
