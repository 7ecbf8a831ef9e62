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

std::vector<double> read_arm(DocumentReader& reader, const Document& document, const Space& space,
                             const std::string& field) {
  if (document.as_table() == nullptr) {
    reader.complain(field, &document, "must be a table: { x = 1.0 }");
    return {};
  }
  const std::string prefix = field + ".";
  std::vector<std::string_view> names;
  std::vector<double> arm;
  for (const auto& [name, domain] : space.parameters()) {
    names.push_back(name);
    if (!reader.require(document, prefix, name)) continue;
    const Document& value = *document.find(name);
    const auto coordinate = coordinate_of(domain, value);
    if (!coordinate) {
      reader.complain(prefix + name, &value, "must be " + domain.description());
    }
    arm.push_back(coordinate.value_or(0.0));
  }
  reader.check_keys(document, prefix, names);
  return arm;
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
