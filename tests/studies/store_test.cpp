#include "studies/store.hpp"

#include "studies/study_lock.hpp"
#include "support/temporary_folder.hpp"

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

class StoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.path("a store.db"); }

  [[nodiscard]] static std::vector<Event> events(std::uint64_t first, std::uint64_t count) {
    std::vector<Event> all;
    for (std::uint64_t i = first; i < first + count; ++i) {
      all.push_back({.kind = i % 2 == 0 ? EventKind::tell : EventKind::ask,
                     .ticket = i,
                     .count = 1,
                     .value = 0.1 * static_cast<double>(i),
                     .squares = 1.0 / 3.0,
                     .text = i % 3 == 0 ? "with 'quotes'\nand lines" : "",
                     .number = i,
                     .at = 1e9 + static_cast<double>(i)});
    }
    return all;
  }

  [[nodiscard]] static std::vector<Event> all_events(Store& store, const StudyRecord& study,
                                                     std::uint64_t after = 0,
                                                     std::span<const EventKind> kinds = {}) {
    std::vector<Event> all;
    store.for_each_event(
        study, after, [&](const Event& event) { all.push_back(event); }, kinds);
    return all;
  }

  /// What opening the store complains of.
  [[nodiscard]] std::string complaint(Store::Mode mode = Store::Mode::create) const {
    try {
      const Store store(path(), mode);
    } catch (const StoreError& error) {
      return error.what();
    }
    return "";
  }

  testing::TemporaryFolder folder_;
};

TEST_F(StoreTest, GivesBackWhatItWasGiven) {
  const std::vector<Event> written = events(1, 25'000);  // more than a page of them
  {
    Store store(path(), Store::Mode::create);
    const StudyRecord study = store.create("a \"name\"", "source", 12.5);
    store.append(study, written, 7);
  }
  Store store(path(), Store::Mode::open);
  const StudyRecord study = store.find("a \"name\"").value();
  EXPECT_EQ(study.source, "source");
  EXPECT_EQ(study.created, 12.5);
  EXPECT_EQ(study.events, 25'000U);
  EXPECT_EQ(study.pulls, 7U);
  EXPECT_EQ(study.updated, written.back().at);
  const std::vector<Event> read = all_events(store, study);
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].kind, written[i].kind);
    EXPECT_EQ(read[i].ticket, written[i].ticket);
    EXPECT_EQ(read[i].value, written[i].value);
    EXPECT_EQ(read[i].squares, written[i].squares);
    EXPECT_EQ(read[i].text, written[i].text);
    EXPECT_EQ(read[i].at, written[i].at);
  }
  EXPECT_EQ(all_events(store, study, 24'990).size(), 10U);
  EXPECT_EQ(all_events(store, study, 0, std::array{EventKind::ask}).size(), 12'500U);
  EXPECT_TRUE(all_events(store, study, 0, std::array{EventKind::failure}).empty());
}

TEST_F(StoreTest, StudiesDoNotMix) {
  Store store(path(), Store::Mode::create);
  const StudyRecord b = store.create("b", "", 0.0);
  const StudyRecord a = store.create("a", "", 0.0);
  store.append(a, events(1, 3), 0);
  store.append(b, events(1, 5), 0);
  store.set_snapshot(a, {3, "of a"});
  const std::vector<StudyRecord> list = store.list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].name, "a");
  EXPECT_EQ(all_events(store, a).size(), 3U);
  EXPECT_FALSE(store.snapshot(b).has_value());
  store.erase(a);
  EXPECT_FALSE(store.find("a").has_value());
  EXPECT_EQ(all_events(store, b).size(), 5U);
  EXPECT_FALSE(store.snapshot(a).has_value());
}

TEST_F(StoreTest, KeepsTheLastSnapshotOnly) {
  Store store(path(), Store::Mode::create);
  const StudyRecord study = store.create("a", "", 0.0);
  store.set_snapshot(study, {1, "one"});
  store.set_snapshot(study, {2, "two"});
  EXPECT_EQ(store.snapshot(study)->events, 2U);
  EXPECT_EQ(store.snapshot(study)->state, "two");
}

TEST_F(StoreTest, AnEventIsNeverWrittenTwice) {
  Store store(path(), Store::Mode::create);
  const StudyRecord study = store.create("a", "", 0.0);
  store.append(study, events(1, 3), 0);
  EXPECT_THROW(store.append(study, events(3, 2), 0), StoreError);
  EXPECT_EQ(all_events(store, study).size(), 3U) << "all of a transaction or nothing";
  EXPECT_THROW((void)store.create("a", "", 0.0), StoreError);
}

TEST_F(StoreTest, ReadersDoNotWaitForTheWriterNorTheWriterForThem) {
  Store writer(path(), Store::Mode::create);
  const StudyRecord study = writer.create("a", "", 0.0);
  writer.append(study, events(1, 10), 0);
  Store reader(path(), Store::Mode::open);
  reader.for_each_event(study, 0, [&](const Event& event) {
    if (event.number == 5) writer.append(study, events(11, 10), 0);
  });
  EXPECT_EQ(all_events(reader, study).size(), 20U);
}

TEST_F(StoreTest, SaysWhatIsWrongWithTheFile) {
  EXPECT_EQ(complaint(Store::Mode::open),
            path() + ": there is no such store; --store FILE names another");
  folder_.write("a store.db", std::string(5000, 'x'));
  EXPECT_NE(complaint().find("no store of canopy"), std::string::npos) << complaint();
  EXPECT_EQ(folder_.content("a store.db"), std::string(5000, 'x')) << "it is left alone";
}

TEST_F(StoreTest, WhatIsNotItsOwnIsLeftAlone) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "CREATE TABLE mine (x INTEGER)", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const std::string before = folder_.content("a store.db");
  for (const Store::Mode mode : {Store::Mode::open, Store::Mode::create}) {
    EXPECT_EQ(complaint(mode), path() + ": is no store of canopy; --store FILE names another");
  }
  EXPECT_EQ(folder_.content("a store.db"), before);
}

TEST_F(StoreTest, ALockIsTheSameByEveryNameOfTheStore) {
  { const Store store(path(), Store::Mode::create); }
  std::filesystem::create_symlink(path(), folder_.path("link.db"));
  const auto lock = StudyLock::try_take(path(), 1);
  EXPECT_FALSE(StudyLock::try_take(folder_.path("link.db"), 1).has_value());
}

TEST_F(StoreTest, AStoreThatMayOnlyBeReadIsNotWritten) {
  {
    Store store(path(), Store::Mode::create);
    store.append(store.create("a", "", 0.0), events(1, 3), 0);
  }
  using std::filesystem::perms;
  const perms no_writing =
      perms::all & ~perms::owner_write & ~perms::group_write & ~perms::others_write;
  std::filesystem::permissions(path(), no_writing);
  std::filesystem::permissions(folder_.path(""), no_writing);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {  // root may write everything, so it is somebody else who tries
    if (geteuid() == 0 && setuid(65'534) != 0) _exit(1);
    std::string said;
    try {
      Store store(path(), Store::Mode::open);
      store.append(store.find("a").value(), events(4, 1), 0);
    } catch (const StoreError& error) {
      said = error.what();
    }
    (void)!write(ends[1], said.data(), said.size());
    _exit(0);
  }
  close(ends[1]);
  std::string said(1000, '\0');
  said.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, read(ends[0], said.data(), said.size()))));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  std::filesystem::permissions(folder_.path(""), perms::owner_all);
  EXPECT_NE(said.find("check"), std::string::npos) << said;
  EXPECT_EQ(said.find(path()), 0U) << said;
  Store store(path(), Store::Mode::open);
  EXPECT_EQ(store.find("a")->events, 3U);
}

TEST_F(StoreTest, SaysThatAFolderIsMissing) {
  try {
    const Store store(folder_.path("nowhere/a.db"), Store::Mode::create);
    FAIL();
  } catch (const StoreError& error) {
    EXPECT_NE(std::string(error.what()).find("check that its folder is there"), std::string::npos)
        << error.what();
  }
}

TEST_F(StoreTest, AStoreOfANewerVersionIsRefused) {
  { const Store store(path(), Store::Mode::create); }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "INSERT INTO canopy_version (version) VALUES (2)", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  EXPECT_NE(
      complaint().find("was written by a newer version of canopy (format 2, this one reads 1)"),
      std::string::npos)
      << complaint();
}

TEST_F(StoreTest, ADamagedFileIsNamedWhenItIsRead) {
  {
    Store store(path(), Store::Mode::create);
    const StudyRecord study = store.create("a", "", 0.0);
    store.append(study, events(1, 5000), 0);
  }
  std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
  for (long at = 4096; at < 200'000; at += 512) file.seekp(at).write("garbage garbage", 15);
  file.close();
  try {
    Store store(path(), Store::Mode::open);
    (void)all_events(store, store.list().at(0));
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos) << error.what();
  }
}

/// While it lives, no file of this process grows beyond so many bytes.
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

TEST_F(StoreTest, WhenTheDiskIsFullNothingIsLostAndLaterItGoesOn) {
  Store store(path(), Store::Mode::create);
  const StudyRecord study = store.create("a", "", 0.0);
  store.append(study, events(1, 1000), 0);
  {
    const FileLimit limit(std::filesystem::file_size(path() + "-wal") + 10'000);
    try {
      store.append(study, events(1001, 5000), 0);
      FAIL() << "there is no room for it";
    } catch (const StoreError& error) {
      EXPECT_NE(std::string(error.what()).find("the disk may be full"), std::string::npos)
          << error.what();
    }
    EXPECT_EQ(all_events(store, study).size(), 1000U);
  }
  store.append(study, events(1001, 5000), 0);
  EXPECT_EQ(all_events(store, study).size(), 6000U);
}

TEST_F(StoreTest, ALockIsForOneAndIsGoneWithItsProcess) {
  { const Store store(path(), Store::Mode::create); }
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = StudyLock::try_take(path(), 1);
    (void)!write(pipe_ends[1], lock ? "y" : "n", 1);
    pause();
  }
  char taken = 0;
  ASSERT_EQ(read(pipe_ends[0], &taken, 1), 1);
  EXPECT_EQ(taken, 'y');
  EXPECT_FALSE(StudyLock::try_take(path(), 1).has_value());
  EXPECT_TRUE(StudyLock::is_taken(path(), 1));
  EXPECT_TRUE(StudyLock::try_take(path(), 2).has_value()) << "another study";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(StudyLock::is_taken(path(), 1));
  const auto mine = StudyLock::try_take(path(), 1);
  EXPECT_TRUE(mine.has_value());
  EXPECT_FALSE(StudyLock::try_take(path(), 1).has_value()) << "not even for ourselves twice";
}

TEST_F(StoreTest, AChildCannotOpenWhatItsParentHasOpen) {
  const auto opens_in_a_child = [&] {
    const pid_t child = fork();
    if (child == 0) {
      try {
        const Store store(path(), Store::Mode::open);
        _exit(0);
      } catch (const StoreError& error) {
        _exit(std::string_view(error.what()).find("forked from") != std::string_view::npos ? 1 : 2);
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  {
    const Store store(path(), Store::Mode::create);
    EXPECT_EQ(opens_in_a_child(), 1);
  }
  EXPECT_EQ(opens_in_a_child(), 0);
}

TEST_F(StoreTest, AForkedChildNeitherKeepsTheLockNorGivesItAway) {
  { const Store store(path(), Store::Mode::create); }
  auto lock = StudyLock::try_take(path(), 1);
  ASSERT_TRUE(lock.has_value());
  const pid_t short_lived = fork();
  if (short_lived == 0) {
    lock.reset();
    _exit(0);
  }
  waitpid(short_lived, nullptr, 0);
  EXPECT_TRUE(StudyLock::is_taken(path(), 1));
  const pid_t long_lived = fork();
  if (long_lived == 0) {
    pause();
    _exit(0);
  }
  lock.reset();
  EXPECT_TRUE(StudyLock::try_take(path(), 1).has_value());
  kill(long_lived, SIGKILL);
  waitpid(long_lived, nullptr, 0);
}

}  // namespace
}  // namespace canopy
