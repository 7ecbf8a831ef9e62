#include "journal/export.hpp"

#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "files/json.hpp"
#include "files/page.hpp"
#include "journal/event_document.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Writes a value as a CSV cell: text quoted if necessary, anything else as JSON, null as an empty
/// cell.
std::string csv_cell(const Document& value) {
  if (const std::string* text = value.as_text()) return quoted_csv(*text);
  return value.kind() == Document::Kind::nothing ? "" : json_text(value);
}

}  // namespace

std::string csv_header(const Names& names) {
  std::string header = "number,at,kind,ticket,reward";
  for (const auto& parameter : names.space.parameters()) header += ',' + quoted_csv(parameter.name);
  for (const auto& variable : names.contexts.variables()) header += ',' + quoted_csv(variable.name);
  return header + ",details";
}

std::string csv_line(const Names& names, const JournalEntry& entry, std::optional<Arm> arm,
                     Context context) {
  Document event = event_document(names, entry.event);
  const auto take = [&](std::string_view key) {
    const Document* found = event.find(key);
    std::string cell = found != nullptr ? csv_cell(*found) : "";
    event.erase(key);
    return cell;
  };
  for (const char* key : {"kind", "coordinates", "arm", "context_coordinates", "context"}) {
    event.erase(key);
  }
  std::string line = fmt::format("{},{:.6f},{}", entry.number, entry.at, kind_name(entry.event));
  for (const std::string_view key : {"ticket", "reward"}) line += ',' + take(key);
  const auto add = [&](const Document& named, const auto& variables) {
    for (const auto& variable : variables) {
      const Document* value = named.find(variable.name);
      line += ',' + (value != nullptr ? csv_cell(*value) : "");
    }
  };
  add(arm ? arm_document(names.space, *arm) : Document(), names.space.parameters());
  add(context_document(names.contexts, context).value_or(Document()), names.contexts.variables());
  const bool has_more = event.as_table() != nullptr && !event.as_table()->empty();
  return line + ',' + (has_more ? quoted_csv(json_text(event)) : "");
}

std::string json_line(const Names& names, const JournalEntry& entry, std::optional<Arm> arm,
                      Context context) {
  Document table = entry_document(names, entry);
  if (arm) table.set("arm", arm_document(names.space, *arm));
  if (auto named = context_document(names.contexts, context)) {
    table.set("context", *std::move(named));
  }
  return json_text(table);
}

}  // namespace canopy
