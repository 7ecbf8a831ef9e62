#pragma once

#include "service/tokens.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace canopy::service {

class Service;
struct RequestBody;
struct Request;
struct Response;
using Done = std::function<void(Response)>;

/// A query parameter.
struct QueryField {
  enum class Kind : std::uint8_t { whole, number, text, flag, word, json };

  std::string_view name = {};
  std::string_view help = {};
  Kind kind = Kind::text;
  std::uint64_t least = 0;  ///< minimum of a whole number
  std::uint64_t most = INT64_MAX;
  std::string_view words = {};  ///< allowed words, separated by commas
  std::string_view usual = {};  ///< the default; empty: none
  std::string_view example = {};
  std::string_view schema = {};  ///< of a JSON value, by its name in the OpenAPI document
};

/// A route: its request, its answers, the role it needs, the function that serves it, and its
/// documentation. The OpenAPI document and the table of docs/service.md are generated from the
/// routes.
struct Route {
  std::string_view method = {};
  std::string_view pattern = {};  ///< `/v1/studies/{name}/asks`
  std::optional<Role> role = {};  ///< the role that the token needs; none: no token is needed
  void (Service::*serve)(const Request& request, Done done) = nullptr;
  std::string_view operation = {};  ///< the operationId of the OpenAPI document
  std::string_view tag = {};
  std::string_view summary = {};  ///< one line
  std::string_view description = {};
  std::span<const QueryField> query = {};
  bool takes_key = false;             ///< accepts an Idempotency-Key
  const RequestBody* body = nullptr;  ///< the request body; null: none
  bool needs_body = true;
  std::string_view body_examples = {};  ///< as JSON: `example` or `examples`
  unsigned status = 200;                ///< of a successful answer
  std::string_view answer_line = {};
  std::string_view line_if_there = {};  ///< of the answer 200 if the resource exists already
  std::string_view answer = {};         ///< schema of the answer
  std::string_view answer_type = "application/json";
  std::string_view answer_example = {};
  bool may_be_elsewhere = false;  ///< another server may have the study
  bool may_conflict = false;      ///< may conflict with the state of the study
  bool may_be_gone = false;       ///< tickets may be of another incarnation
  bool is_stream = false;         ///< the answer is a stream
  bool is_immediate = false;      ///< served at once, without waiting for a worker

  /// Whether the path names a study.
  [[nodiscard]] bool is_of_study() const { return pattern.starts_with("/v1/studies/{name}"); }
};

/// All routes of the service.
[[nodiscard]] std::span<const Route> routes();

}  // namespace canopy::service
