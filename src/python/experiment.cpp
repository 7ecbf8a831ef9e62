// Single runs of an experiment. What is tuned, measured and kept is up to Python.

#include "canopy/optimizers.hpp"
#include "canopy/simulation.hpp"

#include "experiments/runner.hpp"
#include "python/bindings.hpp"
#include "python/environment.hpp"
#include "python/function.hpp"
#include "python/options.hpp"
#include "python/player.hpp"
#include "python/without_interpreter.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace canopy::python {
namespace {

/// How far runs are, and whether they should stop, for any thread.
struct PythonWatch {
  std::atomic<std::uint64_t> done = 0;  ///< steps
  std::atomic<bool> stopped = false;
  nb::object tick = nb::none();  ///< called now and then by runs that need the interpreter
};

nb::object number_or_none(double number) {
  return std::isfinite(number) ? nb::object(nb::float_(number)) : nb::none();
}

/// (per_step_regret, per_step_realised_regret, simple_regret, ns_per_step, checkpoints).
nb::tuple run_tuple(const RunResult& run) {
  nb::list checkpoints;
  for (const Checkpoint& at : run.checkpoints) {
    checkpoints.append(nb::make_tuple(at.steps, number_or_none(at.per_step_regret),
                                      number_or_none(at.per_step_realised_regret)));
  }
  return nb::make_tuple(number_or_none(run.per_step_regret),
                        number_or_none(run.per_step_realised_regret),
                        number_or_none(run.simple_regret), run.ns_per_step, checkpoints);
}

Selection optimizer_from(nb::handle name, const nb::dict& given, std::uint64_t steps) {
  const OptimizerEntry& entry = entry_named(optimizers(), name);
  std::vector<Violation> wrong;
  OptionValues options = options_from(given, entry.fields, "optimizer.", wrong);
  refuse_others(given, entry.fields, wrong);
  throw_if_any(std::move(wrong));
  return optimizers().completed(with_horizon({entry.name, std::move(options)}, steps));
}

/// Every option of an optimizer on a space. Throws ConfigurationError where it cannot search it.
nb::dict checked_options(nb::handle name, const nb::dict& given, const PythonSpace& space,
                         std::uint64_t steps) {
  const Selection optimizer =
      resolved(optimizer_from(name, given, steps), space.space().dimension());
  (void)make_optimizer(optimizer, space.space());
  return options_dictionary(optimizer.options);
}

/// A run in which neither side is written in Python: others go on meanwhile.
nb::tuple run_compiled(const PythonEnvironment& environment, nb::handle algorithm,
                       const nb::dict& options, const RunOptions& run, PythonWatch& watch) {
  const Selection optimizer = optimizer_from(algorithm, options, run.steps);
  const Watch watched{[&](std::uint64_t steps) { watch.done += steps; }, &watch.stopped};
  std::optional<RunResult> result;
  {
    const WithoutInterpreter release;
    result = run_once(environment.selection(), optimizer, run, watched);
  }
  return run_tuple(*result);
}

/// A run that calls Python. `make` is the name of an optimizer, or makes one from a seed.
RunResult run_interpreted(KnownEnvironment& environment, const std::string& name,
                          const PythonSpace& space, const nb::object& algorithm,
                          const nb::dict& options, const RunOptions& run, PythonWatch& watch) {
  const auto steps_done = [&](std::uint64_t steps) {
    watch.done += steps;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!watch.tick.is_none()) watch.tick(steps);
  };
  const Watch watched{steps_done, &watch.stopped};
  if (text_from(algorithm)) {
    return run_once(environment, name, optimizer_from(algorithm, options, run.steps), run, watched);
  }
  const MakePlayer make = [&](std::uint64_t seed) {
    return std::make_unique<PythonPlayer>(algorithm(seed), space);
  };
  return run_once(environment, name, make, run, watched);
}

/// One run: what run_tuple says, and the largest mean that was seen where f* is not known.
nb::tuple run_unit(nb::handle environment, const nb::object& algorithm, const nb::dict& options,
                   const RunOptions& run, PythonWatch& watch) {
  if (nb::isinstance<PythonFunction>(environment)) {
    const auto& about = nb::cast<const PythonFunction&>(environment);
    FunctionEnvironment played(about);
    const auto& space = nb::cast<const PythonSpace&>(about.space);
    const RunResult result =
        run_interpreted(played, about.name, space, algorithm, options, run, watch);
    return nb::make_tuple(run_tuple(result), number_or_none(played.highest()));
  }
  const auto& known = nb::cast<const PythonEnvironment&>(environment);
  if (text_from(algorithm)) {
    return nb::make_tuple(run_compiled(known, algorithm, options, run, watch), nb::none());
  }
  const std::unique_ptr<KnownEnvironment> played = make_environment(known.selection());
  const RunResult result = run_interpreted(*played, known.selection().name, known.space(),
                                           algorithm, options, run, watch);
  return nb::make_tuple(run_tuple(result), nb::none());
}

void make_function(PythonFunction* self, nb::object function, nb::object space, std::string name,
                   nb::object mean, nb::object start, bool noisy, nb::handle noise,
                   double noise_width, std::optional<double> optimum) {
  std::optional<Noise> added;
  if (!noise.is_none()) added = enum_from<Noise>("noise", noise);
  (void)nb::cast<const PythonSpace&>(space);
  new (self) PythonFunction{std::move(function),
                            std::move(mean),
                            std::move(start),
                            std::move(space),
                            std::move(name),
                            noisy,
                            added,
                            noise_width,
                            optimum};
}

int traverse_function(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const PythonFunction* held = nb::inst_ptr<PythonFunction>(self);
  for (const nb::object* each : {&held->function, &held->mean, &held->start, &held->space}) {
    Py_VISIT(each->ptr());
  }
  return 0;
}

int clear_function(PyObject* self) {
  auto* held = nb::inst_ptr<PythonFunction>(self);
  for (nb::object* each : {&held->function, &held->mean, &held->start}) *each = nb::none();
  return 0;
}

std::array<PyType_Slot, 3> function_slots{
    {{Py_tp_traverse, reinterpret_cast<void*>(traverse_function)},
     {Py_tp_clear, reinterpret_cast<void*>(clear_function)},
     {0, nullptr}}};

}  // namespace

void bind_experiment(nb::module_& module) {
  nb::class_<PythonFunction>(module, "Function", nb::type_slots(function_slots.data()))
      .def("__init__", &make_function, nb::arg("function"), nb::arg("space"), nb::arg("name"),
           nb::arg("mean").none(), nb::arg("start").none(), nb::arg("noisy"),
           nb::arg("noise").none(), nb::arg("noise_width"), nb::arg("optimum").none());
  nb::class_<PythonWatch>(module, "Watch")
      .def(nb::init<>())
      .def("stop", [](PythonWatch& self) { self.stopped = true; })
      .def_prop_ro("done", [](const PythonWatch& self) { return self.done.load(); })
      .def_rw("tick", &PythonWatch::tick, nb::arg().none());
  module.def("checked_options", &checked_options, nb::arg("name").none(), nb::arg("options"),
             nb::arg("space"), nb::arg("steps"));
  module.def(
      "checkpoint_steps",
      [](std::uint64_t steps, std::uint64_t checkpoints) {
        return checkpoint_steps(steps, checkpoints);
      },
      nb::arg("steps"), nb::arg("checkpoints"));
  module.def(
      "run_unit",
      [](nb::handle environment, const nb::object& algorithm, const nb::dict& options,
         std::uint64_t steps, std::uint64_t seed, std::string label, std::string purpose,
         std::uint64_t number, std::vector<std::uint64_t> checkpoints, nb::handle reward_range,
         PythonWatch& watch) {
        return run_unit(environment, algorithm, options,
                        {.steps = steps,
                         .seed = seed,
                         .label = std::move(label),
                         .purpose = std::move(purpose),
                         .number = number,
                         .checkpoints = std::move(checkpoints),
                         .reward_range = range_from(reward_range)},
                        watch);
      },
      nb::arg("environment"), nb::arg("algorithm"), nb::arg("options"), nb::arg("steps"),
      nb::arg("seed"), nb::arg("label"), nb::arg("purpose"), nb::arg("number"),
      nb::arg("checkpoints"), nb::arg("reward_range").none(), nb::arg("watch"));
}

}  // namespace canopy::python
