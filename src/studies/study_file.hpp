#pragma once

#include "canopy/store.hpp"
#include "canopy/study.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace canopy {

// Whole studies as text, for backups and for moving them to another store, as JSON Lines. The first
// line describes the study and gives the number of events; the journal follows, one event per line:
//
// {"canopy_study":1,"name":"cache","created":..,"forked_from":"","pulls":120,"events":251,
// "specification":{..}}
// {"number":1,"at":..,"kind":"ask","ticket":1,..}
//
// Snapshots are not exported; they can be rebuilt from the journal.

/// Calls line with every line of a study. Throws the errors of reading the store.
void export_study(Store& store, const StudyRecord& record,
                  const std::function<void(const std::string&)>& line);

/// Creates the studies in a text; `next` returns its lines, then none. If `name` is not empty, it
/// replaces the name of the only study. Calls made with each study created. Throws
/// SpecificationError, which names the line, StudyError if a name is in use, and StoreError.
/// Studies before the error have been created; the one with the error has not.
void import_studies(Store& store, const std::string& source, const std::string& name,
                    const std::function<std::optional<std::string>()>& next,
                    const std::function<void(const StudyRecord&)>& made);

}  // namespace canopy
