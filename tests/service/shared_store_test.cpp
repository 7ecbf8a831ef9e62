#include "service/shared_store.hpp"

#include "canopy/stores.hpp"

#include "support/faulty_store.hpp"
#include "support/random_event.hpp"
#include "support/store_suite.hpp"
#include "support/temporary_folder.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

JournalEntry told(std::uint64_t number) {
  return {number, 1e9, Told{number, 0.5}};
}

class SharedStoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::shared_ptr<SharedStore> open(const testing::FaultyStore::Before& before =
                                                      [](std::string_view) {}) {
    const auto open_one = [this, before]() -> std::unique_ptr<FullStore> {
      return std::make_unique<testing::FaultyStore>(
          open_store(folder_.path("a.db"), Store::Mode::create), before);
    };
    return std::make_shared<SharedStore>(open_one, [this](const SharedStore::Commit& commit) {
      ++commits_;
      events_ += commit.events;
    });
  }

  testing::TemporaryFolder folder_;
  std::atomic<std::size_t> commits_ = 0;
  std::atomic<std::size_t> events_ = 0;
};

TEST_F(SharedStoreTest, ManyThreadsWriteTogether) {
  // Commits take a while, so that others come meanwhile.
  const auto store = open([](std::string_view operation) {
    if (operation == "append") std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  constexpr int kThreads = 16;
  constexpr std::uint64_t kWrites = 20;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    const StudyId study = store->create({"s" + std::to_string(i), "{}", 0.0})->id;
    threads.emplace_back([&store, study] {
      for (std::uint64_t number = 1; number <= kWrites; ++number) {
        const std::vector<JournalEntry> entries{told(number)};
        store->append({study, entries, number});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(events_, kThreads * kWrites);
  EXPECT_LT(commits_, events_ / 2) << "one commit serves many";
  for (const StudyRecord& record : store->list({})) EXPECT_EQ(record.events, kWrites);
}

TEST_F(SharedStoreTest, AStudyThatIsGoneFailsAlone) {
  const auto store = open();
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  const StudyId b = store->create({"b", "{}", 0.0})->id;
  store->erase(b);
  const std::vector<JournalEntry> entries{told(1)};
  EXPECT_THROW(store->append({b, entries, 1}), StoreError);
  store->append({a, entries, 1});
  EXPECT_EQ(store->find("a")->events, 1U);
}

TEST_F(SharedStoreTest, WhatCannotBeWrittenDoesNotFailTheOthersInItsGroup) {
  std::atomic<int> waiting = 0;
  const auto store = open([&](std::string_view operation) {
    if (operation != "append") return;
    // The first commit waits until both of the next group are there.
    while (waiting.load() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  const std::vector<JournalEntry> first{told(1)};
  const std::vector<JournalEntry> second{told(2)};
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  const StudyId b = store->create({"b", "{}", 0.0})->id;
  const StudyId c = store->create({"c", "{}", 0.0})->id;
  waiting = 3;
  store->append({a, first, 1});
  waiting = 0;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    ++waiting;
    store->append({c, first, 1});
  });
  threads.emplace_back([&] {
    ++waiting;
    EXPECT_THROW(store->append({a, first, 1}), StoreError) << "there already";
  });
  threads.emplace_back([&] {
    ++waiting;
    store->append({b, first, 1});
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store->find("a")->events, 1U);
  EXPECT_EQ(store->find("b")->events, 1U);
  EXPECT_EQ(store->find("c")->events, 1U);
  store->append({a, second, 2});
}

TEST_F(SharedStoreTest, ALockThatWaitsKeepsNobodyElseWaiting) {
  const auto store = open();
  const StudyId a = store->create({"a", "{}", 0.0})->id;
  auto lock = store->try_lock(a, std::chrono::milliseconds(0));
  ASSERT_NE(lock, nullptr);
  std::unique_ptr<StudyLock> second;
  std::thread waiter([&] { second = store->try_lock(a, std::chrono::seconds(30)); });
  const std::vector<JournalEntry> entries{told(1)};
  store->append({a, entries, 1});
  lock.reset();
  waiter.join();
  EXPECT_NE(second, nullptr);
  EXPECT_TRUE(store->is_locked(a));
}

}  // namespace
}  // namespace canopy::service

namespace canopy::testing {
namespace {

Opener<FullStore> shared() {
  return [folder = std::make_shared<TemporaryFolder>()] {
    return std::make_unique<service::SharedStore>(
        [=] { return open_store(folder->path("a.db"), Store::Mode::create); });
  };
}

INSTANTIATE_TEST_SUITE_P(Every, StoreTest,
                         ::testing::Values(Implementation<Store>{"Shared", shared}),
                         name_of_implementation);
INSTANTIATE_TEST_SUITE_P(Every, FullStoreTest,
                         ::testing::Values(Implementation<FullStore>{"Shared", shared}),
                         name_of_full_implementation);

}  // namespace
}  // namespace canopy::testing
