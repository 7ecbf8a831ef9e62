#include "stores/event_rows.hpp"

#include "canopy/study.hpp"

#include <utility>

namespace canopy {

EventRows::EventRows(std::span<const JournalEntry> entries) : EventRows(entries.size()) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EventColumns columns = to_columns(entries[i].event);
    number[i] = static_cast<long long>(entries[i].number);
    at[i] = entries[i].at;
    kind[i] = columns.kind;
    ticket[i] = static_cast<long long>(columns.ticket);
    value[i] = columns.value;
    data[i] = std::move(columns.data);
  }
}

void EventRows::clear() {
  for (auto* wholes : {&number, &ticket}) wholes->clear();
  for (auto* numbers : {&at, &value}) numbers->clear();
  kind.clear();
  data.clear();
}

JournalEntry EventRows::entry(std::size_t i) {
  try {
    return {static_cast<std::uint64_t>(number[i]), at[i],
            from_columns({.kind = kind[i],
                          .ticket = static_cast<Ticket>(ticket[i]),
                          .value = value[i],
                          .data = std::move(data[i])})};
  } catch (const StudyError& error) {
    throw StudyError(error.fault(), "event " + std::to_string(number[i]) +
                                        " of its journal cannot be read: " + error.what());
  }
}

void insert_events(soci::session& sql, long long study, std::span<const JournalEntry> entries) {
  if (entries.empty()) return;
  const EventRows rows(entries);
  const std::vector<long long> studies(entries.size(), study);
  sql << "INSERT INTO events (study, number, at, kind, ticket, value, data) VALUES (:study, "
         ":number, :at, :kind, :ticket, :value, :data)",
      soci::use(studies), soci::use(rows.number), soci::use(rows.at), soci::use(rows.kind),
      soci::use(rows.ticket), soci::use(rows.value), soci::use(rows.data);
}

}  // namespace canopy
