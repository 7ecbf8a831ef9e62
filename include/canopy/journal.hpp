#pragma once

#include "canopy/event.hpp"
#include "canopy/space.hpp"
#include "canopy/store.hpp"
#include "canopy/study_error.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace canopy {

/// Calls visit with the entries of a study's journal that have a number greater than `after`.
/// Errors name the study.
void read_entries(Store& store, const StudyRecord& record, std::uint64_t after,
                  const std::function<void(const JournalEntry&)>& visit);

/// Calls visit with every entry of a study's journal and the arm of the event, if it has one. Does
/// not need the optimizer.
void read_journal(Store& store, const StudyRecord& record,
                  const std::function<void(const JournalEntry&, std::optional<Arm>)>& visit);

/// As above, and passes the context of the event; empty if it has none.
void read_journal(
    Store& store, const StudyRecord& record,
    const std::function<void(const JournalEntry&, std::optional<Arm>, Context)>& visit);

}  // namespace canopy
