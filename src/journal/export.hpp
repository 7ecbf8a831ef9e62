#pragma once
// Journals for people and for programs that read them: a line for each event.

#include "canopy/event.hpp"
#include "canopy/space.hpp"

#include <optional>
#include <string>

namespace canopy {

/// The columns of an export: number, at, kind, ticket, reward, a column for each parameter of the
/// arm, and `details`, which has what else the event says as JSON.
[[nodiscard]] std::string csv_header(const Space& space);

/// An entry in these columns, with the arm it is about, if it is about one.
[[nodiscard]] std::string csv_line(const Space& space, const JournalEntry& entry,
                                   std::optional<Arm> arm);

/// The same as JSON: all fields of the event by name, and the arm.
[[nodiscard]] std::string json_line(const Space& space, const JournalEntry& entry,
                                    std::optional<Arm> arm);

}  // namespace canopy
