#pragma once

#include "service/tokens.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy::service {

/// What a client asks for, without the network around it.
struct Request {
  std::string method;
  std::vector<std::string> path;  ///< its parts, decoded: {"v1", "studies", "a b"}
  std::map<std::string, std::string> query = {};
  std::string body = {};
  std::string target = {};  ///< as it was sent
  std::string idempotency_key = {};
  std::string id = {};                ///< for logs and error messages
  std::string by = {};                ///< the name of the token; empty: there are none
  std::optional<Token> may_see = {};  ///< whose studies are meant; none: all of them
};

/// What it is answered.
struct Answer {
  unsigned status = 200;
  std::string body = {};
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// The parts of a path; none if it is not one: badly encoded, or with a zero byte.
[[nodiscard]] std::optional<std::vector<std::string>> parts_of_path(std::string_view path);

/// The parameters of `a=1&b=2`; none if it is badly encoded or names one twice.
[[nodiscard]] std::optional<std::map<std::string, std::string>> parameters_of(
    std::string_view query);

/// A text as a part of a path: everything but letters, digits and `-._~` encoded.
[[nodiscard]] std::string encoded(std::string_view text);

}  // namespace canopy::service
