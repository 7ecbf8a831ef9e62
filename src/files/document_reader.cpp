#include "files/document_reader.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace canopy {
namespace {

/// Converts a value to an option value; none for kinds that no option has.
std::optional<OptionValue> option_value(const Document& value) {
  if (value.kind() == Document::Kind::nothing) return OptionValue{};
  if (const std::string* text = value.as_text()) return *text;
  const std::optional<double> number = value.as_number();
  const std::optional<std::int64_t> whole = value.as_whole();
  if (number && whole && *whole >= 0) return static_cast<std::uint64_t>(*whole);
  return number ? std::optional<OptionValue>(*number) : std::nullopt;
}

/// A key, which is untrusted input, shortened and escaped for a message.
std::string shown(const std::string& key) {
  const std::string quoted = Document(key).excerpt();
  return quoted.substr(1, quoted.size() - 2) == key ? key : quoted;
}

}  // namespace

std::string must_be_one_of(std::span<const std::string_view> names) {
  OptionField field{.name = "", .help = "", .kind = OptionField::Kind::word};
  field.words.assign(names.begin(), names.end());
  return field.must_be();
}

void DocumentReader::check_keys(const Document& table, const std::string& prefix,
                                std::span<const std::string_view> known) {
  if (table.as_table() == nullptr) return;
  for (const auto& [key, value] : *table.as_table()) {
    if (is_full()) return;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    complain(prefix + shown(key), &value, unknown_name("key", key, known));
  }
}

void DocumentReader::read(const Document& table, const std::string& prefix, std::string_view key,
                          double& into) {
  const Document* value = find(table, prefix, key);
  if (value == nullptr) return;
  if (const auto number = value->as_number()) {
    into = *number;
  } else {
    complain(prefix + std::string(key), value, "must be a number");
  }
}

void DocumentReader::read(const Document& table, const std::string& prefix, std::string_view key,
                          std::optional<std::array<double, 2>>& into) {
  const Document* value = find(table, prefix, key);
  if (value == nullptr) return;
  const Document::List* pair = value->as_list();
  const std::string* word = value->as_text();
  if (pair != nullptr && pair->size() == 2 && pair->front().as_number() &&
      pair->back().as_number()) {
    into = {*pair->front().as_number(), *pair->back().as_number()};
  } else if (word != nullptr && *word == "auto") {
    into.reset();
  } else {
    complain(prefix + std::string(key), value, "must be \"auto\" or a list of two numbers");
  }
}

void DocumentReader::read(const Document& table, const std::string& prefix, std::string_view key,
                          std::int64_t& into) {
  const Document* value = find(table, prefix, key);
  if (value == nullptr) return;
  if (const auto whole = value->as_whole()) {
    into = *whole;
  } else {
    complain(prefix + std::string(key), value, "must be a whole number");
  }
}

void DocumentReader::read(const Document& table, const std::string& prefix, std::string_view key,
                          std::uint64_t& into) {
  const Document* value = find(table, prefix, key);
  if (value == nullptr) return;
  if (const auto whole = value->as_whole(); whole && *whole >= 0) {
    into = static_cast<std::uint64_t>(*whole);
  } else {
    complain(prefix + std::string(key), value, "must be a whole number, 0 or more");
  }
}

void DocumentReader::read(const Document& table, const std::string& prefix, std::string_view key,
                          std::string& into) {
  const Document* value = find(table, prefix, key);
  if (value == nullptr) return;
  if (const std::string* text = value->as_text()) {
    into = *text;
  } else {
    complain(prefix + std::string(key), value, "must be a string");
  }
}

void DocumentReader::read(const Document& table, const std::string& prefix, std::string_view key,
                          bool& into) {
  const Document* value = find(table, prefix, key);
  if (value == nullptr) return;
  if (const auto truth = value->as_bool()) {
    into = *truth;
  } else {
    complain(prefix + std::string(key), value, "must be true or false");
  }
}

const Document* DocumentReader::read_table(const Document& table, std::string_view key) {
  const Document* value = table.find(key);
  if (value == nullptr || value->kind() == Document::Kind::table) return value;
  complain(std::string(key), value, "must be a table: [" + std::string(key) + "]");
  return nullptr;
}

OptionValues DocumentReader::read_options(const Document& table, const std::string& prefix,
                                          const std::vector<OptionField>& fields) {
  OptionValues given;
  for (const OptionField& field : fields) {
    const Document* value = find(table, prefix, field.name);
    if (value == nullptr) continue;
    const std::optional<OptionValue> written = option_value(*value);
    const std::optional<OptionValue> fit = written ? fitted(field, *written) : std::nullopt;
    if (!fit) {
      complain(prefix + field.name, value, field.must_be());
      continue;
    }
    const std::vector<Violation> out_of_range = violations({field}, {{field.name, *fit}}, prefix);
    complain(out_of_range);
    if (out_of_range.empty()) given.set(field.name, *fit);
  }
  return given;
}

bool DocumentReader::require(const Document& table, const std::string& prefix,
                             std::string_view key) {
  if (table.contains(key)) return true;
  complain(prefix + std::string(key), nullptr, "is missing", &table);
  return false;
}

void DocumentReader::complain(const std::string& field, const Document* value, std::string expected,
                              const Document* near) {
  if (is_full()) return;
  if (const Document* place = value != nullptr ? value : near) note_line(field, *place);
  violations_.push_back({field, value != nullptr ? value->excerpt() : "", std::move(expected)});
}

void DocumentReader::complain(const std::vector<Violation>& violations) {
  violations_.insert(violations_.end(), violations.begin(), violations.end());
}

void DocumentReader::note_line(const std::string& field, const Document& value) {
  lines_.emplace(field, value.line());
}

void DocumentReader::throw_if_any() const {
  if (violations_.empty()) return;
  std::set<std::pair<std::size_t, std::string>>
      met;  // the same mistake may occur at every point of a grid
  std::vector<SpecificationError::Mistake> mistakes;
  for (const Violation& violation : violations_) {
    const auto line = lines_.find(violation.field);
    const std::size_t at = line == lines_.end() ? 0 : line->second;
    if (met.emplace(at, violation.text()).second) {
      mistakes.push_back({at, violation.text(), 0, violation.field});
    }
  }
  throw SpecificationError(source_, std::move(mistakes));
}

const Document* DocumentReader::find(const Document& table, const std::string& prefix,
                                     std::string_view key) {
  const Document* value = table.find(key);
  if (value != nullptr) note_line(prefix + std::string(key), *value);
  return value;
}

Document document_of(const OptionValues& values, const std::vector<OptionField>& fields) {
  Document table{Document::Table{}};
  for (const auto& [name, value] : values) {
    const auto field =
        std::find_if(fields.begin(), fields.end(),
                     [&named = name](const OptionField& each) { return each.name == named; });
    if (const auto* real = std::get_if<double>(&value)) {
      table.set(name, *real);
    } else if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
      table.set(name, *whole);
    } else if (const auto* word = std::get_if<std::string>(&value)) {
      table.set(name, *word);
    } else if (field != fields.end() && !field->unset.empty()) {
      table.set(name, field->unset);
    }
  }
  return table;
}

}  // namespace canopy
