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

/// Asks a Prometheus server, and whatever has the same interface, for numbers.
class PrometheusClient {
 public:
  /// Secrets and certificates are seen from the folder.
  PrometheusClient(std::string address, HttpAccess access, std::string folder);

  struct Number {
    double value = 0.0;
    double at = 0.0;  ///< for which moment, in seconds since 1970 by the clock of the server
  };
  struct Failure {
    SystemFailure failure;
    bool lacks_data = false;  ///< the server has answered properly that it has no such number now
  };
  using Result = std::variant<Number, Failure>;

  /// The value of a query at a moment; none: now.
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
  /// `names` are those of the values that queries may ask for. The clock must outlive it.
  PrometheusMeter(const PrometheusSource& source, const std::vector<std::string>& names,
                  std::string folder, Clock& clock);

  /// The system has got a setting: what was before must not be counted.
  void begin() { began_.reset(); }

  /// Waits until `over` has passed since the measurement began, then evaluates all queries for one
  /// moment. Where that fails, the next try counts from the same beginning.
  [[nodiscard]] std::variant<Reading, SystemFailure> measure(const Values& values,
                                                             const WebLimits& limits);

  /// A query as it is now, without waiting.
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

  /// What is asked, for people: a line for each query.
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
  std::optional<double> began_;  // when the present measurement did
  bool works_ = false;           // the last one did
};

}  // namespace canopy
