#include "systems/web_access.hpp"

#include "core/excerpt.hpp"
#include "files/server_address.hpp"
#include "systems/find_program.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::size_t kLongestBodyShown = 300;  // maximum characters of a body in a message
constexpr int kLinesShown = 3;

std::string without_blanks(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::variant<std::string, SystemFailure> read_secret(const Secret& secret,
                                                     const std::string& folder) {
  std::string value;
  std::string place;
  if (!secret.env.empty()) {
    const char* found = std::getenv(secret.env.c_str());
    if (found == nullptr) {
      return SystemFailure{
          fmt::format("the environment variable {} is not set", excerpt(secret.env))};
    }
    value = without_blanks(found);
    place = "the environment variable " + excerpt(secret.env);
  } else {
    const std::string path = seen_from(folder, secret.file);
    std::ifstream file(path);
    if (!std::getline(file, value)) {
      return SystemFailure{
          fmt::format("the file {} cannot be read, or is empty", excerpt(path, 200))};
    }
    value = without_blanks(value);
    place = "the file " + excerpt(path, 200);
  }
  const bool is_clean = std::none_of(value.begin(), value.end(), [](unsigned char letter) {
    return letter < ' ' || letter == 0x7F;
  });
  if (!value.empty() && is_clean) return value;
  return SystemFailure{place + (value.empty() ? " is empty" : " contains control characters")};
}

}  // namespace

std::variant<Headers, SystemFailure> headers_of(const HttpAccess& access,
                                                const std::string& folder) {
  Headers headers;
  const auto add = [&](const std::string& name, const Secret& secret, const std::string& before,
                       const std::string& what) -> std::optional<SystemFailure> {
    auto value = read_secret(secret, folder);
    if (auto* failure = std::get_if<SystemFailure>(&value)) {
      return SystemFailure{what + ": " + failure->what};
    }
    headers.emplace_back(name, before + std::get<std::string>(value));
    return std::nullopt;
  };
  if (access.token) {
    if (auto failure = add("Authorization", *access.token, "Bearer ", "token")) return *failure;
  }
  for (const auto& [name, value] : access.headers) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      headers.emplace_back(name, *text);
    } else if (auto failure = add(name, std::get<Secret>(value), "", "headers." + name)) {
      return *failure;
    }
  }
  return headers;
}

std::pair<std::string, std::string> parts_of_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  const std::size_t end = std::min(url.find_first_of("/?#", scheme + 3), url.size());
  const std::string_view origin = url.substr(0, end);
  const std::string_view rest = url.substr(end);
  const bool is_printable = std::all_of(rest.begin(), rest.end(), [](char letter) {
    return letter > ' ' && letter < '\x7f' && letter != '#' && letter != '\\';
  });
  if (!is_printable || !ServerAddress::parse(origin)) return {};
  return {std::string(origin), (rest.starts_with('/') ? "" : "/") + std::string(rest)};
}

std::string refusal_text(const std::string& server, const WebAnswer& answer) {
  std::string text = fmt::format("{} answers {} {}", server, answer.status, excerpt(answer.reason));
  std::size_t end = 0;
  for (int line = 0; line < kLinesShown && end != std::string::npos; ++line) {
    end = answer.body.find('\n', end == 0 ? 0 : end + 1);
  }
  const std::string body = excerpt(std::string_view(answer.body).substr(0, end), kLongestBodyShown);
  return body.empty() ? text : text + ": " + body;
}

}  // namespace canopy
