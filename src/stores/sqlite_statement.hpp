#pragma once

#include <concepts>
#include <cstdint>
#include <sqlite3.h>
#include <string>
#include <string_view>

namespace canopy {

/// Throws a StoreError for the last error of a connection.
[[noreturn]] void throw_sqlite_error(sqlite3* database, const std::string& store);

/// A prepared statement in use: bind values, then read rows. The destructor resets it for reuse.
/// All functions throw StoreError.
class SqliteStatement {
 public:
  /// Binds values to ?1, ?2, ... Texts are not copied and must outlive this object.
  template <class... Values>
  SqliteStatement(sqlite3_stmt* prepared, const std::string& store, const Values&... values)
      : prepared_(prepared), store_(store) {
    bind_next(values...);
  }
  ~SqliteStatement() { (void)sqlite3_reset(prepared_); }
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  /// Binds values to the next parameters.
  template <class... Values>
  void bind_next(const Values&... values) {
    (bind(++place_, values), ...);
  }

  /// Advances to the next row; returns false if there is none.
  [[nodiscard]] bool next();

  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(prepared_, column);
  }
  [[nodiscard]] std::uint64_t count(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(prepared_, column); }
  [[nodiscard]] std::string text(int column) const;

 private:
  void bind(int place, std::int64_t value);
  void bind(int place, std::uint64_t value);  // clamped to INT64_MAX
  void bind(int place, std::uint32_t value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, int value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, double value);
  void bind(int place, std::string_view text);
  void require_ok(int result);

  sqlite3_stmt* prepared_;
  const std::string& store_;
  int place_ = 0;  // index of the last bound parameter
};

}  // namespace canopy
