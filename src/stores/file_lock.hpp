#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace canopy {

/// Locks on single bytes of a file beside a store. Each byte has at most one owner on this machine.
/// The kernel releases a lock when its process ends. A forked child does not own its parent's locks
/// and does not keep them alive. All locks share one descriptor. Thread-safe.
class LockFile : public std::enable_shared_from_this<LockFile> {
 public:
  explicit LockFile(std::string store_path);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Holds the lock on a byte during its lifetime.
  class Lock {
   public:
    Lock(std::shared_ptr<LockFile> file, std::int64_t byte);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    std::shared_ptr<LockFile> file_;
    std::int64_t byte_;
    int owner_;  // process id
  };

  /// Returns null if the byte is locked, by this or another process. Throws StoreError if the file
  /// cannot be created.
  [[nodiscard]] std::unique_ptr<Lock> try_take(std::int64_t byte);

  /// Whether the byte is locked by any process; false if that cannot be determined.
  [[nodiscard]] bool is_taken(std::int64_t byte) const;

 private:
  void open();
  void release(std::int64_t byte);
  class OpenFiles;

  std::string store_path_;
  std::mutex mutex_;
  int file_ = -1;  // not open yet
  std::set<std::int64_t> taken_;
};

}  // namespace canopy
