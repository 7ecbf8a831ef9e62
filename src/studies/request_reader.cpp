#include "studies/request_reader.hpp"

#include "core/text.hpp"
#include "files/json.hpp"
#include "files/parameter_document.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::array<std::string_view, 5> kSums{"count", "sum", "sum_squares", "min", "max"};
constexpr std::uint64_t kLargestWhole = INT64_MAX;
constexpr std::size_t kMostMetrics = 50;     // with one reward
constexpr std::size_t kLongestMetric = 400;  // bytes: 100 letters of any alphabet

/// The text of a value, cut short. A list may be nested without end.
std::string shown(const Document& value) {
  if (const Document::List* list = value.as_list()) return list->empty() ? "[]" : "[...]";
  if (value.as_table() != nullptr) return "{...}";
  std::string text = json_text(value);
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

}  // namespace

std::string Mistake::text() const {
  return value.empty() ? message : value + ": " + message;
}

std::string Mistake::text_with_field() const {
  if (field.empty()) return text();
  return field + (value.empty() ? ": " : " = ") + text();
}

std::string whole_range_text(std::uint64_t least, std::uint64_t most) {
  if (most >= kLargestWhole) return fmt::format("must be a whole number of {} or more", least);
  return fmt::format("must be a whole number from {} to {}", least, most);
}

void RequestReader::complain(std::string field, std::string code, std::string message,
                             std::string value) {
  if (is_hopeless()) return;
  mistakes_.push_back({std::move(field), std::move(code), std::move(message), std::move(value)});
}

void RequestReader::allow(const Document& table, const std::string& prefix,
                          std::initializer_list<std::string_view> keys) {
  if (table.as_table() == nullptr) return;
  for (const auto& entry : *table.as_table()) {
    if (entry.first == known_) continue;
    if (std::find(keys.begin(), keys.end(), entry.first) != keys.end()) continue;
    if (is_hopeless()) return;
    const std::vector<std::string_view> known(keys);
    complain(prefix + entry.first, "unknown_key", unknown_name("key", entry.first, known));
  }
}

std::optional<std::uint64_t> RequestReader::whole(const Document& table, const std::string& prefix,
                                                  std::string_view key, std::uint64_t least,
                                                  std::uint64_t most) {
  const Document* value = table.find(key);
  if (value == nullptr) return std::nullopt;
  const auto number = whole_in(*value);
  if (number && *number >= 0 && static_cast<std::uint64_t>(*number) >= least &&
      static_cast<std::uint64_t>(*number) <= most) {
    return static_cast<std::uint64_t>(*number);
  }
  complain(prefix + std::string(key), "wrong_type", whole_range_text(least, most), shown(*value));
  return std::nullopt;
}

std::optional<std::uint64_t> RequestReader::required_whole(const Document& table,
                                                           const std::string& prefix,
                                                           std::string_view key) {
  if (table.contains(key)) return whole(table, prefix, key, 0, kLargestWhole);
  complain(prefix + std::string(key), "missing_key", "is missing");
  return std::nullopt;
}

std::optional<double> RequestReader::number(const Document& table, const std::string& prefix,
                                            std::string_view key, std::string_view code) {
  const Document* value = table.find(key);
  if (value == nullptr) return std::nullopt;
  const auto number = value->as_number();
  if (number && std::isfinite(*number)) return number;
  complain(prefix + std::string(key), std::string(code), "must be a finite number", shown(*value));
  return std::nullopt;
}

std::optional<std::string> RequestReader::text(const Document& table, const std::string& prefix,
                                               std::string_view key) {
  const Document* value = table.find(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->as_text();
  if (text != nullptr && is_text(*text)) return *text;
  complain(prefix + std::string(key), "wrong_type",
           std::string("must be a text") + (text != nullptr ? " without a zero byte" : ""),
           shown(*value));
  return std::nullopt;
}

bool RequestReader::flag(const Document& table, const std::string& prefix, std::string_view key) {
  const Document* value = table.find(key);
  if (value == nullptr) return false;
  if (const auto flag = value->as_bool()) return *flag;
  complain(prefix + std::string(key), "wrong_type", "must be true or false", shown(*value));
  return false;
}

const Document::List& RequestReader::list(std::string_view key) {
  static const Document::List none;
  const Document* value = document_.find(key);
  if (value == nullptr) {
    complain(std::string(key), "missing_key", "is missing");
    return none;
  }
  const Document::List* list = value->as_list();
  if (list != nullptr && !list->empty() && list->size() <= kLongestList) return *list;
  complain(std::string(key), "wrong_type", fmt::format("must be a list of 1 to {}", kLongestList),
           list != nullptr && !list->empty() ? fmt::format("a list of {}", list->size())
                                             : shown(*value));
  return none;
}

const Document& RequestReader::table_at(const Document::List& list, std::size_t i,
                                        const std::string& field) {
  static const Document empty = Document::Table{};
  if (list[i].as_table() != nullptr) return list[i];
  complain(field, "wrong_type", "must be an object");
  return empty;
}

std::string NamedTicket::text() const {
  return fmt::format("{}-{}", number, incarnation);
}

NamedTicket RequestReader::ticket(const Document& table, const std::string& prefix) {
  const std::string field = prefix + "ticket";
  if (const Document* value = table.find("ticket")) return ticket_in(*value, field);
  complain(field, "missing_key", "is missing");
  return {};
}

NamedTicket RequestReader::ticket_in(const Document& value, const std::string& field) {
  if (tickets_ == Tickets::by_number) {
    const auto number = whole_in(value);
    if (number && *number >= 0) return {static_cast<Ticket>(*number)};
    complain(field, "wrong_type", whole_range_text(0, kLargestWhole), shown(value));
    return {};
  }
  if (const std::string* text = value.as_text()) {
    const std::size_t end = text->find('-');
    const auto number = number_in<Ticket>(std::string_view(*text).substr(0, end));
    if (end != std::string::npos && number && *number <= kLargestWhole) {
      return {*number, text->substr(end + 1)};
    }
  }
  complain(field, "wrong_type", "must be the text of a ticket, as asks gives it", shown(value));
  return {};
}

std::optional<AnyRewards> RequestReader::rewards(const Document& table, const std::string& prefix) {
  const bool has_one = table.contains("reward");
  const bool has_list = table.contains("rewards");
  const bool has_sums = std::any_of(kSums.begin(), kSums.end(),
                                    [&](std::string_view key) { return table.contains(key); });
  if (static_cast<int>(has_one) + static_cast<int>(has_list) + static_cast<int>(has_sums) != 1) {
    complain(prefix.empty() ? "reward" : prefix.substr(0, prefix.size() - 1), "malformed_request",
             "expected one of: reward; rewards; count, sum and sum_squares (and min and max)");
    return std::nullopt;
  }
  if (has_list) return reward_list(table, prefix);
  if (has_sums) return sums(table, prefix);
  const auto reward = number(table, prefix, "reward");
  return reward ? std::optional<AnyRewards>(*reward) : std::nullopt;
}

std::optional<AnyRewards> RequestReader::reward_list(const Document& table,
                                                     const std::string& prefix) {
  const Document* value = table.find("rewards");
  const Document::List* list = value->as_list();
  std::vector<double> rewards;
  bool fits = list != nullptr && !list->empty();
  for (std::size_t i = 0; fits && i < list->size(); ++i) {
    const auto reward = (*list)[i].as_number();
    fits = reward && std::isfinite(*reward);
    if (fits) rewards.push_back(*reward);
  }
  if (fits) return rewards;
  complain(prefix + "rewards", "not_a_reward", "must be a list of one or more finite numbers",
           shown(*value));
  return std::nullopt;
}

std::optional<AnyRewards> RequestReader::sums(const Document& table, const std::string& prefix) {
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

std::optional<std::vector<double>> RequestReader::arm(const Document& table,
                                                      const std::string& prefix,
                                                      const Space& space) {
  const Document* given = table.find("arm");
  if (given == nullptr) {
    complain(prefix + "arm", "missing_key", "is missing");
    return std::nullopt;
  }
  if (given->as_table() == nullptr) {
    complain(prefix + "arm", "wrong_type", "must be an object", shown(*given));
    return std::nullopt;
  }
  const std::size_t before = mistakes_.size();
  std::vector<std::string_view> names;
  std::vector<double> arm;
  for (const auto& [name, domain] : space.parameters()) {
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
      complain(field, "not_an_arm", "must be " + domain.description(), shown(*value));
    }
  }
  for (const auto& entry : *given->as_table()) {
    if (is_hopeless()) break;
    if (std::find(names.begin(), names.end(), entry.first) != names.end()) continue;
    complain(prefix + "arm." + entry.first, "not_an_arm",
             unknown_name("parameter", entry.first, names));
  }
  if (mistakes_.size() != before) return std::nullopt;
  return arm;
}

Metrics RequestReader::metrics(const Document& table, const std::string& prefix) {
  Metrics metrics;
  const Document* given = table.find("metrics");
  if (given == nullptr) return metrics;
  const Document::Table* numbers = given->as_table();
  if (numbers == nullptr || numbers->size() > kMostMetrics) {
    complain(prefix + "metrics", "wrong_type",
             fmt::format("must be an object of at most {} numbers", kMostMetrics), shown(*given));
    return metrics;
  }
  for (const auto& [name, value] : *numbers) {
    if (name.empty() || name.size() > kLongestMetric || !is_text(name)) {
      complain(prefix + "metrics", "wrong_type",
               fmt::format("names must be texts of 1 to {} bytes", kLongestMetric));
      continue;
    }
    if (const auto measured = number(*given, prefix + "metrics.", name, "wrong_type")) {
      metrics[name] = *measured;
    }
  }
  return metrics;
}

Role RequestReader::role(const Document& table, const std::string& prefix) {
  const Document* given = table.find("role");
  if (given == nullptr) return Role::search;
  const std::string* name = given->as_text();
  if (const auto role = name != nullptr ? value_named<Role>(*name) : std::nullopt) return *role;
  complain(prefix + "role", "wrong_type",
           fmt::format("must be one of: {}", fmt::join(EnumNames<Role>::names, ", ")),
           shown(*given));
  return Role::search;
}

}  // namespace canopy
