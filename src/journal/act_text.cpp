#include "journal/act_text.hpp"

#include "files/document_reader.hpp"
#include "files/json.hpp"

#include <array>

namespace canopy {

std::string act_text(const WantedAct& wanted) {
  Document table = Document::Table{{"act", name_of(wanted.act)}, {"by", wanted.by}};
  if (wanted.pulls != 0) table.set("pulls", wanted.pulls);
  return json_text(table);
}

WantedAct act_from(std::string_view text) {
  static constexpr std::array<std::string_view, 3> keys{"act", "by", "pulls"};
  const Document table = parse_json(text, "act");
  DocumentReader reader("act");
  if (table.as_table() == nullptr) reader.complain("act", &table, "must be a table");
  WantedAct wanted;
  reader.check_keys(table, "", keys);
  if (reader.require(table, "", "act")) reader.read(table, "", "act", wanted.act);
  reader.read(table, "", "by", wanted.by);
  reader.read(table, "", "pulls", wanted.pulls);
  reader.throw_if_any();
  return wanted;
}

}  // namespace canopy
