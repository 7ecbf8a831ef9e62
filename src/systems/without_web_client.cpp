// Replaces web_client.cpp in builds without the libraries for HTTP.

#include "systems/web_client.hpp"

namespace canopy {

struct WebClient::Wire {};

WebClient::WebClient(std::string ca_file) : ca_file_(std::move(ca_file)) {}
WebClient::~WebClient() = default;

bool WebClient::is_available() {
  return false;
}

std::variant<WebAnswer, SystemFailure> WebClient::send(const WebRequest& /*request*/,
                                                       const WebLimits& /*limits*/) {
  return SystemFailure{kNotAvailable};
}

}  // namespace canopy
