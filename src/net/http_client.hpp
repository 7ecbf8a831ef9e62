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

/// Thrown when a server has answered that it cannot do what it was asked for: a problem as RFC 9457
/// has it. The message is its detail.
class ServerProblem : public std::runtime_error {
 public:
  ServerProblem(unsigned status, std::string code, const std::string& detail)
      : std::runtime_error(detail), status_(status), code_(std::move(code)) {}

  [[nodiscard]] unsigned status() const { return status_; }
  /// `unknown_study`, `moved_on`, ...; empty when the server has none.
  [[nodiscard]] const std::string& code() const { return code_; }

 private:
  unsigned status_;
  std::string code_;
};

/// Thrown when there was no answer, or none that is of any use, for as long as we had patience.
class ServerUnreachable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Asks a server for documents over HTTP, on one connection that is kept. What a lost connection
/// leaves open, and what the server wants to be asked again (503, 429), is asked again for a while:
/// so only ask for what may be done twice, or has a key. Another server that is named in an answer
/// (307) is asked instead, until it cannot be reached. Not thread-safe.
class HttpClient {
 public:
  struct Options {
    ServerAddress server;
    std::string token = {};    ///< sent with every request, unless it is empty
    std::string ca_file = {};  ///< whom to trust, in a PEM file; empty: whom the system does
    std::chrono::milliseconds timeout{30'000};  ///< of one try
    std::chrono::milliseconds patience{5'000};  ///< for how long it is tried again
    const std::atomic<bool>* stop = nullptr;    ///< ends the patience, if it is raised
    std::function<void(const std::string&)> on_trouble = {};  ///< before it is tried again
    std::function<void()> on_recovery = {};                   ///< when that has helped
  };

  struct Request {
    std::string method = "GET";
    std::string target;  ///< path and query, as they are sent
    std::optional<Document> body = std::nullopt;
    std::optional<std::chrono::milliseconds> patience = std::nullopt;  ///< another one
    std::string key = {};  ///< of what must not be done twice; empty: none
    std::optional<std::chrono::milliseconds> timeout = std::nullopt;  ///< another one
  };

  explicit HttpClient(Options options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// The document that the server answers; nothing if it is empty. Throws ServerProblem and
  /// ServerUnreachable.
  Document send(const Request& request);
  Document get(const std::string& target) { return send({.target = target}); }

  [[nodiscard]] const Options& options() const { return options_; }
  void set_patience(std::chrono::milliseconds patience) { options_.patience = patience; }

 private:
  struct Reply;

  [[nodiscard]] Reply try_once(const Request& request);
  [[nodiscard]] bool sleep(std::chrono::milliseconds time) const;

  Options options_;
  std::optional<ServerAddress> moved_;  // the server that answers for ours
  std::unique_ptr<Network> network_;
};

}  // namespace canopy
