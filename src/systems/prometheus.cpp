#include "systems/prometheus.hpp"

#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "files/json.hpp"
#include "files/percent_encoding.hpp"
#include "systems/find_program.hpp"
#include "systems/web_access.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr double kWaitSlice = 0.05;  // seconds between checks of the stop flag
constexpr std::size_t kLongestQueryShown = 120;

using Failure = PrometheusClient::Failure;
using Number = PrometheusClient::Number;
using Result = PrometheusClient::Result;

Failure no_data(std::string what) {
  return {SystemFailure{std::move(what)}, true};
}

Failure mistake(std::string what) {
  return {SystemFailure{std::move(what)}, false};
}

const std::string& text_in(const Document* value) {
  static const std::string none;
  return value != nullptr && value->as_text() != nullptr ? *value->as_text() : none;
}

/// `{instance="a:9100", job="api"}`
std::string labels_text(const Document* labels) {
  std::string text;
  const Document::Table* table = labels != nullptr ? labels->as_table() : nullptr;
  for (const auto& [name, value] : table != nullptr ? *table : Document::Table{}) {
    text += (text.empty() ? "" : ", ") + name + "=\"" + text_in(&value) + "\"";
  }
  return excerpt("{" + text + "}", kLongestQueryShown);
}

/// Parses the number in a sample: a list of its time and its value as text.
Result number_of(const Document* pair, const std::string& query) {
  const Document::List* list = pair != nullptr ? pair->as_list() : nullptr;
  if (list == nullptr || list->size() != 2 || (*list)[1].as_text() == nullptr) {
    return mistake("the query returned a histogram: apply histogram_quantile(...) to it: " + query);
  }
  std::string_view text = *(*list)[1].as_text();
  const auto at = (*list)[0].as_number();
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto number = number_in<double>(text);
  if (number && std::isfinite(*number)) return Number{*number, at.value_or(0.0)};
  return no_data(
      fmt::format("the query returned {}, which is not a finite number (was 0 divided by 0, or "
                  "was nothing counted in the window?): {}",
                  excerpt(*(*list)[1].as_text()), query));
}

Result result_in(const Document& body, const std::string& given) {
  const std::string query = excerpt(given, kLongestQueryShown);
  const Document* data = body.find("data");
  const Document* result = data != nullptr ? data->find("result") : nullptr;
  const std::string& type = text_in(data != nullptr ? data->find("resultType") : nullptr);
  if (result == nullptr || result->as_list() == nullptr) {
    return mistake(
        "the server does not answer like Prometheus: is this the address of another program?");
  }
  if (type == "scalar") return number_of(result, query);
  if (type == "string") {
    return mistake("the query returned a string; it must return a number: " + query);
  }
  if (type == "matrix") {
    return mistake(
        "the query returned a range of samples: apply rate(...), avg_over_time(...) or a similar "
        "function to it: " +
        query);
  }
  const Document::List& series = *result->as_list();
  if (series.empty()) {
    return no_data(
        "the query returned no series: check its names and labels, whether the target is scraped, "
        "and whether the window contains two scrapes, which a rate needs: " +
        query);
  }
  if (series.size() > 1) {
    return mistake(fmt::format(
        "the query returned {} series ({}, ...): aggregate them, for example sum(...): {}",
        series.size(), labels_text(series.front().find("metric")), query));
  }
  return number_of(series.front().find("value"), query);
}

/// The error message in an answer of Prometheus; empty if there is none.
std::string complaint_in(const std::string& body) {
  try {
    return text_in(parse_json(body, "answer").find("error"));
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace

// --- queries -------------------------------------------------------------------------------------

PrometheusClient::PrometheusClient(std::string address, HttpAccess access, std::string folder)
    : address_(std::move(address)),
      access_(std::move(access)),
      folder_(std::move(folder)),
      client_(access_.ca_file.empty() ? "" : seen_from(folder_, access_.ca_file)) {
  while (address_.ends_with('/')) address_.pop_back();
}

std::variant<WebAnswer, SystemFailure> PrometheusClient::get(const std::string& target,
                                                             const WebLimits& limits) {
  auto headers = headers_of(access_, folder_);
  if (auto* failure = std::get_if<SystemFailure>(&headers)) return std::move(*failure);
  return client_.send({.url = address_ + target, .headers = std::get<Headers>(std::move(headers))},
                      limits);
}

Result PrometheusClient::ask(const std::string& query, std::optional<double> at,
                             const WebLimits& limits) {
  std::string target = "/api/v1/query?query=" + percent_encoded(query);
  if (at) target += fmt::format("&time={:.3f}", *at);
  auto result = get(target, limits);
  if (auto* failure = std::get_if<SystemFailure>(&result)) return Failure{std::move(*failure)};
  const auto& answer = std::get<WebAnswer>(result);
  if (!answer.is_good()) {
    const std::string complaint = complaint_in(answer.body);
    if (!complaint.empty()) {
      return mistake(fmt::format("{} refuses the query: {}: {}", address_, excerpt(complaint, 300),
                                 excerpt(query, kLongestQueryShown)));
    }
    std::string text = refusal_text(address_, answer);
    if (answer.status == 404) text += "; is it the address of Prometheus, without /api/v1?";
    return mistake(std::move(text));
  }
  try {
    return result_in(parse_json(answer.body, address_), query);
  } catch (const std::exception&) {
    return mistake(
        fmt::format("{} does not answer with JSON: is it the address of Prometheus? \"{}\"",
                    address_, excerpt(answer.body)));
  }
}

std::optional<double> PrometheusClient::scrape_interval(const WebLimits& limits) {
  auto result = get("/api/v1/targets?state=active", limits);
  const auto* answer = std::get_if<WebAnswer>(&result);
  if (answer == nullptr || !answer->is_good()) return std::nullopt;
  std::optional<double> shortest;
  try {
    const Document body = parse_json(answer->body, address_);
    const Document* data = body.find("data");
    const Document* targets = data != nullptr ? data->find("activeTargets") : nullptr;
    if (targets == nullptr || targets->as_list() == nullptr) return std::nullopt;
    for (const Document& target : *targets->as_list()) {
      const auto seconds = promql_seconds(text_in(target.find("scrapeInterval")));
      if (seconds) shortest = std::min(*seconds, shortest.value_or(*seconds));
    }
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return shortest;
}

// --- measuring -----------------------------------------------------------------------------------

PrometheusMeter::PrometheusMeter(const PrometheusSource& source,
                                 const std::vector<std::string>& names, std::string folder,
                                 Clock& clock)
    : source_(source),
      over_(promql_seconds(source.over).value_or(0.0)),
      query_(source.query, names, ValueCoding::promql),
      client_(source.prometheus, source.access, std::move(folder)),
      clock_(clock) {
  for (const auto& [name, query] : source.metrics) {
    metrics_.emplace_back(name, TextTemplate(query, names, ValueCoding::promql));
  }
}

std::string PrometheusMeter::filled(const TextTemplate& query, const Values& values) const {
  Values all{{kOver, source_.over}};
  all.insert(all.end(), values.begin(), values.end());
  return query.filled(all);
}

/// Returns false if the stop flag was set.
bool PrometheusMeter::wait(const WebLimits& limits) {
  if (!began_) began_ = clock_.steady_time();
  const auto stopped = [&] { return limits.stop != nullptr && *limits.stop; };
  while (!stopped()) {
    const double left = *began_ + over_ - clock_.steady_time();
    if (left <= 0.0) return true;
    clock_.sleep(std::min(left, kWaitSlice));
  }
  return false;
}

std::vector<PrometheusMeter::Look> PrometheusMeter::look(const Values& values,
                                                         const WebLimits& limits) {
  std::vector<Look> looks;
  const auto add = [&](std::string key, const TextTemplate& query) {
    std::string text = filled(query, values);
    Result result = client_.ask(text, std::nullopt, limits);
    looks.push_back({std::move(key), std::move(text), std::move(result)});
  };
  add("query", query_);
  for (const auto& [name, query] : metrics_) add("metrics." + name, query);
  return looks;
}

/// Evaluates all queries for the same time: the server's time when it evaluates the first one.
std::variant<Reading, SystemFailure> PrometheusMeter::read(const Values& values,
                                                           const WebLimits& limits) {
  Result reward = client_.ask(filled(query_, values), std::nullopt, limits);
  if (auto* failure = std::get_if<Failure>(&reward)) return std::move(failure->failure);
  const Number number = std::get<Number>(reward);
  Reading reading{number.value};
  for (const auto& [name, query] : metrics_) {
    Result result = client_.ask(filled(query, values), number.at, limits);
    if (const auto* metric = std::get_if<Number>(&result)) {
      reading.metrics[name] = metric->value;
    } else if (auto& failure = std::get<Failure>(result); !failure.lacks_data) {
      failure.failure.what = fmt::format("metrics.{}: {}", name, failure.failure.what);
      return std::move(failure.failure);
    }
  }
  return reading;
}

std::variant<Reading, SystemFailure> PrometheusMeter::measure(const Values& values,
                                                              const WebLimits& limits) {
  if (!works_) {  // reports mistakes before the wait
    for (Look& look : look(values, limits)) {
      auto* failure = std::get_if<Failure>(&look.result);
      if (failure == nullptr || failure->lacks_data) continue;
      if (look.key != "query") failure->failure.what = look.key + ": " + failure->failure.what;
      return std::move(failure->failure);
    }
  }
  works_ = false;
  if (!wait(limits)) return SystemFailure{"was stopped"};
  auto result = read(values, limits);
  works_ = std::holds_alternative<Reading>(result);
  if (works_) began_.reset();
  return result;
}

std::vector<std::string> PrometheusMeter::texts(const Values& values) const {
  std::vector<std::string> lines{fmt::format("{} asked after {}: {}", source_.prometheus,
                                             source_.over, filled(query_, values))};
  for (const auto& [name, query] : metrics_) {
    lines.push_back(fmt::format("{}: {}", name, filled(query, values)));
  }
  return lines;
}

}  // namespace canopy
