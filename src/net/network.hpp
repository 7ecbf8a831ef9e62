#pragma once

#include "files/server_address.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace canopy {

struct HttpRequest {
  std::string method;
  std::string target;
  std::string token = {};  ///< empty: none is sent
  std::optional<std::string> body = std::nullopt;
  std::string key = {};  ///< the Idempotency-Key header; empty: not sent
  std::optional<std::chrono::milliseconds> timeout = std::nullopt;  ///< overrides the default
  std::string content_type = "application/json";                    ///< of the body
  std::vector<std::pair<std::string, std::string>> headers = {};    ///< additional
  const std::atomic<bool>* stop = nullptr;  ///< interrupts the request once set
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
  bool for_good = false;       ///< a retry would not help
  bool has_timed_out = false;  ///< a retry would take as long
};

/// Sends HTTP requests. Keeps one connection open, to the server of the last request. Not
/// thread-safe.
class Network {
 public:
  struct Options {
    std::string ca_file = {};                   ///< PEM, trusted; empty: the system's
    std::chrono::milliseconds timeout{30'000};  ///< of a whole request, connecting included
    std::uint64_t longest_answer = std::uint64_t{1} << 30U;  ///< in bytes
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
  struct Patience;

 private:
  struct Io;

  [[nodiscard]] std::unique_ptr<Connection> connected(const ServerAddress& server,
                                                      const Patience& patience);

  Options options_;
  std::unique_ptr<Io> io_;
  ServerAddress server_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace canopy
