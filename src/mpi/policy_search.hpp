#pragma once

#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"

#include "mpi/mpi_executor.hpp"
#include "terminal/option_flags.hpp"

#include <string>

namespace canopy::terminal {

/// The command-line arguments of `canopy-mpi search`.
struct PolicySearchArguments {
  SelectionFlags environment{environments(), "--environment", "lqr"};
  SelectionFlags optimizer{optimizers(), "--optimizer", std::string(kDefaultOptimizer)};
  std::string steps = "1000000";
  std::string seed = "1";
  bool json = false;

  void add_to(ArgumentParser& command);
};

/// Policy search with one learner on rank 0; HCT uses correlated feedback by default. Every rank
/// runs a chain of its own; the pulls of an episode are divided among the ranks, which return
/// count, mean and spread. Returns the exit status.
[[nodiscard]] int run_policy_search(const PolicySearchArguments& arguments,
                                    const MpiSession& session);

}  // namespace canopy::terminal
