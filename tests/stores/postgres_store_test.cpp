// Tests with a real PostgreSQL server: owners and servers are stopped, killed or cut off.

#include "stores/postgres_store.hpp"

#include "canopy/stores.hpp"
#include "canopy/study_session.hpp"

#include "support/postgres_server.hpp"
#include "support/random_event.hpp"
#include "support/temporary_folder.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using namespace std::chrono_literals;
using testing::PostgresServer;
using Fault = StoreError::Fault;
using SteadyClock = std::chrono::steady_clock;

std::vector<JournalEntry> told(std::uint64_t first, std::uint64_t count) {
  std::vector<JournalEntry> entries;
  for (std::uint64_t i = first; i < first + count; ++i) {
    entries.push_back({i, 1e9 + static_cast<double>(i), Told{i, 0.5}});
  }
  return entries;
}

std::uint64_t length_of(Store& store, StudyId study) {
  std::uint64_t length = 0;
  store.read(study, {}, [&](const JournalEntry&) { ++length; });
  return length;
}

/// The error of a function, if it throws one.
struct Complaint {
  std::optional<Fault> fault;
  std::string what;
};

Complaint complaint(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const StoreError& error) {
    return {error.fault(), error.what()};
  }
}

/// A child process that performs operations on a store on request, and reports the results.
class OtherProcess {
 public:
  using Work = std::function<void(Store&)>;

  /// Performs the first operation at once, and each further one on request.
  OtherProcess(const std::string& address, const std::vector<Work>& work) {
    if (pipe(orders_.data()) != 0 || pipe(reports_.data()) != 0) throw std::runtime_error("pipe");
    child_ = fork();
    if (child_ != 0) {
      close(orders_[0]);
      close(reports_[1]);  // so that the reports end when the child ends
      return;
    }
    close(orders_[1]);
    const std::unique_ptr<FullStore> store = open_store(address, Store::Mode::open);
    for (const Work& each : work) {
      const Complaint found = complaint([&] { each(*store); });
      const char report =
          found.fault ? static_cast<char>('a' + static_cast<int>(*found.fault)) : '.';
      if (::write(reports_[1], &report, 1) != 1) _exit(1);
      char order = 0;
      if (::read(orders_[0], &order, 1) != 1) break;
    }
    _exit(0);
  }
  ~OtherProcess() {
    signal(SIGKILL);
    waitpid(child_, nullptr, 0);
    for (const int end : {orders_[1], reports_[0]}) close(end);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  void signal(int number) const { kill(child_, number); }

  void tell() const { ASSERT_EQ(::write(orders_[1], "x", 1), 1); }

  /// The result of the next operation.
  [[nodiscard]] std::optional<Fault> result() const {
    char report = 0;
    if (::read(reports_[0], &report, 1) != 1) throw std::runtime_error("the process is gone");
    if (report == '.') return std::nullopt;
    return static_cast<Fault>(report - 'a');
  }

 private:
  std::array<int, 2> orders_{};
  std::array<int, 2> reports_{};
  pid_t child_ = -1;
};

class PostgresStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    address_ = PostgresServer::shared().new_database();
  }

  [[nodiscard]] std::unique_ptr<FullStore> open(const std::string& more = "",
                                                Store::Mode mode = Store::Mode::create) const {
    return open_store(address_ + more, mode);
  }

  std::string address_;
};

// --- owners --------------------------------------------------------------------------------------

TEST_F(PostgresStoreTest, AnOwnerThatWasStoppedIsRefusedWhereItWasTakenOver) {
  StudyId a = 0;
  StudyId b = 0;
  {
    const auto store = open();
    a = store->create({"a", "{}", 0.0})->id;
    b = store->create({"b", "{}", 0.0})->id;
  }
  std::vector<std::unique_ptr<StudyLock>> locks;
  const OtherProcess owner(address_, {[&](Store& store) {
                                        locks.push_back(store.try_lock(a, 0ms));
                                        locks.push_back(store.try_lock(b, 0ms));
                                        store.append({a, told(1, 2), 2});
                                      },
                                      [&](Store& store) {
                                        store.append({a, told(3, 2), 4});
                                      },
                                      [&](Store& store) {
                                        store.set_snapshot(a, {2, "late", ""});
                                      },
                                      [&](Store& store) { store.set_specification(a, "late"); },
                                      [&](Store& store) { store.set_holder(a, "late"); },
                                      [&](Store& store) {  // performed in the child
                                        const auto entries = told(1, 1);
                                        const std::vector<StudyWrite> writes{
                                            {.study = a, .entries = entries},
                                            {.study = b, .entries = entries}};
                                        const auto errors = store.write(writes);
                                        if (errors[0]->fault() != Fault::taken_over || errors[1])
                                          _exit(2);
                                      },
                                      [&](Store& store) {
                                        if (store.try_lock(a, 0ms)) _exit(3);
                                        // Its next heartbeat renews the lease for studies that were
                                        // not taken over.
                                        for (int i = 0; i < 100 && !store.is_locked(b); ++i) {
                                          std::this_thread::sleep_for(50ms);
                                        }
                                        if (!store.is_locked(b)) _exit(4);
                                        locks.clear();
                                      }});
  ASSERT_EQ(owner.result(), std::nullopt);
  owner.signal(SIGSTOP);
  const auto store = open();
  const StudyId c = store->create({"c", "{}", 0.0})->id;
  const auto kept = store->try_lock(c, 0ms);
  const auto begin = SteadyClock::now();
  const auto lock = store->try_lock(a, 1ms);
  ASSERT_NE(lock, nullptr);
  EXPECT_LT(SteadyClock::now() - begin, 10s);
  EXPECT_GT(SteadyClock::now() - begin, 3s) << "its lease has to be over";
  store->append({a, told(3, 1), 3});
  owner.signal(SIGCONT);
  for (const char* what : {"append", "set_snapshot", "set_specification", "set_holder"}) {
    owner.tell();
    EXPECT_EQ(owner.result(), Fault::taken_over) << what;
  }
  owner.tell();
  EXPECT_EQ(owner.result(), std::nullopt) << "the other study was not taken over";
  owner.tell();
  EXPECT_EQ(owner.result(), std::nullopt);
  EXPECT_TRUE(store->is_locked(a)) << "what it gives back is not its own any more";
  EXPECT_FALSE(store->is_locked(b));
  EXPECT_EQ(length_of(*store, a), 3U);
  EXPECT_EQ(length_of(*store, b), 1U);
  EXPECT_EQ(store->find("a")->specification, "{}");
  store->append({a, told(4, 1), 4});
  EXPECT_EQ(open()->try_lock(c, 0ms), nullptr) << "who lives keeps it for longer than a lease";
  store->append({c, told(1, 1), 1});
}

TEST_F(PostgresStoreTest, TheStudiesOfAProcessThatWasKilledAreFreeWithinSeconds) {
  const StudyId a = open()->create({"a", "{}", 0.0})->id;
  const auto store = open();
  std::unique_ptr<StudyLock> kept;
  const OtherProcess owner(address_, {[&](Store& other) { kept = other.try_lock(a, 0ms); }});
  ASSERT_EQ(owner.result(), std::nullopt);
  EXPECT_TRUE(store->is_locked(a));
  EXPECT_EQ(store->try_lock(a, 0ms), nullptr) << "it lives";
  owner.signal(SIGKILL);
  const auto begin = SteadyClock::now();
  EXPECT_NE(store->try_lock(a, 1ms), nullptr);
  EXPECT_LT(SteadyClock::now() - begin, 10s);
}

TEST_F(PostgresStoreTest, WritesWithoutALockAreAllowedAsInAnyStore) {
  const auto store = open();
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  const auto lock = store->try_lock(a, 0ms);
  const auto other = open();
  EXPECT_EQ(other->post_command(a, 1.0, "pause"), 1U);
  other->append({a, told(1, 1), 1});
  store->append({a, told(2, 1), 2});
  other->erase(a);
  EXPECT_EQ(complaint([&] { store->append({a, told(3, 1), 3}); }).fault, Fault::other) << "gone";
}

TEST_F(PostgresStoreTest, WhatIsGivenBackWhileTheServerIsDownIsFreeOnceItIsBack) {
  const auto store = open();
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  auto lock = store->try_lock(a, 0ms);
  PostgresServer::shared().stop(SIGINT);
  lock.reset();
  PostgresServer::shared().start();
  const auto other = open();
  EXPECT_NE(other->try_lock(a, 5s), nullptr);
}

TEST_F(PostgresStoreTest, AForkLeavesItToTheParent) {
  const auto store = open();
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  auto lock = store->try_lock(a, 0ms);
  const pid_t child = fork();
  if (child == 0) {
    const Complaint found = complaint([&] { (void)store->find("a"); });
    lock.reset();
    const auto own = open();  // without the process id, a store of its own is allowed
    const bool fine = found.fault == Fault::unreachable && own->find("a") && own->is_locked(a);
    _exit(fine ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  store->append({a, told(1, 1), 1});
  EXPECT_TRUE(open()->is_locked(a));
}

// --- servers -------------------------------------------------------------------------------------

TEST_F(PostgresStoreTest, AServerThatWasRestartedBetweenTwoCallsIsNotNoticed) {
  const auto store = open();
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  const auto lock = store->try_lock(a, 0ms);
  for (const int signal : {SIGINT, SIGQUIT}) {
    PostgresServer::shared().stop(signal);
    PostgresServer::shared().start();
    const std::uint64_t next = length_of(*store, a) + 1;
    store->append({a, told(next, 1), next});
    EXPECT_EQ(length_of(*store, a), next);
  }
}

TEST_F(PostgresStoreTest, AServerThatIsDownIsSaidToBeUnreachable) {
  const auto store = open();
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  PostgresServer::shared().stop(SIGINT);
  const Complaint writing = complaint([&] { store->append({a, told(1, 1), 1}); });
  const Complaint opening = complaint([&] { (void)open(); });
  PostgresServer::shared().start();
  for (const Complaint& each : {writing, opening}) {
    EXPECT_EQ(each.fault, Fault::unreachable) << each.what;
    EXPECT_NE(each.what.find("the database cannot be reached"), std::string::npos) << each.what;
    EXPECT_EQ(each.what.find('\n'), std::string::npos) << each.what;
  }
  store->append({a, told(1, 1), 1});
}

TEST_F(PostgresStoreTest, AServerThatHangsIsGivenUpAndFoundAgainWhenItGoesOn) {
  PostgresStore store(address_ + "&connect_timeout=2", Store::Mode::create, 500ms);
  (void)store.create({"a", "{}", 0.0});
  PostgresServer::shared().freeze();  // its kernel still accepts data
  const auto begin = SteadyClock::now();
  const Complaint asked = complaint([&] { (void)store.find("a"); });
  const auto half = SteadyClock::now();
  const Complaint connecting = complaint([&] { (void)store.find("a"); });
  const auto end = SteadyClock::now();
  PostgresServer::shared().thaw();
  EXPECT_EQ(asked.fault, Fault::unreachable);
  EXPECT_NE(asked.what.find("the server does not respond: the database cannot be reached"),
            std::string::npos)
      << asked.what;
  EXPECT_GT(half - begin, 500ms);
  EXPECT_LT(half - begin, 10s);
  EXPECT_EQ(connecting.fault, Fault::unreachable) << connecting.what;
  EXPECT_LT(end - half, 10s);
  EXPECT_TRUE(store.find("a"));
}

TEST_F(PostgresStoreTest, AStatementThatTakesTooLongIsGivenUpByTheServer) {
  PostgresStore store(address_, Store::Mode::create, 300ms);
  (void)store.create({"a", "{}", 0.0});
  std::jthread other([&] {
    PostgresServer::execute(address_, "BEGIN; LOCK TABLE studies; SELECT pg_sleep(2); COMMIT");
  });
  Complaint found;
  for (const auto end = SteadyClock::now() + 2s; !found.fault && SteadyClock::now() < end;) {
    found = complaint([&] { (void)store.find("a"); });
  }
  EXPECT_EQ(found.fault, Fault::busy) << found.what;
  other.join();
  EXPECT_TRUE(store.find("a")) << "on the same connection";
}

TEST_F(PostgresStoreTest, AHostThatIsNotThereIsSaidSoWithoutThePassword) {
  const Complaint found = complaint(
      [] { (void)open_store("postgresql://me:secret@127.0.0.1:1/db", Store::Mode::create); });
  EXPECT_EQ(found.fault, Fault::unreachable);
  EXPECT_NE(found.what.find("postgresql://me:***@127.0.0.1:1/db"), std::string::npos) << found.what;
  EXPECT_EQ(found.what.find("secret"), std::string::npos) << found.what;
  const Complaint silent = complaint([] {  // no server responds there
    (void)open_store("postgresql://192.0.2.1/db?password=secret&connect_timeout=2",
                     Store::Mode::create);
  });
  EXPECT_EQ(silent.fault, Fault::unreachable);
  EXPECT_EQ(silent.what.find("secret"), std::string::npos) << silent.what;
}

TEST_F(PostgresStoreTest, NothingThatWasAcknowledgedIsLostWhenTheServerFailsDuringCalls) {
  const StudySpecification specification{.space = Space{{"x", Real{0.0, 1.0}}}};
  std::set<double> acknowledged;
  std::mutex mutex;
  int failures = 0;
  std::atomic<int> done = 0;
  {
    StudySession session(open(), [&](Store& store) {
      return Study::open(store, specification, {"a", {}});
    });
    const auto command = [&](double reward) {
      try {
        const Status status =
            session.perform([&](Study& study) { return study.tell(study.ask(1).ticket, reward); });
        const std::lock_guard lock(mutex);
        EXPECT_EQ(status, Status::ok);
        acknowledged.insert(reward);
      } catch (const StoreError& error) {
        EXPECT_TRUE(error.fault() == Fault::unreachable || error.fault() == Fault::in_doubt)
            << error.what();
        const std::lock_guard lock(mutex);
        ++failures;
        std::this_thread::sleep_for(5ms);
      }
      ++done;
    };
    std::atomic<bool> enough = false;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; !enough; ++i) command(thread + i * 1e-6);
      });
    }
    for (const int signal : {SIGQUIT, SIGINT, SIGQUIT}) {
      const int before = done;
      while (done < before + 200) std::this_thread::sleep_for(1ms);
      PostgresServer::shared().stop(signal);
      std::this_thread::sleep_for(50ms);
      PostgresServer::shared().start();
    }
    enough = true;
    threads.clear();
    command(100.0);
    session.close();
  }
  EXPECT_GT(failures, 0);
  EXPECT_TRUE(acknowledged.contains(100.0));
  const auto store = open();
  const StudyRecord record = find_study(*store, "a");
  std::multiset<double> kept;
  std::uint64_t number = 0;
  store->read(record.id, {}, [&](const JournalEntry& entry) {
    EXPECT_EQ(entry.number, ++number);
    if (const auto* reward = std::get_if<Told>(&entry.event))
      kept.insert(std::get<double>(reward->rewards));
  });
  EXPECT_EQ(record.events, number);
  for (const double reward : acknowledged) EXPECT_EQ(kept.count(reward), 1U) << reward;
  EXPECT_LE(kept.size(), acknowledged.size() + static_cast<std::size_t>(failures));
  EXPECT_EQ(Study::reopen(*store, {"a", {}}).summary().t - 1, kept.size());
}

TEST_F(PostgresStoreTest, AFullDiskIsSaidToBeFullAndNothingIsLost) {
  const testing::TemporaryFolder folder;
  if (mount("tmpfs", folder.path("").c_str(), "tmpfs", 0, "size=48m") != 0) {
    GTEST_SKIP() << "a small disk can be made by root alone";
  }
  struct Unmount {
    std::string path;
    ~Unmount() { umount2(path.c_str(), MNT_DETACH); }
  } until_done{folder.path("")};
  PostgresServer server(folder.path(""));
  const auto store = open_store(server.new_database(), Store::Mode::create);
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  std::uint64_t kept = 0;
  Complaint found;
  while (!found.fault && kept < 1'000'000) {
    found = complaint([&] { store->append({a, told(kept + 1, 20'000), 0}); });
    kept = store->find("a")->events;
  }
  EXPECT_EQ(found.fault, Fault::full) << found.what;
  EXPECT_NE(found.what.find("disk of the database may be full"), std::string::npos) << found.what;
  EXPECT_EQ(length_of(*store, a), kept);
}

// --- databases -----------------------------------------------------------------------------------

TEST_F(PostgresStoreTest, ManyMayMakeItAtOnce) {
  std::vector<std::jthread> threads;
  std::atomic<int> made = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto store = open();
      if (store->create({std::to_string(i), "{}", 0.0})) ++made;
    });
  }
  threads.clear();
  EXPECT_EQ(made, 8);
  EXPECT_EQ(open()->list({}).size(), 8U);
  EXPECT_EQ(PostgresServer::execute(address_, "SELECT COUNT(*) FROM canopy_version").front(), "1");
}

TEST_F(PostgresStoreTest, AnEmptyDatabaseIsNoStoreUntilItIsMadeOne) {
  EXPECT_EQ(complaint([&] { (void)open("", Store::Mode::open); }).fault, Fault::missing);
  (void)open();
  (void)open("", Store::Mode::open)->create({"a", "{}", 0.0});
  EXPECT_TRUE(open()->find("a")) << "it is made once";
}

TEST_F(PostgresStoreTest, ADatabaseOfSomethingElseIsLeftAlone) {
  PostgresServer::execute(address_, "CREATE TABLE customers (id INTEGER)");
  EXPECT_EQ(complaint([&] { (void)open(); }).fault, Fault::foreign);
  EXPECT_EQ(complaint([&] { (void)open("", Store::Mode::open); }).fault, Fault::foreign);
  EXPECT_EQ(PostgresServer::execute(address_,
                                    "SELECT relname FROM pg_class WHERE relnamespace = "
                                    "'public'::regnamespace"),
            std::vector<std::string>{"customers"});
}

TEST_F(PostgresStoreTest, OneOfANewerVersionIsRefused) {
  (void)open();
  PostgresServer::execute(address_, "INSERT INTO canopy_version VALUES (99)");
  const Complaint found = complaint([&] { (void)open(); });
  EXPECT_EQ(found.fault, Fault::newer);
  EXPECT_NE(found.what.find("format 99"), std::string::npos) << found.what;
}

TEST_F(PostgresStoreTest, ATableThatIsNotAsItWasIsDamage) {
  const auto store = open();
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  store->append({a, told(1, 1), 1});
  PostgresServer::execute(address_, "ALTER TABLE events ALTER number TYPE TEXT USING 'x'");
  EXPECT_EQ(complaint([&] { (void)length_of(*store, a); }).fault, Fault::damaged);
  PostgresServer::execute(address_, "ALTER TABLE events DROP COLUMN event");
  EXPECT_EQ(complaint([&] { store->append({a, told(2, 1), 1}); }).fault, Fault::damaged);
  PostgresServer::execute(address_, "DROP TABLE studies");
  EXPECT_EQ(complaint([&] { (void)store->list({}); }).fault, Fault::damaged);
}

TEST_F(PostgresStoreTest, OneThatCannotBeWrittenCanBeRead) {
  const StudyId a = open()->create({"a", "{}", 0.0})->id;
  const auto store = open("&options=-c%20default_transaction_read_only%3Don");
  EXPECT_EQ(store->list({}).size(), 1U);
  EXPECT_EQ(complaint([&] { store->append({a, told(1, 1), 1}); }).fault, Fault::read_only);
}

TEST_F(PostgresStoreTest, WaitingTooLongForALockIsAnError) {
  const auto store = open("&options=-c%20lock_timeout%3D100");
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  std::jthread other([&] {
    PostgresServer::execute(address_, "BEGIN; LOCK TABLE events; SELECT pg_sleep(1); COMMIT");
  });
  Complaint found;
  for (std::uint64_t i = 1; !found.fault && i < 10'000; ++i) {
    found = complaint([&] { store->append({a, told(i, 1), 1}); });
  }
  EXPECT_EQ(found.fault, Fault::busy) << found.what;
}

}  // namespace
}  // namespace canopy
