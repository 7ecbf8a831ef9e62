#pragma once

#include "files/document.hpp"
#include "files/server_address.hpp"
#include "net/network.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace canopy {

/// Thrown when a server responded with an error: a problem document (RFC 9457). The message is its
/// detail.
class ServerProblem : public std::runtime_error {
 public:
  ServerProblem(unsigned status, std::string code, const std::string& detail)
      : std::runtime_error(detail), status_(status), code_(std::move(code)) {}

  [[nodiscard]] unsigned status() const { return status_; }
  /// The problem's code, `unknown_study` or `moved_on` for example; empty if the server gave none.
  [[nodiscard]] const std::string& code() const { return code_; }

 private:
  unsigned status_;
  std::string code_;
};

/// Thrown when no usable response was received before the retry deadline.
class ServerUnreachable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An HTTP client for JSON requests over one persistent connection. Requests that failed because of
/// a lost connection, or with status 503 or 429, are retried with backoff, so they must be
/// idempotent or have an idempotency key. A redirect (307) is followed and remembered until the
/// target cannot be reached. Not thread-safe.
class HttpClient {
 public:
  struct Options {
    ServerAddress server;
    std::string token = {};    ///< sent with every request, unless it is empty
    std::string ca_file = {};  ///< a PEM file with trusted certificates; empty: those of the system
    std::chrono::milliseconds timeout{30'000};                ///< per attempt
    std::chrono::milliseconds patience{5'000};                ///< how long a request is retried
    const std::atomic<bool>* stop = nullptr;                  ///< ends the retries when set
    std::function<void(const std::string&)> on_trouble = {};  ///< called before a retry
    std::function<void()> on_recovery = {};                   ///< called when a retry has succeeded
  };

  struct Request {
    std::string method = "GET";
    std::string target;  ///< path and query, percent-encoded
    std::optional<Document> body = std::nullopt;
    std::optional<std::chrono::milliseconds> patience = std::nullopt;  ///< overrides the option
    std::string key = {};  ///< idempotency key; empty: none
    std::optional<std::chrono::milliseconds> timeout = std::nullopt;  ///< overrides the option
  };

  explicit HttpClient(Options options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Sends a request and returns the JSON document of the response; null if the response is empty.
  /// Throws ServerProblem and ServerUnreachable.
  Document send(const Request& request);
  Document get(const std::string& target) { return send({.target = target}); }

  [[nodiscard]] const Options& options() const { return options_; }
  void set_patience(std::chrono::milliseconds patience) { options_.patience = patience; }

 private:
  struct Reply;

  [[nodiscard]] Reply try_once(const Request& request);
  [[nodiscard]] bool sleep(std::chrono::milliseconds time) const;

  Options options_;
  std::optional<ServerAddress> moved_;  // the target of the last redirect
  std::unique_ptr<Network> network_;
};

}  // namespace canopy
