#pragma once

#include "systems/live_system.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace canopy {

/// A request to any server.
struct WebRequest {
  std::string_view method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::optional<std::string> body = std::nullopt;
  std::string content_type = {};  ///< of the body
};

struct WebAnswer {
  unsigned status = 0;
  std::string reason = {};
  std::string body = {};

  [[nodiscard]] bool is_good() const { return status >= 200 && status < 300; }
};

struct WebLimits {
  double timeout_seconds = 30.0;
  const std::atomic<bool>* stop = nullptr;  ///< interrupts a request once set
};

/// Sends requests over HTTP and HTTPS, without retries. The connection is kept open while requests
/// go to the same server. Answers may have at most 8 MiB. Not thread-safe.
class WebClient {
 public:
  /// `ca_file` contains the trusted certificates; empty: those of the system.
  explicit WebClient(std::string ca_file);
  ~WebClient();
  WebClient(const WebClient&) = delete;
  WebClient& operator=(const WebClient&) = delete;

  /// Whether this build can send requests.
  [[nodiscard]] static bool is_available();
  static constexpr const char* kNotAvailable =
      "this canopy was built without HTTP, because OpenSSL or spdlog was missing";

  /// Returns any answer, or the reason why there was none.
  [[nodiscard]] std::variant<WebAnswer, SystemFailure> send(const WebRequest& request,
                                                            const WebLimits& limits);

 private:
  struct Wire;

  std::string ca_file_;
  std::unique_ptr<Wire> wire_;
};

}  // namespace canopy
