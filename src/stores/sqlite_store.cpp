#include "stores/sqlite_store.hpp"

#include "stores/event_rows.hpp"
#include "stores/file_lock.hpp"
#include "stores/sqlite_journal.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
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

/// A text within a statement.
std::string literal(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\'') quoted += '\'';
    quoted += letter;
  }
  return quoted + "'";
}

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

std::vector<StudyRecord> SqliteStore::list_some(const std::string& after, std::size_t limit) {
  const auto most = static_cast<long long>(std::min<std::size_t>(limit, INT64_MAX));
  const bool all = after.empty() && limit == SIZE_MAX;
  const std::string page =
      fmt::format("id IN (SELECT id FROM studies WHERE name > {} ORDER BY name LIMIT {})",
                  literal(after), most);
  connection_.require_types("studies", kStudyTypes, all ? "TRUE" : page);
  return connection_.with([&] {
    std::vector<StudyRecord> records;
    const soci::rowset<soci::row> rows =
        (connection_.sql().prepare << "SELECT " << kColumns
                                   << " FROM studies WHERE name > :after ORDER BY name "
                                      "LIMIT :limit",
         soci::use(after), soci::use(most));
    for (const soci::row& row : rows) records.push_back(record_of(row));
    return records;
  });
}

std::optional<StudyRecord> SqliteStore::find(const std::string& name) {
  connection_.require_types("studies", kStudyTypes, "name = " + literal(name));
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
    const auto pulls = static_cast<long long>(study.pulls);
    const double updated = study.journal.empty() ? study.created : study.journal.back().at;
    sql << "INSERT INTO studies (name, specification, forked_from, created, updated, events, "
           "pulls, holder) VALUES (:name, :specification, :forked, :created, :updated, :events, "
           ":pulls, '')",
        soci::use(study.name), soci::use(study.specification), soci::use(study.forked_from),
        soci::use(study.created), soci::use(updated), soci::use(events), soci::use(pulls);
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
    connection_.sql() << "DELETE FROM answers WHERE study = :id", soci::use(id);
    connection_.sql() << "DELETE FROM acts WHERE study = :id", soci::use(id);
    connection_.sql() << "DELETE FROM studies WHERE id = :id", soci::use(id);
  });
}

bool SqliteStore::exists(StudyId study) {
  const long long id = study;
  int found = 0;
  connection_.sql() << "SELECT COUNT(*) FROM studies WHERE id = :id", soci::use(id),
      soci::into(found);
  return found > 0;
}

StoreError SqliteStore::gone() const {
  return {StoreError::Fault::other, name() + ": the study is gone: somebody has deleted it"};
}

void SqliteStore::change(StudyId study,
                         const std::function<void(soci::session&, const long long& id)>& write) {
  const long long id = study;
  connection_.change([&] {
    if (!exists(study)) throw gone();
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

std::vector<std::optional<StoreError>> SqliteStore::write(std::span<const StudyWrite> writes) {
  std::vector<std::optional<StoreError>> errors(writes.size());
  connection_.change([&] {
    soci::session& sql = connection_.sql();
    for (std::size_t i = 0; i < writes.size(); ++i) {
      const StudyWrite& each = writes[i];
      if (!exists(each.study)) {
        errors[i] = gone();
        continue;
      }
      insert_answers(each.study, each.answers);
      if (each.entries.empty()) continue;
      const long long id = each.study;
      const auto last = static_cast<long long>(each.entries.back().number);
      const auto learnt = static_cast<long long>(each.pulls);
      const double at = each.entries.back().at;
      insert_events(sql, id, each.entries);
      sql << "UPDATE studies SET events = :events, pulls = :pulls, updated = :updated WHERE id = "
             ":id",
          soci::use(last), soci::use(learnt), soci::use(at), soci::use(id);
    }
  });
  return errors;
}

void SqliteStore::insert_answers(StudyId study, std::span<const KeptAnswer> answers) {
  if (answers.empty()) return;
  const std::vector<long long> studies(answers.size(), study);
  std::vector<std::string> keys;
  std::vector<std::string> requests;
  std::vector<std::string> texts;
  std::vector<double> times;
  for (const KeptAnswer& each : answers) {
    keys.push_back(each.key);
    requests.push_back(each.request);
    texts.push_back(each.answer);
    times.push_back(each.at);
  }
  connection_.sql() << "INSERT INTO answers (study, key, request, answer, at) VALUES (:study, "
                       ":key, :request, :answer, :at)",
      soci::use(studies), soci::use(keys), soci::use(requests), soci::use(texts), soci::use(times);
}

std::vector<std::optional<KeptAnswer>> SqliteStore::find_answers(std::span<const AnswerKey> keys) {
  std::vector<std::optional<KeptAnswer>> found(keys.size());
  if (keys.empty()) return found;
  connection_.with([&] {
    long long study = 0;
    KeptAnswer answer;
    soci::statement query =
        (connection_.sql().prepare
             << "SELECT key, request, answer, at FROM answers WHERE study = :study AND key = :key",
         soci::use(study, "study"), soci::use(answer.key, "key"), soci::into(answer.key),
         soci::into(answer.request), soci::into(answer.answer), soci::into(answer.at));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      study = keys[i].study;
      answer.key = keys[i].key;
      if (query.execute(true)) found[i] = answer;
    }
  });
  return found;
}

std::uint64_t SqliteStore::forget_answers(double before) {
  // Rows are numbered in the order in which they came: this touches the old ones and no others.
  constexpr int kAtATime = 10'000;
  int forgotten = 0;
  connection_.change([&] {
    soci::session& sql = connection_.sql();
    sql << "DELETE FROM answers WHERE id IN (SELECT id FROM (SELECT id, at FROM answers ORDER BY "
           "id LIMIT :most) WHERE at < :before)",
        soci::use(kAtATime), soci::use(before);
    sql << "SELECT changes()", soci::into(forgotten);
  });
  return static_cast<std::uint64_t>(forgotten);
}

std::uint64_t SqliteStore::post_act(StudyId study, double at, const std::string& text) {
  long long number = 0;
  change(study, [&](soci::session& sql, const long long& id) {
    sql << "SELECT COALESCE(MAX(number), 0) + 1 FROM acts WHERE study = :id", soci::use(id),
        soci::into(number);
    sql << "INSERT INTO acts (study, number, at, text) VALUES (:id, :number, :at, :text)",
        soci::use(id), soci::use(number), soci::use(at), soci::use(text);
  });
  return static_cast<std::uint64_t>(number);
}

std::vector<PostedAct> SqliteStore::acts(StudyId study, std::uint64_t after) {
  const long long id = study;
  const auto last = static_cast<long long>(after);
  return connection_.with([&] {
    std::vector<PostedAct> acts;
    const soci::rowset<soci::row> rows =
        (connection_.sql().prepare << "SELECT number, at, text FROM acts WHERE study = :id AND "
                                      "number > :after ORDER BY number",
         soci::use(id), soci::use(last));
    for (const soci::row& row : rows) {
      acts.push_back({static_cast<std::uint64_t>(row.get<long long>(0)), row.get<double>(1),
                      row.get<std::string>(2)});
    }
    return acts;
  });
}

void SqliteStore::read_some(StudyId study, std::uint64_t after, std::uint64_t limit,
                            const std::function<void(const JournalEntry&)>& visit) {
  constexpr std::uint64_t kAtATime = 1000;
  const long long id = study;
  auto last = static_cast<long long>(after);
  std::uint64_t left = std::min<std::uint64_t>(limit, INT64_MAX);
  EventRows rows(0);
  while (left > 0) {  // in pages, so that no long read keeps the file's log from being tidied up
    const std::size_t page = std::min(left, kAtATime);
    const bool is_well =
        connection_.with([&] { return read_rows(connection_.sql(), id, last, page, rows); });
    if (!is_well) {
      connection_.require_types("events", kEventTypes,
                                fmt::format("study = {} AND number > {}", id, last));
      continue;  // somebody has mended it
    }
    const std::size_t got = rows.number.size();
    for (std::size_t i = 0; i < got; ++i) visit(rows.entry(i));
    if (got < page) return;
    left -= got;
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
