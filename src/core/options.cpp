#include "canopy/options.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {
namespace {

const OptionField* field_named(const std::vector<OptionField>& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const OptionField& field) { return field.name == name; });
  return found != fields.end() ? &*found : nullptr;
}

std::optional<std::uint64_t> whole_of(double number) {
  if (!(number >= 0.0 && number <= 0x1p53) || std::floor(number) != number) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

/// The value as text, independent of its field.
std::string plain_text(const OptionValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return to_text(*real);
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return std::to_string(*whole);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  return "";
}

bool is_in_order(const OptionField& field, const OptionValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return field.optional;
  const std::optional<OptionValue> fit = fitted(field, value);
  if (!fit || *fit != value) return false;
  if (const auto* real = std::get_if<double>(&value)) return field.range.contains(*real);
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
    return field.range.contains(static_cast<double>(*whole));
  }
  return true;
}

}  // namespace

std::string OptionField::must_be() const {
  std::string text = "must be ";
  if (kind != Kind::word) {
    text += range.text;
    if (!unset.empty()) text.append(" or \"").append(unset).append("\"");
    return text;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text.append("\"").append(words[i]).append("\"");
  }
  return text;
}

const OptionValue* OptionValues::find(std::string_view name) const {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [&](const Named& named) { return named.first == name; });
  return found != values_.end() ? &found->second : nullptr;
}

void OptionValues::set(std::string_view name, OptionValue value) {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [&](const Named& named) { return named.first == name; });
  if (found != values_.end()) {
    found->second = std::move(value);
  } else {
    values_.emplace_back(name, std::move(value));
  }
}

std::optional<OptionValue> fitted(const OptionField& field, OptionValue written) {
  if (const auto* word = std::get_if<std::string>(&written)) {
    if (!field.unset.empty() && *word == field.unset) return OptionValue{};
    const bool known =
        std::find(field.words.begin(), field.words.end(), *word) != field.words.end();
    return known ? std::optional(written) : std::nullopt;
  }
  if (std::holds_alternative<std::monostate>(written)) {
    return field.optional ? std::optional(written) : std::nullopt;
  }
  if (field.kind == OptionField::Kind::word) return std::nullopt;
  const auto* whole = std::get_if<std::uint64_t>(&written);
  const double number = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(written);
  if (field.kind == OptionField::Kind::real) {
    if (std::isnan(number)) return std::nullopt;
    return number;
  }
  if (whole != nullptr) return written;
  if (const auto rounded = whole_of(number)) return *rounded;
  return std::nullopt;
}

std::optional<OptionValue> parsed(const OptionField& field, const std::string& text) {
  if (const auto whole = number_in<std::uint64_t>(text)) return fitted(field, *whole);
  if (const auto real = number_in<double>(text)) return fitted(field, *real);
  return fitted(field, text);
}

std::string text_of(const OptionField& field, const OptionValue& value) {
  return std::holds_alternative<std::monostate>(value) ? field.unset : plain_text(value);
}

std::vector<Violation> violations(const std::vector<OptionField>& fields,
                                  const OptionValues& values, std::string_view prefix) {
  std::vector<Violation> found;
  std::vector<std::string_view> names;
  names.reserve(fields.size());
  for (const OptionField& field : fields) names.emplace_back(field.name);
  for (const auto& [name, value] : values) {
    const OptionField* field = field_named(fields, name);
    if (field != nullptr && is_in_order(*field, value)) continue;
    found.push_back({std::string(prefix) + name, plain_text(value),
                     field != nullptr ? field->must_be() : unknown_name("option", name, names)});
  }
  return found;
}

OptionValues completed(const std::vector<OptionField>& fields, const OptionValues& given) {
  OptionValues values;
  for (const OptionField& field : fields) {
    const OptionValue* value = given.find(field.name);
    values.set(field.name, value != nullptr ? *value : field.standard);
  }
  return values;
}

std::string options_text(const std::vector<OptionField>& fields, const OptionValues& values) {
  std::string line;
  for (const OptionField& field : fields) {
    const OptionValue* value = values.find(field.name);
    const std::string text = value != nullptr ? text_of(field, *value) : "";
    if (text.empty() || field.name == "seed") continue;
    if (!line.empty()) line += ", ";
    line.append(field.name).append(" ").append(text);
  }
  return line;
}

}  // namespace canopy
