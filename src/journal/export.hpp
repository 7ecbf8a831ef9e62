#pragma once
// Journals for people and for programs that read them: a line for each event.

#include "canopy/event.hpp"

#include "files/names.hpp"

#include <optional>
#include <string>

namespace canopy {

/// The columns of an export: number, at, kind, ticket, reward, a column for each parameter of the
/// arm and for each variable of the context, and `details`, which has what else the event says as
/// JSON.
[[nodiscard]] std::string csv_header(const Names& names);

/// An entry in these columns, with the arm it is about, if it is about one, and its context.
[[nodiscard]] std::string csv_line(const Names& names, const JournalEntry& entry,
                                   std::optional<Arm> arm, Context context = {});

/// The same as JSON: all fields of the event by name, the arm and the context.
[[nodiscard]] std::string json_line(const Names& names, const JournalEntry& entry,
                                    std::optional<Arm> arm, Context context = {});

}  // namespace canopy
