#pragma once

#include "canopy/store.hpp"

#include "core/text.hpp"
#include "stores/libpq.hpp"
#include "stores/postgres_address.hpp"
#include "stores/postgres_array.hpp"
#include "stores/postgres_rows.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace canopy {

/// A connection to a PostgreSQL database that reconnects if it was lost. Statements are prepared
/// once per connection. Every call ends: the server aborts a statement at the time limit, and if
/// the server has not responded two seconds later, the call fails as `unreachable`. All functions
/// throw StoreError.
class PostgresConnection {
 public:
  /// Time limit for statements of a transaction, which may copy a whole journal.
  static constexpr std::chrono::minutes kLongestChange{10};

  /// `on_connect` is called for every new connection. The first call connects.
  PostgresConnection(PostgresAddress address, std::chrono::milliseconds longest_statement,
                     std::function<void(PostgresConnection&)> on_connect = {});
  ~PostgresConnection();
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  [[nodiscard]] const std::string& name() const { return address_.name(); }

  /// Connects unless already connected.
  void connect();

  /// Runs a statement with values for $1, $2, ... Outside of `transaction` it is a transaction by
  /// itself: if the connection is lost, it was executed completely or not at all.
  template <class... Values>
  PostgresRows run(std::string_view sql, const Values&... values) {
    const std::array<std::string, sizeof...(Values)> texts{parameter(values)...};
    return execute(sql, texts);
  }

  /// Whether the last statement was sent. If the connection was lost after that, it is unknown
  /// whether the statement was executed.
  [[nodiscard]] bool was_sent() const { return was_sent_; }

  /// Runs statements without parameters, such as BEGIN, unprepared.
  void command(const std::string& sql);

  /// Runs a function within one transaction.
  template <class Work>
  void change(Work&& work) {
    connect();
    const Pin until_done(*this, kLongestChange);
    begin();
    try {
      work();
      command("COMMIT");
    } catch (...) {
      roll_back();
      throw;
    }
  }

 private:
  using SteadyClock = std::chrono::steady_clock;
  struct Finish {
    void operator()(PGconn* connection) const { libpq().finish(connection); }
  };

  /// Prevents reconnecting during a transaction, and sets another time limit for its statements.
  class Pin {
   public:
    Pin(PostgresConnection& connection, std::chrono::milliseconds limit)
        : connection_(connection),
          before_(connection.longest_statement_),
          was_pinned_(connection.is_pinned_) {
      connection.longest_statement_ = limit;
      connection.is_pinned_ = true;
    }
    ~Pin() {
      connection_.longest_statement_ = before_;
      connection_.is_pinned_ = was_pinned_;
    }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    PostgresConnection& connection_;
    std::chrono::milliseconds before_;
    bool was_pinned_;
  };

  [[nodiscard]] static std::string parameter(double value) { return to_text(value); }
  [[nodiscard]] static std::string parameter(std::string_view text) { return std::string(text); }
  [[nodiscard]] static std::string parameter(const PostgresArray& array) { return array.text(); }
  [[nodiscard]] static std::string parameter(std::int64_t value) { return std::to_string(value); }
  [[nodiscard]] static std::string parameter(std::uint64_t value) {
    // BIGINT has no larger values.
    return std::to_string(std::min<std::uint64_t>(value, INT64_MAX));
  }

  void open();
  void close();
  [[nodiscard]] bool is_lost() const;
  void begin();
  void roll_back() noexcept;
  [[nodiscard]] PostgresRows execute(std::string_view sql, std::span<const std::string> values);
  [[nodiscard]] const std::string& prepared(std::string_view sql, std::size_t values);
  [[nodiscard]] PostgresRows answer(int was_sent);
  void exchange(SteadyClock::time_point deadline);
  [[noreturn]] void fail(const PGresult* result);

  PostgresAddress address_;
  std::chrono::milliseconds longest_statement_;
  std::function<void(PostgresConnection&)> on_connect_;
  pid_t process_;                               // a forked child must not use the connection
  std::unique_ptr<PGconn, Finish> connection_;  // null: not connected
  std::map<std::string, std::string, std::less<>> prepared_;  // statement names by SQL text
  bool is_pinned_ = false;
  bool was_sent_ = false;
};

}  // namespace canopy
