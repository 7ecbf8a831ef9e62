#pragma once

#include "canopy/event.hpp"

#include <cstdint>
#include <string>

namespace canopy {

/// An entry of a journal as a row of the table `events`. The checksum covers the number, the time
/// and the text, whichever study they belong to: a fork copies rows as they are.
struct EventRow {
  std::uint64_t number = 0;
  double at = 0.0;
  std::uint32_t checksum = 0;
  std::string event;

  /// Throws StudyError that names the event if a bit of the row is not as it was written.
  [[nodiscard]] JournalEntry entry() const;
};

[[nodiscard]] EventRow row_of(const JournalEntry& entry);

}  // namespace canopy
