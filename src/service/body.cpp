#include "service/body.hpp"

#include "core/comma_list.hpp"
#include "core/text.hpp"
#include "files/json.hpp"
#include "service/request_bodies.hpp"

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

Body::Body(const Request& request) : RequestReader(document_in(request), Tickets::by_name) {
  const RequestBody& its = *request.route->body;
  allow(document(), "", its.fields);
  const auto given =
      std::count_if(its.exactly_one.begin(), its.exactly_one.end(),
                    [this](std::string_view key) { return document().contains(key); });
  if (its.exactly_one.empty() || given == 1) return;
  if (given == 0 && !its.unless.empty() && document().contains(its.unless)) return;
  complain(std::string(its.exactly_one.front()), "missing_key",
           fmt::format("expected one of: {}", fmt::join(its.exactly_one, "; ")));
}

void Body::check() const {
  if (!mistakes().empty()) throw Problem(mistakes());
}

Query::Query(const Request& request) : request_(request) {
  std::vector<std::string_view> names;
  for (const QueryField& field : request.route->query) names.push_back(field.name);
  for (const auto& entry : request.query) {
    if (std::find(names.begin(), names.end(), entry.first) != names.end()) {
      if (!is_text(entry.second)) complain(entry.first, "wrong_type", "must be UTF-8 text");
      continue;
    }
    mistakes_.push_back({"?" + entry.first, "unknown_key",
                         names.empty() ? "this route has no parameters"
                                       : unknown_name("parameter", entry.first, names)});
  }
}

const QueryField& Query::field(std::string_view key) const {
  const auto& fields = request_.route->query;
  return *std::find_if(fields.begin(), fields.end(),
                       [&](const QueryField& each) { return each.name == key; });
}

std::optional<std::string> Query::said(std::string_view key) const {
  const auto found = request_.query.find(std::string(key));
  if (found != request_.query.end()) return found->second;
  const std::string_view usual = field(key).usual;
  return usual.empty() ? std::nullopt : std::optional<std::string>(usual);
}

std::optional<std::uint64_t> Query::whole(std::string_view key) {
  const auto text = said(key);
  if (!text) return std::nullopt;
  const QueryField& its = field(key);
  const auto number = number_in<std::uint64_t>(*text);
  if (number && *number >= its.least && *number <= its.most) return number;
  complain(std::string(key), "wrong_type", whole_range_text(its.least, its.most));
  return its.least;
}

std::optional<double> Query::number(std::string_view key) {
  const auto text = said(key);
  if (!text) return std::nullopt;
  const auto number = number_in<double>(*text);
  if (number && std::isfinite(*number)) return number;
  complain(std::string(key), "wrong_type", "must be a number");
  return std::nullopt;
}

std::string Query::word(std::string_view key) {
  std::string text = said(key).value_or("");
  const std::vector<std::string> words = words_between_commas(std::string(field(key).words));
  if (std::find(words.begin(), words.end(), text) == words.end()) {
    complain(std::string(key), "wrong_type",
             fmt::format("must be one of: {}", fmt::join(words, ", ")));
  }
  return text;
}

bool Query::flag(std::string_view key) {
  const std::string text = said(key).value_or("false");
  if (text != "true" && text != "false") {
    complain(std::string(key), "wrong_type", "must be one of: true, false");
  }
  return text == "true";
}

std::optional<Document> Query::json(std::string_view key) {
  const auto text = said(key);
  if (!text) return std::nullopt;
  try {
    return parse_json(*text, "?" + std::string(key));
  } catch (const SpecificationError& error) {
    complain(std::string(key), "malformed_json", error.what());
    return std::nullopt;
  }
}

std::string Query::text(std::string_view key) const {
  return said(key).value_or("");
}

void Query::complain(const std::string& key, std::string code, std::string message) {
  mistakes_.push_back({"?" + key, std::move(code), std::move(message)});
}

void Query::check() const {
  if (!mistakes_.empty()) throw Problem(mistakes_);
}

}  // namespace canopy::service
