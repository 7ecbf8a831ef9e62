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

/// An owner of studies in a database, for as long as this lives: a row of the table `owners` that a
/// thread keeps alive over a connection of its own. When this process is gone, or stopped, the row
/// is not renewed, and others may take what it owns. Each time that a study is taken its number,
/// the fence, is raised; what is written with an older number is refused. Thread-safe.
class PostgresLease {
 public:
  static constexpr std::chrono::seconds kLength{6};
  static constexpr std::chrono::seconds kBetweenBeats{2};

  explicit PostgresLease(const PostgresAddress& address);
  /// Gives everything back.
  ~PostgresLease();
  PostgresLease(const PostgresLease&) = delete;
  PostgresLease& operator=(const PostgresLease&) = delete;

  /// Its number; from the first call on it is kept alive. Throws StoreError.
  [[nodiscard]] std::int64_t owner();

  /// Notes that a study was taken.
  void hold(StudyId study, std::int64_t fence);
  /// Whether a study that was taken with this number is still ours. Asks the database if the lease
  /// may have ended since the last time. Throws StoreError.
  [[nodiscard]] bool holds(StudyId study, std::int64_t fence);
  /// With which number it was taken; none if it was not.
  [[nodiscard]] std::optional<std::int64_t> fence(StudyId study);
  /// Gives a study back: at once, or as soon as the database can be reached again.
  void give_back(StudyId study, std::int64_t fence);

 private:
  struct Held {
    StudyId study;
    std::int64_t fence;
  };

  /// What the thread works with.
  struct Heart {
    explicit Heart(const PostgresAddress& address);

    void start(const std::string& name);
    void run(const std::stop_token& stop);
    void beat();
    void give_back_some();
    void end();

    PostgresConnection connection;
    std::int64_t owner = 0;  // 0: none yet
    /// Until when the lease certainly lasts, and how often it may have ended before: others could
    /// take what we own then. By a clock that goes on while the machine sleeps.
    std::atomic<std::int64_t> certain_until = 0;
    std::atomic<std::uint64_t> lapses = 0;
    std::vector<Held> to_give_back;
    std::mutex mutex;
    std::condition_variable_any waiting;
    std::jthread thread;
  };

  pid_t process_;
  std::unique_ptr<Heart> heart_;
  struct Hold {
    std::int64_t fence = 0;
    std::uint64_t lapses = 0;  // of the lease, when the database was last asked
  };

  std::mutex held_mutex_;
  std::map<StudyId, Hold> held_;
};

}  // namespace canopy
