#include "studies/system.hpp"

#include "canopy/detail/reward_map.hpp"

#include "core/text.hpp"
#include "files/json.hpp"
#include "studies/answers.hpp"
#include "systems/excerpt.hpp"
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
  // On a log scale 4 may be 3.999999999999999: nobody wants to read the last digit.
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

/// Names of metrics are shown, and are words in files.
bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return std::isalnum(letter) != 0 || letter == '_' || letter == '-' || letter == '.';
         });
}

/// As a shell would read them.
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

constexpr std::size_t kMostMetrics = 32;

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
    return refuse("printed an object that is not JSON");
  }
  Reading reading;
  bool has_reward = false;
  for (const auto& [name, value] : *document.as_table()) {
    const std::optional<double> number = value.as_number();
    if (!number || !std::isfinite(*number)) continue;
    if (name == "reward") {
      reading.reward = *number;
      has_reward = true;
    } else if (is_name(name)) {
      reading.metrics[name] = *number;
    } else {
      return refuse("printed the name \"" + excerpt(name) +
                    "\"; letters, digits, _, - and . make a name");
    }
  }
  if (!has_reward) return refuse("printed an object without a number \"reward\"");
  if (reading.metrics.size() > kMostMetrics) {
    return refuse("printed more than " + std::to_string(kMostMetrics) + " metrics");
  }
  return reading;
}

System::System(const SystemSpecification& specification, const Space& space,
               const std::atomic<bool>* stop)
    : specification_(specification), space_(space), stop_(stop) {
  const bool shell = specification_.shell;
  if (specification_.apply) apply_.emplace(*specification_.apply, shell);
  if (specification_.measure) measure_.emplace(*specification_.measure, shell);
  if (specification_.process) {
    process_ = std::make_unique<Coprocess>(CommandLine(*specification_.process, shell).words({}));
  }
}

RunLimits System::limits_for(Arm arm) const {
  return {.timeout_seconds = specification_.options.timeout_seconds,
          .stop = stop_,
          .environment = {{"CANOPY_ARM", arm_text(space_, arm)}},
          .keep_background = specification_.keep_background};
}

std::optional<SystemFailure> System::apply(Arm arm, const RunLimits& limits) {
  if (!apply_) return std::nullopt;
  const CommandResult result = run_command(apply_->words(values_of(space_, arm)), limits);
  if (result.succeeded()) return std::nullopt;
  return SystemFailure{"apply: " + result.describe()};
}

std::optional<SystemFailure> System::apply(Arm arm) {
  return apply(arm, limits_for(arm));
}

std::optional<SystemFailure> System::apply_at_the_end(Arm arm) {
  RunLimits limits = limits_for(arm);
  limits.stop = nullptr;
  if (specification_.apply || !process_) return apply(arm, limits);
  const CommandResult result = process_->exchange(request_for(arm), limits);
  if (result.succeeded()) return std::nullopt;
  return SystemFailure{"process: " + result.describe()};
}

std::string System::request_for(Arm arm) const {
  return "{\"arm\": " + arm_text(space_, arm) + "}";
}

std::string System::apply_text(Arm arm) const {
  return apply_ ? quoted(apply_->words(values_of(space_, arm))) : "";
}

std::string System::measure_text(Arm arm) const {
  return process_ ? request_for(arm) : quoted(measure_->words(values_of(space_, arm)));
}

std::variant<Reading, SystemFailure> System::measure(Arm arm) {
  const RunLimits limits = limits_for(arm);
  const char* what = process_ ? "process: " : "measure: ";
  const CommandResult result = process_
                                   ? process_->exchange(request_for(arm), limits)
                                   : run_command(measure_->words(values_of(space_, arm)), limits);
  if (!result.succeeded()) return SystemFailure{what + result.describe()};
  auto reading = reading_in(result.output);
  if (auto* failure = std::get_if<SystemFailure>(&reading)) {
    return SystemFailure{what + failure->what};
  }
  const Reading& read = std::get<Reading>(reading);
  if (!RewardMap::usable(read.reward)) {
    return SystemFailure{
        fmt::format("{}the reward {:g}: {}", what, read.reward, describe(Status::not_a_reward))};
  }
  for (const Limit& limit : specification_.limits) {
    if (!read.metrics.contains(limit.metric)) {
      return SystemFailure{what + ("did not print " + limit.metric + ", which has a limit: \"" +
                                   excerpt(result.output) + "\"")};
    }
  }
  return reading;
}

}  // namespace canopy
