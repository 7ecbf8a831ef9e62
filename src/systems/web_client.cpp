#include "systems/web_client.hpp"

#include "files/server_address.hpp"
#include "net/network.hpp"
#include "systems/web_access.hpp"

#include <chrono>
#include <cstdint>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::uint64_t kLongestAnswer = std::uint64_t{8} << 20U;

}  // namespace

struct WebClient::Wire {
  explicit Wire(Network::Options options) : network(std::move(options)) {}

  Network network;
};

WebClient::WebClient(std::string ca_file) : ca_file_(std::move(ca_file)) {}
WebClient::~WebClient() = default;

bool WebClient::is_available() {
  return true;
}

std::variant<WebAnswer, SystemFailure> WebClient::send(const WebRequest& request,
                                                       const WebLimits& limits) {
  const auto [origin, target] = parts_of_url(request.url);
  const auto server = ServerAddress::parse(origin);
  if (!server) return SystemFailure{fmt::format("{}: is not the address of a server", request.url)};
  const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(
      std::chrono::duration<double>(limits.timeout_seconds));
  HttpRequest wanted{.method = std::string(request.method), .target = target};
  wanted.body = request.body;
  wanted.timeout = timeout;
  if (!request.content_type.empty()) wanted.content_type = request.content_type;
  wanted.headers = request.headers;
  wanted.stop = limits.stop;
  try {
    if (!wire_) {
      wire_ = std::make_unique<Wire>(Network::Options{
          .ca_file = ca_file_, .timeout = timeout, .longest_answer = kLongestAnswer});
    }
    HttpResponse response = wire_->network.ask(*server, wanted);
    return WebAnswer{response.status, std::move(response.reason), std::move(response.body)};
  } catch (const Lost& lost) {
    return SystemFailure{fmt::format("{} cannot be reached: {}", server->text(), lost.why),
                         lost.has_timed_out};
  }
}

}  // namespace canopy
