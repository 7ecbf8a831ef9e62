#include "journal/command_text.hpp"

#include "files/document_reader.hpp"
#include "files/json.hpp"

#include <array>

namespace canopy {

std::string command_text(const WantedCommand& wanted) {
  Document table = Document::Table{{"command", name_of(wanted.command)}, {"by", wanted.by}};
  if (wanted.pulls != 0) table.set("pulls", wanted.pulls);
  return json_text(table);
}

WantedCommand command_from(std::string_view text) {
  static constexpr std::array<std::string_view, 3> keys{"command", "by", "pulls"};
  const Document table = parse_json(text, "command");
  DocumentReader reader("command");
  if (table.as_table() == nullptr) reader.complain("command", &table, "must be a table");
  WantedCommand wanted;
  reader.check_keys(table, "", keys);
  if (reader.require(table, "", "command")) reader.read(table, "", "command", wanted.command);
  reader.read(table, "", "by", wanted.by);
  reader.read(table, "", "pulls", wanted.pulls);
  reader.throw_if_any();
  return wanted;
}

}  // namespace canopy
