#pragma once

#include "canopy/event.hpp"
#include "canopy/space.hpp"
#include "canopy/store.hpp"
#include "canopy/study_error.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace canopy {

/// Calls visit with the entries of a study's journal after the first `after`. Errors name the
/// study.
void read_entries(Store& store, const StudyRecord& record, std::uint64_t after,
                  const std::function<void(const JournalEntry&)>& visit);

/// Calls visit with every entry of a study's journal and the arm it is about, if it is about
/// one. This runs no optimizer.
void read_journal(Store& store, const StudyRecord& record,
                  const std::function<void(const JournalEntry&, std::optional<Arm>)>& visit);

/// The same with the context of that arm; empty where the study has none.
void read_journal(
    Store& store, const StudyRecord& record,
    const std::function<void(const JournalEntry&, std::optional<Arm>, Context)>& visit);

}  // namespace canopy
