#pragma once

#include "files/document.hpp"
#include "service/tokens.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy::service {

struct Route;

/// What a client asks for, without the network around it.
struct Request {
  std::string method = {};
  std::vector<std::string> path = {};  ///< its parts, decoded: {"v1", "studies", "a b"}
  std::map<std::string, std::string> query = {};
  std::string body = {};
  std::string target = {};  ///< as it was sent
  std::string idempotency_key = {};
  bool takes_gzip = false;
  std::string known_tag = {};         ///< of what the client has already
  std::string id = {};                ///< for logs and error messages
  std::string by = {};                ///< the name of the token; empty: there are none
  std::optional<Token> may_see = {};  ///< whose studies are meant; none: all of them
  const Route* route = nullptr;       ///< that serves it
};

/// What it is answered.
struct Response {
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

/// The study that a path `/v1/studies/{name}...` is about.
[[nodiscard]] const std::string& study_of(const Request& request);

[[nodiscard]] Response json_answer(const Document& document, unsigned status = 200);
[[nodiscard]] Response no_content();

}  // namespace canopy::service
