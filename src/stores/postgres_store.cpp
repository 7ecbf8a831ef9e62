#include "stores/postgres_store.hpp"

#include "canopy/study.hpp"

#include "journal/command_text.hpp"
#include "stores/event_row.hpp"
#include "stores/postgres_tables.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace canopy {
namespace {

using Fault = StoreError::Fault;

constexpr std::int64_t kNoFence = -1;  // for a study that this store does not own

StudyRecord record_in(const PostgresRows& rows, int i) {
  return {.id = rows.integer(i, 0),
          .name = rows.text(i, 1),
          .specification = rows.text(i, 2),
          .forked_from = rows.text(i, 3),
          .created = rows.real(i, 4),
          .updated = rows.real(i, 5),
          .events = rows.count(i, 6),
          .pulls = rows.count(i, 7),
          .holder = rows.text(i, 8)};
}

}  // namespace

PostgresStore::PostgresStore(const std::string& address, Mode mode,
                             std::chrono::milliseconds longest_statement)
    : connection_(PostgresAddress(address), longest_statement,
                  [first = mode](PostgresConnection& connection) mutable {
                    // After the first connection, a store that has disappeared is not created
                    // again.
                    prepare_database(connection, std::exchange(first, Mode::open));
                  }),
      lease_(std::make_shared<PostgresLease>(PostgresAddress(address))) {
  connection_.connect();
}

std::vector<StudyRecord> PostgresStore::list(const StudyRange& range) {
  constexpr std::size_t kAtATime = 1000;
  std::vector<StudyRecord> records;
  for (std::string last = range.after; records.size() < range.limit; last = records.back().name) {
    const std::size_t page = std::min(kAtATime, range.limit - records.size());
    const PostgresRows rows = connection_.run(
        "SELECT id, name, specification, forked_from, created, updated, events, pulls, holder "
        "FROM studies WHERE name > $1 ORDER BY name LIMIT $2",
        last, page);
    for (int i = 0; i < rows.size(); ++i) records.push_back(record_in(rows, i));
    if (static_cast<std::size_t>(rows.size()) < page) break;
  }
  return records;
}

std::optional<StudyRecord> PostgresStore::find(const std::string& name) {
  if (!is_text(name)) return std::nullopt;
  const PostgresRows rows = connection_.run(
      "SELECT id, name, specification, forked_from, created, updated, events, pulls, holder FROM "
      "studies WHERE name = $1",
      name);
  return rows.empty() ? std::nullopt : std::optional(record_in(rows, 0));
}

std::optional<StudyRecord> PostgresStore::create(const NewStudy& study) {
  check_study_name(study.name);
  const double updated = study.journal.empty() ? study.created : study.journal.back().at;
  std::int64_t id = 0;
  connection_.change([&] {
    // In one statement, because another process may be writing to the original study.
    id = connection_
             .run(
                 "WITH parent AS (SELECT events, pulls, updated FROM studies WHERE id = $1 UNION "
                 "ALL SELECT $2, $3, $4 WHERE $1::bigint = 0), made AS (INSERT INTO studies "
                 "(name, specification, forked_from, created, updated, events, pulls, holder) "
                 "SELECT $5, $6, $7, $8, updated, events, pulls, '' FROM parent ON CONFLICT "
                 "(name) DO NOTHING RETURNING id), journal AS (INSERT INTO events SELECT made.id, "
                 "number, at, checksum, event FROM events, made WHERE study = $1), "
                 "orders AS (INSERT INTO commands SELECT made.id, number, at, text FROM commands, "
                 "made WHERE study = $1) SELECT "
                 "COALESCE((SELECT id FROM made), CASE WHEN EXISTS (SELECT 1 FROM parent) THEN 0 "
                 "ELSE -1 END)",
                 study.copied.value_or(0), study.journal.size(), study.pulls, updated, study.name,
                 study.specification, study.forked_from, study.created)
             .integer(0, 0);
    if (id < 0) throw gone();
    if (id <= 0) return;
    insert_journal(id, study.journal);
    for (const PostedCommand& command : commands_in(study.journal)) {
      connection_.run("INSERT INTO commands (study, number, at, text) VALUES ($1, $2, $3, $4)", id,
                      command.number, command.at, command.text);
    }
  });
  return id > 0 ? find(study.name) : std::nullopt;
}

void PostgresStore::erase(StudyId study) {
  connection_.change([&] {
    // The study first: this waits for writers and prevents further writes.
    for (const char* statement :
         {"DELETE FROM studies WHERE id = $1", "DELETE FROM events WHERE study = $1",
          "DELETE FROM snapshots WHERE study = $1", "DELETE FROM answers WHERE study = $1",
          "DELETE FROM commands WHERE study = $1"}) {
      connection_.run(statement, study);
    }
  });
}

bool PostgresStore::exists(StudyId study) {
  return !connection_.run("SELECT 1 FROM studies WHERE id = $1", study).empty();
}

StoreError PostgresStore::gone() const {
  return {Fault::other, name() + ": the study has been deleted"};
}

StoreError PostgresStore::taken_over() const {
  return {Fault::taken_over,
          name() +
              ": another process has taken over the study, because this process missed its "
              "heartbeats; nothing was written"};
}

StoreError PostgresStore::locked() const {
  return {Fault::locked, name() + ": the study is locked by another process; nothing was written"};
}

std::int64_t PostgresStore::fence_of(StudyId study) {
  return lease_->fence(study).value_or(kNoFence);
}

template <class... Values>
void PostgresStore::update(std::string_view sql, StudyId study, const Values&... values) {
  const std::int64_t fence = fence_of(study);
  if (!connection_.run(sql, study, fence, values...).empty()) return;
  throw fence != kNoFence && exists(study) ? taken_over() : gone();
}

void PostgresStore::set_specification(StudyId study, const std::string& specification) {
  update(
      "UPDATE studies SET specification = $3 WHERE id = $1 AND ($2::bigint < 0 OR fence = $2) "
      "RETURNING id",
      study, specification);
}

void PostgresStore::set_holder(StudyId study, const std::string& holder) {
  update(
      "UPDATE studies SET holder = $3 WHERE id = $1 AND ($2::bigint < 0 OR fence = $2) RETURNING "
      "id",
      study, holder);
}

void PostgresStore::read(StudyId study, const EntryRange& range,
                         const std::function<void(const JournalEntry&)>& visit) {
  constexpr std::uint64_t kAtATime = 10'000;
  std::uint64_t after = range.after;
  for (std::uint64_t left = range.limit; left > 0;) {
    const std::uint64_t page = std::min(kAtATime, left);
    const PostgresRows rows = connection_.run(
        "SELECT number, at, checksum, event FROM events WHERE study = $1 AND number > $2 ORDER BY "
        "number LIMIT $3",
        study, after, page);
    for (int i = 0; i < rows.size(); ++i) {
      const EventRow row{rows.count(i, 0), rows.real(i, 1),
                         static_cast<std::uint32_t>(rows.integer(i, 2)), rows.text(i, 3)};
      after = row.number;
      visit(row.entry());
    }
    const auto got = static_cast<std::uint64_t>(rows.size());
    if (got < page) return;
    left -= got;
  }
}

std::optional<Snapshot> PostgresStore::snapshot(StudyId study) {
  const PostgresRows rows =
      connection_.run("SELECT events, optimizer, tuner FROM snapshots WHERE study = $1", study);
  if (rows.empty()) return std::nullopt;
  return Snapshot{rows.count(0, 0), rows.text(0, 1), rows.text(0, 2)};
}

void PostgresStore::set_snapshot(StudyId study, const Snapshot& snapshot) {
  update(
      "WITH held AS (SELECT id FROM studies WHERE id = $1 AND ($2::bigint < 0 OR fence = $2) FOR "
      "NO KEY UPDATE) INSERT INTO snapshots (study, events, optimizer, tuner) SELECT id, $3, $4, "
      "$5 FROM held ON CONFLICT (study) DO UPDATE SET events = EXCLUDED.events, optimizer = "
      "EXCLUDED.optimizer, tuner = EXCLUDED.tuner RETURNING study",
      study, snapshot.events, snapshot.optimizer, snapshot.tuner);
}

// --- answers and commands ------------------------------------------------------------------------

std::vector<std::optional<KeptAnswer>> PostgresStore::find_answers(
    std::span<const AnswerKey> keys) {
  std::vector<std::optional<KeptAnswer>> found(keys.size());
  if (keys.empty()) return found;
  PostgresArray studies;
  PostgresArray texts;
  for (const AnswerKey& each : keys) {
    studies.add(each.study);
    texts.add(each.key);
  }
  const PostgresRows rows = connection_.run(
      "SELECT place, request, answer, at FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS "
      "w(study, key, place) JOIN answers USING (study, key)",
      studies, texts);
  for (int i = 0; i < rows.size(); ++i) {
    const std::size_t place = rows.count(i, 0) - 1;
    found[place] = KeptAnswer{keys[place].key, rows.text(i, 1), rows.text(i, 2), rows.real(i, 3)};
  }
  return found;
}

std::uint64_t PostgresStore::forget_answers(double before) {
  // Ids increase with time, so this reads only the oldest rows.
  return connection_
      .run(
          "WITH forgotten AS (DELETE FROM answers WHERE id IN (SELECT id FROM (SELECT id, at FROM "
          "answers ORDER BY id LIMIT 10000) AS oldest WHERE at < $1) RETURNING id) SELECT "
          "COUNT(*) FROM forgotten",
          before)
      .count(0, 0);
}

std::uint64_t PostgresStore::post_command(StudyId study, double at, const std::string& text) {
  std::uint64_t number = 0;
  connection_.change([&] {
    const PostgresRows locked =
        connection_.run("SELECT id FROM studies WHERE id = $1 FOR NO KEY UPDATE", study);
    if (locked.empty()) throw gone();
    if (has_key(text)) {
      const PostgresRows before = connection_.run(
          "SELECT number FROM commands WHERE study = $1 AND text = $2", study, text);
      if (!before.empty()) {
        number = before.count(0, 0);
        return;
      }
    }
    number =
        connection_
            .run(
                "INSERT INTO commands (study, number, at, text) SELECT $1, COALESCE(MAX(number), "
                "0) + 1, $2, $3 FROM commands WHERE study = $1 RETURNING number",
                study, at, text)
            .count(0, 0);
  });
  return number;
}

std::vector<PostedCommand> PostgresStore::commands(StudyId study, std::uint64_t after) {
  const PostgresRows rows = connection_.run(
      "SELECT number, at, text FROM commands WHERE study = $1 AND number > $2 ORDER BY number",
      study, after);
  std::vector<PostedCommand> commands;
  commands.reserve(static_cast<std::size_t>(rows.size()));
  for (int i = 0; i < rows.size(); ++i) {
    commands.push_back({rows.count(i, 0), rows.real(i, 1), rows.text(i, 2)});
  }
  return commands;
}

}  // namespace canopy
