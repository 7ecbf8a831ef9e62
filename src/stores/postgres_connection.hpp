#pragma once

#include "canopy/store.hpp"

#include "stores/postgres_address.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <soci/soci.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <typeinfo>

namespace canopy {

/// A database of PostgreSQL through SOCI, with errors that are typed. A connection that is lost is
/// made anew by the next call.
class PostgresConnection {
 public:
  /// `on_connect` is called with every new connection. Connects with the first call.
  PostgresConnection(PostgresAddress address, std::chrono::milliseconds longest_statement,
                     std::function<void(soci::session&)> on_connect = {});
  ~PostgresConnection();
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  [[nodiscard]] const std::string& name() const { return address_.name(); }

  /// Calls work(sql); what SOCI throws becomes a StoreError. A statement by itself is a
  /// transaction. When the connection is lost meanwhile, it has happened entirely or not at all.
  template <class Work>
  auto with(Work&& work) {
    soci::session& sql = connected();
    try {
      return work(sql);
    } catch (const soci::soci_error& error) {
      rethrow(error);
    } catch (const std::bad_cast&) {
      damaged("a table has columns of other types than canopy gives it");
    }
  }

  /// The same as one transaction, which may take as long as it needs.
  template <class Work>
  void change(Work&& work) {
    with([&](soci::session& sql) {
      sql << "BEGIN";
      try {
        sql << "SET LOCAL statement_timeout = 0";
        work(sql);
        sql << "COMMIT";
      } catch (...) {
        roll_back();
        throw;
      }
    });
  }

 private:
  [[nodiscard]] soci::session& connected();
  void connect();
  [[nodiscard]] bool is_lost() const;
  void roll_back();
  [[noreturn]] void rethrow(const soci::soci_error& error);
  [[noreturn]] void damaged(const std::string& what) const;

  PostgresAddress address_;
  std::chrono::milliseconds longest_statement_;
  std::function<void(soci::session&)> on_connect_;
  pid_t process_;                       // a fork of it must not touch the connection
  std::unique_ptr<soci::session> sql_;  // none: not connected
};

}  // namespace canopy
