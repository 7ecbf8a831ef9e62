#pragma once

#include <stdexcept>
#include <string>

namespace canopy {

/// Thrown when results cannot be written, or do not match existing results.
class OutputError : public std::runtime_error {
 public:
  enum class Fault {
    unwritable,
    other_results,  ///< The folder holds the results of another specification.
    damaged,        ///< Existing results cannot be read.
  };

  explicit OutputError(const std::string& what, Fault fault = Fault::unwritable)
      : std::runtime_error(what), fault_(fault) {}

  [[nodiscard]] Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace canopy
