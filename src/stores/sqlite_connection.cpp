#include "stores/sqlite_connection.hpp"

#include "stores/migration.hpp"
#include "stores/open_files.hpp"
#include "stores/read_only.hpp"

#include <chrono>
#include <filesystem>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/stat.h>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

using Fault = StoreError::Fault;

constexpr std::chrono::seconds kOpeningPatience{10};  // with a store that somebody else is making
constexpr std::chrono::milliseconds kBetweenTries{20};

// Primary result codes of SQLite, which never change (sqlite.org, "Result and Error Codes").
// SOCI's header has SQLite's own only under names that clash with ours.
constexpr int kError = 1;
constexpr int kBusy = 5;
constexpr int kLocked = 6;
constexpr int kReadOnly = 8;
constexpr int kInputOutput = 10;
constexpr int kCorrupt = 11;
constexpr int kFull = 13;
constexpr int kCannotOpen = 14;
constexpr int kNotADatabase = 26;

Fault fault_of(int result) {
  switch (result & 0xFF) {
    case kBusy:
    case kLocked:
      return Fault::busy;
    case kReadOnly:
      return Fault::read_only;
    case kInputOutput:
    case kFull:
      return Fault::full;
    case kError:  // a table or a column is missing: the statements themselves are right
    case kCorrupt:
    case kNotADatabase:
      return Fault::damaged;
    case kCannotOpen:
      return Fault::unreachable;
    default:
      return Fault::other;
  }
}

/// What can be done about it, in words that fit every front end.
std::string_view advice_for(Fault fault) {
  switch (fault) {
    case Fault::full:
      return "the disk may be full; what was acknowledged before is kept";
    case Fault::read_only:
      return "it cannot be written; check its permissions and those of its folder";
    case Fault::damaged:
      return "it is damaged, or not a canopy store; move it away and restore a backup";
    case Fault::busy:
      return "another program has kept it locked; try again";
    case Fault::unreachable:
      return "check that its folder exists and can be written";
    default:
      return "nothing was changed";
  }
}

/// Which file a name stands for.
std::optional<std::pair<dev_t, ino_t>> file_at(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return std::pair{found.st_dev, found.st_ino};
}

/// What SQLite says, without the name of SOCI's function in front.
std::string without_source(const std::string& complaint) {
  const std::size_t end = complaint.find(": ");
  const bool named = complaint.starts_with("sqlite3_") && end != std::string::npos;
  return named ? complaint.substr(end + 2) : complaint;
}

}  // namespace

SqliteConnection::SqliteConnection(std::string path, Store::Mode mode) : path_(std::move(path)) {
  if (path_.empty()) throw StoreError(Fault::missing, "a store must have a name");
  if (mode == Store::Mode::open && !std::filesystem::exists(path_)) {
    throw StoreError(Fault::missing, path_ + ": there is no such store");
  }
  if (path_.find('"') != std::string::npos) {
    throw StoreError(Fault::unreachable, path_ + ": the name of a store cannot contain a quote");
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
  OpenFiles::remove(full_path_);
}

void SqliteConnection::rethrow(const soci::soci_error& error) const {
  const auto* typed = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
  // SOCI's own complaints are of values that it cannot convert, or that are missing.
  const Fault fault = typed != nullptr ? fault_of(typed->result()) : Fault::damaged;
  const std::string complaint = without_source(error.get_error_message());
  throw StoreError(fault, fmt::format("{}: {}: {}", path_, complaint, advice_for(fault)));
}

void SqliteConnection::damaged(const std::string& what) const {
  throw StoreError(Fault::damaged,
                   fmt::format("{}: {}: {}", path_, what, advice_for(Fault::damaged)));
}

void SqliteConnection::require_types(std::string_view table, std::span<const Column> columns,
                                     const std::string& condition) {
  std::string wrong = "CASE";
  for (const auto& [name, type] : columns) {
    wrong += fmt::format(" WHEN typeof({0}) <> '{1}' THEN '{0} is ' || typeof({0}) || ', not {1}'",
                         name, type);
  }
  std::string found;
  with([&] {
    sql_ << fmt::format(
        "SELECT wrong FROM (SELECT {} END AS wrong FROM {} WHERE {}) WHERE wrong IS "
        "NOT NULL LIMIT 1",
        wrong, table, condition),
        soci::into(found);
    if (sql_.got_data()) damaged(fmt::format("in a row of its table {}, {}", table, found));
  });
}

void SqliteConnection::roll_back() {
  try {
    sql_ << "ROLLBACK";
  } catch (const soci::soci_error&) {
    return;  // SQLite has done so already
  }
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
    open(mode);
    return true;
  } catch (const StoreError& error) {
    if (error.fault() != Fault::busy || last) throw;
    return false;
  }
}

void SqliteConnection::open(Store::Mode mode) {
  with([&] {
    sql_.close();
    const auto only = read_only(path_);
    // How many seconds SQLite waits while someone else is writing.
    sql_.open(soci::sqlite3, fmt::format("dbname=\"{}\" timeout=30{}", only ? only->uri : path_,
                                         only ? " readonly=1" : ""));
    is_read_only_ = only.has_value();
    if (only && only->exclusive) sql_ << "PRAGMA locking_mode = EXCLUSIVE";
    file_ = file_at(full_path_);
    refuse_others(mode);
    if (only) return;
    std::string journal;
    sql_ << "PRAGMA journal_mode", soci::into(journal);
    if (journal != "wal") sql_ << "PRAGMA journal_mode = WAL";  // readers and writers do not wait
    sql_ << "PRAGMA synchronous = FULL";                        // a commit is on the disk
  });
  migrate();
}

/// Leaves alone what is not ours.
void SqliteConnection::refuse_others(Store::Mode mode) {
  int tables = 0;
  sql_ << "SELECT COUNT(*) FROM sqlite_master", soci::into(tables);
  if (version() == 0 && (tables > 0 || mode == Store::Mode::open)) {
    throw StoreError(Fault::foreign, path_ + ": is not a canopy store");
  }
}

/// 0 for an empty file.
int SqliteConnection::version() {
  int tables = 0;
  sql_ << "SELECT COUNT(*) FROM sqlite_master WHERE name = 'canopy_version'", soci::into(tables);
  if (tables == 0) return 0;
  int version = 0;
  sql_ << "SELECT MAX(version) FROM canopy_version", soci::into(version);
  return version;
}

void SqliteConnection::migrate() {
  const int found = with([&] { return version(); });
  if (found > kStoreVersion) {
    throw StoreError(
        Fault::newer,
        fmt::format("{}: was written by a newer version of canopy (format {}, this one reads {})",
                    path_, found, kStoreVersion));
  }
  if (found == kStoreVersion) return;
  if (is_read_only_ && found == kLastVersionOfStudies) return;  // all that readers need is there
  change([&] {
    // Somebody else may have been quicker.
    if (const int now = version(); now < kStoreVersion) bring_up_to_date(sql_, path_, now);
  });
}

}  // namespace canopy
