#include "service/shared_store.hpp"

#include "canopy/stores.hpp"

#include "support/random_event.hpp"
#include "support/store_suite.hpp"
#include "support/temporary_folder.hpp"

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
  [[nodiscard]] std::shared_ptr<SharedStore> open() {
    return std::make_shared<SharedStore>(
        [this] { return open_store(folder_.path("a.db"), Store::Mode::create); });
  }

  testing::TemporaryFolder folder_;
};

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

TEST_F(SharedStoreTest, WaitingForALockDoesNotBlockOtherThreads) {
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
