#include "systems/command_system.hpp"

#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "files/json.hpp"
#include "systems/number.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace canopy {
namespace {

std::string value_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  // On a log scale 4 may be 3.999999999999999; rounding to 15 digits restores it.
  const std::string exact = to_text(std::get<double>(value));
  std::string rounded = fmt::format("{:.15g}", std::get<double>(value));
  return rounded.size() < exact.size() ? rounded : exact;
}

Values values_of(const Space& space, Arm arm) {
  Values values;
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    values.emplace_back(space.parameters()[i].name, value_text(space.value(arm, i)));
  }
  return values;
}

/// A number outside the range of its variable is written as it was observed.
Values values_of(const ContextSpace& contexts, Context context) {
  Values values;
  for (std::size_t i = 0; i < context.size(); ++i) {
    const Domain& domain = contexts[i].domain;
    values.emplace_back(
        contexts[i].name,
        value_text(domain.contains(context[i]) ? domain.value(context[i]) : Value(context[i])));
  }
  return values;
}

std::string context_text(const ContextSpace& contexts, Context context) {
  return json_text(context_document(contexts, context).value_or(Document()));
}

void set_variable(Values& variables, const std::string& name, std::string value) {
  std::erase_if(variables, [&](const auto& each) { return each.first == name; });
  variables.emplace_back(name, std::move(value));
}

/// Quotes words for a shell.
std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
             std::string_view("_-./:=,@%+").find(letter) != std::string_view::npos;
    });
    if (is_plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char letter : word)
      text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    text += '\'';
  }
  return text;
}

SystemFailure failure_of(const std::string& what, const CommandResult& result) {
  return {what + result.describe(), result.has_timed_out(), result.errors};
}

constexpr const char* kWholeContext = "CANOPY_CONTEXT";

}  // namespace

std::variant<Reading, SystemFailure> reading_in(std::string_view output) {
  if (const auto reward = reward_in(output)) return Reading{*reward};
  const auto refuse = [&](const std::string& what) {
    return SystemFailure{what + ": \"" + excerpt(output) + "\""};
  };
  const std::size_t begin = output.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || output[begin] != '{') {
    return refuse("did not print a number or a JSON object");
  }
  Document document;
  try {
    document = parse_json(output, "output");
  } catch (const std::exception&) {
    const bool has_nan = output.find("NaN") != std::string_view::npos ||
                         output.find("Infinity") != std::string_view::npos;
    return refuse(has_nan
                      ? "printed an object with NaN or Infinity, which is not valid JSON: print "
                        "null, or leave the metric out"
                      : "printed an object that is not JSON");
  }
  Reading reading;
  bool has_reward = false;
  for (const auto& [name, value] : *document.as_table()) {
    const std::optional<double> number = value.as_number();
    if (!number || !std::isfinite(*number)) continue;
    if (name == "reward") {
      reading.reward = *number;
      has_reward = true;
    } else if (is_metric_name(name)) {
      reading.metrics[name] = *number;
    } else {
      return refuse("printed the invalid name \"" + excerpt(name) +
                    "\"; allowed are letters, digits, _, - and .");
    }
  }
  if (!has_reward) return refuse("printed an object without a number \"reward\"");
  if (reading.metrics.size() > kMostMetrics) {
    return refuse("printed more than " + std::to_string(kMostMetrics) + " metrics");
  }
  return reading;
}

CommandSystem::CommandSystem(const SystemCommands& commands, const Names& names,
                             const std::atomic<bool>* stop, Clock& clock)
    : names_(names),
      reader_(names.contexts, commands.contexts, commands.shell, clock, commands.folder),
      stop_(stop),
      timeout_seconds_(commands.timeout_seconds),
      keep_background_(commands.keep_background),
      folder_(commands.folder),
      shell_(commands.shell) {
  std::vector<std::string> values;
  for (const Parameter& parameter : names.space.parameters()) values.push_back(parameter.name);
  for (const ContextVariable& variable : names.contexts.variables())
    values.push_back(variable.name);
  if (commands.apply) {
    if (const auto* command = std::get_if<std::string>(&*commands.apply)) {
      apply_.emplace(*command, commands.shell);
    } else {
      setter_ = std::make_unique<HttpSetter>(std::get<HttpApply>(*commands.apply), values, folder_);
    }
  }
  if (commands.measure) {
    if (const auto* command = std::get_if<std::string>(&*commands.measure)) {
      measure_.emplace(*command, commands.shell);
    } else {
      values.emplace_back(kOver);
      meter_ = std::make_unique<PrometheusMeter>(std::get<PrometheusSource>(*commands.measure),
                                                 values, folder_, clock);
    }
  }
  if (commands.process) {
    const CommandLine line(*commands.process, commands.shell);
    process_ = std::make_unique<Coprocess>(line.words({}));
  }
}

std::variant<std::vector<double>, SystemFailure> CommandSystem::observe() {
  return reader_.read({.timeout_seconds = timeout_seconds_,
                       .stop = stop_,
                       .keep_background = keep_background_,
                       .folder = folder_});
}

bool CommandSystem::enter(Context context) {
  bool matters = false;
  for (std::size_t i = 0; i < context.size(); ++i) {
    const bool has_changed = lacks_context() || context_[i] != context[i];
    const std::string& name = names_.contexts[i].name;
    const bool is_used = (setter_ && setter_->uses(name)) ||
                         (apply_ && (apply_->uses(name) || apply_->mentions(variable_of(name)) ||
                                     apply_->mentions(kWholeContext)));
    if (has_changed && is_used) matters = true;
  }
  context_.assign(context.begin(), context.end());
  return matters;
}

/// The values available to commands.
Values CommandSystem::values_for(Arm arm) const {
  Values values = values_of(names_.space, arm);
  for (auto& value : values_of(names_.contexts, context_)) values.push_back(std::move(value));
  return values;
}

/// The environment of commands: each value in a variable, and all of them as JSON.
RunLimits CommandSystem::limits_for(Arm arm) const {
  Values variables;
  for (const auto& [name, value] : values_for(arm)) {
    variables.emplace_back(variable_of(name), value);
  }
  set_variable(variables, "CANOPY_ARM", arm_text(names_.space, arm));
  if (!context_.empty()) {
    set_variable(variables, kWholeContext, context_text(names_.contexts, context_));
  }
  return {.timeout_seconds = timeout_seconds_,
          .stop = stop_,
          .environment = std::move(variables),
          .keep_background = keep_background_,
          .folder = folder_};
}

std::optional<SystemFailure> CommandSystem::apply(Arm arm, const RunLimits& limits) {
  if (meter_) meter_->begin();
  if (!apply_ && !setter_) return std::nullopt;
  if (lacks_context()) return SystemFailure{"apply: no context has been observed yet"};
  if (setter_) {
    auto failure = setter_->apply(values_for(arm), arm_text(names_.space, arm),
                                  {limits.timeout_seconds, limits.stop});
    if (failure) failure->what = "apply: " + failure->what;
    return failure;
  }
  const CommandResult result = run_command(apply_->words(values_for(arm)), limits);
  if (result.succeeded()) return std::nullopt;
  return failure_of("apply: ", result);
}

std::optional<SystemFailure> CommandSystem::apply(Arm arm) {
  return apply(arm, limits_for(arm));
}

std::optional<SystemFailure> CommandSystem::leave_at(Arm arm) {
  RunLimits limits = limits_for(arm);
  limits.stop = nullptr;
  if (apply_ || setter_ || !process_) return apply(arm, limits);
  const CommandResult result = process_->exchange(request_for(arm), limits);
  if (result.succeeded()) return std::nullopt;
  return failure_of("process: ", result);
}

std::string CommandSystem::request_for(Arm arm) const {
  std::string request = "{\"arm\": " + arm_text(names_.space, arm);
  if (!context_.empty()) request += ", \"context\": " + context_text(names_.contexts, context_);
  return request + "}";
}

/// The command for a shell, preceded by the variables that it uses.
std::string CommandSystem::text_of(const CommandLine& command, Arm arm) const {
  const Values values = values_for(arm);
  std::string text;
  for (const auto& [name, value] : shell_ ? values : Values{}) {
    if (command.uses(name)) text += variable_of(name) + "=" + quoted({value}) + " ";
  }
  return text + quoted(command.words(values));
}

std::string CommandSystem::apply_text(Arm arm) const {
  if (setter_) return setter_->text(values_for(arm), arm_text(names_.space, arm));
  return apply_ ? text_of(*apply_, arm) : "";
}

std::vector<std::string> CommandSystem::measure_texts(Arm arm) const {
  if (meter_) return meter_->texts(values_for(arm));
  return {process_ ? request_for(arm) : text_of(*measure_, arm)};
}

std::vector<PrometheusMeter::Look> CommandSystem::look(Arm arm) {
  if (!meter_) return {};
  return meter_->look(values_for(arm), web_limits());
}

std::optional<double> CommandSystem::scrape_interval() {
  return meter_ ? meter_->scrape_interval(web_limits()) : std::nullopt;
}

std::variant<Reading, SystemFailure> CommandSystem::measure(Arm arm) {
  if (lacks_context()) return SystemFailure{"measure: no context has been observed yet"};
  if (meter_) {
    auto reading = meter_->measure(values_for(arm), web_limits());
    if (auto* failure = std::get_if<SystemFailure>(&reading)) {
      failure->what = "measure: " + failure->what;
    }
    return reading;
  }
  const RunLimits limits = limits_for(arm);
  const char* what = process_ ? "process: " : "measure: ";
  const CommandResult result = process_ ? process_->exchange(request_for(arm), limits)
                                        : run_command(measure_->words(values_for(arm)), limits);
  if (!result.succeeded()) return failure_of(what, result);
  auto reading = reading_in(result.output);
  if (auto* failure = std::get_if<SystemFailure>(&reading)) {
    failure->what = what + failure->what;
    failure->errors = result.errors;
  }
  return reading;
}

}  // namespace canopy
