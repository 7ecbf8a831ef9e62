#include "commands/experiment.hpp"

#include "experiments/profile.hpp"
#include "experiments/runner.hpp"
#include "terminal/failure.hpp"
#include "terminal/progress.hpp"

#include <vector>

#include <fmt/format.h>

namespace canopy::terminal {
void ExperimentArguments::add_to(ArgumentParser& command) {
  command.option("EXPERIMENT.toml", file, "the experiment file");
  command.option("--out", out, "folder for the results [out/NAME]");
  command.flag("--fresh", fresh, "discard existing results and start over");
}

ExperimentSpecification ExperimentArguments::load() const {
  if (file.empty()) throw WrongUse("EXPERIMENT.toml is missing; see --help for an example");
  try {
    return load_experiment(file);
  } catch (const SpecificationError& error) {
    throw WrongUse(error.what());
  }
}

int run_experiment_command(const ExperimentArguments& arguments,
                           const ExperimentSpecification& experiment, Executor& executor,
                           const std::string& command) {
  const std::string folder = arguments.out.value_or("out/" + experiment.name);
  UnitLog log = open_log(experiment, folder, arguments.fresh);
  if (log.size() > 0) {
    fmt::print(stderr, "{} finished units found in {}\n", log.size(), folder);
  }
  const StopOnSignal stop_on_signal;
  std::vector<ComparisonResult> results;
  try {
    ProgressBar bar(total_steps(experiment), "steps");
    const auto advance = [&](std::uint64_t steps) { bar.add(steps); };
    results = run_experiment(experiment, log, executor, {advance, &StopOnSignal::flag()}, advance);
  } catch (const Stopped&) {
    fmt::print(
        stderr,
        "canopy experiment: interrupted; {} finished units are kept in {}, and the same command "
        "continues from there\n",
        log.size(), folder);
    return kInterrupted;
  }
  for (const ComparisonResult& result : results) fmt::print("{}\n", table_of(result));
  if (experiment.is_suite) {
    fmt::print("{}\n", table_of(Profile(results, profiled_steps(experiment))));
  }
  const Report report = write_report(experiment, results, folder, command);
  if (!report.figures_missing.empty()) {
    fmt::print(stderr, "canopy experiment: no figures: {}\n", report.figures_missing);
  }
  fmt::print("{} files in {}; open {}/report.html\n", report.files.size(), folder, folder);
  return kSuccess;
}

}  // namespace canopy::terminal
