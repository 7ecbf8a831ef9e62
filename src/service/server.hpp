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
  std::uint16_t port = 8731;               ///< 0: any that is free
  std::string advertise = {};              ///< how other servers reach this one; empty: they cannot
  std::optional<std::string> tokens = {};  ///< a file; none: everybody may do everything
  bool read_only = false;                  ///< nobody may do anything but look
  std::optional<std::string> certificate = {};  ///< files, for TLS
  std::optional<std::string> key = {};
  std::vector<std::string> origins = {};           ///< whose pages may ask
  std::optional<double> requests_per_second = {};  ///< of tokens that have no limit of their own

  std::size_t longest_body = std::size_t{8} << 20;  // bytes
  std::uint32_t longest_header = 16'384;
  std::size_t most_connections = 20'000;
  std::size_t most_bytes_in_flight = std::size_t{256} << 20;  ///< of requests
  std::chrono::seconds request_patience{20};                  ///< with a client that sends slowly
  std::chrono::seconds idle_patience{600};                    ///< with one that sends nothing
  std::chrono::seconds stop_patience{4};  ///< with requests that are being served
  std::chrono::milliseconds study_idle{60'000};
  std::size_t threads = 16;
};

/// HTTP/1.1 around a Service: connections, TLS, limits, streams, signals.
class Server {
 public:
  /// Opens the store and begins to listen. Throws StoreError, SpecificationError and
  /// std::runtime_error, which say what cannot be used.
  Server(ServerOptions options, Log& log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// `http://127.0.0.1:8731`
  [[nodiscard]] const std::string& url() const;

  /// Serves until SIGTERM or SIGINT, or `stop`. SIGHUP reads tokens and certificates again.
  void run();

  /// From any thread.
  void stop();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace canopy::service
