#pragma once
// Export of journals as CSV or JSON Lines, one line per event.

#include "canopy/event.hpp"

#include "files/names.hpp"

#include <optional>
#include <string>

namespace canopy {

/// The header of a CSV export: number, at, kind, ticket, reward, one column per parameter of the
/// arm and per variable of the context, and `details` with the remaining fields of the event as
/// JSON.
[[nodiscard]] std::string csv_header(const Names& names);

/// An entry as a CSV line, with the arm and the context of the event, if it has any.
[[nodiscard]] std::string csv_line(const Names& names, const JournalEntry& entry,
                                   std::optional<Arm> arm, Context context = {});

/// An entry as a JSON object: all fields of the event by name, the arm and the context.
[[nodiscard]] std::string json_line(const Names& names, const JournalEntry& entry,
                                    std::optional<Arm> arm, Context context = {});

}  // namespace canopy
