#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace canopy {

/// Where a server is.
struct ServerAddress {
  bool secure = false;
  std::string host;
  std::string port;
  std::string base = {};  ///< what all paths begin with: empty, or `/canopy`

  /// Reads `https://canopy.example:8443/base`; none if that is no address of a server.
  [[nodiscard]] static std::optional<ServerAddress> parse(std::string_view url);

  /// The same as text; the port is left out where it is the usual one.
  [[nodiscard]] std::string text() const;
  /// Host and port, as the header Host has them.
  [[nodiscard]] std::string authority() const;

  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

}  // namespace canopy
