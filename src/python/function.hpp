#pragma once

#include "canopy/environment.hpp"
#include "canopy/noisy_function.hpp"

#include "python/space.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// What makes a function of Python an environment.
struct PythonFunction {
  nb::object function;  ///< called with the parameters by name
  nb::object mean;      ///< the same without noise; None: not known, or the function itself
  nb::object start;     ///< called with a seed before every run, or None
  nb::object space;     ///< the PythonSpace
  std::string name;
  bool noisy = false;          ///< by itself
  std::optional<Noise> noise;  ///< that is added to it
  double noise_width = 1.0;
  std::optional<double> optimum;  ///< f*, if it is known
};

/// One run of such a function. Needs the interpreter's lock.
class FunctionEnvironment final : public SteadyEnvironment {
 public:
  explicit FunctionEnvironment(const PythonFunction& about);

  [[nodiscard]] const Space& space() const override { return space_.space(); }
  void start(RandomStream& random) override;
  double pull(Arm arm, RandomStream& random) override;

  /// NaN where nobody knows it. Throws std::invalid_argument if it is above the optimum.
  [[nodiscard]] double mean_reward(Arm arm) const override;
  [[nodiscard]] Optimum optimum() const override { return {{}, about_.optimum.value_or(0.0)}; }

 private:
  [[nodiscard]] double call(const nb::object& function, Arm arm) const;
  [[nodiscard]] std::string text_of(const nb::object& function, Arm arm) const;
  void note(Arm arm, double value);
  [[nodiscard]] std::optional<double> noted(Arm arm) const;

  const PythonFunction& about_;
  const PythonSpace& space_;
  std::size_t dimension_;
  nb::object names_;  // of the parameters, a tuple
  mutable std::vector<PyObject*> arguments_;
  bool called_twice_ = false;  // at the first arm, to find out noise that nobody has declared

  // What a function without noise of its own was at the arms played lately, in their order, so that
  // judging a run does not call it again: arms in a row count once, and the first `judged_` of them
  // will not be asked for any more.
  std::vector<double> arms_;
  std::vector<double> values_;
  mutable std::size_t judged_ = 0;
};

}  // namespace canopy::python
