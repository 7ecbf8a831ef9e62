#pragma once

#include "canopy/errors.hpp"
#include "canopy/study.hpp"

#include "terminal/argument_parser.hpp"
#include "terminal/failure.hpp"

#include <optional>
#include <string>

namespace canopy::cli {

/// Adds `--store STORE`.
inline void add_store_flag(terminal::ArgumentParser& command, std::string& store) {
  command.option("--store", store,
                 "where the studies are: a file, or postgresql://user@host/database");
}

/// Adds `--fork NEW`.
inline void add_fork_flag(terminal::ArgumentParser& command, std::optional<std::string>& fork) {
  command.option("--fork", fork,
                 "start a new study of this name from the stored one. It takes over the whole "
                 "journal, or only the rewards if options that learning depends on differ, or "
                 "nothing if the parameters, contexts or commands differ");
}

/// Runs a command and turns errors of the study file into WrongUse.
template <class Run>
int with_study_errors(const std::string& file, Run&& run) {
  try {
    return run();
  } catch (const SpecificationError& error) {
    throw terminal::WrongUse(error.what());
  } catch (const ConfigurationError& error) {
    throw terminal::WrongUse(file + ": " + error.what());
  }
}

}  // namespace canopy::cli
