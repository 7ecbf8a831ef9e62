#pragma once

#include "canopy/store.hpp"

#include "stores/no_fork.hpp"

#include <optional>
#include <soci/soci.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <typeinfo>
#include <utility>

namespace canopy {

/// A file of SQLite through SOCI, with errors that are typed.
class SqliteConnection {
 public:
  /// Throws StoreError.
  SqliteConnection(std::string path, Store::Mode mode);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] soci::session& sql() { return sql_; }

  struct Column {
    std::string_view name;
    std::string_view type;  ///< that its values have, as SQLite calls it
  };
  /// Throws StoreError if a row that fulfils a condition has a value of another type.
  void require_types(std::string_view table, std::span<const Column> columns,
                     const std::string& condition = "TRUE");

  /// Runs something; what SOCI throws becomes a StoreError.
  template <class Work>
  auto with(Work&& work) {
    const NoFork until_done;
    try {
      return work();
    } catch (const soci::soci_error& error) {
      rethrow(error);
    } catch (const std::bad_cast&) {
      damaged("a table has columns of other types than canopy gives it");
    }
  }

  /// The same as one transaction, which waits for other writers before it begins. Nothing is
  /// written to a file that is no longer where it was opened.
  template <class Work>
  void change(Work&& work) {
    with([&] {
      sql_ << "BEGIN IMMEDIATE";
      try {
        work();
        refuse_moved();
        sql_ << "COMMIT";
      } catch (...) {
        roll_back();
        throw;
      }
    });
  }

 private:
  [[noreturn]] void rethrow(const soci::soci_error& error) const;
  [[noreturn]] void damaged(const std::string& what) const;
  void roll_back();
  void refuse_moved() const;
  void open(Store::Mode mode);
  bool try_open(Store::Mode mode, bool last);
  void refuse_others(Store::Mode mode);
  [[nodiscard]] int version();
  void migrate();

  /// Also closed without a fork in the middle.
  struct Session : soci::session {
    ~Session() {
      const NoFork until_done;
      close();
    }
  };

  std::string path_;
  std::string full_path_;
  std::optional<std::pair<dev_t, ino_t>> file_;  // that was opened there
  bool is_read_only_ = false;
  Session sql_;
};

}  // namespace canopy
