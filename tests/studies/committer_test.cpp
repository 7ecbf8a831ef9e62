#include "studies/committer.hpp"

#include "stores/memory_store.hpp"
#include "support/faulty_store.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

Study::Batch told(std::uint64_t number) {
  return {.entries = {{number, 1e9, Told{number, 0.5}}}, .pulls = number};
}

/// A committer on a memory store. Its first transaction blocks, so that further batches arrive
/// meanwhile.
class CommitterTest : public ::testing::Test {
 protected:
  StudyId study(const std::string& name) { return store_.create({name, "{}", 0.0})->id; }

  /// Writes batches of several studies while the committer is busy, and returns their errors.
  std::vector<std::optional<StoreError>> write_together(const std::vector<StudyId>& studies,
                                                        const std::vector<Study::Batch>& batches) {
    std::vector<std::optional<StoreError>> errors(studies.size());
    std::atomic<std::size_t> done = 0;
    const Study::Batch first = told(1);
    is_held_ = true;
    committer_.write(study("first"), first, [](const std::optional<StoreError>&) {});
    while (transactions_ == 0) std::this_thread::yield();
    for (std::size_t i = 0; i < studies.size(); ++i) {
      committer_.write(studies[i], batches[i],
                       [&errors, &done, i](std::optional<StoreError> error) {
                         errors[i] = std::move(error);
                         ++done;
                       });
    }
    is_held_ = false;
    while (done < studies.size()) std::this_thread::yield();
    return errors;
  }

  void before(std::string_view operation) {
    if (operation != "append") return;
    ++transactions_;
    while (is_held_) std::this_thread::yield();
    if (fails_ > 0 && --fails_ >= 0) throw StoreError(fault_, "as the test wants");
  }

  std::atomic<bool> is_held_ = false;
  std::atomic<int> transactions_ = 0;
  std::atomic<int> fails_ = 0;
  StoreError::Fault fault_ = StoreError::Fault::full;
  testing::FaultyStore store_{std::make_unique<MemoryStore>(std::make_shared<MemoryStudies>()),
                              [this](std::string_view operation) { before(operation); }};
  Committer committer_{store_};
};

TEST_F(CommitterTest, WhatHasComeMeanwhileIsOneTransaction) {
  const std::vector<StudyId> studies{study("a"), study("b"), study("c")};
  for (const auto& error : write_together(studies, {told(1), told(1), told(1)})) {
    EXPECT_FALSE(error);
  }
  EXPECT_EQ(transactions_, 2);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(store_.find(name)->events, 1U);
}

TEST_F(CommitterTest, WhatCannotBeWrittenDoesNotFailTheOthers) {
  const std::vector<StudyId> studies{study("a"), study("b"), study("c")};
  store_.erase(studies[1]);
  const auto errors = write_together(studies, {told(1), told(1), told(1)});
  EXPECT_FALSE(errors[0]);
  EXPECT_TRUE(errors[1]);
  EXPECT_FALSE(errors[2]);
  EXPECT_EQ(store_.find("a")->events, 1U);
  EXPECT_EQ(store_.find("c")->events, 1U);
}

TEST_F(CommitterTest, AFullStoreIsToldToAll) {
  const std::vector<StudyId> studies{study("a"), study("b")};
  fails_ = 2;  // the blocked one and the next
  for (const auto& error : write_together(studies, {told(1), told(1)})) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->fault(), StoreError::Fault::full);
  }
  EXPECT_EQ(transactions_, 2);
}

TEST_F(CommitterTest, AStudyThatIsLockedForTheMomentIsTriedAgain) {
  const std::vector<StudyId> studies{study("a")};
  fault_ = StoreError::Fault::locked;
  fails_ = 5;
  EXPECT_FALSE(write_together(studies, {told(1)}).front());
  EXPECT_EQ(store_.find("a")->events, 1U);
}

}  // namespace
}  // namespace canopy
