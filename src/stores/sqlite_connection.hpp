#pragma once

#include "canopy/store.hpp"

#include "stores/no_fork.hpp"
#include "stores/sqlite_statement.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <tuple>
#include <type_traits>
#include <utility>

namespace canopy {

/// A connection to an SQLite file that is a store. Statements are prepared once and reused. All
/// functions throw StoreError.
class SqliteConnection {
 public:
  SqliteConnection(std::string path, Store::Mode mode);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Runs a function that uses the functions below, delaying forks of this process meanwhile.
  template <class Work>
  auto with(Work&& work) {
    const NoFork until_done;
    return work();
  }

  /// Runs several reads in one read transaction: they see the same state, and the file is locked
  /// only once.
  template <class Work>
  auto look(Work&& work) {
    const NoFork until_done;
    run("BEGIN");
    try {
      auto result = work();
      run("COMMIT");
      return result;
    } catch (...) {
      roll_back();
      throw;
    }
  }

  /// Runs a function in a write transaction. Waits for other writers before it begins, and is
  /// durable when it returns. Throws if the file is no longer where it was opened.
  template <class Work>
  void change(Work&& work) {
    const NoFork until_done;
    run("BEGIN IMMEDIATE");
    try {
      work();
      refuse_moved();
      run("COMMIT");
    } catch (...) {
      roll_back();
      throw;
    }
  }

  /// A query with values for ?1, ?2, ..., which must outlive the reading of its rows.
  template <class... Values>
  [[nodiscard]] SqliteStatement select(std::string_view sql, const Values&... values) {
    return {prepared(sql), path_, values...};
  }

  /// Runs a statement. Returns the number of rows changed.
  template <class... Values>
  std::int64_t run(std::string_view sql, const Values&... values) {
    SqliteStatement statement(prepared(sql), path_, values...);
    while (statement.next()) continue;
    return sqlite3_changes64(database_.get());
  }

  /// Inserts rows, many per statement, which halves the cost of appending. `table` may include a
  /// list of columns; values_of(row) returns a tuple with a value for each. Must be called within
  /// `change`: if a row cannot be inserted, earlier rows are not undone by this function.
  template <class Row, class ValuesOf>
  void insert(std::string_view table, std::span<const Row> rows, const ValuesOf& values_of) {
    constexpr std::size_t kAtOnce = 16;
    constexpr std::size_t kColumns = std::tuple_size_v<std::invoke_result_t<ValuesOf, const Row&>>;
    while (!rows.empty()) {
      const std::size_t count = rows.size() < kAtOnce ? 1 : kAtOnce;
      SqliteStatement statement(prepared(insert_text(table, kColumns, count)), path_);
      for (const Row& row : rows.first(count)) {
        std::apply([&](const auto&... values) { statement.bind_next(values...); }, values_of(row));
      }
      (void)statement.next();
      rows = rows.subspan(count);
    }
  }

  [[nodiscard]] std::int64_t last_id() const { return sqlite3_last_insert_rowid(database_.get()); }

 private:
  struct Close {
    void operator()(sqlite3* database) const { (void)sqlite3_close(database); }
    void operator()(sqlite3_stmt* statement) const { (void)sqlite3_finalize(statement); }
  };

  [[nodiscard]] static std::string insert_text(std::string_view table, std::size_t columns,
                                               std::size_t rows);
  [[nodiscard]] sqlite3_stmt* prepared(std::string_view sql);
  void roll_back() noexcept;
  void refuse_moved() const;
  void open(Store::Mode mode);
  void close();
  bool try_open(Store::Mode mode, bool last);
  void refuse_others(Store::Mode mode);
  [[nodiscard]] std::int64_t version();
  void prepare_tables();

  std::string path_;
  std::string full_path_;
  std::optional<std::pair<dev_t, ino_t>> file_;  // identity of the opened file
  std::unique_ptr<sqlite3, Close> database_;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Close>, std::less<>> statements_;
};

}  // namespace canopy
