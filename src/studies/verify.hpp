#pragma once

#include "canopy/store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// What came of checking a study.
struct Verification {
  std::vector<std::string> faults;  ///< each in a sentence; none: the study is sound
  std::string not_replayed;         ///< why its optimizer could not do it all again; empty: it did
};

/// Reads all that a store has of a study, while others may write to it: the specification, every
/// event with its checksum and its number, as many as the record says, and the snapshot; and does
/// everything again, which must lead to the same arms and to the snapshot. None if the study was
/// deleted meanwhile. Throws StoreError if the store cannot be read.
[[nodiscard]] std::optional<Verification> verify_study(Store& store, const StudyRecord& record);

}  // namespace canopy
