#pragma once

#include "cli/any_store.hpp"
#include "cli/study_text.hpp"
#include "stores/stored_study.hpp"
#include "terminal/argument_parser.hpp"
#include "terminal/failure.hpp"
#include "terminal/say.hpp"
#include "tuning/tuner_state.hpp"

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace canopy::cli {

/// The options of commands that show a study: NAME, its store, --json.
struct NamedStudyFlags {
  std::string name;
  StoreFlags where;
  bool json = false;

  void add_to(terminal::ArgumentParser& command) {
    command.option("NAME", name, "name of the study");
    where.add_to(command);
    command.flag("--json", json, "print JSON");
  }
};

/// The study that these options name.
struct NamedStudy : StoredStudy {
  NamedStudy(const NamedStudyFlags& flags, const std::string& command)
      : StoredStudy(opened(flags, command), flags.name) {}

  /// Loads the optimizer. Prints a warning if another revision of the algorithm chose the arms, or
  /// if options do not fit the rewards.
  [[nodiscard]] LoadedOptimizer load_with_warning() {
    LoadedOptimizer loaded = load(tuner_fold);
    if (!loaded.warning.empty()) terminal::say("canopy: {}\n", loaded.warning);
    for (const std::string& line : advice(*loaded.optimizer)) {
      terminal::say("canopy: {}\n", line);
    }
    return loaded;
  }

 private:
  static std::unique_ptr<Store> opened(const NamedStudyFlags& flags, const std::string& command) {
    if (flags.name.empty())
      throw terminal::WrongUse("NAME: is missing; `canopy studies list` shows the names");
    return open_any_store(flags.where, Store::Mode::open, command).store;
  }
};

}  // namespace canopy::cli
