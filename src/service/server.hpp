#pragma once

#include "service/log.hpp"
#include "service/metrics.hpp"
#include "service/service.hpp"
#include "service/study_host.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace canopy::service {

struct ServerOptions {
  std::string store;
  std::string address = "127.0.0.1";
  std::uint16_t port = 8731;   ///< 0: any free port
  std::string advertise = {};  ///< URL at which other servers reach this one; empty: none
  std::optional<std::string> tokens = {};  ///< file of tokens; none: every client has all rights
  bool read_only = false;                  ///< only requests that change nothing are served
  std::optional<std::string> certificate = {};  ///< PEM files, for TLS
  std::optional<std::string> key = {};
  std::vector<std::string> origins = {};           ///< origins of web pages that may send requests
  std::optional<double> requests_per_second = {};  ///< of tokens without a limit of their own

  std::size_t longest_body = std::size_t{8} << 20;  // bytes
  std::uint32_t longest_header = 16'384;
  std::size_t most_connections = 20'000;
  std::size_t most_bytes_in_flight = std::size_t{256} << 20;  ///< of all requests together
  std::chrono::seconds request_patience{20};  ///< timeout while a client sends a request
  std::chrono::seconds idle_patience{600};    ///< timeout of a connection without requests
  std::chrono::seconds stop_patience{4};      ///< for requests in progress when the server stops
  std::chrono::milliseconds study_idle{60'000};
  std::size_t threads = 16;
};

/// The HTTP/1.1 server around a Service: connections, TLS, limits, streams, signals.
class Server {
 public:
  /// Opens the store and begins to listen. Throws StoreError, SpecificationError, and
  /// std::runtime_error if the address or a certificate cannot be used.
  Server(ServerOptions options, Log& log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// `http://127.0.0.1:8731`
  [[nodiscard]] const std::string& url() const;

  /// Serves until SIGTERM or SIGINT, or `stop`. SIGHUP reads tokens and certificates again.
  void run();

  /// May be called from any thread.
  void stop();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace canopy::service
