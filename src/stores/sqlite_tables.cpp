#include "stores/sqlite_tables.hpp"

#include "stores/store_format.hpp"

#include <array>

namespace canopy {
namespace {

// STRICT: SQLite enforces the column types.
constexpr std::array kTables{
    "CREATE TABLE canopy_version (version INTEGER NOT NULL) STRICT",
    // AUTOINCREMENT: ids of deleted studies are not reused.
    "CREATE TABLE studies (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, "
    "specification TEXT NOT NULL, forked_from TEXT NOT NULL, created REAL NOT NULL, updated REAL "
    "NOT NULL, events INTEGER NOT NULL, pulls INTEGER NOT NULL, holder TEXT NOT NULL) STRICT",
    // WITHOUT ROWID: rows are stored in the order of the primary key, without a separate index.
    "CREATE TABLE events (study INTEGER NOT NULL, number INTEGER NOT NULL, at REAL NOT NULL, "
    "checksum INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (study, number)) STRICT, WITHOUT "
    "ROWID",
    "CREATE TABLE snapshots (study INTEGER PRIMARY KEY, events INTEGER NOT NULL, optimizer TEXT "
    "NOT NULL, tuner TEXT NOT NULL) STRICT",
    // Ids increase with time, so the oldest rows are found without an index on `at`.
    "CREATE TABLE answers (id INTEGER PRIMARY KEY, study INTEGER NOT NULL, key TEXT NOT NULL, "
    "request TEXT NOT NULL, answer TEXT NOT NULL, at REAL NOT NULL) STRICT",
    "CREATE UNIQUE INDEX answers_by_key ON answers (study, key)",
    "CREATE TABLE commands (study INTEGER NOT NULL, number INTEGER NOT NULL, at REAL NOT NULL, "
    "text "
    "TEXT NOT NULL, PRIMARY KEY (study, number)) STRICT, WITHOUT ROWID",
};

}  // namespace

void make_tables(SqliteConnection& connection) {
  for (const char* statement : kTables) connection.run(statement);
  connection.run("INSERT INTO canopy_version (version) VALUES (?1)", kStoreFormat);
}

}  // namespace canopy
