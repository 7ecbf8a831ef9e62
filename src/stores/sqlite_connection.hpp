#pragma once

#include "canopy/store.hpp"

#include <soci/soci.h>
#include <string>

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

  /// Runs something; what SOCI throws becomes a StoreError.
  template <class Work>
  auto with(Work&& work) {
    try {
      return work();
    } catch (const soci::soci_error& error) {
      rethrow(error);
    }
  }

  /// The same as one transaction, which waits for other writers before it begins.
  template <class Work>
  void change(Work&& work) {
    with([&] {
      sql_ << "BEGIN IMMEDIATE";
      try {
        work();
        sql_ << "COMMIT";
      } catch (...) {
        roll_back();
        throw;
      }
    });
  }

 private:
  [[noreturn]] void rethrow(const soci::soci_error& error) const;
  void roll_back();
  void open(Store::Mode mode);
  bool try_open(Store::Mode mode, bool last);
  void refuse_others(Store::Mode mode);
  [[nodiscard]] int version();
  void migrate();

  std::string path_;
  soci::session sql_;
};

}  // namespace canopy
