#include "python/optimizer.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/state.hpp"

#include "python/bindings.hpp"
#include "python/options.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>

namespace canopy::python {
namespace {

/// What an optimizer is made of. Throws ConfigurationError.
StudySpecification specification_from(nb::handle name, const PythonSpace& space,
                                      const nb::dict& given, nb::handle direction,
                                      nb::handle reward_range, double confidence,
                                      nb::handle partition) {
  const OptimizerEntry& entry = entry_named(optimizers(), name);
  StudySpecification specification{.space = space.space()};
  specification.partition = enum_from<SplitRule>("optimizer.partition", partition);
  specification.objective = {enum_from<Direction>("direction", direction), range_from(reward_range),
                             confidence};
  std::vector<Violation> wrong;
  specification.optimizer = {entry.name, options_from(given, entry.fields, "optimizer.", wrong)};
  refuse_others(given, entry.fields, wrong);
  throw_if_any(std::move(wrong));
  return resolved(std::move(specification));
}

void restore(const PythonOptimizer& self, const nb::bytes& saved) {
  try {
    self.optimizer().restore({saved.c_str(), saved.size()});
  } catch (const StateError& error) {
    throw std::invalid_argument(error.what());
  }
}

/// What is known of an algorithm without making one.
nb::dict traits_of(nb::handle name) {
  const OptimizerEntry& entry = entry_named(optimizers(), name);
  nb::dict traits;
  traits["revision"] = entry.revision;
  traits["has_tree"] = entry.has_tree;
  traits["takes_correlated_feedback"] = entry.takes_correlated_feedback;
  return traits;
}

}  // namespace

void bind_optimizer(nb::module_& module) {
  nb::class_<PythonOptimizer, Protocol>(module, "Optimizer")
      .def(
          "__init__",
          [](PythonOptimizer* self, nb::handle name, const nb::object& space,
             const nb::dict& options, nb::handle direction, nb::handle reward_range,
             double confidence, nb::handle partition) {
            new (self) PythonOptimizer(
                specification_from(name, nb::cast<const PythonSpace&>(space), options, direction,
                                   reward_range, confidence, partition),
                space);
          },
          nb::arg("name").none(), nb::arg("space"), nb::arg("options"), nb::arg("direction").none(),
          nb::arg("reward_range").none(), nb::arg("confidence"), nb::arg("partition").none())
      .def(
          "__init__",
          [](PythonOptimizer* self, const PythonOptimizer& other) {
            new (self) PythonOptimizer(other.specification(), other.space_object(),
                                       other.optimizer().clone());
          },
          nb::arg("other"))
      .def("_restore", &restore, nb::arg("saved"));

  module.def(
      "optimizer_defaults",
      [](nb::handle name) {
        return options_dictionary(completed(entry_named(optimizers(), name).fields, {}));
      },
      nb::arg("name"));
  module.def("optimizer_traits", &traits_of, nb::arg("name"));
}

}  // namespace canopy::python
