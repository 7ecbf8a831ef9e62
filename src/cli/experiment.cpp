#include "commands/experiment.hpp"

#include "cli/commands.hpp"
#include "terminal/option_flags.hpp"

#include <memory>
#include <optional>
#include <string>

namespace canopy::cli {

Command add_experiment(ArgumentParser app) {
  struct Arguments {
    ExperimentArguments experiment;
    std::optional<std::string> threads;
  };
  const auto arguments = std::make_shared<Arguments>();
  ArgumentParser command =
      app.command("experiment", "Tune, compare and draw as an experiment file says.");
  arguments->experiment.add_to(command);
  command.option("--threads", arguments->threads,
                 "units at a time [one per core]; the results do not depend on it");
  command.footer(
      "Example, the figures of the paper:\n"
      "  canopy experiment experiments/paper.toml\n"
      "Whatever stops it, no finished unit is lost: the same command continues from there.");
  return [arguments] {
    int threads = 0;
    if (arguments->threads) {
      threads = static_cast<int>(parse_whole("--threads", *arguments->threads, 1, 1024));
    }
    ThreadExecutor executor(threads);
    return run_experiment_command(arguments->experiment, arguments->experiment.load(), executor,
                                  "canopy experiment " + arguments->experiment.file);
  };
}

}  // namespace canopy::cli
