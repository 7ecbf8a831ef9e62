#include "service/body.hpp"

#include "core/text.hpp"
#include "files/json.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace canopy::service {
namespace {

Document document_in(const Request& request) {
  if (request.body.empty()) return Document::Table{};
  try {
    Document document = parse_json(request.body, "the body");
    if (document.as_table() != nullptr) return document;
  } catch (const SpecificationError& error) {
    throw Problem(400, "malformed_json", error.what());
  }
  throw Problem(400, "malformed_request", "the body must be a JSON object");
}

}  // namespace

Body::Body(const Request& request)
    : RequestReader(document_in(request), Tickets::by_name) {}

void Body::check() const {
  if (!mistakes().empty()) throw Problem(mistakes());
}

Query::Query(const Request& request, std::initializer_list<std::string_view> known)
    : request_(request) {
  const std::vector<std::string_view> names(known);
  for (const auto& entry : request.query) {
    if (std::find(names.begin(), names.end(), entry.first) != names.end()) {
      if (!is_text(entry.second)) complain(entry.first, "wrong_type", "must be a text");
      continue;
    }
    mistakes_.push_back({"?" + entry.first, "unknown_key",
                         names.empty() ? "this route has no parameters"
                                       : unknown_name("parameter", entry.first, names)});
  }
}

std::uint64_t Query::whole(const std::string& key, std::uint64_t otherwise, std::uint64_t least,
                           std::uint64_t most) {
  const auto found = request_.query.find(key);
  if (found == request_.query.end()) return otherwise;
  const auto number = number_in<std::uint64_t>(found->second);
  if (number && *number >= least && *number <= most) return *number;
  complain(key, "wrong_type", whole_range_text(least, most));
  return otherwise;
}

std::optional<double> Query::number(const std::string& key) {
  const auto found = request_.query.find(key);
  if (found == request_.query.end()) return std::nullopt;
  const auto number = number_in<double>(found->second);
  if (number && std::isfinite(*number)) return number;
  complain(key, "wrong_type", "must be a number");
  return std::nullopt;
}

std::string Query::word(const std::string& key, std::initializer_list<std::string_view> words) {
  const auto found = request_.query.find(key);
  if (found == request_.query.end()) return std::string(*words.begin());
  if (std::find(words.begin(), words.end(), found->second) == words.end()) {
    complain(key, "wrong_type", fmt::format("must be one of: {}", fmt::join(words, ", ")));
  }
  return found->second;
}

bool Query::flag(const std::string& key, bool otherwise) {
  return (otherwise ? word(key, {"true", "false"}) : word(key, {"false", "true"})) == "true";
}

void Query::complain(const std::string& key, std::string code, std::string message) {
  mistakes_.push_back({"?" + key, std::move(code), std::move(message)});
}

std::string Query::text(const std::string& key) const {
  const auto found = request_.query.find(key);
  return found != request_.query.end() ? found->second : "";
}

void Query::check() const {
  if (!mistakes_.empty()) throw Problem(mistakes_);
}

}  // namespace canopy::service
