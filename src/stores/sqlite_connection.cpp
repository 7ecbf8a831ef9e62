#include "stores/sqlite_connection.hpp"

#include "stores/open_files.hpp"
#include "stores/read_only.hpp"
#include "stores/sqlite_tables.hpp"
#include "stores/store_format.hpp"

#include <chrono>
#include <filesystem>
#include <sys/stat.h>
#include <thread>
#include <utility>

namespace canopy {
namespace {

using Fault = StoreError::Fault;

constexpr std::chrono::seconds kOpeningPatience{
    10};  // for another process that is creating the store
constexpr std::chrono::milliseconds kBetweenTries{20};
constexpr std::chrono::milliseconds kLongestWait{30'000};  // for another process that is writing

/// Identifies the file that a path refers to.
std::optional<std::pair<dev_t, ino_t>> file_at(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return std::pair{found.st_dev, found.st_ino};
}

}  // namespace

SqliteConnection::SqliteConnection(std::string path, Store::Mode mode) : path_(std::move(path)) {
  if (path_.empty()) throw StoreError(Fault::missing, "the name of the store is empty");
  if (path_.find('\0') != std::string::npos) {
    throw StoreError(Fault::unreachable, "the name of a store cannot have a zero byte");
  }
  if (mode == Store::Mode::open && !std::filesystem::exists(path_)) {
    throw StoreError(Fault::missing, path_ + ": there is no such store");
  }
  full_path_ = std::filesystem::absolute(path_);  // valid even if the working directory changes
  if (OpenFiles::is_inherited(full_path_)) {
    throw StoreError(Fault::unreachable,
                     path_ +
                         ": was open in the process that this one was forked from; open it after "
                         "the fork, or start new processes (in Python: multiprocessing's spawn)");
  }
  // SQLite does not always serialize two processes that create the same file, so opening is
  // retried.
  const auto deadline = std::chrono::steady_clock::now() + kOpeningPatience;
  while (!try_open(mode, std::chrono::steady_clock::now() > deadline)) {
    std::this_thread::sleep_for(kBetweenTries);
  }
  OpenFiles::add(full_path_);
}

SqliteConnection::~SqliteConnection() {
  with([&] { close(); });
  OpenFiles::remove(full_path_);
}

void SqliteConnection::close() {
  statements_.clear();
  database_.reset();
}

std::string SqliteConnection::insert_text(std::string_view table, std::size_t columns,
                                          std::size_t rows) {
  // FAIL: no statement rollback is needed, since the transaction is rolled back as a whole.
  std::string text = "INSERT OR FAIL INTO ";
  text += table;
  text += " VALUES ";
  for (std::size_t row = 0; row < rows; ++row) {
    text += row == 0 ? "(?" : ",(?";
    for (std::size_t column = 1; column < columns; ++column) text += ",?";
    text += ')';
  }
  return text;
}

sqlite3_stmt* SqliteConnection::prepared(std::string_view sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second.get();
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (result != SQLITE_OK) throw_sqlite_error(database_.get(), path_);
  statements_[std::string(sql)].reset(statement);
  return statement;
}

void SqliteConnection::roll_back() noexcept {
  // SQLite may have rolled back already.
  (void)sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

/// Otherwise SQLite would continue to write to a file that is no longer reachable by its name.
void SqliteConnection::refuse_moved() const {
  if (file_ && file_at(full_path_) == file_) return;
  throw StoreError(Fault::unreachable,
                   path_ +
                       ": was moved, deleted or replaced while it was open; nothing can be written "
                       "until it is restored together with its -wal file");
}

/// Returns false if the file is locked, unless this is the last attempt.
bool SqliteConnection::try_open(Store::Mode mode, bool last) {
  try {
    with([&] { open(mode); });
    prepare_tables();
    return true;
  } catch (const StoreError& error) {
    if (error.fault() != Fault::busy || last) throw;
    return false;
  }
}

void SqliteConnection::open(Store::Mode mode) {
  close();
  const auto only = read_only(path_);
  sqlite3* opened = nullptr;
  const int result =
      sqlite3_open_v2(only ? only->uri.c_str() : path_.c_str(), &opened,
                      SQLITE_OPEN_NOMUTEX | (only ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                                                  : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE),
                      nullptr);
  database_.reset(opened);
  if (result != SQLITE_OK) throw_sqlite_error(opened, path_);
  (void)sqlite3_busy_timeout(opened, static_cast<int>(kLongestWait.count()));
  if (only && only->exclusive) run("PRAGMA locking_mode = EXCLUSIVE");
  file_ = file_at(full_path_);
  refuse_others(mode);
  if (only) return;
  const auto journal_mode = [&] {
    SqliteStatement mode_now = select("PRAGMA journal_mode");
    return mode_now.next() ? mode_now.text(0) : "";
  };
  if (journal_mode() != "wal")
    run("PRAGMA journal_mode = WAL");  // readers and writers do not block each other
  run("PRAGMA synchronous = FULL");    // commits are durable
}

/// Rejects files that are not stores.
void SqliteConnection::refuse_others(Store::Mode mode) {
  const bool is_empty = !select("SELECT 1 FROM sqlite_master").next();
  if (version() == 0 && (!is_empty || mode == Store::Mode::open)) {
    throw StoreError(Fault::foreign, path_ + ": is not a canopy store");
  }
}

/// Returns 0 for an empty file.
std::int64_t SqliteConnection::version() {
  if (!select("SELECT 1 FROM sqlite_master WHERE name = 'canopy_version'").next()) return 0;
  SqliteStatement newest = select("SELECT MAX(version) FROM canopy_version");
  return newest.next() ? newest.integer(0) : 0;
}

void SqliteConnection::prepare_tables() {
  if (with([&] { return version(); }) == 0) {
    change([&] {
      if (version() == 0) make_tables(*this);  // another process may have created them first
    });
  }
  require_store_format(path_, static_cast<int>(with([&] { return version(); })));
}

}  // namespace canopy
