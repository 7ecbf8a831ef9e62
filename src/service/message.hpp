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

/// A client's request, independent of the network.
struct Request {
  std::string method = {};
  std::vector<std::string> path = {};  ///< decoded segments: {"v1", "studies", "a b"}
  std::map<std::string, std::string> query = {};
  std::string body = {};
  std::string target = {};  ///< the request target as it was sent
  std::string idempotency_key = {};
  bool takes_gzip = false;
  std::string known_tag = {};         ///< entity tag of the client's cached copy
  std::string id = {};                ///< request id, for logs and error messages
  std::string by = {};                ///< name of the token; empty: the server has no tokens
  std::optional<Token> may_see = {};  ///< limits which studies are visible; none: all of them
  const Route* route = nullptr;       ///< the route that matched
};

/// The answer to a request.
struct Response {
  unsigned status = 200;
  std::string body = {};
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Splits a path into its segments. None if its encoding is invalid or it has a zero byte.
[[nodiscard]] std::optional<std::vector<std::string>> parts_of_path(std::string_view path);

/// Parses `a=1&b=2`. None if its encoding is invalid or it names a parameter twice.
[[nodiscard]] std::optional<std::map<std::string, std::string>> parameters_of(
    std::string_view query);

/// The name of the study in a path `/v1/studies/{name}...`.
[[nodiscard]] const std::string& study_of(const Request& request);

[[nodiscard]] Response json_answer(const Document& document, unsigned status = 200);
[[nodiscard]] Response no_content();

}  // namespace canopy::service
