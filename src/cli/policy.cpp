#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "cli/study_text.hpp"
#include "core/excerpt.hpp"
#include "files/json.hpp"
#include "insight/best_text.hpp"
#include "insight/policy_code.hpp"
#include "insight/policy_text.hpp"
#include "studies/answers.hpp"
#include "studies/policy_document.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct PolicyArguments {
  NamedStudyFlags study;
  bool csv = false;
  std::optional<std::string> code;  // a programming language
};

void print_words(const NamedStudy& study, const Policy& policy, std::uint64_t pulls,
                 const TunerState& tuner) {
  const ContextSpace& contexts = study.specification.contexts;
  fmt::print("{}: {}, after {}\n\n", study.record.name, policy_summary(contexts, policy),
             pulls == 1 ? "1 pull" : fmt::format("{} pulls", pulls));
  for (const std::string& line : policy_table(study.specification, policy)) {
    fmt::print("{}\n", line);
  }
  fmt::print("\n");
  for (const KnownLine& line : context_lines(contexts, policy)) {
    fmt::print("{:<12} {}\n", line.about, line.text);
  }
  const std::string compared = verdict_line(study.specification.space, tuner, std::nullopt);
  if (!compared.empty()) fmt::print("{:<12} {}\n", "compared", compared);
  fmt::print(
      "\n"
      "Means and intervals are averages over the contexts of a region. For a single context: "
      "`canopy best {} {}`\n",
      study.record.name, context_flags(contexts));
}

int show_policy(const PolicyArguments& arguments) {
  if ((arguments.study.json ? 1 : 0) + (arguments.csv ? 1 : 0) + (arguments.code ? 1 : 0) > 1) {
    throw WrongUse("--json, --csv, --code: give only one of them");
  }
  if (arguments.code && *arguments.code != "python") {
    throw WrongUse("--code " + excerpt(*arguments.code) + R"(: must be "python")");
  }
  NamedStudy study(arguments.study, "policy");
  const LoadedOptimizer loaded = study.load_with_warning();
  const auto& optimizer = loaded.optimizer;
  const auto policy = optimizer->policy();
  const StudySpecification& specification = study.specification;
  if (!policy) {
    throw StudyError(StudyError::Fault::other,
                     study.record.name + ": " + std::string(kNoContexts) + "; see `canopy best`");
  }
  const std::uint64_t pulls = optimizer->summary().t - 1;
  if (arguments.study.json) {
    const Names names(specification.space, specification.contexts);
    fmt::print("{}\n", json_text(policy_document(names, *policy), 2));
  } else if (arguments.csv) {
    for (const std::string& line : policy_csv(specification, *policy)) fmt::print("{}\n", line);
  } else if (arguments.code) {
    fmt::print("{}", policy_python(study.record.name, specification, *policy, pulls));
  } else {
    print_words(study, *policy, pulls, tuner_state_of(loaded));
  }
  const bool has_best = std::any_of(policy->rows.begin(), policy->rows.end(),
                                    [](const PolicyRow& row) { return !row.arm.empty(); });
  return has_best ? kSuccess : kFailure;
}

}  // namespace

Command add_policy(ArgumentParser app) {
  const auto arguments = std::make_shared<PolicyArguments>();
  ArgumentParser command = app.command(
      "policy", "Show the best setting for each context, for a study with [[context]].");
  arguments->study.add_to(command);
  command.flag("--csv", arguments->csv, "print CSV, one line per region");
  command.option("--code", arguments->code,
                 "print a function to paste into a service, in this language: python");
  command.footer(
      "A region is a set of contexts that share a best setting. Below the table: whether the "
      "best setting depends on each variable, and the effect of the variable on the rewards of "
      "all settings. The exit status is 1 if there is no best setting.\n"
      "Examples:\n"
      "  canopy policy cache\n"
      "  canopy policy cache --json\n"
      "  canopy policy cache --code python > cache_policy.py   # def setting(hour, load)");
  return [arguments] { return show_policy(*arguments); };
}

}  // namespace canopy::cli
