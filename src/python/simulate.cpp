#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/simulation.hpp"

#include "python/beside_interpreter.hpp"
#include "python/bindings.hpp"
#include "python/options.hpp"
#include "python/space.hpp"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace canopy::python {
namespace {

/// None for an unbounded interval.
nb::object width_or_none(double width) {
  return std::isfinite(width) ? nb::object(nb::float_(width)) : nb::none();
}

nb::dict run_dictionary(const RunResult& run, const PythonSpace& space) {
  nb::dict result;
  result["per_step_regret"] = run.per_step_regret;
  result["per_step_realised_regret"] = run.per_step_realised_regret;
  result["simple_regret"] = run.simple_regret;
  result["covered"] = run.covered;
  result["width"] = width_or_none(run.width);
  result["nodes"] = run.summary.nodes;
  result["depth"] = run.summary.depth;
  result["switches"] = run.summary.switches;
  result["refreshes"] = run.summary.refreshes;
  result["best_arm"] = space.dictionary(run.best_arm);
  result["ns_per_step"] = run.ns_per_step;
  nb::list checkpoints;
  for (const Checkpoint& at : run.checkpoints) {
    checkpoints.append(nb::make_tuple(at.steps, at.per_step_regret, at.per_step_realised_regret,
                                      at.nodes, at.switches));
  }
  result["checkpoints"] = checkpoints;
  return result;
}

nb::dict simulation_dictionary(const SimulationResult& result, const Selection& environment,
                               const Selection& optimizer, const PythonSpace& space) {
  nb::dict all;
  all["environment_options"] = options_dictionary(environment.options);
  all["optimizer_options"] = options_dictionary(optimizer.options);
  all["per_step_regret"] = estimate_tuple(result.per_step_regret);
  all["per_step_realised_regret"] = estimate_tuple(result.per_step_realised_regret);
  all["simple_regret"] = estimate_tuple(result.simple_regret);
  all["coverage"] = result.intervals.coverage;
  all["median_width"] = result.intervals.unbounded < 1.0
                            ? nb::object(nb::float_(result.intervals.median_width))
                            : nb::none();
  all["unbounded"] = result.intervals.unbounded;
  all["nodes"] = estimate_tuple(result.nodes);
  all["depth"] = estimate_tuple(result.depth);
  all["switches"] = estimate_tuple(result.switches);
  all["refreshes"] = estimate_tuple(result.refreshes);
  all["ns_per_step"] = result.ns_per_step;
  nb::list runs;
  for (const RunResult& run : result.runs) runs.append(run_dictionary(run, space));
  all["runs"] = runs;
  return all;
}

/// The selection with all defaults, except optimizer options that depend on the space. Keyword
/// arguments are options of the optimizer or the environment.
std::pair<Selection, Selection> selections_from(nb::handle environment_name,
                                                nb::handle optimizer_name, const nb::dict& given) {
  const EnvironmentEntry& environment = entry_named(environments(), environment_name);
  const OptimizerEntry& optimizer = entry_named(optimizers(), optimizer_name);
  std::vector<Violation> wrong;
  OptionValues of_environment = options_from(given, environment.fields, "environment.", wrong);
  OptionValues of_optimizer = options_from(given, optimizer.fields, "optimizer.", wrong);
  std::vector<OptionField> fields = environment.fields;
  fields.insert(fields.end(), optimizer.fields.begin(), optimizer.fields.end());
  refuse_others(given, fields, wrong);
  throw_if_any(std::move(wrong));
  return {environments().completed({environment.name, std::move(of_environment)}),
          {optimizer.name, std::move(of_optimizer)}};
}

nb::dict run_simulation(nb::handle environment_name, nb::handle optimizer_name,
                        const nb::dict& given, const SimulationOptions& simulation,
                        const nb::object& progress) {
  auto [environment, optimizer] = selections_from(environment_name, optimizer_name, given);
  const PythonSpace space(make_environment(environment)->space());
  optimizer =
      resolved(with_horizon(std::move(optimizer), simulation.steps), space.space().dimension());

  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> done = 0;
  const Watch watch{[&](std::uint64_t steps) { done += steps; }, &stop};
  std::optional<SimulationResult> result;
  const auto work = [&, &environment = environment, &optimizer = optimizer] {
    result = simulate(environment, optimizer, simulation, watch);
  };
  run_beside_interpreter(work, stop, done, progress);
  return simulation_dictionary(result.value(), environment, optimizer, space);
}

/// The descriptions of all entries by name.
template <class Entry>
nb::dict lines_of(const Catalogue<Entry>& catalogue) {
  nb::dict lines;
  for (const Entry& entry : catalogue) lines[entry.name.c_str()] = entry.line;
  return lines;
}

}  // namespace

void bind_simulate(nb::module_& module) {
  module.def(
      "simulate",
      [](nb::handle environment, nb::handle optimizer, const nb::dict& options, std::uint64_t steps,
         std::uint64_t runs, std::uint64_t seed, int threads,
         std::vector<std::uint64_t> checkpoints, nb::handle reward_range, nb::handle partition,
         const nb::object& progress) {
        return run_simulation(environment, optimizer, options,
                              {.steps = steps,
                               .runs = runs,
                               .seed = seed,
                               .threads = threads,
                               .checkpoints = std::move(checkpoints),
                               .reward_range = range_from(reward_range),
                               .partition = partition_from(partition)},
                              progress);
      },
      nb::arg("environment").none(), nb::arg("optimizer").none(), nb::arg("options"),
      nb::arg("steps"), nb::arg("runs"), nb::arg("seed"), nb::arg("threads"),
      nb::arg("checkpoints"), nb::arg("reward_range").none(), nb::arg("partition").none(),
      nb::arg("progress") = nb::none());
  module.def(
      "estimate",
      [](const std::vector<double>& values) {
        if (values.empty()) throw std::invalid_argument("values: must have at least one number");
        return estimate_tuple(estimate(values));
      },
      nb::arg("values"));
  module.def("environments", [] { return lines_of(environments()); });
  module.def("optimizers", [] { return lines_of(optimizers()); });
}

}  // namespace canopy::python
