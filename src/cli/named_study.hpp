#pragma once

#include "cli/study_flags.hpp"
#include "cli/study_text.hpp"
#include "stores/stored_study.hpp"
#include "terminal/failure.hpp"
#include "terminal/words.hpp"

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace canopy::cli {

/// The words of commands that look at a study: NAME, --store, --json.
struct NamedStudyFlags {
  std::string name;
  std::string store = "canopy.db";
  bool json = false;

  void add_to(terminal::Words& command) {
    command.option("NAME", name, "the name of the study");
    add_store_flag(command, store);
    command.flag("--json", json, "print JSON");
  }
};

/// The study that the words name.
struct NamedStudy : StoredStudy {
  explicit NamedStudy(const NamedStudyFlags& flags)
      : StoredStudy(flags.store, checked_name(flags)) {}

  /// The optimizer as it is now; prints a warning if it is not the one that chose the arms, and if
  /// settings do not fit what was seen.
  [[nodiscard]] LoadedOptimizer load_with_warning() {
    LoadedOptimizer loaded = load();
    if (!loaded.warning.empty()) fmt::print(stderr, "canopy: {}\n", loaded.warning);
    for (const std::string& line : advice(*loaded.optimizer)) {
      fmt::print(stderr, "canopy: {}\n", line);
    }
    return loaded;
  }

 private:
  static const std::string& checked_name(const NamedStudyFlags& flags) {
    if (flags.name.empty())
      throw terminal::WrongUse("NAME: is missing; `canopy studies list` shows the names");
    return flags.name;
  }
};

}  // namespace canopy::cli
