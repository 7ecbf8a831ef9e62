#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace canopy {

/// Locks on bytes of a file beside a store. One owner has a byte at a time on this machine; the
/// kernel takes it away when the process ends, however it ends. A process that was forked from the
/// owner's does not have it, nor keeps it from others. All locks of one of these share a
/// descriptor. Thread-safe.
class LockFile : public std::enable_shared_from_this<LockFile> {
 public:
  explicit LockFile(std::string store_path);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// A byte, for as long as this lives.
  class Lock {
   public:
    Lock(std::shared_ptr<LockFile> file, std::int64_t byte);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    std::shared_ptr<LockFile> file_;
    std::int64_t byte_;
    int owner_;  // the process
  };

  /// Null when somebody else has it, or another lock of this. Throws StoreError when the file
  /// cannot be made.
  [[nodiscard]] std::unique_ptr<Lock> try_take(std::int64_t byte);

  /// Whether somebody has it; false where that cannot be known.
  [[nodiscard]] bool is_taken(std::int64_t byte) const;

 private:
  void open();
  void give_back(std::int64_t byte);
  class OpenFiles;

  std::string store_path_;
  std::mutex mutex_;
  int file_ = -1;  // none yet
  std::set<std::int64_t> taken_;
};

}  // namespace canopy
