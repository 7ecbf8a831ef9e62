#pragma once

#include <stdexcept>
#include <string>

namespace canopy {

/// Thrown when a study cannot be opened or used. The message can be shown in any interface, which
/// may add advice.
class StudyError : public std::runtime_error {
 public:
  enum class Fault {
    missing,         ///< There is no such study.
    bad_name,        ///< The name is invalid.
    taken,           ///< A study of that name exists already.
    open_elsewhere,  ///< Another process has it open for writing.
    differs,         ///< It was created with other settings.
    other_commands,  ///< It was created with other commands; see OpenOptions::accept_changes.
    other_revision,  ///< Its optimizer has another revision in this version; see Study::open.
    damaged,         ///< Its journal or its specification is invalid.
    closed,
    other,
  };

  StudyError(Fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}

  [[nodiscard]] Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace canopy
