#include "files/server_address.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cstdint>

namespace canopy {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

std::string_view usual_port(bool secure) {
  return secure ? "443" : "80";
}

bool is_letter_or_digit(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9');
}

/// Accepts host names, IPv4 addresses, and IPv6 addresses in brackets.
bool is_host(std::string_view host, bool bracketed) {
  if (host.empty()) return false;
  return std::all_of(host.begin(), host.end(), [&](char letter) {
    return is_letter_or_digit(letter) || letter == '-' || letter == '.' || letter == '_' ||
           (bracketed && (letter == ':' || letter == '%'));
  });
}

bool is_path(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char letter) {
    return letter > ' ' && letter < '\x7f' && letter != '?' && letter != '#' && letter != '\\';
  });
}

}  // namespace

std::optional<ServerAddress> ServerAddress::parse(std::string_view url) {
  ServerAddress address;
  address.secure = url.starts_with(kHttps);
  if (!address.secure && !url.starts_with(kHttp)) return std::nullopt;
  url.remove_prefix(address.secure ? kHttps.size() : kHttp.size());
  std::string_view base = url.substr(std::min(url.find('/'), url.size()));
  std::string_view authority = url.substr(0, url.size() - base.size());
  while (base.ends_with('/')) base.remove_suffix(1);
  if (!is_path(base)) return std::nullopt;

  const bool bracketed = authority.starts_with('[');
  const std::size_t end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed && end == std::string_view::npos) return std::nullopt;
  address.host = bracketed ? authority.substr(1, end - 1) : authority.substr(0, end);
  std::string_view rest = authority.substr(std::min(end, authority.size()));
  if (bracketed) rest.remove_prefix(1);
  if (!is_host(address.host, bracketed)) return std::nullopt;
  address.port = usual_port(address.secure);
  if (!rest.empty()) {
    const auto port =
        rest.starts_with(':') ? number_in<std::uint16_t>(rest.substr(1)) : std::nullopt;
    if (!port || *port == 0) return std::nullopt;
    address.port = std::to_string(*port);
  }
  address.base = base;
  return address;
}

std::string ServerAddress::authority() const {
  const std::string name = host.find(':') != std::string::npos ? "[" + host + "]" : host;
  return port == usual_port(secure) ? name : name + ":" + port;
}

std::string ServerAddress::text() const {
  return std::string(secure ? kHttps : kHttp) + authority() + base;
}

}  // namespace canopy
