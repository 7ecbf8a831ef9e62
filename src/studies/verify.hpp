#pragma once

#include "canopy/store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// The result of checking a study.
struct Verification {
  std::vector<std::string> faults;  ///< one sentence each; empty: no faults
  std::string not_replayed;         ///< why the events could not be replayed; empty: they were
};

/// Checks all stored data of a study, even while other processes write to it: the specification,
/// the checksum and number of every event, the number of events, and the snapshot. Replays all
/// events, which must lead to the same arms and the same snapshot. Returns none if the study was
/// deleted meanwhile. Throws StoreError if the store cannot be read.
[[nodiscard]] std::optional<Verification> verify_study(Store& store, const StudyRecord& record);

}  // namespace canopy
