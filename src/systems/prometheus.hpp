#pragma once

#include "canopy/clock.hpp"
#include "canopy/http_system.hpp"

#include "systems/promql.hpp"
#include "systems/text_template.hpp"
#include "systems/web_client.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace canopy {

/// Queries a Prometheus server, or any server with the same interface, for numbers.
class PrometheusClient {
 public:
  /// Paths of secrets and certificates are relative to the folder.
  PrometheusClient(std::string address, HttpAccess access, std::string folder);

  struct Number {
    double value = 0.0;
    double at = 0.0;  ///< time of evaluation, in seconds since 1970 by the clock of the server
  };
  struct Failure {
    SystemFailure failure;
    bool lacks_data = false;  ///< a valid answer: the server has no such number now
  };
  using Result = std::variant<Number, Failure>;

  /// Returns the value of a query at a time; none: now.
  [[nodiscard]] Result ask(const std::string& query, std::optional<double> at,
                           const WebLimits& limits);

  /// The shortest time in seconds between two scrapes of a target; none if the server does not say.
  [[nodiscard]] std::optional<double> scrape_interval(const WebLimits& limits);

 private:
  [[nodiscard]] std::variant<WebAnswer, SystemFailure> get(const std::string& target,
                                                           const WebLimits& limits);

  std::string address_;
  HttpAccess access_;
  std::string folder_;
  WebClient client_;
};

/// The queries of a study that measure a system.
class PrometheusMeter {
 public:
  /// `names` are the names of the values that queries may use. The clock must outlive this object.
  PrometheusMeter(const PrometheusSource& source, const std::vector<std::string>& names,
                  std::string folder, Clock& clock);

  /// To be called when a setting was applied: the next measurement must not include earlier time.
  void begin() { began_.reset(); }

  /// Waits until `over` has passed since the measurement began, then evaluates all queries for the
  /// same time. If that fails, a retry keeps the beginning of the measurement.
  [[nodiscard]] std::variant<Reading, SystemFailure> measure(const Values& values,
                                                             const WebLimits& limits);

  /// The current result of a query, without waiting.
  struct Look {
    std::string key;  ///< `query`, `metrics.p99_ms`
    std::string query;
    PrometheusClient::Result result;
  };
  [[nodiscard]] std::vector<Look> look(const Values& values, const WebLimits& limits);
  [[nodiscard]] std::optional<double> scrape_interval(const WebLimits& limits) {
    return client_.scrape_interval(limits);
  }

  [[nodiscard]] double over() const { return over_; }

  /// Describes the queries for users, one line each.
  [[nodiscard]] std::vector<std::string> texts(const Values& values) const;

 private:
  [[nodiscard]] std::string filled(const TextTemplate& query, const Values& values) const;
  [[nodiscard]] bool wait(const WebLimits& limits);
  [[nodiscard]] std::variant<Reading, SystemFailure> read(const Values& values,
                                                          const WebLimits& limits);

  PrometheusSource source_;
  double over_;  // seconds
  TextTemplate query_;
  std::vector<std::pair<std::string, TextTemplate>> metrics_;
  PrometheusClient client_;
  Clock& clock_;
  std::optional<double> began_;  // when the current measurement began
  bool works_ = false;           // whether the last measurement succeeded
};

}  // namespace canopy
