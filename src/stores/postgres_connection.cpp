#include "stores/postgres_connection.hpp"

#include "stores/postgres_error.hpp"
#include "stores/stored_text.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

using Fault = StoreError::Fault;

/// How long to wait for the server after its own statement timeout.
constexpr std::chrono::seconds kGrace{2};

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

void ignore_notice(void* /*nothing*/, const PGresult* /*notice*/) {}

}  // namespace

PostgresConnection::PostgresConnection(PostgresAddress address,
                                       std::chrono::milliseconds longest_statement,
                                       std::function<void(PostgresConnection&)> on_connect)
    : address_(std::move(address)),
      longest_statement_(longest_statement),
      on_connect_(std::move(on_connect)),
      process_(getpid()) {}

PostgresConnection::~PostgresConnection() {
  if (process_ != getpid())
    (void)connection_.release();  // closing it would end the parent's connection
}

// --- connections -----------------------------------------------------------------------------

void PostgresConnection::connect() {
  if (is_pinned_) return;
  if (process_ != getpid()) {
    throw StoreError(Fault::unreachable,
                     name() +
                         ": was opened before this process was forked; open it after the fork, or "
                         "start new processes (in Python: multiprocessing's spawn)");
  }
  if (connection_ && is_lost()) close();
  if (!connection_) open();
}

void PostgresConnection::open() {
  connection_.reset(libpq().connectdb(address_.connection(longest_statement_).c_str()));
  PGconn* const connection = connection_.get();
  if (libpq().status(connection) != CONNECTION_OK) {
    const std::string why(first_line(libpq().errorMessage(connection)));
    close();
    throw postgres_error(Fault::unreachable, name(), why);
  }
  libpq().setNoticeReceiver(connection, ignore_notice, nullptr);
  (void)libpq().setnonblocking(connection, 1);
  const Pin until_done(*this, longest_statement_);
  try {
    if (on_connect_) on_connect_(*this);
  } catch (...) {
    close();
    throw;
  }
}

void PostgresConnection::close() {
  connection_.reset();
  prepared_.clear();
}

/// Whether the server has closed the connection.
bool PostgresConnection::is_lost() const {
  PGconn* const connection = connection_.get();
  pollfd socket{.fd = libpq().socket(connection), .events = POLLIN, .revents = 0};
  while (libpq().status(connection) == CONNECTION_OK && poll(&socket, 1, 0) > 0) {
    if (libpq().consumeInput(connection) == 0) return true;
  }
  return libpq().status(connection) != CONNECTION_OK;
}

// --- statements ------------------------------------------------------------------------------

void PostgresConnection::begin() {
  const auto limit = std::chrono::milliseconds(longest_statement_).count();
  command(fmt::format("BEGIN; SET LOCAL statement_timeout = {}", limit));
}

void PostgresConnection::roll_back() noexcept {
  try {
    command("ROLLBACK");
  } catch (const StoreError&) {
    return;  // the connection is lost, and with it the transaction
  }
}

void PostgresConnection::command(const std::string& sql) {
  connect();
  (void)answer(libpq().sendQuery(connection_.get(), sql.c_str()));
}

PostgresRows PostgresConnection::execute(std::string_view sql,
                                         std::span<const std::string> values) {
  was_sent_ = false;
  connect();
  std::vector<const char*> texts;
  for (const std::string& value : values) {
    require_text(value, name());
    texts.push_back(value.c_str());
  }
  const std::string& statement = prepared(sql, values.size());
  was_sent_ = true;
  return answer(libpq().sendQueryPrepared(connection_.get(), statement.c_str(),
                                          static_cast<int>(texts.size()), texts.data(), nullptr,
                                          nullptr, 0));
}

/// Prepares a statement, once per connection, and returns its name.
const std::string& PostgresConnection::prepared(std::string_view sql, std::size_t values) {
  const auto found = prepared_.find(sql);
  if (found != prepared_.end()) return found->second;
  const std::string label = fmt::format("s{}", prepared_.size());
  const std::string text(sql);
  (void)answer(libpq().sendPrepare(connection_.get(), label.c_str(), text.c_str(),
                                   static_cast<int>(values), nullptr));
  return prepared_.emplace(text, label).first->second;
}

/// Waits for the results of the statements just sent and returns the rows of the last one.
PostgresRows PostgresConnection::answer(int was_sent) {
  const auto deadline = SteadyClock::now() + longest_statement_ + kGrace;
  PostgresRows last(nullptr, name());
  bool has_failed = was_sent == 0;
  while (connection_) {
    exchange(deadline);
    PostgresRows next(libpq().getResult(connection_.get()), name());
    if (next.result() == nullptr) break;
    if (has_failed) continue;  // drain the remaining results
    last = std::move(next);
    const ExecStatusType status = libpq().resultStatus(last.result());
    has_failed = status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK;
  }
  if (has_failed) fail(last.result());
  return last;
}

/// Sends pending data and waits until a result is available.
void PostgresConnection::exchange(SteadyClock::time_point deadline) {
  PGconn* const connection = connection_.get();
  for (;;) {
    const int unsent = libpq().flush(connection);
    if (unsent < 0) fail(nullptr);
    if (unsent == 0 && libpq().isBusy(connection) == 0) return;
    const short events = unsent > 0 ? POLLIN | POLLOUT : POLLIN;
    pollfd socket{.fd = libpq().socket(connection), .events = events, .revents = 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
    const int ready = poll(&socket, 1, std::max(0, static_cast<int>(left.count())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      close();
      throw postgres_error(Fault::unreachable, name(), "the server does not respond");
    }
    if (libpq().consumeInput(connection) == 0)
      return;  // the connection is lost; the result reports it
  }
}

/// Throws the error of a result. Omits the details, which may contain data of the statement.
void PostgresConnection::fail(const PGresult* result) {
  const char* state = libpq().resultErrorField(result, PG_DIAG_SQLSTATE);
  const char* primary = libpq().resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string what(
      first_line(primary != nullptr ? primary : libpq().errorMessage(connection_.get())));
  Fault fault = state != nullptr ? fault_of_state(state) : Fault::unreachable;
  if (is_lost()) fault = Fault::unreachable;
  if (fault == Fault::unreachable) close();
  throw postgres_error(fault, name(), what);
}

}  // namespace canopy
