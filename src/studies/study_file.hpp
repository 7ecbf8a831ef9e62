#pragma once

#include "canopy/store.hpp"
#include "canopy/study.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace canopy {

// Whole studies as text, to be kept elsewhere or taken to another store: JSON Lines. The first line
// of a study says what it is and how many events follow, then comes its journal, a line an event:
//
//   {"canopy_study":1,"name":"cache","created":..,"forked_from":"","pulls":120,"events":251,
//    "specification":{..}}
//   {"number":1,"at":..,"kind":"ask","ticket":1,..}
//
// Snapshots are left out: the journal has it all.

/// Calls line with every line of a study. Throws what reading the store throws.
void export_study(Store& store, const StudyRecord& record,
                  const std::function<void(const std::string&)>& line);

/// Makes the studies that a text has; `next` returns its lines, then none. `name`, if it is not
/// empty, is for the only one of them. Calls made with each. Throws SpecificationError, which names
/// the line and says what is wrong with it, StudyError if a name is taken, and StoreError; the
/// studies before are made then, and nothing of the one at hand.
void import_studies(Store& store, const std::string& source, const std::string& name,
                    const std::function<std::optional<std::string>()>& next,
                    const std::function<void(const StudyRecord&)>& made);

}  // namespace canopy
