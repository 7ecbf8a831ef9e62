#include "systems/context_reader.hpp"

#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "files/parameter_document.hpp"
#include "systems/number.hpp"
#include "systems/utc_offset.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr double kSecondsOfDay = 86'400.0;

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Keeps surrounding whitespace, which may be a part of a choice.
std::string first_line_of(const std::string& text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

double show(ContextInput::Kind kind, double local_time) {
  const double day = std::floor(local_time / kSecondsOfDay);
  if (kind == ContextInput::Kind::hour) return (local_time - day * kSecondsOfDay) / 3600.0;
  constexpr double kOfFirstDay = 3.0;  // 1 January 1970 was a Thursday
  const double weekday = std::fmod(day + kOfFirstDay, 7.0);
  return weekday < 0.0 ? weekday + 7.0 : weekday;
}

}  // namespace

ContextReader::ContextReader(const ContextSpace& contexts, const std::vector<ContextInput>& inputs,
                             bool shell, const Clock& clock, const std::string& folder)
    : contexts_(contexts), clock_(clock) {
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    Input& input = inputs_.emplace_back();
    if (i < inputs.size()) input.input = inputs[i];
    if (input.input.kind == ContextInput::Kind::command) {
      input.command.emplace(input.input.command, shell);
    } else if (input.input.kind == ContextInput::Kind::query) {
      const PrometheusSource& source = input.input.prometheus;
      input.client = std::make_unique<PrometheusClient>(source.prometheus, source.access, folder);
    }
  }
}

std::variant<double, SystemFailure> ContextReader::ask(const Input& input, const Domain& domain,
                                                       const RunLimits& limits) const {
  auto result = input.client->ask(input.input.prometheus.query, std::nullopt,
                                  {limits.timeout_seconds, limits.stop});
  if (auto* failure = std::get_if<PrometheusClient::Failure>(&result)) {
    return std::move(failure->failure);
  }
  const double value = std::get<PrometheusClient::Number>(result).value;
  if (domain.is_ordered()) return value;
  if (const auto coordinate = domain.coordinate(Value(to_text(value)))) return *coordinate;
  return SystemFailure{
      fmt::format("the query returned {}: {}", to_text(value), observed_must_be(domain))};
}

std::variant<double, SystemFailure> ContextReader::read_one(std::size_t variable,
                                                            const RunLimits& limits) const {
  const std::string& name = contexts_[variable].name;
  const Domain& domain = contexts_[variable].domain;
  const auto& [input, command, client] = inputs_[variable];
  const auto fail = [&](const std::string& what) {
    return SystemFailure{.what = fmt::format("context.{}: {}", name, what)};
  };
  if (input.kind == ContextInput::Kind::nothing) return fail("has no source");
  if (client) {
    auto value = ask(inputs_[variable], domain, limits);
    if (auto* failure = std::get_if<SystemFailure>(&value)) {
      failure->what = fmt::format("context.{}: {}", name, failure->what);
    }
    return value;
  }
  if (!command) {
    try {
      const double now = clock_.wall_time();
      return show(input.kind, now + utc_offset(input.time_zone, now));
    } catch (const TimeZoneError& error) {
      return fail(error.what());
    }
  }
  const CommandResult result = run_command(command->words({}), limits);
  if (!result.succeeded()) {
    SystemFailure failure = fail(result.describe());
    failure.has_timed_out = result.has_timed_out();
    failure.errors = result.errors;
    return failure;
  }
  const std::string_view printed = without_blanks(result.output);
  auto coordinate =
      domain.is_ordered() ? reward_in(printed) : domain.coordinate(Value(std::string(printed)));
  if (!coordinate) coordinate = domain.coordinate(Value(first_line_of(result.output)));
  if (coordinate) return *coordinate;
  return fail(
      fmt::format("the source printed \"{}\": {}", excerpt(printed), observed_must_be(domain)));
}

std::variant<std::vector<double>, SystemFailure> ContextReader::read(
    const RunLimits& limits) const {
  std::vector<double> context;
  for (std::size_t i = 0; i < contexts_.size(); ++i) {
    auto value = read_one(i, limits);
    if (auto* failure = std::get_if<SystemFailure>(&value)) return std::move(*failure);
    context.push_back(std::get<double>(value));
  }
  return context;
}

}  // namespace canopy
