#include "stores/migration.hpp"

#include "canopy/store.hpp"
#include "canopy/study.hpp"

#include "stores/event_rows.hpp"
#include "studies/first_journal.hpp"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

// BIGINT and DOUBLE PRECISION are what SOCI tells types by.
constexpr std::array kTables{
    "CREATE TABLE studies (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, specification TEXT "
    "NOT NULL, forked_from TEXT NOT NULL, created DOUBLE PRECISION NOT NULL, updated DOUBLE "
    "PRECISION NOT NULL, events BIGINT NOT NULL, pulls BIGINT NOT NULL, holder TEXT NOT NULL)",
    // Rows are stored in the order of their keys, without a separate index.
    "CREATE TABLE events (study BIGINT NOT NULL, number BIGINT NOT NULL, at DOUBLE PRECISION NOT "
    "NULL, kind INTEGER NOT NULL, ticket BIGINT NOT NULL, value DOUBLE PRECISION NOT NULL, data "
    "TEXT NOT NULL, PRIMARY KEY (study, number)) WITHOUT ROWID",
    "CREATE TABLE snapshots (study INTEGER PRIMARY KEY, events BIGINT NOT NULL, optimizer TEXT NOT "
    "NULL, tuner TEXT NOT NULL)",
};

// Since the third format.
constexpr std::array kTablesOfService{
    // Numbers grow, so that the oldest answers are found without an index of times.
    "CREATE TABLE answers (id INTEGER PRIMARY KEY, study BIGINT NOT NULL, key TEXT NOT NULL, "
    "request TEXT NOT NULL, answer TEXT NOT NULL, at DOUBLE PRECISION NOT NULL)",
    "CREATE UNIQUE INDEX answers_by_key ON answers (study, key)",
    "CREATE TABLE acts (study BIGINT NOT NULL, number BIGINT NOT NULL, at DOUBLE PRECISION NOT "
    "NULL, text TEXT NOT NULL, PRIMARY KEY (study, number)) WITHOUT ROWID",
};

void create_tables(soci::session& sql) {
  for (const char* statement : kTables) sql << statement;
}

/// A study of the first format. Its snapshot is not worth keeping: the journal has it all.
struct FirstStudy {
  long long id = 0;
  std::string name, source;
};

/// The lines of a study's journal, a page at a time.
class FirstLines {
 public:
  FirstLines(soci::session& sql, long long study) : sql_(sql), study_(study) {}

  /// Calls visit(number, at, line) with every line.
  template <class Visit>
  void for_each(Visit&& visit) {
    constexpr std::size_t kAtATime = 10'000;
    for (long long after = 0;;) {
      std::vector<long long> number(kAtATime);
      std::vector<long long> ticket(kAtATime);
      std::vector<long long> count(kAtATime);
      std::vector<int> kind(kAtATime);
      std::vector<double> at(kAtATime);
      std::vector<double> value(kAtATime);
      std::vector<double> squares(kAtATime);
      std::vector<std::string> text(kAtATime);
      sql_ << "SELECT number, at, kind, ticket, count, value, squares, text FROM first_events "
              "WHERE study = :study AND number > :after ORDER BY number LIMIT "
           << kAtATime,
          soci::use(study_), soci::use(after), soci::into(number), soci::into(at), soci::into(kind),
          soci::into(ticket), soci::into(count), soci::into(value), soci::into(squares),
          soci::into(text);
      const std::size_t got = sql_.got_data() ? number.size() : 0;
      for (std::size_t i = 0; i < got; ++i) {
        visit(static_cast<std::uint64_t>(number[i]), at[i],
              first_format::Line{kind[i], static_cast<std::uint64_t>(ticket[i]),
                                 static_cast<std::uint64_t>(count[i]), value[i], squares[i],
                                 std::move(text[i])});
      }
      if (got < kAtATime) return;
      after = number.back();
    }
  }

 private:
  soci::session& sql_;
  long long study_;
};

void carry_over(soci::session& sql, const FirstStudy& study) {
  constexpr std::size_t kAtATime = 10'000;
  const StudySpecification specification =
      first_format::specification_from(study.source, study.name);
  const std::string text = json_of(specification);
  sql << "INSERT INTO studies SELECT id, name, :text, forked_from, created, updated, events, "
         "pulls, holder FROM first_studies WHERE id = :id",
      soci::use(text), soci::use(study.id);
  first_format::Translator translator(specification);
  std::vector<JournalEntry> entries;
  std::uint64_t at_event = 0;
  try {
    FirstLines(sql, study.id)
        .for_each([&](std::uint64_t number, double at, const first_format::Line& line) {
          at_event = number;
          entries.push_back({number, at, translator.translate(line)});
          if (entries.size() < kAtATime) return;
          insert_events(sql, study.id, entries);
          entries.clear();
        });
  } catch (const StudyError& error) {
    throw StudyError(error.fault(), fmt::format("event {}: {}", at_event, error.what()));
  }
  insert_events(sql, study.id, entries);
}

/// From the first format, whose asks have no arms, to the second.
void migrate_first_format(soci::session& sql, const std::string& path) {
  for (const char* table : {"studies", "events", "snapshots"}) {
    sql << fmt::format("ALTER TABLE {} RENAME TO first_{}", table, table);
  }
  create_tables(sql);
  std::vector<FirstStudy> studies;
  const soci::rowset<soci::row> rows =
      (sql.prepare << "SELECT id, name, source FROM first_studies");
  for (const soci::row& row : rows) {
    studies.push_back({row.get<long long>(0), row.get<std::string>(1), row.get<std::string>(2)});
  }
  for (const FirstStudy& study : studies) {
    try {
      carry_over(sql, study);
    } catch (const std::runtime_error& error) {
      if (dynamic_cast<const soci::soci_error*>(&error) != nullptr) throw;
      throw StoreError(StoreError::Fault::damaged,
                       fmt::format("{}: cannot be migrated, and was left as it is: the "
                                   "study {}: {}",
                                   path, study.name, error.what()));
    }
  }
  for (const char* table : {"studies", "events", "snapshots"}) {
    sql << fmt::format("DROP TABLE first_{}", table);
  }
}

}  // namespace

void bring_up_to_date(soci::session& sql, const std::string& path, int version) {
  if (version == 0) {
    sql << "CREATE TABLE canopy_version (version INTEGER NOT NULL)";
    create_tables(sql);
  } else if (version == 1) {
    migrate_first_format(sql, path);
  }
  for (const char* statement : kTablesOfService) sql << statement;
  const int now = kStoreVersion;
  sql << "INSERT INTO canopy_version (version) VALUES (:version)", soci::use(now);
}

}  // namespace canopy
