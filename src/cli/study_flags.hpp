#pragma once

#include "canopy/errors.hpp"

#include "cli/failure.hpp"
#include "studies/study.hpp"

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace canopy::cli {

/// Adds `--store FILE`.
inline void add_store_flag(CLI::App& command, std::string& store) {
  command.add_option("--store", store, "the file that holds the studies")->capture_default_str();
}

/// The flags of commands that write to a study.
struct StudyFlags {
  std::string store = "canopy.db";
  std::optional<std::string> fork;

  void add_to(CLI::App& command) {
    add_store_flag(command, store);
    command.add_option(
        "--fork", fork,
        "start a new study of this name from the one in the store; with its journal, "
        "if the file changes nothing that matters to it");
  }
};

/// Runs a command; what is wrong with the study file is wrong use.
template <class Run>
int with_study_errors(const std::string& file, Run&& run) {
  try {
    return run();
  } catch (const SpecificationError& error) {
    throw WrongUse(error.what());
  } catch (const ConfigurationError& error) {
    throw WrongUse(file + ": " + error.what());
  }
}

}  // namespace canopy::cli
