#include "stores/sqlite_journal.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <soci/sqlite3/soci-sqlite3.h>
#include <string>

namespace canopy {
namespace {

using namespace sqlite_api;

constexpr std::array kRowTypes{SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_INTEGER,
                               SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT};

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { (void)sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

bool has_types(sqlite3_stmt* row) {
  for (int i = 0; i < static_cast<int>(kRowTypes.size()); ++i) {
    if (sqlite3_column_type(row, i) != kRowTypes.at(static_cast<std::size_t>(i))) return false;
  }
  return true;
}

}  // namespace

bool read_rows(soci::session& sql, long long study, long long after, std::size_t most,
               EventRows& rows) {
  constexpr std::string_view kQuery =
      "SELECT number, at, kind, ticket, value, data FROM events WHERE study = ?1 AND number > ?2 "
      "ORDER BY number LIMIT ?3";
  sqlite3* connection = static_cast<soci::sqlite3_session_backend*>(sql.get_backend())->conn_;
  const auto require = [&](bool is_well, int result) {
    if (!is_well) throw soci::sqlite3_soci_error(sqlite3_errmsg(connection), result);
  };
  sqlite3_stmt* prepared = nullptr;
  const int result = sqlite3_prepare_v2(connection, kQuery.data(), static_cast<int>(kQuery.size()),
                                        &prepared, nullptr);
  const Statement statement(prepared);
  require(result == SQLITE_OK, result);
  (void)sqlite3_bind_int64(prepared, 1, study);
  (void)sqlite3_bind_int64(prepared, 2, after);
  (void)sqlite3_bind_int64(prepared, 3, static_cast<sqlite3_int64>(most));
  rows.clear();
  for (;;) {
    const int step = sqlite3_step(prepared);
    require(step == SQLITE_ROW || step == SQLITE_DONE, step);
    if (step == SQLITE_DONE) return true;
    if (!has_types(prepared)) return false;
    rows.number.push_back(sqlite3_column_int64(prepared, 0));
    rows.at.push_back(sqlite3_column_double(prepared, 1));
    rows.kind.push_back(sqlite3_column_int(prepared, 2));
    rows.ticket.push_back(sqlite3_column_int64(prepared, 3));
    rows.value.push_back(sqlite3_column_double(prepared, 4));
    const auto* text = static_cast<const char*>(sqlite3_column_blob(prepared, 5));
    const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(prepared, 5));
    rows.data.emplace_back(text == nullptr ? "" : text, bytes);
  }
}

}  // namespace canopy
