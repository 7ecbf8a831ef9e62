#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace canopy {

/// The address of a server.
struct ServerAddress {
  bool secure = false;
  std::string host;
  std::string port;
  std::string base = {};  ///< prefix of all paths: empty, or `/canopy`

  /// Parses a URL such as `https://canopy.example:8443/base`; none if it is not the address of a
  /// server.
  [[nodiscard]] static std::optional<ServerAddress> parse(std::string_view url);

  /// The address as a URL, without the port if it is the default.
  [[nodiscard]] std::string text() const;
  /// The value of the Host header: host and port.
  [[nodiscard]] std::string authority() const;

  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

}  // namespace canopy
