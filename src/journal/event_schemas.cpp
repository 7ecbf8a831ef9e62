#include "journal/event_schemas.hpp"

#include "canopy/event.hpp"

#include "files/schema.hpp"

#include <cctype>
#include <string>
#include <string_view>
#include <utility>

namespace canopy {
namespace {

/// Converts a kind, `ask_again`, to the name of its schema, `EventAskAgain`.
std::string schema_name(std::string_view kind) {
  std::string name = "Event";
  bool begins = true;
  for (const char letter : kind) {
    if (letter != '_') {
      name += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
    }
    begins = letter == '_';
  }
  return name;
}

}  // namespace

Document event_schemas() {
  Document all;
  Document::List references;
  Document mapping;
  for (const std::string_view kind : event_kinds()) {
    const std::string name = schema_name(kind);
    const std::string reference = "#/components/schemas/" + name;
    references.emplace_back(Document::Table{{"$ref", reference}});
    mapping.set(kind, reference);
    SchemaWriter writer;
    writer.add_constant("kind", kind);
    std::visit(
        [&](const auto& event) {
          visit_fields_of(event, writer);
          all.set(name, writer.schema(event.kLine));
        },
        event_named(kind).value());
  }
  all.set("Event",
          Document::Table{
              {"description",
               "An event of a study, identified by `kind`. Where an arm is wanted, `coordinates`, "
               "`arm` "
               "or both may be given; responses have both, unless the space has no such arm."},
              {"oneOf", std::move(references)},
              {"discriminator",
               Document::Table{{"propertyName", "kind"}, {"mapping", std::move(mapping)}}}});
  return all;
}

}  // namespace canopy
