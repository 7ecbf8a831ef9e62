#pragma once

#include "canopy/context.hpp"
#include "canopy/policy.hpp"

#include "python/space.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// What is observed before each pull, with what Python calls it.
class PythonContexts final : public PythonSpace {
 public:
  /// `choices` is as a PythonSpace has it. Throws ConfigurationError.
  PythonContexts(ContextSpace contexts, const nb::list& choices)
      : PythonSpace(Space(contexts.parameters()), choices), contexts_(std::move(contexts)) {}

  [[nodiscard]] const ContextSpace& contexts() const { return contexts_; }

  /// The numbers of {'load': 0.7, 'tenant': 'small'}, which may be beyond the range of a variable.
  /// Throws ValueError for other names, for what is no number, and for choices that are not there.
  [[nodiscard]] std::vector<double> context(nb::handle given) const;

  /// The number of one of its values. Throws ValueError.
  [[nodiscard]] double context_coordinate(nb::handle value, std::size_t index) const;

 private:
  ContextSpace contexts_;
};

/// The Contexts of Python with these variables; None without any.
[[nodiscard]] nb::object contexts_object(const ContextSpace& contexts);

/// Of such an object: null for None.
[[nodiscard]] const PythonContexts* contexts_of(nb::handle object);

/// What was learnt about the best arm in every context, as Python takes it: see Policy in
/// python/canopy/_policy.py.
[[nodiscard]] nb::tuple policy_tuple(const Policy& policy, const PythonSpace& space,
                                     const PythonContexts& contexts);

}  // namespace canopy::python
