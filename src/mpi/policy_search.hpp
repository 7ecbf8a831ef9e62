#pragma once

#include "cli/options.hpp"
#include "environments/catalogue.hpp"
#include "mpi/mpi_executor.hpp"
#include "optimizers/catalogue.hpp"

#include <string>

#include <CLI/CLI.hpp>

namespace canopy::cli {

/// The words of `canopy-mpi search`.
struct PolicySearchArguments {
  ChoiceFlags<EnvironmentOptions, EnvironmentEntry> environment{"environment", "--environment",
                                                                "lqr"};
  OptionFlags optimizer;
  std::string steps = "1000000";
  std::string seed = "1";
  bool json = false;

  void add_to(CLI::App& command);
};

/// One HCT learner with correlated feedback on rank 0. Every rank runs a chain of its own; the
/// pulls of an episode are shared among them and come back as count, sum and sum of squares.
/// Returns the exit status.
[[nodiscard]] int run_policy_search(const PolicySearchArguments& arguments,
                                    const MpiSession& session);

}  // namespace canopy::cli
