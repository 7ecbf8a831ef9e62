#include "files/document.hpp"

#include "files/toml.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace canopy {
namespace {

constexpr std::size_t kLongestExcerpt = 60;

bool same_number(double left, double right) {
  return left == right || (std::isnan(left) && std::isnan(right));
}

bool same_table(const Document::Table& left, const Document::Table& right) {
  if (left.size() != right.size()) return false;
  const auto by_key = [](const Document::Table& table) {
    std::vector<const Document::Table::value_type*> entries;
    for (const auto& entry : table) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
    return entries;
  };
  const auto lefts = by_key(left);
  const auto rights = by_key(right);
  return std::equal(lefts.begin(), lefts.end(), rights.begin(),
                    [](const auto* a, const auto* b) { return *a == *b; });
}

/// Appends the value as TOML on one line; may stop early once the line is already too long.
void append_value(std::string& line, const Document& value) {
  if (const auto truth = value.as_bool()) {
    line += *truth ? "true" : "false";
  } else if (const auto whole = value.as_whole()) {
    line += std::to_string(*whole);
  } else if (const auto number = value.as_number()) {
    line += toml_number(*number);
  } else if (const std::string* text = value.as_text()) {
    line += toml_string(*text, TomlQuotes::preferably_single);
  } else if (const std::string* other = value.as_other()) {
    line += *other;
  } else if (const Document::List* list = value.as_list()) {
    std::string_view before = "[ ";
    for (const Document& each : *list) {
      if (line.size() > kLongestExcerpt) return;
      append_value(line.append(before), each);
      before = ", ";
    }
    line += list->empty() ? "[]" : " ]";
  } else if (const Document::Table* table = value.as_table()) {
    std::string_view before = "{ ";
    for (const auto& [key, each] : *table) {
      if (line.size() > kLongestExcerpt) return;
      append_value(line.append(before).append(toml_key(key)).append(" = "), each);
      before = ", ";
    }
    line += table->empty() ? "{}" : " }";
  } else {
    line += "null";
  }
}

}  // namespace

Document Document::other(std::string text) {
  Document document;
  document.value_ = Other{std::move(text)};
  return document;
}

std::optional<bool> Document::as_bool() const {
  const auto* truth = std::get_if<bool>(&value_);
  return truth != nullptr ? std::optional(*truth) : std::nullopt;
}

std::optional<std::int64_t> Document::as_whole() const {
  const auto* whole = std::get_if<std::int64_t>(&value_);
  return whole != nullptr ? std::optional(*whole) : std::nullopt;
}

std::optional<double> Document::as_number() const {
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const std::optional<std::int64_t> whole = as_whole();
  if (!whole || *whole < -kMost || *whole > kMost) return std::nullopt;
  return static_cast<double>(*whole);
}

const std::string* Document::as_other() const {
  const auto* other = std::get_if<Other>(&value_);
  return other != nullptr ? &other->text : nullptr;
}

const Document::List* Document::as_tables() const {
  const List* list = as_list();
  if (list == nullptr || list->empty()) return nullptr;
  const bool all = std::all_of(list->begin(), list->end(),
                               [](const Document& each) { return each.kind() == Kind::table; });
  return all ? list : nullptr;
}

const Document* Document::find(std::string_view key) const {
  const Table* table = as_table();
  if (table == nullptr) return nullptr;
  const auto found = std::find_if(table->begin(), table->end(),
                                  [&](const auto& entry) { return entry.first == key; });
  return found != table->end() ? &found->second : nullptr;
}

Document* Document::find(std::string_view key) {
  return const_cast<Document*>(std::as_const(*this).find(key));
}

void Document::set(std::string_view key, Document value) {
  if (kind() == Kind::nothing) value_ = Table{};
  auto* table = std::get_if<Table>(&value_);
  if (table == nullptr) throw std::logic_error("a key can only be set in a table");
  if (Document* there = find(key)) {
    *there = std::move(value);
  } else {
    table->emplace_back(key, std::move(value));
  }
}

void Document::erase(std::string_view key) {
  if (auto* table = std::get_if<Table>(&value_)) {
    std::erase_if(*table, [&](const auto& entry) { return entry.first == key; });
  }
}

void Document::push_back(Document value) {
  if (kind() == Kind::nothing) value_ = List{};
  auto* list = std::get_if<List>(&value_);
  if (list == nullptr) throw std::logic_error("values can only be added to a list");
  list->push_back(std::move(value));
}

std::string Document::excerpt() const {
  if (kind() == Kind::table) return "{...}";
  std::string line;
  append_value(line, *this);
  if (line.size() <= kLongestExcerpt) return line;
  std::size_t end = kLongestExcerpt - 3;
  while ((static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U)
    --end;  // inside a UTF-8 character
  return line.substr(0, end) + "...";
}

bool operator==(const Document& left, const Document& right) {
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case Document::Kind::nothing:
      return true;
    case Document::Kind::number:
      return same_number(*left.as_number(), *right.as_number());
    case Document::Kind::table:
      return same_table(*left.as_table(), *right.as_table());
    case Document::Kind::other:
      return *left.as_other() == *right.as_other();
    case Document::Kind::boolean:
      return left.as_bool() == right.as_bool();
    case Document::Kind::whole:
      return left.as_whole() == right.as_whole();
    case Document::Kind::text:
      return *left.as_text() == *right.as_text();
    case Document::Kind::list:
      return *left.as_list() == *right.as_list();
  }
  return false;
}

}  // namespace canopy
