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
  std::string key = {};  ///< Idempotency-Key; empty: none is sent
  std::optional<std::chrono::milliseconds> timeout = std::nullopt;  ///< not the usual one
  std::string content_type = "application/json";                    ///< of the body
  std::vector<std::pair<std::string, std::string>> headers = {};    ///< further ones
  const std::atomic<bool>* stop = nullptr;  ///< breaks it off, if it is raised
};

struct HttpResponse {
  unsigned status = 0;
  std::string reason = {};
  std::string body = {};
  std::string location = {};     ///< the header
  std::string retry_after = {};  ///< the header
};

/// Thrown when there was no answer.
struct Lost {
  std::string why;
  bool for_good = false;       ///< trying again would not help
  bool has_timed_out = false;  ///< trying again would take as long again
};

/// One connection to one server, which is kept as long as the same one is asked. Not thread-safe.
class Network {
 public:
  struct Options {
    std::string ca_file = {};                   ///< whom to trust; empty: whom the system does
    std::chrono::milliseconds timeout{30'000};  ///< of a whole request, connecting included
    std::uint64_t longest_answer = std::uint64_t{1} << 30U;  ///< in bytes
  };

  /// Throws Lost if the file has no certificates.
  explicit Network(Options options);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Throws Lost. If a connection that was kept turns out to be closed, the request is sent again.
  [[nodiscard]] HttpResponse ask(const ServerAddress& server, const HttpRequest& given);

  class Connection;
  struct Patience;

 private:
  struct Machinery;

  [[nodiscard]] std::unique_ptr<Connection> connected(const ServerAddress& server,
                                                      const Patience& patience);

  Options options_;
  std::unique_ptr<Machinery> machinery_;
  ServerAddress server_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace canopy
