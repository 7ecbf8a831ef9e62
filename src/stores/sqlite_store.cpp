#include "stores/sqlite_store.hpp"

#include "canopy/stores.hpp"

#include "stores/event_rows.hpp"
#include "stores/file_lock.hpp"

#include <array>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::chrono::milliseconds kBetweenLockTries{10};

constexpr const char* kColumns =
    "id, name, specification, forked_from, created, updated, events, pulls, holder";

// SQLite keeps any value in any column.
using Column = SqliteConnection::Column;
constexpr std::array kStudyTypes{
    Column{"id", "integer"},       Column{"name", "text"},     Column{"specification", "text"},
    Column{"forked_from", "text"}, Column{"created", "real"},  Column{"updated", "real"},
    Column{"events", "integer"},   Column{"pulls", "integer"}, Column{"holder", "text"}};
constexpr std::array kEventTypes{Column{"number", "integer"}, Column{"at", "real"},
                                 Column{"kind", "integer"},   Column{"ticket", "integer"},
                                 Column{"value", "real"},     Column{"data", "text"}};

StudyRecord record_of(const soci::row& row) {
  return {.id = row.get<int>(0),
          .name = row.get<std::string>(1),
          .specification = row.get<std::string>(2),
          .forked_from = row.get<std::string>(3),
          .created = row.get<double>(4),
          .updated = row.get<double>(5),
          .events = static_cast<std::uint64_t>(row.get<long long>(6)),
          .pulls = static_cast<std::uint64_t>(row.get<long long>(7)),
          .holder = row.get<std::string>(8)};
}

class SqliteLock final : public StudyLock {
 public:
  explicit SqliteLock(FileLock lock) : lock_(std::move(lock)) {}

 private:
  FileLock lock_;
};

}  // namespace

std::unique_ptr<Store> open_store(const std::string& name, Store::Mode mode) {
  return std::make_unique<SqliteStore>(name, mode);
}

std::vector<StudyRecord> SqliteStore::list() {
  connection_.require_types("studies", kStudyTypes);
  return connection_.with([&] {
    std::vector<StudyRecord> records;
    const soci::rowset<soci::row> rows =
        (connection_.sql().prepare << "SELECT " << kColumns << " FROM studies ORDER BY name");
    for (const soci::row& row : rows) records.push_back(record_of(row));
    return records;
  });
}

std::optional<StudyRecord> SqliteStore::find(const std::string& name) {
  connection_.require_types("studies", kStudyTypes);
  return connection_.with([&]() -> std::optional<StudyRecord> {
    soci::row row;
    connection_.sql() << "SELECT " << kColumns << " FROM studies WHERE name = :name",
        soci::use(name), soci::into(row);
    if (!connection_.sql().got_data()) return std::nullopt;
    return record_of(row);
  });
}

std::optional<StudyRecord> SqliteStore::create(const NewStudy& study) {
  bool taken = false;
  connection_.change([&] {
    soci::session& sql = connection_.sql();
    int found = 0;
    sql << "SELECT COUNT(*) FROM studies WHERE name = :name", soci::use(study.name),
        soci::into(found);
    taken = found > 0;
    if (taken) return;
    const auto events = static_cast<long long>(study.journal.size());
    const double updated = study.journal.empty() ? study.created : study.journal.back().at;
    sql << "INSERT INTO studies (name, specification, forked_from, created, updated, events, "
           "pulls, holder) VALUES (:name, :specification, :forked, :created, :updated, :events, 0, "
           "'')",
        soci::use(study.name), soci::use(study.specification), soci::use(study.forked_from),
        soci::use(study.created), soci::use(updated), soci::use(events);
    long long id = 0;
    sql << "SELECT id FROM studies WHERE name = :name", soci::use(study.name), soci::into(id);
    insert_events(sql, id, study.journal);
    if (!study.copied) return;
    const long long from = *study.copied;
    sql << "INSERT INTO events SELECT :id, number, at, kind, ticket, value, data FROM events WHERE "
           "study = :copied",
        soci::use(id), soci::use(from);
    sql << "UPDATE studies SET (events, pulls, updated) = (SELECT events, pulls, updated FROM "
           "studies WHERE id = :copied) WHERE id = :id",
        soci::use(from), soci::use(id);
  });
  return taken ? std::nullopt : find(study.name);
}

void SqliteStore::erase(StudyId study) {
  const long long id = study;
  connection_.change([&] {
    connection_.sql() << "DELETE FROM events WHERE study = :id", soci::use(id);
    connection_.sql() << "DELETE FROM snapshots WHERE study = :id", soci::use(id);
    connection_.sql() << "DELETE FROM studies WHERE id = :id", soci::use(id);
  });
}

void SqliteStore::change(StudyId study,
                         const std::function<void(soci::session&, const long long& id)>& write) {
  const long long id = study;
  connection_.change([&] {
    int found = 0;
    connection_.sql() << "SELECT COUNT(*) FROM studies WHERE id = :id", soci::use(id),
        soci::into(found);
    if (found == 0) {
      throw StoreError(StoreError::Fault::other,
                       name() + ": the study is gone: somebody has deleted it");
    }
    write(connection_.sql(), id);
  });
}

void SqliteStore::set_specification(StudyId study, const std::string& specification) {
  change(study, [&](soci::session& sql, const long long& id) {
    sql << "UPDATE studies SET specification = :text WHERE id = :id", soci::use(specification),
        soci::use(id);
  });
}

void SqliteStore::set_holder(StudyId study, const std::string& holder) {
  change(study, [&](soci::session& sql, const long long& id) {
    sql << "UPDATE studies SET holder = :holder WHERE id = :id", soci::use(holder), soci::use(id);
  });
}

void SqliteStore::append(StudyId study, std::span<const JournalEntry> entries,
                         std::uint64_t pulls) {
  if (entries.empty()) return;
  const auto last = static_cast<long long>(entries.back().number);
  const auto learnt = static_cast<long long>(pulls);
  const double at = entries.back().at;
  change(study, [&](soci::session& sql, const long long& id) {
    insert_events(sql, id, entries);
    sql << "UPDATE studies SET events = :events, pulls = :pulls, updated = :updated WHERE id = :id",
        soci::use(last), soci::use(learnt), soci::use(at), soci::use(id);
  });
}

void SqliteStore::read(StudyId study, std::uint64_t after,
                       const std::function<void(const JournalEntry&)>& visit) {
  constexpr std::size_t kAtATime = 10'000;
  const long long id = study;
  auto last = static_cast<long long>(after);
  connection_.require_types("events", kEventTypes,
                            fmt::format("study = {} AND number > {}", id, last));
  for (;;) {  // in pages, so that no long read keeps the file's log from being tidied up
    EventRows rows(kAtATime);
    connection_.with([&] {
      connection_.sql() << "SELECT number, at, kind, ticket, value, data FROM events WHERE study = "
                           ":study AND number > :after ORDER BY number LIMIT "
                        << kAtATime,
          soci::use(id), soci::use(last), soci::into(rows.number), soci::into(rows.at),
          soci::into(rows.kind), soci::into(rows.ticket), soci::into(rows.value),
          soci::into(rows.data);
    });
    const std::size_t got = connection_.sql().got_data() ? rows.number.size() : 0;
    for (std::size_t i = 0; i < got; ++i) visit(rows.entry(i));
    if (got < kAtATime) return;
    last = rows.number.back();
  }
}

std::optional<Snapshot> SqliteStore::snapshot(StudyId study) {
  const long long id = study;
  return connection_.with([&]() -> std::optional<Snapshot> {
    long long events = 0;
    Snapshot snapshot;
    // One that is damaged is none: the journal has it all.
    connection_.sql() << "SELECT events, optimizer, tuner FROM snapshots WHERE study = :study AND "
                         "typeof(events) = 'integer' AND typeof(optimizer) = 'text' AND "
                         "typeof(tuner) = 'text'",
        soci::use(id), soci::into(events), soci::into(snapshot.optimizer),
        soci::into(snapshot.tuner);
    if (!connection_.sql().got_data()) return std::nullopt;
    snapshot.events = static_cast<std::uint64_t>(events);
    return snapshot;
  });
}

void SqliteStore::set_snapshot(StudyId study, const Snapshot& snapshot) {
  const auto events = static_cast<long long>(snapshot.events);
  change(study, [&](soci::session& sql, const long long& id) {
    sql << "INSERT OR REPLACE INTO snapshots (study, events, optimizer, tuner) VALUES (:study, "
           ":events, :optimizer, :tuner)",
        soci::use(id), soci::use(events), soci::use(snapshot.optimizer), soci::use(snapshot.tuner);
  });
}

std::unique_ptr<StudyLock> SqliteStore::try_lock(StudyId study,
                                                 std::chrono::milliseconds patience) {
  // A holder that was killed may leave a child that has not started its program yet, and with it
  // the lock, for a moment.
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (auto lock = FileLock::try_take(name(), study)) {
      return std::make_unique<SqliteLock>(std::move(*lock));
    }
    if (std::chrono::steady_clock::now() >= deadline) return nullptr;
    std::this_thread::sleep_for(kBetweenLockTries);
  }
}

bool SqliteStore::is_locked(StudyId study) {
  return FileLock::is_taken(name(), study);
}

}  // namespace canopy
