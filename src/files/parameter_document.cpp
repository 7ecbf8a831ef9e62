#include "files/parameter_document.hpp"

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace canopy {
namespace {

template <class Member>
Document member_document(const Member& member) {
  if constexpr (std::is_enum_v<Member>) {
    return name_of(member);
  } else if constexpr (std::same_as<Member, std::vector<std::string>>) {
    return Document::List(member.begin(), member.end());
  } else {
    return member;
  }
}

/// All fields of a domain, including optional ones.
Document all_fields(Domain domain) {
  Document table;
  visit_fields(domain, [&](const Field& field, const auto& member) {
    table.set(field.name, member_document(member));
  });
  return table;
}

template <class Member>
void read_member(DocumentReader& reader, const Document& table, const std::string& prefix,
                 std::string_view key, Member& into) {
  reader.read(table, prefix, key, into);
}

void read_member(DocumentReader& reader, const Document& table, const std::string& prefix,
                 std::string_view key, std::vector<std::string>& into) {
  const Document* node = table.find(key);
  if (node == nullptr) return;
  const std::string field = prefix + std::string(key);
  reader.note_line(field, *node);
  if (const Document::List* list = node->as_list()) {
    for (const Document& value : *list) {
      const std::string* text = value.as_text();
      if (text != nullptr && text->find('\0') == std::string::npos) into.push_back(*text);
    }
    if (into.size() == list->size()) return;
  }
  reader.complain(field, node, "must be a list of strings (quote numbers) without zero bytes");
}

void read_fields(DocumentReader& reader, const Document& table, const std::string& prefix,
                 std::span<const std::string_view> other_keys, Domain& domain) {
  std::vector<std::string_view> keys{"name", "type"};
  keys.insert(keys.end(), other_keys.begin(), other_keys.end());
  visit_fields(domain, [&](const Field& field, const auto& /*member*/) {
    keys.push_back(field.name);
    if (field.required) reader.require(table, prefix, field.name);
  });
  reader.check_keys(table, prefix, keys);
  visit_fields(domain, [&](const Field& field, auto& member) {
    read_member(reader, table, prefix, field.name, member);
  });
}

}  // namespace

Document parameter_document(const Parameter& parameter) {
  Document table = Document::Table{{"name", parameter.name}, {"type", parameter.domain.name()}};
  const Document values = all_fields(parameter.domain);
  const Document defaults = all_fields(*Domain::named(parameter.domain.name()));
  Domain domain = parameter.domain;
  visit_fields(domain, [&](const Field& field, const auto& /*member*/) {
    const Document& value = *values.find(field.name);
    if (!field.brief || value != *defaults.find(field.name)) table.set(field.name, value);
  });
  return table;
}

std::string parameter_prefix(const Document& table, std::size_t index, std::string_view list) {
  const Document* name = table.find("name");
  const std::string* text = name != nullptr ? name->as_text() : nullptr;
  if (text != nullptr && !text->empty()) return std::string(list) + "." + *text + ".";
  return std::string(list) + "[" + std::to_string(index) + "].";
}

Parameter read_parameter(DocumentReader& reader, const Document& table, std::size_t index,
                         std::string_view list, std::span<const std::string_view> other_keys) {
  Parameter parameter;
  const std::string prefix = parameter_prefix(table, index, list);
  if (reader.require(table, prefix, "name")) reader.read(table, prefix, "name", parameter.name);
  std::string type(parameter.domain.name());
  reader.read(table, prefix, "type", type);
  if (auto domain = Domain::named(type)) {
    read_fields(reader, table, prefix, other_keys, *domain);
    parameter.domain = *std::move(domain);
  } else {
    reader.complain(prefix + "type", table.find("type"), must_be_one_of(Domain::names()));
  }
  return parameter;
}

std::optional<double> coordinate_of(const Domain& domain, const Document& value) {
  if (const std::string* text = value.as_text()) return domain.coordinate(*text);
  if (const auto whole = value.as_whole()) return domain.coordinate(*whole);
  if (const auto number = value.as_number()) return domain.coordinate(*number);
  return std::nullopt;
}

std::optional<double> observed_coordinate_of(const Domain& domain, const Document& value) {
  if (!domain.is_ordered()) return coordinate_of(domain, value);
  const std::optional<double> number = value.as_number();
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string observed_must_be(const Domain& domain) {
  return "must be " + (domain.is_ordered() ? "a finite number" : domain.description());
}

Document value_document(const Domain& domain, double coordinate) {
  return std::visit([](const auto& value) { return Document(value); }, domain.value(coordinate));
}

}  // namespace canopy
