#pragma once

#include "net/server_address.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace canopy {

struct HttpRequest {
  std::string method;
  std::string target;
  std::string token = {};  ///< empty: none is sent
  std::optional<std::string> body = std::nullopt;
  std::string key = {};  ///< the Idempotency-Key header; empty: not sent
  std::optional<std::chrono::milliseconds> timeout = std::nullopt;  ///< overrides the default
};

struct HttpResponse {
  unsigned status = 0;
  std::string reason = {};
  std::string body = {};
  std::string location = {};     ///< the header
  std::string retry_after = {};  ///< the header
};

/// Thrown when no response was received.
struct Lost {
  std::string why;
  bool for_good = false;  ///< a retry would not help
};

/// Keeps one connection open, to the server that was asked last. Not thread-safe.
class Network {
 public:
  struct Options {
    std::string ca_file = {};  ///< a PEM file with trusted certificates; empty: those of the system
    std::chrono::milliseconds timeout{30'000};
  };

  /// Throws Lost if the file contains no certificates.
  explicit Network(Options options);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Sends a request and waits for the response. If the kept connection turns out to be closed, it
  /// reconnects and sends the request again. Throws Lost.
  [[nodiscard]] HttpResponse ask(const ServerAddress& server, const HttpRequest& given);

  class Connection;

 private:
  struct Io;

  [[nodiscard]] std::unique_ptr<Connection> connected(const ServerAddress& server);

  Options options_;
  std::unique_ptr<Io> io_;
  ServerAddress server_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace canopy
