#pragma once

#include "canopy/event.hpp"

#include <cstddef>
#include <soci/soci.h>
#include <span>
#include <string>
#include <vector>

namespace canopy {

/// Entries of a journal as SOCI writes and reads many at once: a list for each column.
struct EventRows {
  std::vector<long long> number, ticket;
  std::vector<int> kind;
  std::vector<double> at, value;
  std::vector<std::string> data;

  explicit EventRows(std::size_t rows)
      : number(rows), ticket(rows), kind(rows), at(rows), value(rows), data(rows) {}
  explicit EventRows(std::span<const JournalEntry> entries);

  void clear();

  /// Throws StudyError.
  [[nodiscard]] JournalEntry entry(std::size_t i);
};

/// Adds entries to the journal of a study.
void insert_events(soci::session& sql, long long study, std::span<const JournalEntry> entries);

}  // namespace canopy
