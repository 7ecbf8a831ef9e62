#pragma once

#include "canopy/context.hpp"
#include "canopy/policy.hpp"

#include "python/space.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// The variables of the context with their Python names and choices.
class PythonContexts final : public PythonSpace {
 public:
  /// `choices` is as in PythonSpace. Throws ConfigurationError.
  PythonContexts(ContextSpace contexts, const nb::list& choices)
      : PythonSpace(Space(contexts.parameters()), choices), contexts_(std::move(contexts)) {}

  [[nodiscard]] const ContextSpace& contexts() const { return contexts_; }

  /// Converts {'load': 0.7, 'tenant': 'small'} to numbers, which may be beyond the range of a
  /// variable. Throws ValueError for unknown names and choices, and for values that are not
  /// numbers.
  [[nodiscard]] std::vector<double> context(nb::handle given) const;

  /// Converts a value of one variable. Throws ValueError.
  [[nodiscard]] double context_coordinate(nb::handle value, std::size_t index) const;

 private:
  ContextSpace contexts_;
};

/// Makes the Python object Contexts of these variables; None if there are none.
[[nodiscard]] nb::object contexts_object(const ContextSpace& contexts);

/// Converts such an object; null for None.
[[nodiscard]] const PythonContexts* contexts_of(nb::handle object);

/// Converts a policy for Python: see Policy in python/canopy/_policy.py.
[[nodiscard]] nb::tuple policy_tuple(const Policy& policy, const PythonSpace& space,
                                     const PythonContexts& contexts);

}  // namespace canopy::python
