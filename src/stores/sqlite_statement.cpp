#include "stores/sqlite_statement.hpp"

#include "canopy/store.hpp"

#include "stores/stored_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace canopy {
namespace {

using Fault = StoreError::Fault;

Fault fault_of(int result) {
  switch (result & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Fault::busy;
    case SQLITE_READONLY:
      return Fault::read_only;
    case SQLITE_IOERR:
    case SQLITE_FULL:
      return Fault::full;
    case SQLITE_ERROR:  // a table or column is missing, since the statements themselves are correct
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Fault::damaged;
    case SQLITE_CANTOPEN:
      return Fault::unreachable;
    default:
      return Fault::other;
  }
}

/// Advice that fits every interface.
std::string_view advice_for(Fault fault) {
  switch (fault) {
    case Fault::full:
      return "the disk may be full; everything acknowledged before is kept";
    case Fault::read_only:
      return "it cannot be written; check its permissions and those of its folder";
    case Fault::damaged:
      return "it is damaged, or not a canopy store; move it away and restore a backup";
    case Fault::busy:
      return "another program has kept it locked; try again";
    case Fault::unreachable:
      return "check that its folder exists and is writable";
    default:
      return "nothing was changed";
  }
}

}  // namespace

void throw_sqlite_error(sqlite3* database, const std::string& store) {
  const Fault fault = fault_of(sqlite3_errcode(database));
  throw StoreError(fault,
                   fmt::format("{}: {}: {}", store, sqlite3_errmsg(database), advice_for(fault)));
}

void SqliteStatement::require_ok(int result) {
  if (result != SQLITE_OK) throw_sqlite_error(sqlite3_db_handle(prepared_), store_);
}

bool SqliteStatement::next() {
  const int result = sqlite3_step(prepared_);
  if (result == SQLITE_ROW) return true;
  require_ok(result == SQLITE_DONE ? SQLITE_OK : result);
  return false;
}

std::string SqliteStatement::text(int column) const {
  const auto* text = static_cast<const char*>(sqlite3_column_blob(prepared_, column));
  const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(prepared_, column));
  return text == nullptr ? "" : std::string(text, bytes);
}

void SqliteStatement::bind(int place, std::int64_t value) {
  require_ok(sqlite3_bind_int64(prepared_, place, value));
}

void SqliteStatement::bind(int place, std::uint64_t value) {
  bind(place, static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX)));
}

void SqliteStatement::bind(int place, double value) {
  require_ok(sqlite3_bind_double(prepared_, place, value));
}

void SqliteStatement::bind(int place, std::string_view text) {
  require_text(text, store_);
  require_ok(sqlite3_bind_text64(prepared_, place, text.data() != nullptr ? text.data() : "",
                                 text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

}  // namespace canopy
