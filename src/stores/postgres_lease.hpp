#pragma once

#include "canopy/store.hpp"

#include "stores/postgres_address.hpp"
#include "stores/postgres_connection.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace canopy {

/// This process as an owner of studies: a row of the table `owners` with a lease that a thread
/// renews by heartbeats over its own connection. If the process ends or is stopped, the lease
/// expires, and other processes may take over its studies. Each acquisition of a study increments
/// its fencing token (`fence`); writes with an older token are rejected. Thread-safe.
class PostgresLease {
 public:
  static constexpr std::chrono::seconds kLength{6};
  static constexpr std::chrono::seconds kHeartbeatInterval{2};

  explicit PostgresLease(const PostgresAddress& address);
  /// Releases all studies and ends the lease.
  ~PostgresLease();
  PostgresLease(const PostgresLease&) = delete;
  PostgresLease& operator=(const PostgresLease&) = delete;

  /// The id of the owner. The first call starts the lease. Throws StoreError.
  [[nodiscard]] std::int64_t owner();

  /// Records that a study was acquired.
  void hold(StudyId study, std::int64_t fence);
  /// Whether this process still owns a study that was acquired with this token. Queries the
  /// database if the lease may have expired since the last query. Throws StoreError.
  [[nodiscard]] bool owns(StudyId study, std::int64_t fence);
  /// The fencing token of a study; none if this process does not own it.
  [[nodiscard]] std::optional<std::int64_t> fence(StudyId study);
  /// Releases a study, retrying in the background if the database cannot be reached.
  void release(StudyId study, std::int64_t fence);

 private:
  struct Held {
    StudyId study;
    std::int64_t fence;
  };

  /// The state of the heartbeat thread.
  struct Heartbeat {
    explicit Heartbeat(const PostgresAddress& address);

    void start(const std::string& name);
    void run(const std::stop_token& stop);
    void renew();
    void release_pending();
    void end();

    PostgresConnection connection;
    std::int64_t owner = 0;  // 0: not started
    /// The time until which the lease is certainly valid, and how many times it may have expired.
    /// Uses a clock that includes suspended time.
    std::atomic<std::int64_t> certain_until = 0;
    std::atomic<std::uint64_t> lapses = 0;
    std::vector<Held> to_release;
    std::mutex mutex;
    std::condition_variable_any waiting;
    std::jthread thread;
  };

  pid_t process_;
  std::unique_ptr<Heartbeat> heartbeat_;
  struct Hold {
    std::int64_t fence = 0;
    std::uint64_t lapses = 0;  // of the lease, at the last query
  };

  std::mutex held_mutex_;
  std::map<StudyId, Hold> held_;
};

}  // namespace canopy
