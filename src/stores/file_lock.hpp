#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace canopy {

/// A lock on one byte of a file beside a store. One owner has it at a time on this machine; the
/// kernel takes it away when the process ends, however it ends. A process that was forked from the
/// owner's does not have it, but may keep others from it until it starts another program.
class FileLock {
 public:
  /// None when somebody else has it. Throws StoreError when the file cannot be made.
  [[nodiscard]] static std::optional<FileLock> try_take(const std::string& store_path,
                                                        std::int64_t byte);

  /// Whether somebody has it; false where that cannot be known.
  [[nodiscard]] static bool is_taken(const std::string& store_path, std::int64_t byte);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int file);

  int file_;
  int owner_;  ///< the process
};

}  // namespace canopy
