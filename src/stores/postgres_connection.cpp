#include "stores/postgres_connection.hpp"

#include <algorithm>
#include <array>
#include <poll.h>
#include <soci/postgresql/soci-postgresql.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

using Fault = StoreError::Fault;

/// The connection itself. SOCI does not show whether it is still good.
PGconn* handle_of(soci::session& sql) {
  return static_cast<soci::postgresql_session_backend*>(sql.get_backend())->conn_;
}

/// What an error means, by its class or code (postgresql.org, "PostgreSQL Error Codes").
Fault fault_of_state(std::string_view state) {
  struct Meaning {
    std::string_view state;
    Fault fault;
  };
  constexpr std::array kMeanings{
      Meaning{"08", Fault::unreachable},     // connection exceptions
      Meaning{"57P", Fault::unreachable},    // the server is stopped, or starts
      Meaning{"25P03", Fault::unreachable},  // idle in a transaction for too long
      Meaning{"53", Fault::full},            // insufficient resources
      Meaning{"58030", Fault::full},         // input or output
      Meaning{"25006", Fault::read_only},    // read-only transaction
      Meaning{"42501", Fault::read_only},    // insufficient privilege
      Meaning{"42", Fault::damaged},         // a table or a column is missing, or of another type:
      Meaning{"22", Fault::damaged},         // the statements themselves are right
      Meaning{"XX", Fault::damaged},         // data corrupted
      Meaning{"55P03", Fault::busy},         // lock not available
      Meaning{"40", Fault::busy},            // deadlock, serialization
      Meaning{"57014", Fault::busy},         // a statement took too long
  };
  const auto* found = std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& each) {
    return state.starts_with(each.state);
  });
  return found != kMeanings.end() ? found->fault : Fault::other;
}

std::string_view advice_for_database(Fault fault) {
  switch (fault) {
    case Fault::full:
      return "the database's disk may be full; what was acknowledged before is kept";
    case Fault::read_only:
      return "it cannot be written; check the rights of its user, and that it is not a replica";
    case Fault::damaged:
      return "it is damaged, or not a canopy store; restore a backup";
    case Fault::busy:
      return "something else has kept it locked; try again";
    case Fault::unreachable:
      return "the database cannot be reached; check the address, the network and the server";
    default:
      return "nothing was changed";
  }
}

/// What PostgreSQL says, without SOCI's words in front and details behind, which may hold what was
/// to be written.
std::string complaint_of(const soci::soci_error& error) {
  std::string text = error.get_error_message();
  for (const std::string_view before : {"connection to the database.", "Cannot execute query.",
                                        "Fatal error.", "Connection failed.", "ERROR:  "}) {
    const std::size_t found = text.find(before);
    if (found != std::string::npos) text.erase(0, found + before.size());
  }
  text.erase(0, text.find_first_not_of(" \n"));
  return text.substr(0, text.find('\n'));
}

void ignore_notice(void* /*nothing*/, const char* /*notice*/) {}

}  // namespace

PostgresConnection::PostgresConnection(PostgresAddress address,
                                       std::chrono::milliseconds longest_statement,
                                       std::function<void(soci::session&)> on_connect)
    : address_(std::move(address)),
      longest_statement_(longest_statement),
      on_connect_(std::move(on_connect)),
      process_(getpid()) {}

PostgresConnection::~PostgresConnection() {
  if (process_ != getpid()) (void)sql_.release();  // to close it would end the parent's
}

soci::session& PostgresConnection::connected() {
  if (process_ != getpid()) {
    throw StoreError(Fault::unreachable,
                     name() +
                         ": was opened before this process was forked; open it after the fork, or "
                         "start new processes (in Python: multiprocessing's spawn)");
  }
  if (sql_ && is_lost()) sql_.reset();
  if (!sql_) connect();
  return *sql_;
}

void PostgresConnection::connect() {
  try {
    sql_ =
        std::make_unique<soci::session>(soci::postgresql, address_.connection(longest_statement_));
  } catch (const soci::soci_error& error) {
    throw StoreError(Fault::unreachable, fmt::format("{}: {}: {}", name(), complaint_of(error),
                                                     advice_for_database(Fault::unreachable)));
  }
  PQsetNoticeProcessor(handle_of(*sql_), ignore_notice, nullptr);
  try {
    if (on_connect_) on_connect_(*sql_);
  } catch (const soci::soci_error& error) {
    rethrow(error);
  } catch (...) {
    sql_.reset();
    throw;
  }
}

/// Whether the server has hung up since the last call.
bool PostgresConnection::is_lost() const {
  PGconn* const connection = handle_of(*sql_);
  pollfd socket{.fd = PQsocket(connection), .events = POLLIN, .revents = 0};
  while (PQstatus(connection) == CONNECTION_OK && poll(&socket, 1, 0) > 0) {
    if (PQconsumeInput(connection) == 0) return true;
  }
  return PQstatus(connection) != CONNECTION_OK;
}

void PostgresConnection::roll_back() {
  try {
    *sql_ << "ROLLBACK";
  } catch (const soci::soci_error&) {
    return;  // the connection is lost, and with it the transaction
  }
}

void PostgresConnection::rethrow(const soci::soci_error& error) {
  const auto* typed = dynamic_cast<const soci::postgresql_soci_error*>(&error);
  // SOCI's own complaints are of values that it cannot convert, or that are missing.
  Fault fault = typed != nullptr ? fault_of_state(typed->sqlstate()) : Fault::damaged;
  if (is_lost()) fault = Fault::unreachable;
  if (fault == Fault::unreachable) sql_.reset();
  throw StoreError(
      fault, fmt::format("{}: {}: {}", name(), complaint_of(error), advice_for_database(fault)));
}

void PostgresConnection::damaged(const std::string& what) const {
  throw StoreError(Fault::damaged,
                   fmt::format("{}: {}: {}", name(), what, advice_for_database(Fault::damaged)));
}

}  // namespace canopy
