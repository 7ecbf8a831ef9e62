#include "files/arm_document.hpp"

#include "files/json.hpp"
#include "files/parameter_document.hpp"

#include <cstddef>
#include <string_view>

namespace canopy {

Document arm_document(const Space& space, Arm arm) {
  Document table;
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    const auto& [name, domain] = space.parameters()[i];
    table.set(name, value_document(domain, arm[i]));
  }
  return table;
}

std::string arm_text(const Space& space, Arm arm) {
  return json_text(arm_document(space, arm));
}

namespace {

/// Reads a value for each parameter (or context variable) by its name.
template <class Variables, class Coordinate, class MustBe>
std::vector<double> read_values(DocumentReader& reader, const Document& document,
                                const Variables& variables, const std::string& field,
                                const Coordinate& coordinate_in, const MustBe& must_be) {
  if (document.as_table() == nullptr) {
    reader.complain(field, &document, "must be a table: { x = 1.0 }");
    return {};
  }
  const std::string prefix = field + ".";
  std::vector<std::string_view> names;
  std::vector<double> coordinates;
  for (const auto& variable : variables) {
    names.push_back(variable.name);
    if (!reader.require(document, prefix, variable.name)) continue;
    const Document& value = *document.find(variable.name);
    const std::optional<double> coordinate = coordinate_in(variable.domain, value);
    if (!coordinate) reader.complain(prefix + variable.name, &value, must_be(variable.domain));
    coordinates.push_back(coordinate.value_or(0.0));
  }
  reader.check_keys(document, prefix, names);
  return coordinates;
}

}  // namespace

std::vector<double> read_arm(DocumentReader& reader, const Document& document, const Space& space,
                             const std::string& field) {
  return read_values(reader, document, space.parameters(), field, coordinate_of,
                     [](const Domain& domain) { return "must be " + domain.description(); });
}

std::optional<Document> context_document(const ContextSpace& contexts, Context context) {
  if (contexts.empty() || context.size() != contexts.size()) return std::nullopt;
  Document table;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const Domain& domain = contexts[i].domain;
    if (domain.contains(context[i])) {
      table.set(contexts[i].name, value_document(domain, context[i]));
    } else if (domain.is_ordered()) {
      table.set(contexts[i].name, context[i]);
    } else {
      return std::nullopt;
    }
  }
  return table;
}

std::vector<double> read_context(DocumentReader& reader, const Document& document,
                                 const ContextSpace& contexts, const std::string& field) {
  if (contexts.empty()) {
    reader.complain(field, &document, "is given, but the study has no [[context]]");
    return {};
  }
  return read_values(reader, document, contexts.variables(), field, observed_coordinate_of,
                     observed_must_be);
}

std::optional<std::vector<double>> arm_from(const Space& space, const Document& document) {
  const Document::Table* table = document.as_table();
  if (table == nullptr || table->size() != space.dimension()) return std::nullopt;
  std::vector<double> arm;
  for (const auto& [name, domain] : space.parameters()) {
    const Document* value = document.find(name);
    const auto coordinate = value != nullptr ? coordinate_of(domain, *value) : std::nullopt;
    if (!coordinate) return std::nullopt;
    arm.push_back(*coordinate);
  }
  return arm;
}

}  // namespace canopy
