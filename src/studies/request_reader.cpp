#include "studies/request_reader.hpp"

#include "core/text.hpp"
#include "files/document_reader.hpp"
#include "files/json.hpp"
#include "files/parameter_document.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::uint64_t kLargestWhole = INT64_MAX;
constexpr std::size_t kLongestMetric = 400;  // bytes: 100 letters of any alphabet

/// The value as shortened text, because a list may be deeply nested.
std::string shown(const Document& value) {
  if (const Document::List* list = value.as_list()) return list->empty() ? "[]" : "[...]";
  if (value.as_table() != nullptr) return "{...}";
  std::string text = json_text(value);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

/// Returns a whole number, also if it is written as 5.0.
std::optional<std::int64_t> whole_in(const Document& value) {
  if (const auto whole = value.as_whole()) return whole;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const auto number = value.as_number();
  if (!number || !(std::abs(*number) <= kExact) || std::trunc(*number) != *number) return {};
  return static_cast<std::int64_t>(*number);
}

bool knows(std::span<const RequestField> fields, std::string_view key) {
  return std::any_of(fields.begin(), fields.end(), [&](const RequestField& field) {
    if (field.name == key) return true;
    return field.kind == RequestField::Kind::rewards &&
           (key == request::kReward.name || knows(request::kSums, key));
  });
}

std::vector<std::string_view> names_of(std::span<const RequestField> fields) {
  std::vector<std::string_view> names;
  for (const RequestField& field : fields) {
    if (field.kind == RequestField::Kind::rewards) {
      names.push_back(request::kReward.name);
      for (const RequestField& sum : request::kSums) names.push_back(sum.name);
    }
    names.push_back(field.name);
  }
  return names;
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
  if (is_full()) return;
  mistakes_.push_back({std::move(field), std::move(code), std::move(message), std::move(value)});
}

void RequestReader::allow(const Document& table, const std::string& prefix,
                          std::span<const RequestField> fields) {
  if (table.as_table() == nullptr) return;
  for (const auto& entry : *table.as_table()) {
    if ((!known_.empty() && entry.first == known_) || knows(fields, entry.first)) continue;
    if (is_full()) return;
    complain(prefix + entry.first, "unknown_key",
             unknown_name("key", entry.first, names_of(fields)));
  }
}

const Document* RequestReader::find(const Document& table, const std::string& prefix,
                                    const RequestField& field) {
  const Document* value = table.find(field.name);
  if (value == nullptr && field.required) {
    complain(prefix + std::string(field.name), "missing_key", "is missing");
  }
  return value;
}

/// Reports that a value violates the requirement of its field.
void RequestReader::complain_of(const Document& value, const std::string& prefix,
                                const RequestField& field, std::string message) {
  const bool is_reward = field.kind == RequestField::Kind::reward;
  complain(prefix + std::string(field.name), is_reward ? "not_a_reward" : "wrong_type",
           std::move(message), shown(value));
}

std::optional<std::uint64_t> RequestReader::whole(const Document& table, const std::string& prefix,
                                                  const RequestField& field) {
  const Document* value = find(table, prefix, field);
  if (value == nullptr) return std::nullopt;
  const auto number = whole_in(*value);
  if (number && *number >= 0 && static_cast<std::uint64_t>(*number) >= field.least &&
      static_cast<std::uint64_t>(*number) <= field.most) {
    return static_cast<std::uint64_t>(*number);
  }
  complain_of(*value, prefix, field, whole_range_text(field.least, field.most));
  return std::nullopt;
}

std::optional<double> RequestReader::number(const Document& table, const std::string& prefix,
                                            const RequestField& field) {
  const Document* value = find(table, prefix, field);
  if (value == nullptr) return std::nullopt;
  const auto number = value->as_number();
  const bool has_range = field.kind == RequestField::Kind::number && field.most != kLargestWhole;
  const bool fits = number && std::isfinite(*number) &&
                    (!has_range || (*number > static_cast<double>(field.least) &&
                                    *number <= static_cast<double>(field.most)));
  if (fits) return number;
  complain_of(*value, prefix, field,
              has_range ? fmt::format("must be above {} and at most {}", field.least, field.most)
                        : "must be a finite number");
  return std::nullopt;
}

std::optional<std::string> RequestReader::text(const Document& table, const std::string& prefix,
                                               const RequestField& field) {
  const Document* value = find(table, prefix, field);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->as_text();
  if (text != nullptr && text->size() >= field.least && is_text(*text)) return *text;
  std::string must_be = "must be a string";
  if (text != nullptr && text->size() < field.least) {
    must_be += " that is not empty";
  } else if (text != nullptr) {
    must_be += " without a zero byte";
  }
  complain_of(*value, prefix, field, std::move(must_be));
  return std::nullopt;
}

bool RequestReader::flag(const Document& table, const std::string& prefix,
                         const RequestField& field) {
  const Document* value = find(table, prefix, field);
  if (value == nullptr) return false;
  if (const auto flag = value->as_bool()) return *flag;
  complain_of(*value, prefix, field, "must be true or false");
  return false;
}

std::optional<std::size_t> RequestReader::word(const Document& table, const std::string& prefix,
                                               const RequestField& field) {
  const Document* value = find(table, prefix, field);
  if (value == nullptr) return std::nullopt;
  if (const std::string* word = value->as_text()) {
    const auto found = std::find(field.words.begin(), field.words.end(), *word);
    if (found != field.words.end()) {
      return static_cast<std::size_t>(found - field.words.begin());
    }
  }
  complain_of(*value, prefix, field, must_be_one_of(field.words));
  return std::nullopt;
}

const Document::List& RequestReader::list(const RequestField& field) {
  static const Document::List none;
  const Document* value = find(document_, "", field);
  if (value == nullptr) return none;
  const Document::List* list = value->as_list();
  if (list != nullptr && list->size() >= field.least && list->size() <= field.most) return *list;
  complain(std::string(field.name), "wrong_type",
           field.most < kLargestWhole
               ? fmt::format("must be a list of {} to {}", field.least, field.most)
               : "must be a list",
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
  const Document* value = find(table, prefix, request::kTicket);
  return value != nullptr ? ticket_in(*value, prefix + "ticket") : NamedTicket{};
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
  complain(field, "wrong_type", "must be a ticket string, as returned by asks", shown(value));
  return {};
}

std::optional<AnyRewards> RequestReader::rewards(const Document& table, const std::string& prefix) {
  const auto has = [&](const RequestField& field) { return table.contains(field.name); };
  const bool has_one = has(request::kReward);
  const bool has_list = has(request::kRewards);
  const bool has_sums = std::any_of(request::kSums.begin(), request::kSums.end(), has);
  if (static_cast<int>(has_one) + static_cast<int>(has_list) + static_cast<int>(has_sums) != 1) {
    complain(prefix.empty() ? "reward" : prefix.substr(0, prefix.size() - 1), "malformed_request",
             "expected one of: reward; rewards; count, sum and sum_squares (and min and max)");
    return std::nullopt;
  }
  if (has_list) return reward_list(table, prefix);
  if (has_sums) return sums(table, prefix);
  const auto reward = number(table, prefix, request::kReward);
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
  const auto& [count_field, sum_field, squares_field, min_field, max_field] = request::kSums;
  const auto count = whole(table, prefix, count_field);
  const auto sum = number(table, prefix, sum_field);
  const auto squares = number(table, prefix, squares_field);
  const auto min = number(table, prefix, min_field);
  const auto max = number(table, prefix, max_field);
  if (!count || !sum || !squares) return std::nullopt;
  Rewards rewards = Rewards::from_sums(*count, *sum, *squares);
  if (min) rewards.min = *min;
  if (max) rewards.max = *max;
  return rewards;
}

/// Reads a value for each parameter (or context variable) by its name.
template <class Variables, class Coordinate, class MustBe>
std::optional<std::vector<double>> RequestReader::values(
    const Document& given, const Variables& variables, const std::string& field, const char* what,
    const char* code, const Coordinate& coordinate_in, const MustBe& must_be) {
  if (given.as_table() == nullptr) {
    complain(field, "wrong_type", "must be an object", shown(given));
    return std::nullopt;
  }
  const std::size_t before = mistakes_.size();
  std::vector<std::string_view> names;
  std::vector<double> coordinates;
  for (const auto& variable : variables) {
    const std::string place = fmt::format("{}.{}", field, variable.name);
    names.push_back(variable.name);
    const Document* value = given.find(variable.name);
    if (value == nullptr) {
      complain(place, "missing_key", "is missing");
      continue;
    }
    if (const std::optional<double> coordinate = coordinate_in(variable.domain, *value)) {
      coordinates.push_back(*coordinate);
    } else {
      complain(place, code, must_be(variable.domain), shown(*value));
    }
  }
  for (const auto& entry : *given.as_table()) {
    if (is_full()) break;
    if (std::find(names.begin(), names.end(), entry.first) != names.end()) continue;
    complain(field + "." + entry.first, code, unknown_name(what, entry.first, names));
  }
  if (mistakes_.size() != before) return std::nullopt;
  return coordinates;
}

std::optional<std::vector<double>> RequestReader::arm(const Document& table,
                                                      const std::string& prefix,
                                                      const Space& space) {
  const Document* given = find(table, prefix, request::kArm);
  if (given == nullptr) return std::nullopt;
  return values(*given, space.parameters(), prefix + "arm", "parameter", "not_an_arm",
                coordinate_of,
                [](const Domain& domain) { return "must be " + domain.description(); });
}

std::vector<double> RequestReader::context(const Document& table, const std::string& prefix,
                                           const ContextSpace& contexts, bool may_be_missing) {
  const std::string field = prefix + std::string(request::kContext.name);
  const Document* given = find(table, prefix, request::kContext);
  if (given == nullptr && (contexts.empty() || may_be_missing)) return {};
  if (given == nullptr) {
    std::vector<std::string_view> names;
    for (const ContextVariable& variable : contexts.variables()) names.push_back(variable.name);
    complain(field, "missing_key",
             fmt::format("is missing; the best setting depends on: {}", fmt::join(names, ", ")));
    return {};
  }
  if (contexts.empty()) {
    complain(field, "not_a_context", "the study has no [[context]]", shown(*given));
    return {};
  }
  return values(*given, contexts.variables(), field, "context variable", "not_a_context",
                observed_coordinate_of, observed_must_be)
      .value_or(std::vector<double>());
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
               fmt::format("names must be strings of 1 to {} bytes", kLongestMetric));
      continue;
    }
    const RequestField field{.name = name, .kind = RequestField::Kind::number};
    if (const auto measured = number(*given, prefix + "metrics.", field)) {
      metrics[name] = *measured;
    }
  }
  return metrics;
}

Role RequestReader::role(const Document& table, const std::string& prefix) {
  return static_cast<Role>(word(table, prefix, request::kRole).value_or(0));
}

}  // namespace canopy
