#include "journal/command_text.hpp"

#include "canopy/specification_error.hpp"
#include "canopy/study_error.hpp"

#include "files/document_reader.hpp"
#include "files/json.hpp"

#include <array>

#include <fmt/format.h>

namespace canopy {

std::string command_text(const WantedCommand& wanted) {
  Document table = Document::Table{{"command", name_of(wanted.command)}, {"by", wanted.by}};
  if (wanted.pulls != 0) table.set("pulls", wanted.pulls);
  if (!wanted.key.empty()) table.set("key", wanted.key);
  return json_text(table);
}

WantedCommand command_from(std::string_view text) {
  static constexpr std::array<std::string_view, 4> keys{"command", "by", "pulls", "key"};
  const Document table = parse_json(text, "command");
  DocumentReader reader("command");
  if (table.as_table() == nullptr) reader.complain("command", &table, "must be a table");
  WantedCommand wanted;
  reader.check_keys(table, "", keys);
  if (reader.require(table, "", "command")) reader.read(table, "", "command", wanted.command);
  reader.read(table, "", "by", wanted.by);
  reader.read(table, "", "pulls", wanted.pulls);
  reader.read(table, "", "key", wanted.key);
  reader.throw_if_any();
  return wanted;
}

bool has_key(std::string_view text) {
  try {
    return !command_from(text).key.empty();
  } catch (const SpecificationError&) {
    return false;  // from a later version, for example
  }
}

std::vector<PostedCommand> commands_in(std::span<const JournalEntry> journal) {
  std::vector<PostedCommand> commands;
  for (const JournalEntry& entry : journal) {
    const auto* accepted = std::get_if<CommandAccepted>(&entry.event);
    if (accepted == nullptr) continue;
    if (accepted->number <= (commands.empty() ? 0 : commands.back().number)) {
      throw StudyError(StudyError::Fault::damaged,
                       fmt::format("event {}: the number of its command must be greater than {}",
                                   entry.number, commands.empty() ? 0 : commands.back().number));
    }
    commands.push_back({accepted->number, entry.at,
                        command_text({accepted->command, accepted->by, accepted->pulls})});
  }
  return commands;
}

}  // namespace canopy
