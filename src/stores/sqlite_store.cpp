#include "stores/sqlite_store.hpp"

#include "canopy/study.hpp"

#include "core/text.hpp"
#include "journal/command_text.hpp"
#include "stores/event_row.hpp"
#include "stores/file_lock.hpp"
#include "stores/list.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

namespace canopy {
namespace {

constexpr std::chrono::milliseconds kBetweenLockTries{10};

StudyRecord record_in(const SqliteStatement& row) {
  return {.id = row.integer(0),
          .name = row.text(1),
          .specification = row.text(2),
          .forked_from = row.text(3),
          .created = row.real(4),
          .updated = row.real(5),
          .events = row.count(6),
          .pulls = row.count(7),
          .holder = row.text(8)};
}

class SqliteLock final : public StudyLock {
 public:
  explicit SqliteLock(std::unique_ptr<LockFile::Lock> lock) : lock_(std::move(lock)) {}

 private:
  std::unique_ptr<LockFile::Lock> lock_;
};

std::unique_ptr<FullStore> open_sqlite(const std::string& path, Store::Mode mode) {
  return std::make_unique<SqliteStore>(path, mode);
}

std::vector<std::string> faults_of_sqlite(const std::string& path) {
  return SqliteStore(path, Store::Mode::open).faults();
}

}  // namespace

StoreEntry sqlite_store_entry() {
  return {.prefixes = {""}, .open = open_sqlite, .find_faults = faults_of_sqlite};
}

std::vector<StudyRecord> SqliteStore::list(const StudyRange& range) {
  return connection_.with([&] {
    std::vector<StudyRecord> records;
    SqliteStatement rows = connection_.select(
        "SELECT id, name, specification, forked_from, created, updated, events, pulls, holder "
        "FROM studies WHERE name > ?1 ORDER BY name LIMIT ?2",
        range.after, range.limit);
    while (rows.next()) records.push_back(record_in(rows));
    return records;
  });
}

std::optional<StudyRecord> SqliteStore::find(const std::string& name) {
  if (!is_text(name)) return std::nullopt;
  return connection_.with([&]() -> std::optional<StudyRecord> {
    SqliteStatement row = connection_.select(
        "SELECT id, name, specification, forked_from, created, updated, events, pulls, holder "
        "FROM studies WHERE name = ?1",
        name);
    return row.next() ? std::optional(record_in(row)) : std::nullopt;
  });
}

std::optional<StudyRecord> SqliteStore::create(const NewStudy& study) {
  check_study_name(study.name);
  bool is_taken = false;
  connection_.change([&] {
    if (study.copied && !exists(*study.copied)) throw gone();
    const double updated = study.journal.empty() ? study.created : study.journal.back().at;
    is_taken = connection_.run(
                   "INSERT INTO studies (name, specification, forked_from, created, updated, "
                   "events, pulls, holder) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, '') ON CONFLICT "
                   "(name) DO NOTHING",
                   study.name, study.specification, study.forked_from, study.created, updated,
                   study.journal.size(), study.pulls) == 0;
    if (is_taken) return;
    const StudyId id = connection_.last_id();
    insert_events(id, study.journal);
    for (const PostedCommand& command : commands_in(study.journal)) {
      connection_.run("INSERT INTO commands (study, number, at, text) VALUES (?1, ?2, ?3, ?4)", id,
                      command.number, command.at, command.text);
    }
    if (!study.copied) return;
    connection_.run(
        "INSERT INTO commands SELECT ?1, number, at, text FROM commands WHERE study = ?2", id,
        *study.copied);
    connection_.run(
        "INSERT INTO events SELECT ?1, number, at, checksum, event FROM events WHERE study = ?2",
        id, *study.copied);
    connection_.run(
        "UPDATE studies SET (events, pulls, updated) = (SELECT events, pulls, updated FROM "
        "studies WHERE id = ?2) WHERE id = ?1",
        id, *study.copied);
  });
  return is_taken ? std::nullopt : find(study.name);
}

void SqliteStore::erase(StudyId study) {
  connection_.change([&] {
    for (const char* statement :
         {"DELETE FROM events WHERE study = ?1", "DELETE FROM snapshots WHERE study = ?1",
          "DELETE FROM answers WHERE study = ?1", "DELETE FROM commands WHERE study = ?1",
          "DELETE FROM studies WHERE id = ?1"}) {
      connection_.run(statement, study);
    }
  });
}

bool SqliteStore::exists(StudyId study) {
  return connection_.select("SELECT 1 FROM studies WHERE id = ?1", study).next();
}

StoreError SqliteStore::gone() const {
  return {StoreError::Fault::other, name() + ": the study has been deleted"};
}

template <class... Values>
void SqliteStore::update(std::string_view sql, StudyId study, const Values&... values) {
  connection_.change([&] {
    if (connection_.run(sql, study, values...) == 0) throw gone();
  });
}

void SqliteStore::set_specification(StudyId study, const std::string& specification) {
  update("UPDATE studies SET specification = ?2 WHERE id = ?1", study, specification);
}

void SqliteStore::set_holder(StudyId study, const std::string& holder) {
  update("UPDATE studies SET holder = ?2 WHERE id = ?1", study, holder);
}

// --- the journal -----------------------------------------------------------------------------

void SqliteStore::insert_events(StudyId study, std::span<const JournalEntry> entries) {
  std::vector<EventRow> rows(entries.size());
  std::transform(entries.begin(), entries.end(), rows.begin(), row_of);
  connection_.insert<EventRow>("events", rows, [study](const EventRow& row) {
    return std::make_tuple(study, row.number, row.at, row.checksum, std::string_view(row.event));
  });
}

/// Returns false if the study was deleted.
bool SqliteStore::write_one(const StudyWrite& one) {
  if (one.entries.empty()) {
    if (!exists(one.study)) return false;
  } else {
    const JournalEntry& last = one.entries.back();
    if (connection_.run("UPDATE studies SET events = ?2, pulls = ?3, updated = ?4 WHERE id = ?1",
                        one.study, last.number, one.pulls, last.at) == 0) {
      return false;
    }
    insert_events(one.study, one.entries);
  }
  connection_.insert<KeptAnswer>("answers (study, key, request, answer, at)", one.answers,
                                 [&one](const KeptAnswer& kept) {
                                   return std::make_tuple(one.study, std::string_view(kept.key),
                                                          std::string_view(kept.request),
                                                          std::string_view(kept.answer), kept.at);
                                 });
  return true;
}

std::vector<std::optional<StoreError>> SqliteStore::write(std::span<const StudyWrite> writes) {
  std::vector<std::optional<StoreError>> errors(writes.size());
  connection_.change([&] {
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (!write_one(writes[i])) errors[i] = gone();
    }
  });
  return errors;
}

void SqliteStore::read(StudyId study, const EntryRange& range,
                       const std::function<void(const JournalEntry&)>& visit) {
  constexpr std::uint64_t kAtATime = 1000;
  std::uint64_t after = range.after;
  std::vector<EventRow> rows;
  for (std::uint64_t left = range.limit; left > 0; left -= rows.size()) {
    // In pages, because a long read transaction would prevent checkpoints of the write-ahead log.
    const std::uint64_t page = std::min(left, kAtATime);
    rows.clear();
    connection_.with([&] {
      SqliteStatement row = connection_.select(
          "SELECT number, at, checksum, event FROM events WHERE study = ?1 AND number > ?2 ORDER "
          "BY number LIMIT ?3",
          study, after, page);
      while (row.next()) {
        rows.push_back(
            {row.count(0), row.real(1), static_cast<std::uint32_t>(row.integer(2)), row.text(3)});
      }
    });
    for (const EventRow& row : rows) visit(row.entry());
    if (rows.size() < page) return;
    after = rows.back().number;
  }
}

std::optional<Snapshot> SqliteStore::snapshot(StudyId study) {
  return connection_.with([&]() -> std::optional<Snapshot> {
    SqliteStatement row = connection_.select(
        "SELECT events, optimizer, tuner FROM snapshots WHERE study = ?1", study);
    if (!row.next()) return std::nullopt;
    return Snapshot{row.count(0), row.text(1), row.text(2)};
  });
}

void SqliteStore::set_snapshot(StudyId study, const Snapshot& snapshot) {
  update(
      "INSERT OR REPLACE INTO snapshots (study, events, optimizer, tuner) SELECT id, ?2, ?3, ?4 "
      "FROM studies WHERE id = ?1",
      study, snapshot.events, snapshot.optimizer, snapshot.tuner);
}

// --- answers and commands ------------------------------------------------------------------------

std::vector<std::optional<KeptAnswer>> SqliteStore::find_answers(std::span<const AnswerKey> keys) {
  return connection_.look([&] {
    std::vector<std::optional<KeptAnswer>> found(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      SqliteStatement row = connection_.select(
          "SELECT request, answer, at FROM answers WHERE study = ?1 AND key = ?2", keys[i].study,
          keys[i].key);
      if (row.next()) found[i] = KeptAnswer{keys[i].key, row.text(0), row.text(1), row.real(2)};
    }
    return found;
  });
}

std::uint64_t SqliteStore::forget_answers(double before) {
  // Ids increase with time, so this reads only the oldest rows.
  constexpr int kAtATime = 10'000;
  std::int64_t forgotten = 0;
  connection_.change([&] {
    forgotten = connection_.run(
        "DELETE FROM answers WHERE id IN (SELECT id FROM (SELECT id, at FROM answers ORDER BY id "
        "LIMIT ?1) WHERE at < ?2)",
        kAtATime, before);
  });
  return static_cast<std::uint64_t>(forgotten);
}

std::uint64_t SqliteStore::post_command(StudyId study, double at, const std::string& text) {
  std::uint64_t number = 0;
  connection_.change([&] {
    if (!exists(study)) throw gone();
    if (has_key(text)) {
      SqliteStatement before = connection_.select(
          "SELECT number FROM commands WHERE study = ?1 AND text = ?2", study, text);
      while (before.next()) number = before.count(0);
      if (number != 0) return;
    }
    SqliteStatement posted = connection_.select(
        "INSERT INTO commands (study, number, at, text) SELECT ?1, COALESCE(MAX(number), 0) + 1, "
        "?2, "
        "?3 FROM commands WHERE study = ?1 RETURNING number",
        study, at, text);
    while (posted.next()) number = posted.count(0);
  });
  return number;
}

std::vector<PostedCommand> SqliteStore::commands(StudyId study, std::uint64_t after) {
  return connection_.with([&] {
    std::vector<PostedCommand> commands;
    SqliteStatement row = connection_.select(
        "SELECT number, at, text FROM commands WHERE study = ?1 AND number > ?2 ORDER BY number",
        study, after);
    while (row.next()) commands.push_back({row.count(0), row.real(1), row.text(2)});
    return commands;
  });
}

// --- locks and integrity ---------------------------------------------------------------------

std::unique_ptr<StudyLock> SqliteStore::try_lock(StudyId study,
                                                 std::chrono::milliseconds patience) {
  // A killed owner may leave a forked child that has not executed its program yet; it holds the
  // lock for a moment.
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (auto lock = locks_->try_take(study)) return std::make_unique<SqliteLock>(std::move(lock));
    if (std::chrono::steady_clock::now() >= deadline) return nullptr;
    std::this_thread::sleep_for(kBetweenLockTries);
  }
}

bool SqliteStore::is_locked(StudyId study) {
  return locks_->is_taken(study);
}

std::vector<std::string> SqliteStore::faults() {
  return connection_.with([&] {
    std::vector<std::string> found;
    SqliteStatement row = connection_.select("PRAGMA integrity_check");
    while (row.next()) {
      if (row.text(0) != "ok") found.push_back(row.text(0));
    }
    return found;
  });
}

}  // namespace canopy
