#pragma once

#include "canopy/study.hpp"

namespace canopy {

/// The entries of a study after a number. Whatever is wrong with one of them names the study.
void read_entries(Store& store, const StudyRecord& record, std::uint64_t after,
                  const std::function<void(const JournalEntry&)>& visit);

}  // namespace canopy
