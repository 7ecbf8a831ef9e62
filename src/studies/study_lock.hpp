#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace canopy {

/// The right to write to a study, of one owner at a time on this machine. The kernel takes it away
/// when the process ends, however it ends. It is a lock on a byte of a file beside the store. A
/// process that was forked from the owner's does not have it.
class StudyLock {
 public:
  /// None when somebody else has it. Throws StoreError when the file cannot be made.
  [[nodiscard]] static std::optional<StudyLock> try_take(const std::string& store_path,
                                                         std::int64_t study);

  /// Whether somebody has it; false where that cannot be known.
  [[nodiscard]] static bool is_taken(const std::string& store_path, std::int64_t study);

  StudyLock(StudyLock&& other) noexcept;
  StudyLock& operator=(StudyLock&&) = delete;
  StudyLock(const StudyLock&) = delete;
  StudyLock& operator=(const StudyLock&) = delete;
  ~StudyLock();

 private:
  explicit StudyLock(int file);

  int file_;
  int owner_;  ///< the process
};

}  // namespace canopy
