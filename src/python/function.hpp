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

/// A Python function as an environment.
struct PythonFunction {
  nb::object function;  ///< called with the parameters by name
  nb::object mean;      ///< the function without noise; None: not known, or `function` itself
  nb::object start;     ///< called with a seed before every run, or None
  nb::object space;     ///< the PythonSpace
  std::string name;
  bool noisy = false;          ///< the function itself is noisy
  std::optional<Noise> noise;  ///< noise to add
  double noise_width = 1.0;
  std::optional<double> optimum;  ///< f*, if it is known
};

/// A run of such a function. Needs the interpreter's lock.
class FunctionEnvironment final : public SteadyEnvironment {
 public:
  explicit FunctionEnvironment(const PythonFunction& about);

  [[nodiscard]] const Space& space() const override { return space_.space(); }
  void start(RandomStream& random) override;
  double pull(Arm arm, RandomStream& random) override;

  /// The mean reward, or NaN if it is not known. Throws std::invalid_argument if it is above the
  /// optimum.
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
  nb::object names_;  // a tuple of parameter names
  mutable std::vector<PyObject*> arguments_;
  bool called_twice_ = false;  // the first arm is called twice to detect undeclared noise

  // Recent values of a function without noise, in the order of the pulls, so that computing regret
  // does not call it again. Successive pulls of the same arm count once, and the first `judged_`
  // values are no longer needed.
  std::vector<double> arms_;
  std::vector<double> values_;
  mutable std::size_t judged_ = 0;
};

}  // namespace canopy::python
