#include "cli/commands.hpp"
#include "cli/context_words.hpp"
#include "cli/named_study.hpp"
#include "cli/study_text.hpp"
#include "files/arm_document.hpp"
#include "files/json.hpp"
#include "files/record.hpp"
#include "insight/best_answer.hpp"
#include "insight/policy_text.hpp"
#include "studies/answers.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

/// Says why there is no best arm. If no arm keeps the limits, also shows the one that comes
/// nearest.
int say_why_there_is_none(const Optimizer& optimizer, const NamedStudy& study,
                          const TunerState& tuner, Context context, bool json) {
  const Space& space = study.specification.space;
  const std::string why = no_best_text(space, optimizer, context);
  const auto nearest = context.empty() ? optimizer.nearest() : optimizer.nearest_in(context);
  if (json) {
    Document answer = Document::Table{{"best", Document()}};
    if (nearest) {
      const BestAnswer near = best_answer(optimizer, *nearest, study.specification, tuner);
      answer.set("nearest", record_of(space, near));
    }
    answer.set("why", why);
    fmt::print("{}\n", json_text(answer, 2));
    return kFailure;
  }
  if (!nearest) throw StudyError(StudyError::Fault::other, study.record.name + ": " + why);
  fmt::print("{}\nnearest: {}\n", why, best_text(space, *nearest));
  for (const std::string& line : metric_lines(*nearest, study.specification, tuner)) {
    fmt::print("{}\n", line);
  }
  return kFailure;
}

struct BestArguments {
  NamedStudyFlags study;
  std::vector<std::string> context;
};

/// The context given by `--context`; empty if the study has no contexts.
std::vector<double> context_of(const BestArguments& arguments, const NamedStudy& study) {
  const ContextSpace& contexts = study.specification.contexts;
  if (!contexts.empty() && arguments.context.empty()) {
    throw WrongUse(
        fmt::format("--context: is missing; the best setting may depend on {}. Give {}, or see "
                    "all regions of contexts with `canopy policy {}`",
                    names_text(contexts), context_flags(contexts), study.record.name));
  }
  if (arguments.context.empty()) return {};
  return context_from(arguments.context, contexts);
}

/// Describes the region of a policy that a context belongs to.
std::string region_of(const ContextSpace& contexts, const Policy& policy, Context context) {
  bool is_moved = false;
  const std::vector<double> within = contexts.within(context, is_moved);
  const auto row = std::find_if(policy.rows.begin(), policy.rows.end(), [&](const PolicyRow& each) {
    return is_in_region(contexts, each, within);
  });
  return row != policy.rows.end() ? region_text(contexts, *row) : "";
}

void print_best(const Optimizer& optimizer, const Best& best, const NamedStudy& study,
                const TunerState& tuner, Context context) {
  for (const KnownLine& line : best_lines(optimizer, best, study.specification, tuner)) {
    fmt::print("{}{}{}\n", line.about, line.about.empty() ? "" : ": ", line.text);
  }
  if (context.empty()) return;
  const ContextSpace& contexts = study.specification.contexts;
  fmt::print("region: {}; the reward is a mean over the contexts in this region\n",
             region_of(contexts, optimizer.policy().value_or(Policy{}), context));
}

int show_best(const BestArguments& arguments) {
  NamedStudy study(arguments.study, "best");
  const std::vector<double> context = context_of(arguments, study);
  const LoadedOptimizer loaded = study.load_with_warning();
  const Optimizer& optimizer = *loaded.optimizer;
  const TunerState& tuner = tuner_state_of(loaded);
  const auto best = context.empty() ? optimizer.best() : optimizer.best_in(context);
  const bool json = arguments.study.json;
  if (!best) return say_why_there_is_none(optimizer, study, tuner, context, json);
  if (!json) {
    print_best(optimizer, *best, study, tuner, context);
    return kSuccess;
  }
  Document answer = record_of(study.specification.space,
                              best_answer(optimizer, *best, study.specification, tuner));
  const auto observed = context_document(study.specification.contexts, context);
  if (observed) answer.set("context", *observed);
  fmt::print("{}\n", json_text(answer, 2));
  return kSuccess;
}

}  // namespace

Command add_best(ArgumentParser app) {
  const auto arguments = std::make_shared<BestArguments>();
  ArgumentParser command =
      app.command("best", "Show the best setting so far and its uplift over the baseline.");
  arguments->study.add_to(command);
  add_context_flag(command, arguments->context);
  command.footer(
      "The exit status is 1 if there is no best setting.\n\n"
      "Examples:\n  canopy best cache\n  canopy best cache --context load=0.7 --context tenant=a");
  return [arguments] { return show_best(*arguments); };
}

}  // namespace canopy::cli
