// canopy-mpi: experiments and policy search on many processes.

#include "canopy/family.hpp"
#include "canopy/version.hpp"

#include "commands/experiment.hpp"
#include "experiments/runner.hpp"
#include "mpi/mpi_executor.hpp"
#include "mpi/policy_search.hpp"
#include "terminal/failure.hpp"
#include "terminal/output.hpp"

#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace canopy::terminal {
namespace {

int run_experiment_ranks(const ExperimentArguments& arguments, const MpiSession& session) {
  const ExperimentSpecification experiment = arguments.load();
  if (session.rank() != 0) {
    MpiExecutor::serve([&](const std::string& key) { return do_unit(experiment, key, Watch{}); });
    return kSuccess;
  }
  MpiExecutor executor(session);
  const int status = run_experiment_command(
      arguments, experiment, executor,
      fmt::format("mpirun -n {} canopy-mpi experiment {}", session.ranks(), arguments.file));
  if (status != kSuccess) MpiSession::abort(status);  // other ranks may be executing a unit
  return status;
}

int run(int argc, char** argv, const MpiSession& session) {
  add_family();
  CLI::App app{"canopy on many processes; start it with mpirun."};
  app.name("canopy-mpi");
  app.set_version_flag("--version", std::string("canopy ") + CANOPY_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  mpirun -n 64 canopy-mpi experiment experiments/paper.toml\n"
      "  mpirun -n 8 canopy-mpi search --environment lqr --steps 1e6");
  CLI::App* experiment = app.add_subcommand(
      "experiment", "Like canopy experiment, with the units spread over all ranks.");
  ExperimentArguments arguments;
  ArgumentParser experiment_words(*experiment);
  arguments.add_to(experiment_words);
  CLI::App* search = app.add_subcommand(
      "search",
      "One learner, and a copy of the system on every rank. HCT expects correlated feedback here.");
  PolicySearchArguments search_arguments;
  ArgumentParser search_words(*search);
  search_arguments.add_to(search_words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool help = dynamic_cast<const CLI::Success*>(&error) != nullptr;
    if (session.rank() == 0) (void)app.exit(error);
    return help ? kSuccess : kWrongUse;
  }
  try {
    if (experiment->parsed()) return run_experiment_ranks(arguments, session);
    return run_policy_search(search_arguments, session);
  } catch (const WrongUse& error) {  // detected by every rank
    if (session.rank() == 0) fmt::print(stderr, "canopy-mpi: {}\n", error.what());
    return kWrongUse;
  }
}

}  // namespace
}  // namespace canopy::terminal

int main(int argc, char** argv) {
  canopy::MpiSession session(argc, argv);
  try {
    return canopy::terminal::finish_output("canopy-mpi",
                                           canopy::terminal::run(argc, argv, session));
  } catch (const std::exception& error) {
    fmt::print(stderr, "canopy-mpi: {}\n", error.what());
    canopy::MpiSession::abort(canopy::terminal::kFailure);
  }
}
