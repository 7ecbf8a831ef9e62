#include "journal/export.hpp"

#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "files/json.hpp"
#include "files/page.hpp"
#include "journal/event_document.hpp"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Numbers as JSON writes them, everything else in quotes where it needs them.
std::string csv_cell(const Document& value) {
  if (const std::string* text = value.as_text()) return quoted_csv(*text);
  return value.kind() == Document::Kind::nothing ? "" : json_text(value);
}

}  // namespace

std::string csv_header(const Space& space) {
  std::string header = "number,at,kind,ticket,reward";
  for (const Parameter& parameter : space.parameters()) header += ',' + quoted_csv(parameter.name);
  return header + ",details";
}

std::string csv_line(const Space& space, const JournalEntry& entry, std::optional<Arm> arm) {
  Document event = event_document(space, entry.event);
  const auto take = [&](std::string_view key) {
    const Document* found = event.find(key);
    std::string cell = found != nullptr ? csv_cell(*found) : "";
    event.erase(key);
    return cell;
  };
  for (const std::string_view key : {"kind", "coordinates", "arm"}) event.erase(key);
  std::string line = fmt::format("{},{:.6f},{}", entry.number, entry.at, kind_name(entry.event));
  for (const std::string_view key : {"ticket", "reward"}) line += ',' + take(key);
  const Document named = arm ? arm_document(space, *arm) : Document();
  for (const Parameter& parameter : space.parameters()) {
    const Document* value = named.find(parameter.name);
    line += ',' + (value != nullptr ? csv_cell(*value) : "");
  }
  const bool has_more = event.as_table() != nullptr && !event.as_table()->empty();
  return line + ',' + (has_more ? quoted_csv(json_text(event)) : "");
}

std::string json_line(const Space& space, const JournalEntry& entry, std::optional<Arm> arm) {
  Document table = entry_document(space, entry);
  if (arm) table.set("arm", arm_document(space, *arm));
  return json_text(table);
}

}  // namespace canopy
