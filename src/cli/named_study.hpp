#pragma once

#include "cli/failure.hpp"
#include "cli/study_flags.hpp"
#include "studies/stored_study.hpp"

#include <string>

#include <CLI/CLI.hpp>

namespace canopy::cli {

/// The words of commands that look at a study: NAME, --store, --json.
struct NamedStudyFlags {
  std::string name;
  std::string store = "canopy.db";
  bool json = false;

  void add_to(CLI::App& command) {
    command.add_option("NAME", name, "the study");
    add_store_flag(command, store);
    command.add_flag("--json", json, "print JSON")->disable_flag_override();
  }
};

/// The study that the words name.
struct NamedStudy : StoredStudy {
  explicit NamedStudy(const NamedStudyFlags& flags)
      : StoredStudy(flags.store, checked_name(flags)) {}

 private:
  static const std::string& checked_name(const NamedStudyFlags& flags) {
    if (flags.name.empty()) throw WrongUse("NAME: is missing; `canopy studies list` shows them");
    return flags.name;
  }
};

}  // namespace canopy::cli
