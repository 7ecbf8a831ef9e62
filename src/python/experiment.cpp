// The runner of `canopy.experiment`, with environments and algorithms written in Python.

#include "canopy/experiment.hpp"

#include "canopy/optimizers.hpp"

#include "experiments/runner.hpp"
#include "python/beside_interpreter.hpp"
#include "python/bindings.hpp"
#include "python/environment.hpp"
#include "python/function.hpp"
#include "python/options.hpp"
#include "python/player.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace canopy::python {
namespace {

nb::object number_or_none(double number) {
  return std::isfinite(number) ? nb::object(nb::float_(number)) : nb::none();
}

nb::object estimate_or_none(const Estimate& estimate) {
  return std::isfinite(estimate.mean) ? nb::object(estimate_tuple(estimate)) : nb::none();
}

nb::dict run_dictionary(const RunResult& run) {
  nb::list checkpoints;
  for (const Checkpoint& at : run.checkpoints) {
    checkpoints.append(nb::make_tuple(at.steps, number_or_none(at.per_step_regret),
                                      number_or_none(at.per_step_realised_regret)));
  }
  nb::dict result;
  result["per_step_regret"] = number_or_none(run.per_step_regret);
  result["per_step_realised_regret"] = number_or_none(run.per_step_realised_regret);
  result["simple_regret"] = number_or_none(run.simple_regret);
  result["ns_per_step"] = run.ns_per_step;
  result["checkpoints"] = checkpoints;
  return result;
}

nb::list run_list(const std::vector<RunResult>& runs) {
  nb::list result;
  for (const RunResult& run : runs) result.append(run_dictionary(run));
  return result;
}

nb::dict algorithm_dictionary(const AlgorithmResult& algorithm) {
  nb::dict result;
  result["candidate"] = algorithm.candidate;
  result["regret"] = estimate_or_none(algorithm.per_step_regret);
  result["realised_regret"] = estimate_or_none(algorithm.per_step_realised_regret);
  result["simple_regret"] = estimate_or_none(algorithm.simple_regret);
  result["us_per_step"] = 1e-3 * algorithm.curve.back().nanoseconds.mean;
  result["runs"] = run_list(algorithm.runs);
  nb::list tuning;
  for (const std::vector<RunResult>& runs : algorithm.tuning) tuning.append(run_list(runs));
  result["tuning"] = tuning;
  return result;
}

nb::dict comparison_dictionary(const ComparisonResult& comparison) {
  nb::list algorithms;
  for (const AlgorithmResult& algorithm : comparison.algorithms) {
    algorithms.append(algorithm_dictionary(algorithm));
  }
  nb::dict result;
  result["algorithms"] = algorithms;
  result["table"] = table_of(comparison);
  result["best_mean_seen"] =
      comparison.best_mean_seen ? number_or_none(*comparison.best_mean_seen) : nb::none();
  return result;
}

Selection optimizer_from(nb::handle name, const nb::dict& given, std::uint64_t steps) {
  const OptimizerEntry& entry = entry_named(optimizers(), name);
  std::vector<Violation> wrong;
  OptionValues options = options_from(given, entry.fields, "optimizer.", wrong);
  refuse_others(given, entry.fields, wrong);
  throw_if_any(std::move(wrong));
  return optimizers().completed(with_horizon({entry.name, std::move(options)}, steps));
}

/// Returns all options of an optimizer on a space. Throws ConfigurationError if it cannot search
/// the space.
nb::dict checked_options(nb::handle name, const nb::dict& given, const PythonSpace& space,
                         std::uint64_t steps) {
  const Selection optimizer =
      resolved(optimizer_from(name, given, steps), space.space().dimension());
  (void)make_optimizer(optimizer, space.space());
  return options_dictionary(optimizer.options);
}

/// An environment and its space. Environments made from it refer to the Python object without
/// owning it, because experiments are copied without the interpreter's lock.
const PythonSpace& add_environment(ComparisonSpecification& comparison, nb::handle environment,
                                   std::string text, nb::handle reward_range) {
  if (!nb::isinstance<PythonFunction>(environment)) {
    const auto& known = nb::cast<const PythonEnvironment&>(environment);
    comparison.environment = known.selection();
    return known.space();
  }
  const auto& function = nb::cast<const PythonFunction&>(environment);
  comparison.environment.name = function.name;
  comparison.own = {.make = [&function] { return std::make_unique<FunctionEnvironment>(function); },
                    .text = std::move(text),
                    .reward_range = range_from(reward_range),
                    .optimum_is_known = function.optimum.has_value()};
  return nb::cast<const PythonSpace&>(function.space);
}

/// `given` is (label, name, candidates): options of an optimizer of that name, or texts of a
/// user-defined algorithm, which make(label, comparison, candidate, seed) creates.
AlgorithmSpecification algorithm_from(nb::handle given, nb::handle make, std::size_t comparison,
                                      const PythonSpace& space, std::uint64_t steps) {
  AlgorithmSpecification algorithm;
  algorithm.label = nb::cast<std::string>(given[0]);
  const bool is_own = given[1].is_none();
  for (const nb::handle candidate : nb::cast<nb::list>(given[2])) {
    algorithm.candidates.push_back(
        is_own ? Selection{nb::cast<std::string>(candidate)}
               : optimizer_from(given[1], nb::cast<nb::dict>(candidate), steps));
  }
  if (is_own) {
    algorithm.make_player = [make, comparison, label = algorithm.label, &space](
                                std::size_t candidate, std::uint64_t seed) {
      return std::make_unique<PythonPlayer>(make(label, comparison, candidate, seed), space);
    };
  }
  return algorithm;
}

/// Runs units written in Python under the interpreter's lock, and all others on threads. Both
/// report progress.
class PythonExecutor final : public Executor {
 public:
  PythonExecutor(const ExperimentSpecification& experiment, int threads, nb::object interpreted,
                 nb::object progress)
      : experiment_(experiment),
        threads_(threads),
        interpreted_(std::move(interpreted)),
        progress_(std::move(progress)) {}

  void run(const std::vector<std::string>& tasks, const Work& work, const Take& take) override {
    nb::list interpreted;
    std::vector<std::string> compiled;
    for (const std::string& key : tasks) {
      if (calls_caller(experiment_, key)) {
        interpreted.append(key);
      } else {
        compiled.push_back(key);
      }
    }
    if (nb::len(interpreted) > 0) {
      interpreted_(interpreted, nb::cpp_function([&](const std::string& key) { return work(key); }),
                   nb::cpp_function([&](const std::string& line) { take(line); }),
                   nb::cpp_function([&](std::uint64_t steps) { advance(steps); }));
    }
    if (compiled.empty()) return;
    ThreadExecutor threads(threads_);
    run_beside_interpreter([&] { threads.run(compiled, work, take); }, stop_, done_, progress_);
  }

  /// Called by runs on any thread; only the caller's thread holds the interpreter's lock.
  void advance(std::uint64_t steps) {
    done_ += steps;
    if (std::this_thread::get_id() != caller_) return;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress_.is_none()) progress_(done_.load());
  }

  [[nodiscard]] Watch watch() {
    return {[this](std::uint64_t steps) { advance(steps); }, &stop_};
  }

 private:
  const ExperimentSpecification& experiment_;
  int threads_;
  nb::object interpreted_;  // called with the keys of units and functions that run a unit, take its
                            // line and report progress
  nb::object progress_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> stop_ = false;
};

/// Runs an experiment and writes its report; without a folder nothing is written.
nb::list run(const ExperimentSpecification& experiment, const std::string& folder, bool resume,
             PythonExecutor& executor) {
  std::vector<ComparisonResult> results;
  try {
    UnitLog log = open_log(experiment, folder, !resume);
    const Watch watch = executor.watch();
    results = run_experiment(experiment, log, executor, watch, watch.steps_done);
    if (!folder.empty()) (void)write_report(experiment, results, folder, "canopy.experiment");
  } catch (const OutputError& error) {
    const bool other = error.fault() == OutputError::Fault::other_results;
    const std::string hint = other ? "; give another folder, or resume=False to discard them" : "";
    PyErr_SetString(other ? PyExc_ValueError : PyExc_OSError, (error.what() + hint).c_str());
    throw nb::python_error();
  }
  nb::list all;
  for (const ComparisonResult& result : results) all.append(comparison_dictionary(result));
  return all;
}

/// Each comparison is (name, title, environment, text, regret, reward_range); see algorithm_from
/// for algorithms.
void add_comparisons(ExperimentSpecification& experiment, const nb::list& comparisons,
                     const nb::list& algorithms, nb::handle make) {
  for (std::size_t c = 0; c < nb::len(comparisons); ++c) {
    const nb::handle given = comparisons[c];
    ComparisonSpecification comparison;
    comparison.name = nb::cast<std::string>(given[0]);
    comparison.title = nb::cast<std::string>(given[1]);
    comparison.regret = enum_from<RegretKind>("regret", given[4]);
    const PythonSpace& space =
        add_environment(comparison, given[2], nb::cast<std::string>(given[3]), given[5]);
    for (const nb::handle algorithm : algorithms) {
      comparison.algorithms.push_back(algorithm_from(algorithm, make, c, space, experiment.steps));
    }
    experiment.comparisons.push_back(std::move(comparison));
  }
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
  module.def("checked_options", &checked_options, nb::arg("name").none(), nb::arg("options"),
             nb::arg("space"), nb::arg("steps"));
  module.def(
      "run_experiment",
      [](const nb::list& comparisons, const nb::list& algorithms, nb::handle make,
         std::uint64_t steps, std::uint64_t runs, std::uint64_t tuning_runs, std::uint64_t seed,
         std::uint64_t checkpoints, const std::string& folder, bool resume, int threads,
         nb::object interpreted, nb::object progress) {
        ExperimentSpecification experiment;
        experiment.name = "experiment";
        experiment.title = "canopy.experiment";
        experiment.steps = steps;
        experiment.runs = runs;
        experiment.tuning_runs = tuning_runs;
        experiment.seed = seed;
        experiment.checkpoints = checkpoints;
        add_comparisons(experiment, comparisons, algorithms, make);
        PythonExecutor executor(experiment, threads, std::move(interpreted), std::move(progress));
        return run(experiment, folder, resume, executor);
      },
      nb::arg("comparisons"), nb::arg("algorithms"), nb::arg("make"), nb::arg("steps"),
      nb::arg("runs"), nb::arg("tuning_runs"), nb::arg("seed"), nb::arg("checkpoints"),
      nb::arg("folder"), nb::arg("resume"), nb::arg("threads"), nb::arg("interpreted"),
      nb::arg("progress").none());
}

}  // namespace canopy::python
