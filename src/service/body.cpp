#include "service/body.hpp"

#include "core/text.hpp"
#include "files/json.hpp"
#include "files/parameter_document.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace canopy::service {
namespace {

constexpr std::array<std::string_view, 5> kSums{"count", "sum", "sum_squares", "min", "max"};
constexpr std::uint64_t kLargest = INT64_MAX;

std::string shown(const Document& value) {
  std::string text = value.as_list() != nullptr ? "[...]" : json_text(value);
  if (value.as_table() != nullptr) text = "{...}";
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

/// A whole number, also one that is written as 5.0.
std::optional<std::int64_t> whole_in(const Document& value) {
  if (const auto whole = value.as_whole()) return whole;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const auto number = value.as_number();
  if (!number || !(std::abs(*number) <= kExact) || std::trunc(*number) != *number) return {};
  return static_cast<std::int64_t>(*number);
}

std::string range_text(std::uint64_t least, std::uint64_t most) {
  if (most >= kLargest) return fmt::format("must be a whole number of {} or more", least);
  return fmt::format("must be a whole number from {} to {}", least, most);
}

}  // namespace

Body::Body(const Request& request) {
  if (request.body.empty()) {
    document_ = Document::Table{};
    return;
  }
  try {
    document_ = parse_json(request.body, "the body");
  } catch (const SpecificationError& error) {
    throw Problem(400, "malformed_json", error.what());
  }
  if (document_.as_table() == nullptr) {
    throw Problem(400, "malformed_request", "the body must be a JSON object");
  }
}

void Body::complain(std::string field, std::string code, std::string message) {
  mistakes_.push_back({std::move(field), std::move(code), std::move(message)});
}

void Body::check() const {
  if (!mistakes_.empty()) throw Problem(mistakes_);
}

void Body::allow(const Document& table, const std::string& prefix,
                 std::initializer_list<std::string_view> keys) {
  if (table.as_table() == nullptr) return;
  for (const auto& entry : *table.as_table()) {
    if (std::find(keys.begin(), keys.end(), entry.first) != keys.end()) continue;
    const std::vector<std::string_view> known(keys);
    complain(prefix + entry.first, "unknown_key", unknown_name("key", entry.first, known));
  }
}

std::optional<std::uint64_t> Body::whole(const Document& table, const std::string& prefix,
                                         std::string_view key, std::uint64_t least,
                                         std::uint64_t most) {
  const Document* value = table.find(key);
  if (value == nullptr) return std::nullopt;
  const auto number = whole_in(*value);
  if (!number || *number < 0 || static_cast<std::uint64_t>(*number) < least ||
      static_cast<std::uint64_t>(*number) > most) {
    complain(prefix + std::string(key), "wrong_type",
             shown(*value) + ": " + range_text(least, most));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*number);
}

std::optional<std::uint64_t> Body::required_whole(const Document& table, const std::string& prefix,
                                                  std::string_view key) {
  if (!table.contains(key)) {
    complain(prefix + std::string(key), "missing_key", "is missing");
    return std::nullopt;
  }
  return whole(table, prefix, key, 0, kLargest);
}

std::optional<double> Body::number(const Document& table, const std::string& prefix,
                                   std::string_view key, std::string_view code) {
  const Document* value = table.find(key);
  if (value == nullptr) return std::nullopt;
  const auto number = value->as_number();
  if (!number || !std::isfinite(*number)) {
    complain(prefix + std::string(key), std::string(code),
             shown(*value) + ": must be a finite number");
    return std::nullopt;
  }
  return number;
}

std::optional<std::string> Body::text(const Document& table, const std::string& prefix,
                                      std::string_view key) {
  const Document* value = table.find(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->as_text();
  if (text != nullptr && is_text(*text)) return *text;
  complain(prefix + std::string(key), "wrong_type",
           shown(*value) + ": must be a text" + (text != nullptr ? " without a zero byte" : ""));
  return std::nullopt;
}

bool Body::flag(const Document& table, const std::string& prefix, std::string_view key) {
  const Document* value = table.find(key);
  if (value == nullptr) return false;
  if (const auto flag = value->as_bool()) return *flag;
  complain(prefix + std::string(key), "wrong_type", shown(*value) + ": must be true or false");
  return false;
}

const Document::List& Body::list(std::string_view key) {
  static const Document::List none;
  const Document* value = document_.find(key);
  if (value == nullptr) {
    complain(std::string(key), "missing_key", "is missing");
    return none;
  }
  const Document::List* list = value->as_list();
  if (list == nullptr || list->empty()) {
    complain(std::string(key), "wrong_type", shown(*value) + ": must be a list of one or more");
    return none;
  }
  return *list;
}

std::optional<GivenRewards> Body::rewards(const Document& table, const std::string& prefix) {
  const bool one = table.contains("reward");
  const bool several = table.contains("rewards");
  const bool sums = std::any_of(kSums.begin(), kSums.end(),
                                [&](std::string_view key) { return table.contains(key); });
  if (static_cast<int>(one) + static_cast<int>(several) + static_cast<int>(sums) != 1) {
    complain(prefix.empty() ? "reward" : prefix.substr(0, prefix.size() - 1), "malformed_request",
             "expected one of: reward; rewards; count, sum and sum_squares (and min and max)");
    return std::nullopt;
  }
  if (one) {
    const auto reward = number(table, prefix, "reward");
    return reward ? std::optional<GivenRewards>(*reward) : std::nullopt;
  }
  if (several) {
    const Document* value = table.find("rewards");
    const Document::List* list = value->as_list();
    std::vector<double> rewards;
    bool fits = list != nullptr && !list->empty();
    for (const Document& each : fits ? *list : Document::List{}) {
      const auto reward = each.as_number();
      fits = fits && reward && std::isfinite(*reward);
      if (fits) rewards.push_back(*reward);
    }
    if (fits) return rewards;
    complain(prefix + "rewards", "not_a_reward",
             shown(*value) + ": must be a list of one or more finite numbers");
    return std::nullopt;
  }
  for (const char* key : {"sum", "sum_squares"}) {
    if (!table.contains(key)) complain(prefix + key, "missing_key", "is missing");
  }
  const auto count = required_whole(table, prefix, "count");
  const auto sum = number(table, prefix, "sum");
  const auto squares = number(table, prefix, "sum_squares");
  const auto min = number(table, prefix, "min");
  const auto max = number(table, prefix, "max");
  if (!count || !sum || !squares) return std::nullopt;
  if (*count == 0) {
    complain(prefix + "count", "impossible_sums", "must be 1 or more");
    return std::nullopt;
  }
  Rewards rewards = Rewards::from_sums(*count, *sum, *squares);
  if (min) rewards.min = *min;
  if (max) rewards.max = *max;
  return rewards;
}

std::optional<std::vector<double>> Body::arm(const Document& table, const std::string& prefix,
                                             const Space& space) {
  const Document* given = table.find("arm");
  if (given == nullptr) {
    complain(prefix + "arm", "missing_key", "is missing");
    return std::nullopt;
  }
  if (given->as_table() == nullptr) {
    complain(prefix + "arm", "wrong_type", shown(*given) + ": must be an object");
    return std::nullopt;
  }
  const std::size_t before = mistakes_.size();
  std::vector<std::string_view> names;
  std::vector<double> arm;
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    const auto& [name, domain] = space.parameters()[i];
    const std::string field = fmt::format("{}arm.{}", prefix, name);
    names.push_back(name);
    const Document* value = given->find(name);
    if (value == nullptr) {
      complain(field, "missing_key", "is missing");
      continue;
    }
    if (const auto coordinate = coordinate_of(domain, *value)) {
      arm.push_back(*coordinate);
    } else {
      complain(field, "not_an_arm", shown(*value) + ": must be " + domain.description());
    }
  }
  for (const auto& entry : *given->as_table()) {
    if (std::find(names.begin(), names.end(), entry.first) != names.end()) continue;
    complain(prefix + "arm." + entry.first, "not_an_arm",
             unknown_name("parameter", entry.first, names));
  }
  if (mistakes_.size() != before) return std::nullopt;
  return arm;
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
  complain(key, "wrong_type", range_text(least, most));
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
