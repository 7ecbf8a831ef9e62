#include "python/optimizer.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/state.hpp"

#include "python/bindings.hpp"
#include "python/contexts.hpp"
#include "python/options.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

namespace canopy::python {
namespace {

/// Whether it is a user-defined partition: an instance with its methods, not a class.
bool is_own_partition(nb::handle given) {
  return PyType_Check(given.ptr()) == 0 && nb::hasattr(given, "root") &&
         nb::hasattr(given, "split") && nb::hasattr(given, "arm");
}

/// Converts (setting, every, pulls, seed, horizon, max_loss, worst_loss, max_loss_per_pull,
/// worst_loss_per_pull); the seed and all after it may be None.
void set_baseline(StudySpecification& specification, const PythonSpace& space,
                  const nb::tuple& given) {
  const auto whole = [](nb::handle number) -> std::optional<std::uint64_t> {
    if (number.is_none()) return std::nullopt;
    return nb::cast<std::uint64_t>(number);
  };
  specification.baseline = Baseline{.setting = space.coordinates(nb::cast<nb::dict>(given[0])),
                                    .every = *whole(given[1]),
                                    .pulls = *whole(given[2]),
                                    .seed = whole(given[3])};
  Budget& budget = specification.budget;
  budget.pulls = whole(given[4]);
  const auto real = [&](std::size_t index) -> std::optional<double> {
    if (given[index].is_none()) return std::nullopt;
    return nb::cast<double>(given[index]);
  };
  budget.max_loss = real(5);
  budget.worst_loss = real(6);
  budget.max_loss_per_pull = real(7);
  budget.worst_loss_per_pull = real(8);
  std::vector<Violation> wrong = violations_of_cap(specification);
  for (Violation& each : wrong) each.field = "baseline" + each.field.substr(each.field.find('.'));
  throw_if_any(std::move(wrong));
}

/// Converts a list of (metric, min, max, factor), whose ends may be None.
std::vector<Limit> limits_from(nb::handle given) {
  std::vector<Limit> limits;
  for (const nb::handle each : nb::borrow<nb::list>(given)) {
    const auto of = nb::cast<nb::tuple>(each);
    const auto end = [&](std::size_t index) -> std::optional<double> {
      if (of[index].is_none()) return std::nullopt;
      return nb::cast<double>(of[index]);
    };
    limits.push_back({nb::cast<std::string>(of[0]), end(1), end(2), *end(3)});
  }
  return limits;
}

void set_contexts(StudySpecification& specification, const PythonContexts& contexts) {
  specification.contexts = contexts.contexts();
  specification.context_sources.resize(specification.contexts.size());
  const std::vector<Parameter>& parameters = specification.space.parameters();
  for (const ContextVariable& variable : specification.contexts.variables()) {
    const auto is_it = [&](const Parameter& each) { return each.name == variable.name; };
    if (std::none_of(parameters.begin(), parameters.end(), is_it)) continue;
    throw std::invalid_argument("context." + variable.name + ": is the name of a parameter, too");
  }
}

/// Builds the specification of an optimizer. Throws ConfigurationError.
StudySpecification specification_from(nb::handle name, const PythonSpace& space,
                                      const nb::dict& given, nb::handle direction,
                                      nb::handle reward_range, double confidence, bool hard_range,
                                      nb::handle partition, nb::handle baseline, nb::handle limits,
                                      const PythonContexts* contexts) {
  const OptimizerEntry& entry = entry_named(optimizers(), name);
  StudySpecification specification{.space = space.space()};
  if (!is_own_partition(partition)) specification.partition = partition_from(partition);
  specification.objective = {enum_from<Direction>("direction", direction), range_from(reward_range),
                             confidence, hard_range, limits_from(limits)};
  std::vector<Violation> wrong;
  specification.optimizer = {entry.name, options_from(given, entry.fields, "optimizer.", wrong)};
  refuse_others(given, entry.fields, wrong);
  throw_if_any(std::move(wrong));
  if (contexts != nullptr) set_contexts(specification, *contexts);
  if (!baseline.is_none()) set_baseline(specification, space, nb::cast<nb::tuple>(baseline));
  return resolved(std::move(specification));
}

void restore(PythonOptimizer& self, const nb::bytes& saved) {
  try {
    self.restore({saved.c_str(), saved.size()});
  } catch (const StateError& error) {
    throw std::invalid_argument(error.what());
  }
}

int traverse_optimizer(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const PythonOptimizer* held = nb::inst_ptr<PythonOptimizer>(self);
  Py_VISIT(held->space_object().ptr());
  Py_VISIT(held->contexts_object().ptr());
  Py_VISIT(held->partition_object().ptr());
  return 0;
}

// No tp_clear: a partition that refers to its optimizer releases it itself.
std::array<PyType_Slot, 2> optimizer_slots{
    {{Py_tp_traverse, reinterpret_cast<void*>(traverse_optimizer)}, {0, nullptr}}};

/// Describes an algorithm without making an optimizer.
nb::dict traits_of(nb::handle name) {
  const OptimizerEntry& entry = entry_named(optimizers(), name);
  nb::dict traits;
  traits["revision"] = entry.revision;
  traits["has_tree"] = entry.has_tree;
  traits["takes_correlated_feedback"] = entry.takes_correlated_feedback;
  traits["needs_horizon"] = needs_horizon(entry);
  return traits;
}

}  // namespace

PythonOptimizer::PythonOptimizer(StudySpecification specification, nb::object space,
                                 nb::object contexts, nb::object partition)
    : Protocol(std::move(specification), std::move(space), std::move(contexts)),
      partition_object_(std::move(partition)),
      partition_(std::make_shared<PythonPartition>(partition_object_, this->space())) {
  const auto& [name, options] = this->specification().optimizer;
  const OptimizerEntry& entry = optimizers().at(name);
  if (!entry.make_over) {
    const char* why =
        entry.has_tree
            ? " cuts boxes by a rule such as \"cyclic\", and takes no user-defined partition"
            : " searches no tree";
    throw ConfigurationError({{"partition", shown(partition_object_), name + why}});
  }
  if (this->contexts() != nullptr) {
    throw ConfigurationError({{"partition", shown(partition_object_),
                               "user-defined partitions are not supported with contexts"}});
  }
  optimizer_ = compared(entry.make_over(options, partition_, this->specification().objective),
                        this->specification(), std::random_device{}());
  tree_ = optimizer_->tree();
}

void bind_optimizer(nb::module_& module) {
  nb::class_<PythonOptimizer, Protocol>(module, "Optimizer", nb::type_slots(optimizer_slots.data()))
      .def(
          "__init__",
          [](PythonOptimizer* self, nb::handle name, const nb::object& space,
             const nb::dict& options, nb::handle direction, nb::handle reward_range,
             double confidence, bool hard_range, nb::handle partition, nb::handle baseline,
             nb::handle limits, const nb::object& contexts) {
            StudySpecification made = specification_from(
                name, nb::cast<const PythonSpace&>(space), options, direction, reward_range,
                confidence, hard_range, partition, baseline, limits, contexts_of(contexts));
            if (is_own_partition(partition)) {
              new (self) PythonOptimizer(std::move(made), space, contexts, nb::borrow(partition));
            } else {
              new (self) PythonOptimizer(std::move(made), space, contexts);
            }
          },
          nb::arg("name").none(), nb::arg("space"), nb::arg("options"), nb::arg("direction").none(),
          nb::arg("reward_range").none(), nb::arg("confidence"), nb::arg("hard_range"),
          nb::arg("partition").none(), nb::arg("baseline").none() = nb::none(),
          nb::arg("limits") = nb::list(), nb::arg("contexts") = nb::none())
      .def(
          "__init__",
          [](PythonOptimizer* self, const PythonOptimizer& other) {
            new (self) PythonOptimizer(other);
          },
          nb::arg("other"))
      .def("_restore", &restore, nb::arg("saved"))
      .def_prop_ro(
          "partition",
          [](const PythonOptimizer& self) -> nb::object {
            if (self.has_own_partition()) return self.partition_object();
            const std::string name = text_of(self.specification().partition);
            return nb::str(name.data(), name.size());
          },
          "How cells are cut.");

  module.def(
      "optimizer_defaults",
      [](nb::handle name) {
        return options_dictionary(completed(entry_named(optimizers(), name).fields, {}));
      },
      nb::arg("name"));
  module.def("optimizer_traits", &traits_of, nb::arg("name"));
}

}  // namespace canopy::python
