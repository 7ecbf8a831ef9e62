// Tests that are specific to stores in SQLite files.

#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include "stores/store_format.hpp"
#include "support/sqlite.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using namespace std::chrono_literals;
using testing::execute;
using Fault = StoreError::Fault;

std::vector<JournalEntry> lifelike_entries(std::uint64_t first, std::uint64_t count) {
  std::vector<JournalEntry> all;
  for (std::uint64_t i = first; i < first + count; ++i) {
    const double at = 1794776781.759823 + static_cast<double>(i) / 7.0;
    all.push_back({i, at,
                   i % 2 == 0 ? Event(Told{i / 2, 0.1 + static_cast<double>(i) / 3.0})
                              : Event(Asked{i / 2 + 1, 1, 1, {static_cast<double>(i) / 7.0}})});
  }
  return all;
}

std::uint64_t count_entries(Store& store, StudyId study) {
  std::uint64_t count = 0;
  store.read(study, {}, [&](const JournalEntry&) { ++count; });
  return count;
}

class SqliteStoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.path("a store.db"); }

  [[nodiscard]] std::unique_ptr<Store> open(Store::Mode mode = Store::Mode::create) const {
    return open_store(path(), mode);
  }

  /// Returns the message of a StoreError, which must have this fault.
  template <class Do>
  [[nodiscard]] static std::string complaint(Fault fault, Do&& command) {
    try {
      command();
    } catch (const StoreError& error) {
      EXPECT_EQ(static_cast<int>(error.fault()), static_cast<int>(fault)) << error.what();
      return error.what();
    }
    return "";
  }
  [[nodiscard]] std::string complaint(Fault fault, Store::Mode mode) const {
    return complaint(fault, [&] { (void)open(mode); });
  }

  testing::TemporaryFolder folder_;
};

// --- files that cannot be used ------------------------------------------------------------------

TEST_F(SqliteStoreTest, SaysWhatIsWrongWithTheFile) {
  EXPECT_EQ(complaint(Fault::missing, Store::Mode::open), path() + ": there is no such store");
  EXPECT_FALSE(std::filesystem::exists(path()));
  folder_.write("a store.db", std::string(5000, 'x'));
  EXPECT_EQ(complaint(Fault::damaged, Store::Mode::create).find(path() + ": "), 0U);
  EXPECT_EQ(folder_.content("a store.db"), std::string(5000, 'x')) << "it is left alone";
  EXPECT_NE(complaint(Fault::missing, [] { (void)open_store("", Store::Mode::create); }), "");
  const std::string with_zero = folder_.path("a") + std::string("\0b.db", 5);
  EXPECT_NE(
      complaint(Fault::unreachable, [&] { (void)open_store(with_zero, Store::Mode::create); }), "");
}

TEST_F(SqliteStoreTest, AnEmptyFileIsNoStoreYet) {
  folder_.write("a store.db", "");
  EXPECT_EQ(complaint(Fault::foreign, Store::Mode::open), path() + ": is not a canopy store");
  EXPECT_TRUE(open(Store::Mode::create)->list({}).empty());
  EXPECT_TRUE(open(Store::Mode::open)->list({}).empty());
}

TEST_F(SqliteStoreTest, WhatIsNotItsOwnIsLeftAlone) {
  execute(path(), "CREATE TABLE mine (x INTEGER)");
  const std::string before = folder_.content("a store.db");
  for (const Store::Mode mode : {Store::Mode::open, Store::Mode::create}) {
    EXPECT_EQ(complaint(Fault::foreign, mode), path() + ": is not a canopy store");
  }
  EXPECT_EQ(folder_.content("a store.db"), before);
}

/// The errors when reading all of a store that was tampered with.
std::string complaint_after(const std::string& path, const std::string& tampering) {
  {
    const std::unique_ptr<Store> store = open_store(path, Store::Mode::create);
    const StudyId study = store->create({.name = "a", .specification = "{}"})->id;
    store->append({study, lifelike_entries(1, 4), 2});
    store->set_snapshot(study, {3, "optimizer", "tuner"});
  }
  execute(path, tampering);
  try {
    const std::unique_ptr<Store> store = open_store(path, Store::Mode::open);
    (void)store->list({});
    const StudyId study = store->find("a")->id;
    (void)store->snapshot(study);
    (void)count_entries(*store, study);
  } catch (const StoreError& error) {
    EXPECT_TRUE(error.fault() == Fault::damaged || error.fault() == Fault::older) << error.what();
    return error.what();
  } catch (const StudyError& error) {
    EXPECT_EQ(error.fault(), StudyError::Fault::damaged) << error.what();
    return error.what();
  }
  return "";
}

TEST_F(SqliteStoreTest, ABitThatIsNotAsItWasWrittenIsDamageThatNamesTheEvent) {
  const std::vector<std::pair<std::string, std::string>> tamperings{
      {"at = at + 1e-6", "2"},
      {"number = 9", "9"},
      {"checksum = checksum + 1", "2"},
      {"event = event || ' '", "2"}};
  int stores = 0;
  for (const auto& [tampering, named] : tamperings) {
    const std::string file = folder_.path(std::to_string(++stores) + ".db");
    EXPECT_EQ(complaint_after(file, "UPDATE events SET " + tampering + " WHERE number = 2"),
              "event " + named + " of its journal is damaged: its checksum differs");
    // A fork copies rows unchanged.
    const std::unique_ptr<Store> store = open_store(file, Store::Mode::open);
    NewStudy fork{.name = "fork", .specification = "{}"};
    fork.copied = store->find("a")->id;
    EXPECT_THROW((void)count_entries(*store, store->create(fork)->id), StudyError);
  }
}

TEST_F(SqliteStoreTest, ColumnTypesAreEnforced) {
  EXPECT_EQ(complaint_after(path(), ""), "");
  for (const char* change :
       {"studies SET events = 'seven'", "studies SET name = NULL", "events SET at = 'seven'",
        "events SET event = x'00ff'", "snapshots SET optimizer = x'00ff'"}) {
    EXPECT_THROW(execute(path(), std::string("UPDATE ") + change), std::runtime_error) << change;
  }
}

TEST_F(SqliteStoreTest, TablesThatAreOthersAreDamage) {
  int stores = 0;
  for (const std::string change :
       {"holder', 'owner", "checksum', 'sum", "REAL', 'TEXT", "TEXT', 'BLOB", "INTEGER', 'DATE"}) {
    SCOPED_TRACE(change);
    const std::string file = folder_.path(std::to_string(++stores) + ".db");
    const std::string said = complaint_after(
        file, "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, '" +
                  change + "') WHERE name IN ('studies', 'events')");
    EXPECT_TRUE(said.empty() || said.find("damaged") != std::string::npos) << said;
  }
  for (const std::string table : {"studies", "events", "snapshots"}) {
    const std::string file = folder_.path(table + ".db");
    EXPECT_NE(complaint_after(file, "DROP TABLE " + table).find("no such table: " + table),
              std::string::npos);
  }
  EXPECT_NE(complaint_after(folder_.path("version.db"), "UPDATE canopy_version SET version = -1"),
            "");
}

TEST_F(SqliteStoreTest, SaysThatAFolderIsMissing) {
  const std::string said = complaint(Fault::unreachable, [&] {
    (void)open_store(folder_.path("nowhere/a.db"), Store::Mode::create);
  });
  EXPECT_NE(said.find("check that its folder exists"), std::string::npos) << said;
}

TEST_F(SqliteStoreTest, AStoreOfAnotherFormatIsRefusedAndLeftAsItIs) {
  (void)open();
  for (const auto& [format, fault, version] :
       {std::tuple(99, Fault::newer, "a newer"), std::tuple(4, Fault::older, "an older")}) {
    execute(path(), "UPDATE canopy_version SET version = " + std::to_string(format));
    const std::string before = folder_.content("a store.db");
    EXPECT_EQ(complaint(fault, Store::Mode::open),
              path() + ": was written by " + version + " version of canopy (format " +
                  std::to_string(format) + ", this one reads " + std::to_string(kStoreFormat) +
                  ")");
    EXPECT_EQ(folder_.content("a store.db"), before);
  }
}

TEST_F(SqliteStoreTest, ADamagedFileIsNamedWhenItIsRead) {
  {
    const std::unique_ptr<Store> store = open();
    store->append({store->create({"a", "{}", 0.0})->id, lifelike_entries(1, 5000), 0});
  }
  std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
  for (long at = 4096; at < 200'000; at += 512) file.seekp(at).write("garbage garbage", 15);
  file.close();
  const std::string said = complaint(Fault::damaged, [&] {
    const std::unique_ptr<Store> store = open(Store::Mode::open);
    (void)count_entries(*store, store->list({}).at(0).id);
  });
  EXPECT_NE(said.find("restore a backup"), std::string::npos) << said;
}

/// Runs a function without root's permission to write all files. Returns its result.
std::string as_unprivileged(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65'534) != 0) _exit(1);
    const std::string said = work();
    [[maybe_unused]] const auto sent = write(ends[1], said.data(), said.size());
    _exit(0);
  }
  close(ends[1]);
  std::string said(1000, '\0');
  const ssize_t got = read(ends[0], said.data(), said.size());
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return said;
}

TEST_F(SqliteStoreTest, SaysThatItMayNotBeWritten) {
  {
    const std::unique_ptr<Store> store = open();
    store->append({store->create({"a", "{}", 0.0})->id, lifelike_entries(1, 3), 0});
  }
  using std::filesystem::perms;
  const perms no_writing =
      perms::all & ~perms::owner_write & ~perms::group_write & ~perms::others_write;
  std::filesystem::permissions(path(), no_writing);
  std::filesystem::permissions(folder_.path(""), no_writing);
  const std::string said = as_unprivileged([&]() -> std::string {
    try {
      const std::unique_ptr<Store> store = open(Store::Mode::open);
      store->append({store->find("a")->id, lifelike_entries(4, 1), 0});
    } catch (const StoreError& error) {
      const bool known = error.fault() == Fault::read_only || error.fault() == Fault::unreachable;
      return known ? error.what() : std::string("of another kind: ") + error.what();
    }
    return "written";
  });
  std::filesystem::permissions(folder_.path(""), perms::owner_all);
  EXPECT_EQ(said.find(path()), 0U) << said;
  EXPECT_NE(said.find("check"), std::string::npos) << said;
  EXPECT_EQ(open(Store::Mode::open)->find("a")->events, 3U);
}

TEST_F(SqliteStoreTest, WhatMayNotBeWrittenCanStillBeRead) {
  const auto look = [&]() -> std::string {
    try {
      const std::unique_ptr<Store> store = open(Store::Mode::open);
      const StudyRecord study = store->list({}).at(0);
      const std::string entries = std::to_string(count_entries(*store, study.id)) + " entries";
      return entries + (store->is_locked(study.id) ? ", locked" : "");
    } catch (const StoreError& error) {
      return error.what();
    }
  };
  const auto as_reader = [&] {
    using std::filesystem::perms;
    std::filesystem::permissions(folder_.path(""), static_cast<perms>(0555));
    std::string said = as_unprivileged(look);
    std::filesystem::permissions(folder_.path(""), perms::owner_all);
    return said;
  };
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    const std::unique_ptr<Store> store = open();
    const StudyId study = store->create({"a", "{}", 0.0})->id;
    const std::unique_ptr<StudyLock> lock = store->try_lock(study, 0ms);
    store->append({study, lifelike_entries(1, 3), 0});
    [[maybe_unused]] const auto sent = write(ends[1], "y", 1);
    pause();
  }
  char written = 0;
  ASSERT_EQ(read(ends[0], &written, 1), 1);
  EXPECT_EQ(as_reader(), "3 entries, locked");
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  EXPECT_EQ(as_reader(), "3 entries");
  std::filesystem::remove(path() + "-shm");
  EXPECT_EQ(as_reader(), "3 entries") << "which are in the log alone";
  (void)open();
  EXPECT_FALSE(std::filesystem::exists(path() + "-wal"));
  EXPECT_EQ(as_reader(), "3 entries");
}

// --- a full disk --------------------------------------------------------------------------------

/// Limits the size of files that this process can write.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(SqliteStoreTest, WhenTheDiskIsFullNothingIsLostAndLaterItGoesOn) {
  const std::unique_ptr<Store> store = open();
  const StudyId study = store->create({"a", "{}", 0.0})->id;
  store->append({study, lifelike_entries(1, 1000), 0});
  {
    const FileLimit limit(std::filesystem::file_size(path() + "-wal") + 10'000);
    const std::string said = complaint(Fault::full, [&] {
      store->append({study, lifelike_entries(1001, 5000), 0});
    });
    EXPECT_NE(said.find("the disk may be full"), std::string::npos) << said;
    EXPECT_EQ(count_entries(*store, study), 1000U);
    EXPECT_NE(complaint(Fault::full,
                        [&] {
                          store->set_snapshot(study, {1, std::string(100'000, 'x'), ""});
                        }),
              "");
    EXPECT_FALSE(store->snapshot(study).has_value());
  }
  store->append({study, lifelike_entries(1001, 5000), 0});
  EXPECT_EQ(count_entries(*store, study), 6000U);
}

// --- a file that disappears ---------------------------------------------------------------------

TEST_F(SqliteStoreTest, NothingIsAcknowledgedByAFileThatWasMovedDeletedOrReplaced) {
  const std::unique_ptr<Store> store = open();
  const StudyId study = store->create({"a", "{}", 0.0})->id;
  store->append({study, lifelike_entries(1, 3), 0});
  const auto expect_refused = [&] {
    const std::string said = complaint(Fault::unreachable, [&] {
      store->append({study, lifelike_entries(5, 1), 0});
    });
    EXPECT_NE(said.find("was moved, deleted or replaced while it was open"), std::string::npos);
    EXPECT_EQ(complaint(Fault::unreachable, [&] { (void)store->create({"b", "{}", 0.0}); }), said);
  };
  std::filesystem::rename(path(), folder_.path("moved.db"));
  expect_refused();
  folder_.write("a store.db", "another");
  expect_refused();
  EXPECT_EQ(count_entries(*store, study), 3U);
  std::filesystem::rename(folder_.path("moved.db"), path());
  store->append({study, lifelike_entries(4, 1), 0});
  EXPECT_EQ(count_entries(*store, study), 4U) << "it is back";
  std::filesystem::remove(path());
  expect_refused();
}

TEST_F(SqliteStoreTest, IsTheSameFileWhereverTheProcessGoes) {
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path(""));
  const std::unique_ptr<Store> store = open_store("a store.db", Store::Mode::create);
  std::filesystem::current_path(here);
  EXPECT_TRUE(store->create({"a", "{}", 0.0}).has_value());
}

// --- many processes -----------------------------------------------------------------------------

/// Runs a function in several processes that begin simultaneously. Returns their results.
std::vector<int> at_once(int count, const std::function<int()>& work) {
  std::array<int, 2> gate{};
  if (pipe(gate.data()) != 0) return {};
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    close(gate[1]);
    char ignored = 0;
    [[maybe_unused]] const auto got = read(gate[0], &ignored, 1);  // until the parent closes it
    try {
      _exit(work());
    } catch (const std::exception&) {
      _exit(99);
    }
  }
  close(gate[0]);
  close(gate[1]);
  std::vector<int> results;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    results.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  return results;
}

TEST_F(SqliteStoreTest, OfTwoThatMakeTheSameStudyAtOnceOneMakesItAndOneHasTheLock) {
  for (int i = 0; i < 20; ++i) {
    for (const char* more : {"", "-wal", "-shm", "-lock"}) std::filesystem::remove(path() + more);
    // Neither process releases the lock before both have tried: a process holds the lock until it
    // ends, and ends only after the other one has written a byte.
    std::array<int, 2> tried{};
    ASSERT_EQ(pipe(tried.data()), 0);
    std::array<int, 2> done{};
    ASSERT_EQ(pipe(done.data()), 0);
    const pid_t counter = fork();
    if (counter == 0) {  // signals when both have tried
      close(tried[1]);
      char ignored = 0;
      for (int got = 0; got < 2;) got += read(tried[0], &ignored, 1) == 1 ? 1 : 2;
      [[maybe_unused]] const auto sent = write(done[1], "xx", 2);
      _exit(0);
    }
    const std::vector<int> results = at_once(2, [&] {
      std::unique_ptr<StudyLock> lock;
      int result = 99;
      try {
        const std::unique_ptr<Store> store = open();
        const bool made = store->create({"a", "{}", 0.0}).has_value();
        lock = store->try_lock(store->find("a")->id, 0ms);
        result = (made ? 1 : 0) + (lock ? 10 : 0);
      } catch (const StoreError&) {
        result = 99;
      }
      [[maybe_unused]] const auto sent = write(tried[1], "x", 1);
      char ignored = 0;
      [[maybe_unused]] const auto got = read(done[0], &ignored, 1);
      return result;
    });
    for (const int end : {tried[0], tried[1], done[0], done[1]}) close(end);
    waitpid(counter, nullptr, 0);
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0] % 10 + results[1] % 10, 1) << results[0] << " and " << results[1];
    EXPECT_EQ(results[0] / 10 + results[1] / 10, 1) << results[0] << " and " << results[1];
    EXPECT_EQ(open(Store::Mode::open)->list({}).size(), 1U);
  }
}

TEST_F(SqliteStoreTest, ALockIsGoneWithItsProcessHoweverItEnds) {
  const StudyId study = open()->create({"a", "{}", 0.0})->id;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::unique_ptr<Store> store = open();
    const std::unique_ptr<StudyLock> lock = store->try_lock(study, 0ms);
    [[maybe_unused]] const auto sent = write(ends[1], lock ? "y" : "n", 1);
    pause();
  }
  char taken = 0;
  ASSERT_EQ(read(ends[0], &taken, 1), 1);
  EXPECT_EQ(taken, 'y');
  const std::unique_ptr<Store> store = open();
  EXPECT_EQ(store->try_lock(study, 0ms), nullptr);
  EXPECT_TRUE(store->is_locked(study));
  kill(child, SIGKILL);
  EXPECT_NE(store->try_lock(study, 60s), nullptr) << "gone within the patience";
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(store->is_locked(study));
}

TEST_F(SqliteStoreTest, ALockIsTheSameByEveryNameOfTheStore) {
  const std::unique_ptr<Store> store = open();
  const StudyId study = store->create({"a", "{}", 0.0})->id;
  std::filesystem::create_symlink(path(), folder_.path("link.db"));
  const std::unique_ptr<Store> other = open_store(folder_.path("link.db"), Store::Mode::open);
  const std::unique_ptr<StudyLock> lock = store->try_lock(study, 0ms);
  EXPECT_TRUE(other->is_locked(study));
  EXPECT_EQ(other->try_lock(study, 0ms), nullptr);
}

TEST_F(SqliteStoreTest, AChildCannotOpenWhatItsParentHasOpen) {
  const auto in_a_child = [&] {
    return at_once(1, [&] {
      try {
        (void)open(Store::Mode::open);
        return 0;
      } catch (const StoreError& error) {
        const bool clear = std::string(error.what()).find("forked from") != std::string::npos;
        return clear && error.fault() == Fault::unreachable ? 1 : 2;
      }
    });
  };
  {
    const std::unique_ptr<Store> store = open();
    EXPECT_EQ(in_a_child(), std::vector{1});
  }
  EXPECT_EQ(in_a_child(), std::vector{0});
}

TEST_F(SqliteStoreTest, AChildCanOpenAnotherStoreWhateverOtherThreadsDidAtTheFork) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's allocator does not survive a fork while threads allocate";
#endif
  std::atomic<bool> stop = false;
  const auto open_and_close = [&](const std::string& name) {
    while (!stop) (void)open_store(folder_.path(name), Store::Mode::create)->list({});
  };
  const std::jthread first([&] { open_and_close("first.db"); });
  const std::jthread second([&] { open_and_close("second.db"); });
  int opened = 0;
  constexpr int kForks = 40;
  for (int i = 0; i < kForks && opened == i; ++i) {
    const bool went_well = at_once(1, [&] {
                             alarm(20);
                             (void)open()->list({});
                             return 0;
                           }) == std::vector{0};
    opened += went_well ? 1 : 0;
  }
  stop = true;
  EXPECT_EQ(opened, kForks);
}

TEST_F(SqliteStoreTest, AForkedChildNeitherKeepsTheLockNorGivesItAway) {
  const std::unique_ptr<Store> store = open();
  const StudyId study = store->create({"a", "{}", 0.0})->id;
  std::unique_ptr<StudyLock> lock = store->try_lock(study, 0ms);
  ASSERT_NE(lock, nullptr);
  (void)at_once(1, [&] {
    lock.reset();
    return 0;
  });
  EXPECT_TRUE(store->is_locked(study));
  const pid_t long_lived = fork();
  if (long_lived == 0) {
    pause();
    _exit(0);
  }
  lock.reset();
  EXPECT_NE(store->try_lock(study, 0ms), nullptr);
  kill(long_lived, SIGKILL);
  waitpid(long_lived, nullptr, 0);
}

// --- size ---------------------------------------------------------------------------------------

TEST_F(SqliteStoreTest, AnEventTakesSixtyFiveBytesAtMost) {
  constexpr std::uint64_t kEvents = 100'000;
  {
    const std::unique_ptr<Store> store = open();
    store->append({store->create({"a", "{}", 0.0})->id, lifelike_entries(1, kEvents), 0});
  }
  execute(path(), "PRAGMA wal_checkpoint(TRUNCATE)");
  const std::uintmax_t size = std::filesystem::file_size(path());
  EXPECT_LE(size, 65 * kEvents) << static_cast<double>(size) / kEvents << " bytes an event";
}

}  // namespace
}  // namespace canopy
