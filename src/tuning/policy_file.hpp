#pragma once

#include "canopy/study.hpp"

#include "files/document.hpp"

#include <cstdint>
#include <string>

namespace canopy {

/// The policy of a study as programs get it: see policy_document, with the name of the study, its
/// pulls and when that was, in seconds since 1970. The study must have contexts.
[[nodiscard]] Document policy_snapshot(const Study& study);

/// Keeps the file with the policy of a study up to date, if the study is to have one: the
/// `policy_file` of its system.
class PolicyFile {
 public:
  /// The study must outlive it.
  explicit PolicyFile(const Study& study);

  /// Its name; empty: there is to be none.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Writes it, if there is something new since the last time and that was some seconds ago. What
  /// went wrong; empty: nothing.
  [[nodiscard]] std::string update();

  /// The same whenever the last time was, and whether or not there is something new.
  [[nodiscard]] std::string write();

  /// Whether it has been written.
  [[nodiscard]] bool is_written() const { return is_written_; }

 private:
  const Study& study_;
  std::string path_;
  double next_ = 0.0;
  std::uint64_t pulls_ = 0;  // that it knows of
  bool is_written_ = false;
};

}  // namespace canopy
