#include "cli/dry_run.hpp"

#include "cli/study_text.hpp"
#include "core/text.hpp"
#include "terminal/failure.hpp"
#include "terminal/progress.hpp"
#include "terminal/say.hpp"
#include "tuning/contexts.hpp"
#include "tuning/system.hpp"
#include "tuning/warnings.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {

using namespace terminal;

namespace {

constexpr std::size_t kArmsShown = 4;
constexpr int kTrials = 3;

/// The first distinct arms that the optimizer would choose in a context.
std::vector<std::vector<double>> first_arms(StudySpecification study, Context context) {
  study.baseline.reset();
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(study);
  std::vector<std::vector<double>> arms;
  for (std::size_t i = 0; i < 4 * kArmsShown && arms.size() < kArmsShown; ++i) {
    const OwnedPull pull(context.empty() ? optimizer->ask(1) : optimizer->ask_in(context, 1));
    if (std::find(arms.begin(), arms.end(), pull.arm) == arms.end()) arms.push_back(pull.arm);
  }
  return arms;
}

void print_commands(const CommandSystem& system, const Space& space, Arm arm,
                    const std::string& what) {
  fmt::print("{}: {}\n", what, space.describe(arm));
  if (const std::string apply = system.apply_text(arm); !apply.empty()) {
    fmt::print("  apply    {}\n", apply);
  }
  std::string_view first = "measure";
  for (const std::string& line : system.measure_texts(arm)) {
    fmt::print("  {:7}  {}\n", first, line);
    first = "";
  }
}

/// Evaluates the queries that will measure the system. This does not change the system.
void show_queries(CommandSystem& system, Arm arm, std::vector<Warning>& warnings) {
  constexpr double kFewestScrapes = 2.0;  // minimum for a rate
  bool is_answered = true;
  for (const PrometheusMeter::Look& look : system.look(arm)) {
    const std::string key = "system.measure." + look.key;
    if (const auto* number = std::get_if<PrometheusClient::Number>(&look.result)) {
      fmt::print("{}: now {:.6g}\n", key, number->value);
      continue;
    }
    const auto& [failure, lacks_data] = std::get<PrometheusClient::Failure>(look.result);
    is_answered = is_answered && lacks_data;
    warnings.push_back({!lacks_data, key + ": " + failure.what});
  }
  const auto interval = is_answered ? system.scrape_interval() : std::nullopt;
  const double over = system.over();
  if (!interval || over >= kFewestScrapes * *interval) return;
  warnings.push_back(
      {false, fmt::format("system.measure.over: {:g} s is too short: Prometheus scrapes every "
                          "{:g} s, and a rate needs two scrapes. Set it to {:g}s or more",
                          over, *interval, 2.0 * kFewestScrapes * *interval)});
}

/// Observes and prints the context, which the printed commands then use. If it cannot be observed,
/// the middle of each range is used instead.
std::vector<double> show_contexts(CommandSystem& system, const StudySpecification& study,
                                  std::vector<Warning>& warnings) {
  if (study.contexts.empty()) return {};
  const bool has_fault = std::any_of(warnings.begin(), warnings.end(),
                                     [](const Warning& warning) { return warning.is_error; });
  std::vector<double> context;
  for (const auto& [name, domain, period] : study.contexts.variables()) {
    context.push_back(domain.at(0.5));
  }
  std::vector<std::string> now(study.contexts.size());
  if (!has_fault) {
    auto observed = system.observe();
    if (const auto* failure = std::get_if<SystemFailure>(&observed)) {
      warnings.push_back({true, failure->what});
    } else {
      context = std::get<std::vector<double>>(std::move(observed));
      const std::vector<Warning> odd = warnings_about_context(study.contexts, context);
      warnings.insert(warnings.end(), odd.begin(), odd.end());
      bool is_moved = false;
      const std::vector<double> counted = study.contexts.within(context, is_moved);
      for (std::size_t i = 0; i < now.size(); ++i) {
        now[i] = ", now " + study.contexts[i].domain.text(counted[i]);
      }
    }
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto& [source, zone, prometheus] = study.context_sources[i];
    const std::string from = prometheus       ? prometheus->prometheus + ": " + prometheus->query
                             : source.empty() ? "no source"
                                              : source;
    fmt::print("context {}: {}{}{}\n", study.contexts[i].name, from,
               zone.empty() ? "" : " in " + zone, now[i]);
  }
  (void)system.enter(context);
  return context;
}

std::string exit_text(const StudySpecification& study) {
  const SystemSpecification& system = *study.system;
  std::string baseline =
      study.baseline ? "the baseline, " + study.space.describe(study.baseline->setting) : "";
  switch (system.options.on_exit) {
    case OnExit::best:
      if (!study.contexts.empty() && study.baseline) {
        return "the setting for the last context if the policy is proven or confirmed to be "
               "better, otherwise " +
               baseline;
      }
      if (!study.contexts.empty()) return "the best setting for the last context";
      if (!study.baseline)
        return "the best setting so far; there is no baseline to compare it with";
      return fmt::format(
          "the setting that is better than the baseline at the {:.4g} % level, otherwise {}",
          100.0 * study.objective.confidence, baseline);
    case OnExit::confirmed:
      return "the best setting if it was confirmed, otherwise " + baseline;
    case OnExit::baseline:
      return baseline;
    case OnExit::leave:
      return "the setting in force at the end";
  }
  return "";
}

std::string budget_text(const Budget& budget) {
  std::string text;
  if (budget.pulls) text += fmt::format("{} pulls", *budget.pulls);
  if (budget.seconds) {
    text +=
        fmt::format("{}{} of tuning", text.empty() ? "" : " or ", duration_text(*budget.seconds));
  }
  if (text.empty()) text = "unlimited, until Ctrl-C";
  if (budget.confirm_pulls) {
    text += fmt::format(", then up to {} measurements to confirm", *budget.confirm_pulls);
  }
  return text;
}

/// Measures the system three times at `arm`. Returns false if that failed.
bool try_out(CommandSystem& system, const StudySpecification& study, Arm arm,
             std::vector<Warning>& warnings) {
  if (const auto failure = system.apply(arm)) {
    warnings.push_back({true, failure->what});
    return false;
  }
  std::vector<double> rewards;
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < kTrials; ++i) {
    const auto result = measure(system, arm);
    if (const auto* failure = std::get_if<SystemFailure>(&result)) {
      warnings.push_back({true, failure->what});
      return false;
    }
    const auto& reading = std::get<Reading>(result);
    rewards.push_back(reading.reward);
    for (const Limit& limit : study.objective.limits) {
      const auto found = reading.metrics.find(limit.metric);
      if (found == reading.metrics.end()) {
        warnings.push_back(
            {true, fmt::format("the measurement lacks {}, which has a limit", limit.metric)});
      } else if (limit.room(found->second) < 0.0) {
        warnings.push_back({false, fmt::format("{} is {:.4g} at this setting, and must be {}",
                                               limit.metric, found->second, limit.text())});
      }
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / kTrials;
  fmt::print("measured {} times at {}: {}\n", kTrials, study.space.describe(arm),
             fmt::join(rewards, ", "));
  fmt::print("one measurement takes {}",
             seconds < 1.0 ? fmt::format("{:.0f} ms", 1e3 * seconds) : duration_text(seconds));
  if (study.budget.pulls) {
    const double pulls = static_cast<double>(*study.budget.pulls) +
                         static_cast<double>(study.budget.confirm_pulls.value_or(0));
    fmt::print(", so the tuning will take at least {}", duration_text(seconds * pulls));
  }
  fmt::print("\n");
  if (rewards.front() == rewards.back() && rewards.front() == rewards[1]) {
    warnings.push_back(
        {false,
         "three measurements gave exactly the same reward; check what the measure command "
         "prints"});
  }
  return true;
}

}  // namespace

int dry_run(const StudySpecification& study, const std::string& name, bool measures) {
  std::vector<Warning> warnings = warnings_about(study);
  CommandSystem system = command_system_of(study, &StopOnSignal::flag());
  fmt::print("study {}: {}\n", name,
             measures ? "tried on the system; nothing is stored"
             : !study.contexts.empty()
                 ? "dry run; only the contexts are observed, nothing is stored"
             : system.over() > 0.0 ? "dry run; only the queries are evaluated, nothing is stored"
                                   : "dry run; nothing is run or stored");
  const std::vector<double> context = show_contexts(system, study, warnings);
  const auto& baseline = study.baseline;
  if (baseline) print_commands(system, study.space, baseline->setting, "baseline");
  const std::vector<std::vector<double>> arms = first_arms(study, context);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    print_commands(system, study.space, arms[i], fmt::format("setting {}", i + 1));
  }
  fmt::print("budget: {}\n", budget_text(study.budget));
  fmt::print("system left at: {}\n", exit_text(study));
  if (study.system->policy_file) fmt::print("policy file: {}\n", *study.system->policy_file);
  const auto is_error = [](const Warning& warning) { return warning.is_error; };
  if (std::none_of(warnings.begin(), warnings.end(), is_error)) {
    show_queries(system, baseline ? baseline->setting : arms.front(), warnings);
  }
  if (measures && std::none_of(warnings.begin(), warnings.end(), is_error)) {
    const StopOnSignal stop_on_signal;
    (void)try_out(system, study, baseline ? baseline->setting : arms.front(), warnings);
  }
  for (const Warning& warning : warnings) {
    fmt::print("{}: {}\n", warning.is_error ? "error" : "warning", warning.text);
  }
  if (warnings.empty()) fmt::print("no warnings\n");
  return std::any_of(warnings.begin(), warnings.end(), is_error) ? kFailure : kSuccess;
}

void check_before_start(const StudySpecification& study) {
  for (const Warning& warning : warnings_about(study)) {
    if (warning.is_error) throw WrongUse(warning.text);
    terminal::say("canopy tune: {}\n", warning.text);
  }
}

}  // namespace canopy::cli
