#pragma once

#include <stdexcept>
#include <string>

namespace canopy {

/// Thrown when a study cannot be opened or used. The message suits every front end, which adds what
/// to do about it.
class StudyError : public std::runtime_error {
 public:
  enum class Fault {
    missing,         ///< There is no such study.
    bad_name,        ///< No study can have that name.
    taken,           ///< There already is a study of that name.
    open_elsewhere,  ///< Someone else is writing to it.
    differs,         ///< It was begun with other settings.
    other_commands,  ///< It was measured by other commands; see OpenOptions::accept_changes.
    other_revision,  ///< Its optimizer now decides differently; see Study::open.
    damaged,         ///< Its journal or its specification cannot be understood.
    closed,
    other,
  };

  StudyError(Fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}

  [[nodiscard]] Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace canopy
