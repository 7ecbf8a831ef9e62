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
                     ": must be a whole number, 2 or more");
    }
  }
  const AnyStore store = open_any_store(arguments.study.where, Store::Mode::open, "confirm");
  Study study =
      Study::reopen(*store, {.name = arguments.study.name, .fork = {}, .fold = tuner_fold});
  const auto& system = study.specification().system;
  if (!system || !study.specification().baseline) {
    throw WrongUse(arguments.study.name +
                   ": has no baseline to compare with; add [baseline] to its study file and run "
                   "canopy tune again");
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
      "confirm", "Compare the best setting so far with the baseline, on the live system.");
  arguments->study.add_to(command);
  command.option("--pulls", arguments->pulls,
                 "maximum number of measurements, both settings together [budget.confirm_pulls, "
                 "or 100]");
  command.footer(
      "The two settings are applied and measured in pairs, in random order. It ends when the "
      "confidence interval of their difference, from these measurements alone, excludes zero, or "
      "after the maximum number of measurements. With [[context]] the whole policy is compared "
      "with the baseline. The result is stored in the study; system.on_exit says at which setting "
      "the system is left.\n"
      "Example:\n"
      "  canopy confirm cache --pulls 60");
  return [arguments] { return confirm(*arguments); };
}

}  // namespace canopy::cli
