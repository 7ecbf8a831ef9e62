#pragma once

#include "support/fake_service.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace canopy::testing {

/// A server for tests that answers the queries of Prometheus, and all other requests like a program
/// that is configured over HTTP.
class FakePrometheus {
 public:
  using Reply = FakeService::Reply;
  using Request = FakeService::Request;

  /// A request that it has received.
  struct Asked {
    std::string method;
    std::string target;  ///< as it was sent
    std::string query;   ///< decoded; empty: not a query
    std::string time;    ///< of a query; empty: now
    std::string body;
    std::map<std::string, std::string> headers;
  };

  static constexpr double kNow = 1'700'000'000.125;

  explicit FakePrometheus(FakeService::Options options = {}) : service_(std::move(options)) {
    service_.set_answer([this](const Request& request) { return answer(request); });
  }

  [[nodiscard]] std::string url() const { return service_.url(); }

  using OnQuery = std::function<Reply(const std::string& query)>;
  using OnRequest = std::function<Reply(const Asked& asked)>;
  void set_query(OnQuery on_query) {
    const std::lock_guard lock(mutex_);
    on_query_ = std::move(on_query);
  }
  void set_request(OnRequest on_request) {
    const std::lock_guard lock(mutex_);
    on_request_ = std::move(on_request);
  }
  void set_targets(Reply reply) {
    const std::lock_guard lock(mutex_);
    targets_ = std::move(reply);
  }

  [[nodiscard]] std::vector<Asked> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    asked_.clear();
  }

  // Responses of Prometheus.
  static Reply data(const std::string& type, const nlohmann::json& result) {
    return {200, nlohmann::json{{"status", "success"},
                                {"data", {{"resultType", type}, {"result", result}}}}
                     .dump()};
  }
  /// A vector of `count` series with this value.
  static Reply series(const std::string& value, std::size_t count = 1) {
    nlohmann::json all = nlohmann::json::array();
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back(
          {{"metric", {{"instance", "host:" + std::to_string(i)}}}, {"value", {kNow, value}}});
    }
    return data("vector", all);
  }
  static Reply number(double value) { return series(nlohmann::json(value).dump()); }
  static Reply scalar(const std::string& value) { return data("scalar", {kNow, value}); }
  static Reply bad_query(const std::string& error) {
    return {
        400,
        nlohmann::json{{"status", "error"}, {"errorType", "bad_data"}, {"error", error}}.dump()};
  }

 private:
  static std::string decoded(const std::string& target, const std::string& key) {
    const std::size_t at = target.find(key + "=");
    if (at == std::string::npos) return "";
    std::string text;
    for (std::size_t i = at + key.size() + 1; i < target.size() && target[i] != '&'; ++i) {
      if (target[i] == '%') {
        text += static_cast<char>(std::stoi(target.substr(i + 1, 2), nullptr, 16));
        i += 2;
      } else {
        text += target[i];
      }
    }
    return text;
  }

  std::optional<Reply> answer(const Request& request) {
    Asked asked{std::string(request.method_string()),
                std::string(request.target()),
                decoded(std::string(request.target()), "query"),
                decoded(std::string(request.target()), "time"),
                request.body(),
                {}};
    for (const auto& field : request) {
      asked.headers[std::string(field.name_string())] = std::string(field.value());
    }
    OnQuery on_query;
    OnRequest on_request;
    Reply targets;
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(asked);
      on_query = on_query_;
      on_request = on_request_;
      targets = targets_;
    }
    if (asked.target.starts_with("/api/v1/targets")) return targets;
    if (asked.target.starts_with("/api/v1/query")) return on_query(asked.query);
    return on_request(asked);
  }

  mutable std::mutex mutex_;
  OnQuery on_query_ = [](const std::string&) { return number(1.0); };
  OnRequest on_request_ = [](const Asked&) { return Reply{}; };
  Reply targets_{404, "", {}};
  std::vector<Asked> asked_;
  FakeService service_;  // the last one: it ends first
};

}  // namespace canopy::testing
