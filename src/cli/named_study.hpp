#pragma once

#include "cli/failure.hpp"
#include "cli/study_flags.hpp"
#include "studies/study.hpp"

#include <memory>
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

/// A study in the store, to be looked at while somebody else may be writing to it.
struct NamedStudy {
  explicit NamedStudy(const NamedStudyFlags& flags)
      : store(flags.store, Store::Mode::open),
        record(find_study(store, checked_name(flags))),
        specification(parse_study(record.source, record.name)) {}

  [[nodiscard]] std::unique_ptr<Optimizer> load() {
    return load_optimizer(store, record, specification);
  }

  Store store;
  StudyRecord record;
  StudySpecification specification;

 private:
  static const std::string& checked_name(const NamedStudyFlags& flags) {
    if (flags.name.empty()) throw WrongUse("NAME: is missing; `canopy studies list` shows them");
    return flags.name;
  }
};

}  // namespace canopy::cli
