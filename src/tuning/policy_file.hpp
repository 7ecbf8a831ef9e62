#pragma once

#include "canopy/study.hpp"

#include "files/document.hpp"

#include <cstdint>
#include <string>

namespace canopy {

/// The policy of a study for programs: see policy_document, with the name of the study, its number
/// of pulls and the time in seconds since 1970. The study must have contexts.
[[nodiscard]] Document policy_snapshot(const Study& study);

/// Keeps the policy file of a study (`policy_file` of its system) up to date, if it has one.
class PolicyFile {
 public:
  /// The study must outlive this object.
  explicit PolicyFile(const Study& study);

  /// The path of the file; empty if there is none.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Writes the file if there are new rewards and the last write was some seconds ago. Returns the
  /// error message; empty on success.
  [[nodiscard]] std::string update();

  /// Writes the file unconditionally.
  [[nodiscard]] std::string write();

  /// Whether the file has been written.
  [[nodiscard]] bool is_written() const { return is_written_; }

 private:
  const Study& study_;
  std::string path_;
  double next_ = 0.0;
  std::uint64_t pulls_ = 0;  // number of pulls when it was written
  bool is_written_ = false;
};

}  // namespace canopy
