#include "canopy/study.hpp"

#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "cli/run_tuner.hpp"
#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "tuning/tuner_state.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct ConfirmArguments {
  NamedStudyFlags study;
  std::optional<std::string> pulls;
};

int confirm(const ConfirmArguments& arguments) {
  if (arguments.study.name.empty()) {
    throw WrongUse("NAME: is missing; `canopy studies list` shows the names");
  }
  std::optional<std::uint64_t> asked_for;
  if (arguments.pulls) {
    asked_for = number_in<std::uint64_t>(*arguments.pulls);
    if (!asked_for || *asked_for < 2) {
      throw WrongUse("--pulls = " + excerpt(*arguments.pulls) +
                     ": must be a whole number from 2 on");
    }
  }
  const AnyStore store = open_any_store(arguments.study.where, Store::Mode::open, "confirm");
  Study study =
      Study::reopen(*store, {.name = arguments.study.name, .fork = {}, .fold = tuner_fold});
  const auto& system = study.specification().system;
  if (!system || !study.specification().baseline) {
    throw WrongUse(arguments.study.name +
                   ": has no baseline to compare with; give [baseline] in its study file and "
                   "run canopy tune once more");
  }
  const std::uint64_t pulls =
      asked_for.value_or(study.specification().budget.confirm_pulls.value_or(kConfirmPulls));
  store.wait_for_server(system->options.outage_seconds);
  return run_tuner("confirm", study, {}, arguments.study.json,
                   [&](Tuner& tuner) { return tuner.confirm(pulls); });
}

}  // namespace

Command add_confirm(ArgumentParser app) {
  const auto arguments = std::make_shared<ConfirmArguments>();
  ArgumentParser command = app.command(
      "confirm", "Compare the best arm of a study with its baseline, on the live system.");
  arguments->study.add_to(command);
  command.option("--pulls", arguments->pulls,
                 "at most so many, of both together [budget.confirm_pulls, or 100]");
  command.footer(
      "With [[context]] it compares the policy: what is best in each context.\n"
      "The two are set and measured in turn, in random order, until the interval of their\n"
      "difference, from these pulls alone, excludes zero, or the pulls are used. The verdict is\n"
      "kept in the study; the system is left as system.on_exit says.\n"
      "Example:\n  canopy confirm cache --pulls 60");
  return [arguments] { return confirm(*arguments); };
}

}  // namespace canopy::cli
