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

/// A parameter behind the path of a request.
struct QueryField {
  enum class Kind : std::uint8_t { whole, number, text, flag, word, json };

  std::string_view name = {};
  std::string_view help = {};
  Kind kind = Kind::text;
  std::uint64_t least = 0;  ///< of a whole number
  std::uint64_t most = INT64_MAX;
  std::string_view words = {};  ///< one of these, with commas between them
  std::string_view usual = {};  ///< when it is left out; empty: nothing is said
  std::string_view example = {};
  std::string_view schema = {};  ///< of JSON, by its name in the OpenAPI document
};

/// One way to ask for something: who may, what is asked and answered, who serves it, and what
/// people and programs are told of it. The OpenAPI document and the table of docs/service.md are
/// made from these.
struct Route {
  std::string_view method = {};
  std::string_view pattern = {};  ///< `/v1/studies/{name}/asks`
  std::optional<Role> role = {};  ///< that is needed; none: anybody may
  void (Service::*serve)(const Request& request, Done done) = nullptr;
  std::string_view operation = {};  ///< a name for programs
  std::string_view tag = {};
  std::string_view summary = {};  ///< a line for people,
  std::string_view description = {};
  std::span<const QueryField> query = {};
  bool takes_key = false;             ///< an Idempotency-Key
  const RequestBody* body = nullptr;  ///< of the request; null: there is none
  bool needs_body = true;
  std::string_view body_examples = {};  ///< as JSON: `example` or `examples`
  unsigned status = 200;                ///< of the usual answer
  std::string_view answer_line = {};
  std::string_view line_if_there = {};  ///< of 200, if what would be made is there already
  std::string_view answer = {};         ///< its schema
  std::string_view answer_type = "application/json";
  std::string_view answer_example = {};
  bool may_be_elsewhere = false;  ///< at another server
  bool may_conflict = false;      ///< with the state of the study
  bool may_be_gone = false;       ///< the tickets of another incarnation
  bool is_stream = false;         ///< the answer is only the beginning
  bool is_immediate = false;      ///< needs no worker, whatever they do

  /// Whether it is about the study of that name.
  [[nodiscard]] bool is_of_study() const { return pattern.starts_with("/v1/studies/{name}"); }
};

/// All of them.
[[nodiscard]] std::span<const Route> routes();

}  // namespace canopy::service
