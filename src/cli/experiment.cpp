#include "cli/experiment.hpp"

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "experiments/experiment.hpp"
#include "experiments/report.hpp"

#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw OutputError(folder + ": cannot be made: " + error.message());
}

}  // namespace

void ExperimentArguments::add_to(CLI::App& command) {
  command.add_option("EXPERIMENT.toml", file, "what is compared with what");
  command.add_option("--out", out, "folder for the results [out/ and the experiment's name]");
  command.add_flag("--fresh", fresh, "forget the results that are there and start over")
      ->disable_flag_override();
}

ExperimentSpecification ExperimentArguments::load() const {
  if (file.empty()) throw WrongUse("EXPERIMENT.toml: is missing; see --help for an example");
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
  make_folder(folder);
  UnitLog log(folder + "/units.csv", fingerprint(experiment), arguments.fresh);
  if (log.size() > 0) {
    fmt::print(stderr, "{} units are done already in {}\n", log.size(), folder);
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
        "goes on from there\n",
        log.size(), folder);
    return kInterrupted;
  }
  for (const ComparisonResult& result : results) fmt::print("{}\n", table_of(result));
  const Report report = write_report(experiment, results, folder, {command, CANOPY_VERSION});
  if (!report.figures_missing.empty()) {
    fmt::print(stderr, "canopy experiment: no figures: {}\n", report.figures_missing);
  }
  fmt::print("{} files in {}; open {}/report.html\n", report.files.size(), folder, folder);
  return kSuccess;
}

Command add_experiment(CLI::App& app) {
  struct Words {
    ExperimentArguments experiment;
    std::optional<std::string> threads;
  };
  const auto words = std::make_shared<Words>();
  CLI::App* command =
      app.add_subcommand("experiment", "Tune, compare and draw: what an experiment file asks for.");
  words->experiment.add_to(*command);
  command->add_option("--threads", words->threads,
                      "units at a time [one per core]; the results do not depend on it");
  command->footer(
      "Example, the figures of the paper:\n"
      "  canopy experiment experiments/paper.toml\n"
      "Whatever stops it loses no finished unit: the same command goes on from there.");
  return [words] {
    int threads = 0;
    if (words->threads) {
      threads = static_cast<int>(parse_whole("--threads", *words->threads, 1, 1024));
    }
    ThreadExecutor executor(threads);
    return run_experiment_command(words->experiment, words->experiment.load(), executor,
                                  "canopy experiment " + words->experiment.file);
  };
}

}  // namespace canopy::cli
