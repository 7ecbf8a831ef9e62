#pragma once

#include "canopy/event.hpp"

#include <cstdint>
#include <string>

namespace canopy {

/// A journal entry as a row of the table `events`. The checksum covers number, time and text, but
/// not the study, so that a fork can copy rows unchanged.
struct EventRow {
  std::uint64_t number = 0;
  double at = 0.0;
  std::uint32_t checksum = 0;
  std::string event;

  /// Throws StudyError, whose message names the event, if the checksum does not match.
  [[nodiscard]] JournalEntry entry() const;
};

[[nodiscard]] EventRow row_of(const JournalEntry& entry);

}  // namespace canopy
