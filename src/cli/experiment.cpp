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
      app.command("experiment", "Run an experiment file: tune, compare and draw.");
  arguments->experiment.add_to(command);
  command.option("--threads", arguments->threads,
                 "number of threads [one per core]; the results do not depend on it");
  command.footer(
      "Example, the figures of the paper:\n"
      "  canopy experiment experiments/paper.toml\n"
      "If it is interrupted, the same command continues where it stopped.");
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
