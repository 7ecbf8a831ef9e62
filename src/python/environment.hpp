#pragma once

#include "canopy/environments.hpp"
#include "canopy/random.hpp"

#include "python/space.hpp"

#include <cstdint>
#include <memory>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// An environment with its own random stream.
class PythonEnvironment {
 public:
  PythonEnvironment(nb::handle name, const nb::dict& given, std::uint64_t seed);

  /// The selection with all defaults.
  [[nodiscard]] const Selection& selection() const { return selection_; }
  [[nodiscard]] const KnownEnvironment& known() const { return *environment_; }
  [[nodiscard]] const PythonSpace& space() const { return space_; }

  /// The step of the next pull.
  [[nodiscard]] std::uint64_t t() const { return t_; }

  double pull(const nb::dict& arm);

 private:
  Selection selection_;
  std::unique_ptr<KnownEnvironment> environment_;
  PythonSpace space_;
  RandomStream random_;
  std::uint64_t t_ = 1;
};

}  // namespace canopy::python
