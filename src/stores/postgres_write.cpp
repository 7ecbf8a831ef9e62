// Writing journals to PostgreSQL. Since a round trip costs more than a row, each write is one
// statement, with an array parameter for each column.

#include "stores/event_row.hpp"
#include "stores/postgres_store.hpp"

#include <algorithm>

namespace canopy {
namespace {

struct EventArrays {
  PostgresArray study, number, at, checksum, event;

  void add(StudyId of, const JournalEntry& entry) {
    const EventRow row = row_of(entry);
    study.add(of);
    number.add(row.number);
    at.add(row.at);
    checksum.add(row.checksum);
    event.add(row.event);
  }
};

struct AnswerArrays {
  PostgresArray study, key, request, answer, at;

  void add(StudyId of, const KeptAnswer& kept) {
    study.add(of);
    key.add(kept.key);
    request.add(kept.request);
    answer.add(kept.answer);
    at.add(kept.at);
  }
};

/// The columns of `studies` to update.
struct StudyArrays {
  PostgresArray study, fence, last, pulls, at;

  void add(const StudyWrite& write, std::int64_t its_fence) {
    const bool is_idle = write.entries.empty();
    study.add(write.study);
    fence.add(its_fence);
    last.add(is_idle ? std::int64_t{-1} : static_cast<std::int64_t>(write.entries.back().number));
    pulls.add(write.pulls);
    at.add(is_idle ? 0.0 : write.entries.back().at);
  }
};

// A locked study must not delay the others, so it is skipped and retried. The status of a study is
// kWritten, kGone if it was deleted, kTakenOver, or another value if it is locked.
constexpr std::int64_t kWritten = 0;
constexpr std::int64_t kTakenOver = 1;
constexpr std::int64_t kGone = 2;
constexpr const char* kWrite = R"(
  WITH wanted AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[],
      $5::double precision[]) WITH ORDINALITY AS w(study, fence, last, pulls, at, place)),
  held AS MATERIALIZED (
    SELECT s.id FROM studies s JOIN wanted w ON s.id = w.study
    WHERE w.fence < 0 OR w.fence = s.fence ORDER BY s.id FOR NO KEY UPDATE OF s SKIP LOCKED),
  noted AS (
    UPDATE studies s SET events = w.last, pulls = w.pulls, updated = w.at
    FROM wanted w JOIN held ON held.id = w.study WHERE s.id = w.study AND w.last >= 0),
  happened AS (
    INSERT INTO events SELECT e.* FROM unnest($6::bigint[], $7::bigint[], $8::double precision[],
      $9::bigint[], $10::text[]) AS e(study, number, at, checksum, event)
    WHERE e.study IN (SELECT id FROM held)),
  answered AS (
    INSERT INTO answers (study, key, request, answer, at) SELECT a.* FROM unnest($11::bigint[],
      $12::text[], $13::text[], $14::text[], $15::double precision[])
      AS a(study, key, request, answer, at)
    WHERE a.study IN (SELECT id FROM held))
  SELECT w.place, CASE WHEN held.id = w.study THEN 0 WHEN s.id IS NULL THEN 2
                       WHEN w.fence >= 0 AND w.fence <> s.fence THEN 1 ELSE 3 END
  FROM wanted w LEFT JOIN held ON held.id = w.study LEFT JOIN studies s ON s.id = w.study)";

}  // namespace

std::vector<std::optional<StoreError>> PostgresStore::write(std::span<const StudyWrite> writes) {
  if (writes.empty()) return {};
  StudyArrays studies;
  EventArrays events;
  AnswerArrays answers;
  for (const StudyWrite& each : writes) {
    studies.add(each, fence_of(each.study));
    for (const JournalEntry& entry : each.entries) events.add(each.study, entry);
    for (const KeptAnswer& answer : each.answers) answers.add(each.study, answer);
  }
  const PostgresRows outcomes = [&] {
    try {
      return connection_.run(kWrite, studies.study, studies.fence, studies.last, studies.pulls,
                             studies.at, events.study, events.number, events.at, events.checksum,
                             events.event, answers.study, answers.key, answers.request,
                             answers.answer, answers.at);
    } catch (const StoreError& error) {
      if (error.fault() != StoreError::Fault::unreachable || !connection_.was_sent()) throw;
      throw StoreError(StoreError::Fault::in_doubt, error.what());
    }
  }();
  std::vector<std::optional<StoreError>> errors(writes.size());
  for (int i = 0; i < outcomes.size(); ++i) {
    const std::int64_t outcome = outcomes.integer(i, 1);
    if (outcome == kWritten) continue;
    errors[outcomes.count(i, 0) - 1] = outcome == kGone        ? gone()
                                       : outcome == kTakenOver ? taken_over()
                                                               : locked();
  }
  return errors;
}

void PostgresStore::insert_journal(StudyId study, std::span<const JournalEntry> entries) {
  constexpr std::size_t kAtATime = 10'000;
  for (std::size_t begin = 0; begin < entries.size(); begin += kAtATime) {
    EventArrays events;
    const std::size_t count = std::min(kAtATime, entries.size() - begin);
    for (const JournalEntry& entry : entries.subspan(begin, count)) events.add(study, entry);
    connection_.run(
        "INSERT INTO events SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::double "
        "precision[], $4::bigint[], $5::text[])",
        events.study, events.number, events.at, events.checksum, events.event);
  }
}

}  // namespace canopy
