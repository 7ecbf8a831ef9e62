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

constexpr std::chrono::seconds kOpeningPatience{10};  // with a store that somebody else is making
constexpr std::chrono::milliseconds kBetweenTries{20};
constexpr std::chrono::milliseconds kLongestWait{30'000};  // while another process is writing

/// Which file a name stands for.
std::optional<std::pair<dev_t, ino_t>> file_at(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return std::pair{found.st_dev, found.st_ino};
}

}  // namespace

SqliteConnection::SqliteConnection(std::string path, Store::Mode mode) : path_(std::move(path)) {
  if (path_.empty()) throw StoreError(Fault::missing, "a store must have a name");
  if (path_.find('\0') != std::string::npos) {
    throw StoreError(Fault::unreachable, "the name of a store cannot have a zero byte");
  }
  if (mode == Store::Mode::open && !std::filesystem::exists(path_)) {
    throw StoreError(Fault::missing, path_ + ": there is no such store");
  }
  full_path_ = std::filesystem::absolute(path_);  // wherever this process goes
  if (OpenFiles::is_inherited(full_path_)) {
    throw StoreError(Fault::unreachable,
                     path_ +
                         ": was open in the process that this one was forked from; open it after "
                         "the fork, or start new processes (in Python: multiprocessing's spawn)");
  }
  // Two that make the same file at the same time do not always wait for each other in SQLite.
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
  // FAIL: the statement need not be able to take back its rows, for the transaction does.
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
  // Unless SQLite has done so already.
  (void)sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

/// SQLite would go on writing to a file that nobody finds any more.
void SqliteConnection::refuse_moved() const {
  if (file_ && file_at(full_path_) == file_) return;
  throw StoreError(Fault::unreachable,
                   path_ +
                       ": was moved, deleted or replaced while it was open; nothing more is kept "
                       "until it is back, together with its -wal file");
}

/// False when it is locked, unless this is the last try.
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
  if (journal_mode() != "wal") run("PRAGMA journal_mode = WAL");  // readers and writers do not wait
  run("PRAGMA synchronous = FULL");                               // a commit is on the disk
}

/// Leaves alone what is not ours.
void SqliteConnection::refuse_others(Store::Mode mode) {
  const bool is_empty = !select("SELECT 1 FROM sqlite_master").next();
  if (version() == 0 && (!is_empty || mode == Store::Mode::open)) {
    throw StoreError(Fault::foreign, path_ + ": is not a canopy store");
  }
}

/// 0 for an empty file.
std::int64_t SqliteConnection::version() {
  if (!select("SELECT 1 FROM sqlite_master WHERE name = 'canopy_version'").next()) return 0;
  SqliteStatement newest = select("SELECT MAX(version) FROM canopy_version");
  return newest.next() ? newest.integer(0) : 0;
}

void SqliteConnection::prepare_tables() {
  if (with([&] { return version(); }) == 0) {
    change([&] {
      if (version() == 0) make_tables(*this);  // unless another process was quicker
    });
  }
  require_store_format(path_, static_cast<int>(with([&] { return version(); })));
}

}  // namespace canopy
