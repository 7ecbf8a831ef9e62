#include "studies/store.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <pthread.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <string_view>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

/// What turns a store of one version into one of the next; an empty one is of version 0.
constexpr std::array<std::array<const char*, 4>, Store::kVersion> kMigrations{{{
    "CREATE TABLE canopy_version (version INTEGER NOT NULL)",
    "CREATE TABLE studies (id BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, source TEXT NOT NULL, "
    "forked_from TEXT NOT NULL, created DOUBLE PRECISION NOT NULL, updated DOUBLE PRECISION NOT "
    "NULL, events BIGINT NOT NULL, pulls BIGINT NOT NULL, holder TEXT NOT NULL)",
    "CREATE TABLE events (study BIGINT NOT NULL, number BIGINT NOT NULL, at DOUBLE PRECISION NOT "
    "NULL, kind INTEGER NOT NULL, ticket BIGINT NOT NULL, count BIGINT NOT NULL, value DOUBLE "
    "PRECISION NOT NULL, squares DOUBLE PRECISION NOT NULL, text TEXT NOT NULL, "
    "PRIMARY KEY (study, number))",
    "CREATE TABLE snapshots (study BIGINT PRIMARY KEY, events BIGINT NOT NULL, state TEXT NOT "
    "NULL)",
}}};

constexpr std::chrono::seconds kPatience{10};  // with a store that somebody else is making
constexpr std::chrono::milliseconds kBetweenTries{20};

constexpr const char* kStudyColumns =
    "id, name, source, forked_from, created, updated, events, pulls, holder";

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

class LockedStoreError : public StoreError {
 public:
  using StoreError::StoreError;
};

/// What SQLite says, without the name of SOCI's function in front.
std::string without_source(const std::string& complaint) {
  const std::size_t end = complaint.find(": ");
  const bool named = complaint.starts_with("sqlite3_") && end != std::string::npos;
  return named ? complaint.substr(end + 2) : complaint;
}

/// What a user can do about what SQLite says.
std::string advice_for(std::string_view complaint) {
  if (has(complaint, "full") || has(complaint, "disk I/O error")) {
    return "the disk may be full; what was acknowledged before is kept";
  }
  if (has(complaint, "readonly") || has(complaint, "read-only")) {
    return "it cannot be written; check its permissions and those of its folder";
  }
  if (has(complaint, "not a database") || has(complaint, "malformed")) {
    return "it is damaged or no store of canopy; put it aside and restore a copy";
  }
  if (has(complaint, "locked") || has(complaint, "busy")) {
    return "another program has kept it locked; try again";
  }
  if (has(complaint, "unable to open")) return "check that its folder is there and can be written";
  return "nothing was changed";
}

/// SQLite waits for so many seconds when somebody else is writing.
std::string connection_text(const std::string& path) {
  return "dbname=\"" + path + "\" timeout=30";
}

/// Events as SOCI writes and reads many at once: a list for each column.
struct EventRows {
  std::vector<long long> number, ticket, count;
  std::vector<int> kind;
  std::vector<double> at, value, squares;
  std::vector<std::string> text;

  explicit EventRows(std::size_t rows)
      : number(rows),
        ticket(rows),
        count(rows),
        kind(rows),
        at(rows),
        value(rows),
        squares(rows),
        text(rows) {}

  explicit EventRows(std::span<const Event> events) : EventRows(events.size()) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      number[i] = static_cast<long long>(event.number);
      ticket[i] = static_cast<long long>(event.ticket);
      count[i] = static_cast<long long>(event.count);
      kind[i] = static_cast<int>(event.kind);
      at[i] = event.at;
      value[i] = event.value;
      squares[i] = event.squares;
      text[i] = event.text;
    }
  }

  [[nodiscard]] Event event(std::size_t i) const {
    return {.kind = static_cast<EventKind>(kind[i]),
            .ticket = static_cast<Ticket>(ticket[i]),
            .count = static_cast<std::uint64_t>(count[i]),
            .value = value[i],
            .squares = squares[i],
            .text = text[i],
            .number = static_cast<std::uint64_t>(number[i]),
            .at = at[i]};
  }
};

StudyRecord record_of(const soci::row& row) {
  return {.id = row.get<long long>(0),
          .name = row.get<std::string>(1),
          .source = row.get<std::string>(2),
          .forked_from = row.get<std::string>(3),
          .created = row.get<double>(4),
          .updated = row.get<double>(5),
          .events = static_cast<std::uint64_t>(row.get<long long>(6)),
          .pulls = static_cast<std::uint64_t>(row.get<long long>(7)),
          .holder = row.get<std::string>(8)};
}

}  // namespace

namespace {

/// The stores that are open, each with the process that opened it. What SQLite knows of a file must
/// not be carried across a fork: locks are not, and whoever closes it first would take the journal
/// away under the other.
class OpenStores {
 public:
  static void add(const std::string& path) {
    const std::lock_guard lock(mutex());
    all().emplace(real_path(path), getpid());
  }

  static void remove(const std::string& path) {
    const std::lock_guard lock(mutex());
    const auto [first, last] = all().equal_range(real_path(path));
    const auto ours =
        std::find_if(first, last, [](const auto& each) { return each.second == getpid(); });
    if (ours != last) all().erase(ours);
  }

  /// Whether it was open in a process that this one was forked from.
  static bool is_inherited(const std::string& path) {
    const std::lock_guard lock(mutex());
    const auto [first, last] = all().equal_range(real_path(path));
    return std::any_of(first, last, [](const auto& each) { return each.second != getpid(); });
  }

 private:
  static std::string real_path(const std::string& path) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
    return error ? path : real.string();
  }

  static std::multimap<std::string, pid_t>& all() {
    static std::multimap<std::string, pid_t> stores;
    return stores;
  }

  /// Free in a child, whatever other threads were doing at the fork.
  static std::mutex& mutex() {
    static std::mutex one;
    static const int ignored =
        pthread_atfork([] { one.lock(); }, [] { one.unlock(); }, [] { one.unlock(); });
    (void)ignored;
    return one;
  }
};

}  // namespace

struct Store::Connection {
  soci::session sql;
  std::string path;

  /// Runs something and explains what goes wrong.
  template <class Work>
  auto with(Work&& work) {
    try {
      return work();
    } catch (const soci::soci_error& error) {
      const std::string complaint = without_source(error.get_error_message());
      const std::string text = fmt::format("{}: {}: {}", path, complaint, advice_for(complaint));
      if (has(complaint, "locked")) throw LockedStoreError(text);
      throw StoreError(text);
    }
  }

  /// The same as one transaction.
  template <class Work>
  void change(Work&& work) {
    with([&] {
      soci::transaction transaction(sql);
      work();
      transaction.commit();
    });
  }

  void open(Mode mode) {
    with([&] {
      sql.close();
      sql.open(soci::sqlite3, connection_text(path));
      refuse_others(mode);
      std::string journal;
      sql << "PRAGMA journal_mode", soci::into(journal);
      if (journal != "wal") sql << "PRAGMA journal_mode = WAL";  // readers and writers do not wait
      sql << "PRAGMA synchronous = FULL";                        // a commit is on the disk
    });
    migrate();
  }

  /// False when it is locked, unless this is the last try.
  bool try_open(Mode mode, bool last) {
    try {
      open(mode);
      return true;
    } catch (const LockedStoreError&) {
      if (last) throw;
      return false;
    }
  }

  /// Leaves alone what is not ours.
  void refuse_others(Mode mode) {
    int tables = 0;
    sql << "SELECT COUNT(*) FROM sqlite_master", soci::into(tables);
    if (version() == 0 && (tables > 0 || mode == Mode::open)) {
      throw StoreError(path + ": is no store of canopy; --store FILE names another");
    }
  }

  /// 0 for an empty file.
  int version() {
    int tables = 0;
    sql << "SELECT COUNT(*) FROM sqlite_master WHERE name = 'canopy_version'", soci::into(tables);
    if (tables == 0) return 0;
    int version = 0;
    sql << "SELECT MAX(version) FROM canopy_version", soci::into(version);
    return version;
  }

  void migrate() {
    const int found = with([&] { return version(); });
    if (found > kVersion) {
      throw StoreError(
          fmt::format("{}: was written by a newer version of canopy (format {}, this one reads {})",
                      path, found, kVersion));
    }
    if (found == kVersion) return;
    change([&] {
      for (int step = version(); step < kVersion; ++step) {
        for (const char* statement : kMigrations[static_cast<std::size_t>(step)]) sql << statement;
        const int next = step + 1;
        sql << "INSERT INTO canopy_version (version) VALUES (:version)", soci::use(next);
      }
    });
  }

  void insert_events(long long study, std::span<const Event> events) {
    if (events.empty()) return;
    const EventRows rows(events);
    const std::vector<long long> studies(events.size(), study);
    sql << "INSERT INTO events (study, number, at, kind, ticket, count, value, squares, text) "
           "VALUES (:study, :number, :at, :kind, :ticket, :count, :value, :squares, :text)",
        soci::use(studies), soci::use(rows.number), soci::use(rows.at), soci::use(rows.kind),
        soci::use(rows.ticket), soci::use(rows.count), soci::use(rows.value),
        soci::use(rows.squares), soci::use(rows.text);
  }
};

Store::Store(std::string path, Mode mode)
    : path_(std::move(path)), connection_(std::make_unique<Connection>()) {
  connection_->path = path_;
  if (mode == Mode::open && !std::filesystem::exists(path_)) {
    throw StoreError(path_ + ": there is no such store; --store FILE names another");
  }
  if (path_.empty()) throw StoreError("a store must have a name");
  if (has(path_, "\"")) throw StoreError(path_ + ": a store's name cannot have a quote in it");
  if (OpenStores::is_inherited(path_)) {
    throw StoreError(path_ +
                     ": was open in the process that this one was forked from; open it after the "
                     "fork, or start processes afresh (in Python: multiprocessing's spawn)");
  }
  // Two that make the same file at the same time do not always wait for each other in SQLite.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!connection_->try_open(mode, std::chrono::steady_clock::now() > deadline)) {
    std::this_thread::sleep_for(kBetweenTries);
  }
  OpenStores::add(path_);
}

Store::~Store() {
  OpenStores::remove(path_);
}

std::vector<StudyRecord> Store::list() {
  return connection_->with([&] {
    std::vector<StudyRecord> records;
    const soci::rowset<soci::row> rows =
        (connection_->sql.prepare << "SELECT " << kStudyColumns << " FROM studies ORDER BY name");
    for (const soci::row& row : rows) records.push_back(record_of(row));
    return records;
  });
}

std::optional<StudyRecord> Store::find(const std::string& name) {
  return connection_->with([&]() -> std::optional<StudyRecord> {
    soci::row row;
    connection_->sql << "SELECT " << kStudyColumns << " FROM studies WHERE name = :name",
        soci::use(name), soci::into(row);
    if (!connection_->sql.got_data()) return std::nullopt;
    return record_of(row);
  });
}

StudyRecord Store::create(const std::string& name, const std::string& source, double now,
                          const StudyRecord* copied, const std::string& forked_from) {
  connection_->change([&] {
    soci::session& sql = connection_->sql;
    // A write comes first, so that the number is still free when it is used.
    sql << "INSERT INTO studies (id, name, source, forked_from, created, updated, events, pulls, "
           "holder) SELECT COALESCE(MAX(id), 0) + 1, :name, :source, :forked, :created, :updated, "
           "0, 0, '' FROM studies",
        soci::use(name), soci::use(source), soci::use(forked_from), soci::use(now), soci::use(now);
    if (copied == nullptr) return;
    const long long from = copied->id;
    sql << "INSERT INTO events (study, number, at, kind, ticket, count, value, squares, text) "
           "SELECT (SELECT id FROM studies WHERE name = :name), number, at, kind, ticket, count, "
           "value, squares, text FROM events WHERE study = :copied",
        soci::use(name), soci::use(from);
    sql << "UPDATE studies SET events = (SELECT events FROM studies WHERE id = :a), "
           "pulls = (SELECT pulls FROM studies WHERE id = :b), "
           "updated = (SELECT updated FROM studies WHERE id = :c) WHERE name = :name",
        soci::use(from), soci::use(from), soci::use(from), soci::use(name);
  });
  return find(name).value();
}

void Store::erase(const StudyRecord& study) {
  const long long id = study.id;
  connection_->change([&] {
    connection_->sql << "DELETE FROM events WHERE study = :id", soci::use(id);
    connection_->sql << "DELETE FROM snapshots WHERE study = :id", soci::use(id);
    connection_->sql << "DELETE FROM studies WHERE id = :id", soci::use(id);
  });
}

void Store::set_source(const StudyRecord& study, const std::string& source) {
  const long long id = study.id;
  connection_->change([&] {
    connection_->sql << "UPDATE studies SET source = :source WHERE id = :id", soci::use(source),
        soci::use(id);
  });
}

void Store::set_holder(const StudyRecord& study, const std::string& holder) {
  const long long id = study.id;
  connection_->change([&] {
    connection_->sql << "UPDATE studies SET holder = :holder WHERE id = :id", soci::use(holder),
        soci::use(id);
  });
}

void Store::append(const StudyRecord& study, std::span<const Event> events, std::uint64_t pulls) {
  if (events.empty()) return;
  const long long id = study.id;
  const auto last = static_cast<long long>(events.back().number);
  const auto learnt = static_cast<long long>(pulls);
  const double at = events.back().at;
  connection_->change([&] {
    connection_->insert_events(id, events);
    connection_->sql << "UPDATE studies SET events = :events, pulls = :pulls, updated = :updated "
                        "WHERE id = :id",
        soci::use(last), soci::use(learnt), soci::use(at), soci::use(id);
  });
}

void Store::for_each_event(const StudyRecord& study, std::uint64_t after,
                           const std::function<void(const Event&)>& visit,
                           std::span<const EventKind> kinds) {
  constexpr std::size_t kAtATime = 10'000;
  std::string only;
  for (const EventKind kind : kinds) {
    only += (only.empty() ? " AND kind IN (" : ", ") + std::to_string(static_cast<int>(kind));
  }
  if (!only.empty()) only += ')';
  const long long id = study.id;
  auto behind = static_cast<long long>(after);
  for (;;) {  // in pages, so that no long read keeps the journal's file from being tidied up
    EventRows rows(kAtATime);
    connection_->with([&] {
      connection_->sql
          << "SELECT number, at, kind, ticket, count, value, squares, text FROM events WHERE study "
             "= :study AND number > :after"
          << only << " ORDER BY number LIMIT " << kAtATime,
          soci::use(id), soci::use(behind), soci::into(rows.number), soci::into(rows.at),
          soci::into(rows.kind), soci::into(rows.ticket), soci::into(rows.count),
          soci::into(rows.value), soci::into(rows.squares), soci::into(rows.text);
    });
    const std::size_t got = connection_->sql.got_data() ? rows.number.size() : 0;
    for (std::size_t i = 0; i < got; ++i) visit(rows.event(i));
    if (got < kAtATime) return;
    behind = rows.number.back();
  }
}

std::optional<Snapshot> Store::snapshot(const StudyRecord& study) {
  const long long id = study.id;
  return connection_->with([&]() -> std::optional<Snapshot> {
    long long events = 0;
    std::string state;
    connection_->sql << "SELECT events, state FROM snapshots WHERE study = :study", soci::use(id),
        soci::into(events), soci::into(state);
    if (!connection_->sql.got_data()) return std::nullopt;
    return Snapshot{static_cast<std::uint64_t>(events), state};
  });
}

void Store::set_snapshot(const StudyRecord& study, const Snapshot& snapshot) {
  const long long id = study.id;
  const auto events = static_cast<long long>(snapshot.events);
  connection_->change([&] {
    connection_->sql << "INSERT INTO snapshots (study, events, state) VALUES (:study, :events, "
                        ":state) ON CONFLICT (study) DO UPDATE SET events = excluded.events, state "
                        "= excluded.state",
        soci::use(id), soci::use(events), soci::use(snapshot.state);
  });
}

}  // namespace canopy
