#pragma once

// The requirements on every store. To test a new one, add it to INSTANTIATE_TEST_SUITE_P of
// StoreTest and, for a FullStore, of FullStoreTest.

#include "canopy/store.hpp"
#include "canopy/study.hpp"

#include "journal/command_text.hpp"
#include "support/random_event.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy::testing {

using namespace std::chrono_literals;

/// Opens a store at one location, any number of times.
template <class AnyStore>
using Opener = std::function<std::unique_ptr<AnyStore>()>;

template <class AnyStore>
struct Implementation {
  std::string name;
  std::function<Opener<AnyStore>()> new_place;
  bool is_installed = true;

  // NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
  friend void PrintTo(const Implementation& printed, std::ostream* out) { *out << printed.name; }
};

/// The implementation's name within the names of tests.
inline std::string name_of_implementation(
    const ::testing::TestParamInfo<Implementation<Store>>& tested) {
  return tested.param.name;
}
inline std::string name_of_full_implementation(
    const ::testing::TestParamInfo<Implementation<FullStore>>& tested) {
  return tested.param.name;
}

/// Entries of a journal, with numbers from `first` on.
inline std::vector<JournalEntry> entries(std::uint64_t first, std::uint64_t count) {
  std::vector<JournalEntry> all;
  for (std::uint64_t i = first; i < first + count; ++i) {
    const double at = 1e9 + static_cast<double>(i);
    all.push_back({i, at, i % 2 == 0 ? Event(Told{i, 0.1}) : Event(Asked{i, 1, 1, {1.0 / 3.0}})});
  }
  return all;
}

inline std::vector<JournalEntry> read_all(Store& store, StudyId study, EntryRange range = {}) {
  std::vector<JournalEntry> all;
  store.read(study, range, [&](const JournalEntry& entry) { all.push_back(entry); });
  return all;
}

template <class AnyStore>
class AnyStoreTest : public ::testing::TestWithParam<Implementation<AnyStore>> {
 protected:
  void SetUp() override {
    if (!this->GetParam().is_installed) GTEST_SKIP() << "it is not installed";
    open_ = this->GetParam().new_place();
    store_ = open_();
  }

  /// A study with a specification that servers accept.
  [[nodiscard]] static NewStudy new_study(const std::string& name) {
    static const std::string specification = json_of(
        resolved(parse_study("[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n", "study.toml")));
    return {.name = name, .specification = specification, .created = 7.0};
  }
  [[nodiscard]] StudyRecord create(const std::string& name) {
    return store_->create(new_study(name)).value();
  }
  [[nodiscard]] StudyRecord create_with(const std::string& name,
                                        const std::vector<JournalEntry>& journal) {
    NewStudy study = new_study(name);
    study.journal = journal;
    study.pulls = journal.size() / 2;
    return store_->create(study).value();
  }

  Opener<AnyStore> open_;
  std::unique_ptr<AnyStore> store_;
};

class StoreTest : public AnyStoreTest<Store> {
 protected:
  [[nodiscard]] std::string names(const StudyRange& range) {
    std::string all;
    for (const StudyRecord& record : store_->list(range)) all += record.name;
    return all;
  }

  /// Whether the study is locked according to this store. It is found by name, since ids of
  /// different stores are independent.
  static bool is_locked(Store& store, const std::string& name) {
    return store.is_locked(store.find(name)->id);
  }
  static std::unique_ptr<StudyLock> try_lock(Store& store, const std::string& name,
                                             std::chrono::milliseconds patience) {
    return store.try_lock(store.find(name)->id, patience);
  }
};

class FullStoreTest : public AnyStoreTest<FullStore> {};

// --- every store ---------------------------------------------------------------------------------

TEST_P(StoreTest, FindsStudiesByNameAndListsThemByPages) {
  for (const char* name : {"c", "a", "d", "B"}) (void)create(name);
  EXPECT_EQ(names({}), "Bacd");
  EXPECT_EQ(names({"", 3}), "Bac");
  EXPECT_EQ(names({"c", 3}), "d");
  EXPECT_EQ(names({"a", 1}), "c");
  EXPECT_EQ(names({"x", 3}), "");
  EXPECT_EQ(store_->find("a")->name, "a");
  EXPECT_EQ(store_->find("a")->created, 7.0);
  EXPECT_FALSE(store_->find("b"));
}

TEST_P(StoreTest, ANameIsForOne) {
  (void)create_with("a", entries(1, 2));
  EXPECT_FALSE(store_->create(new_study("a")));
  EXPECT_EQ(store_->find("a")->events, 2U);
}

TEST_P(StoreTest, ANameIsPrintableText) {
  const std::string name = "a 'name' with \"quotes\", ä and %20?";
  EXPECT_EQ(create(name).name, name);
  EXPECT_EQ(store_->find(name)->name, name);
  for (const std::string& bad : {std::string(), std::string("a\0b", 3), std::string("\xFF"),
                                 std::string("a\nb"), std::string("a/b"), std::string(201, 'x')}) {
    try {
      (void)store_->create(new_study(bad));
      ADD_FAILURE() << bad;
    } catch (const StudyError& error) {
      EXPECT_EQ(error.fault(), StudyError::Fault::bad_name) << error.what();
    }
  }
}

TEST_P(StoreTest, AStudyThatIsMadeAgainIsAnother) {
  const StudyRecord a = create_with("a", entries(1, 3));
  (void)create_with("b", entries(1, 5));
  store_->erase(a.id);
  EXPECT_FALSE(store_->find("a"));
  EXPECT_TRUE(read_all(*store_, a.id).empty());
  EXPECT_EQ(read_all(*store_, store_->find("b")->id).size(), 5U);
  EXPECT_EQ(create("a").events, 0U);
  EXPECT_TRUE(read_all(*store_, store_->find("a")->id).empty());
}

TEST_P(StoreTest, AStudyMayBeginWithAJournalOfItsOwn) {
  const std::vector<JournalEntry> journal = entries(1, 11'000);
  const StudyRecord study = create_with("a", journal);
  EXPECT_EQ(study.events, 11'000U);
  EXPECT_EQ(study.pulls, 5'500U);
  EXPECT_EQ(study.updated, journal.back().at);
  EXPECT_EQ(read_all(*store_, study.id), journal);
}

TEST_P(StoreTest, AStudyMayBeginWithTheJournalOfAnother) {
  const StudyRecord a = create_with("a", entries(1, 12'000));
  NewStudy copy = new_study("b");
  copy.forked_from = "a";
  copy.copied = a.id;
  const StudyRecord b = store_->create(copy).value();
  EXPECT_EQ(b.events, 12'000U);
  EXPECT_EQ(b.pulls, 6'000U);
  EXPECT_EQ(b.created, 7.0);
  EXPECT_EQ(b.updated, 1e9 + 12'000);
  EXPECT_EQ(b.forked_from, "a");
  EXPECT_EQ(read_all(*store_, b.id), entries(1, 12'000));
  EXPECT_FALSE(store_->snapshot(b.id).has_value());
}

TEST_P(StoreTest, ReadsAPieceOfAJournal) {
  const auto written = entries(1, 50);
  const StudyId study = create_with("a", written).id;
  EXPECT_EQ(read_all(*store_, study, {10, 7}), entries(11, 7));
  EXPECT_EQ(read_all(*store_, study, {48, 7}), entries(49, 2));
  EXPECT_EQ(read_all(*store_, study, {.after = 45}), entries(46, 5));
  EXPECT_TRUE(read_all(*store_, study, {50, 7}).empty());
}

TEST_P(StoreTest, ALockIsForOneUntilItIsGivenBack) {
  (void)create("a");
  (void)create("b");
  const std::unique_ptr<Store> second = open_();
  EXPECT_FALSE(is_locked(*store_, "a"));
  std::unique_ptr<StudyLock> lock = try_lock(*store_, "a", 0ms);
  ASSERT_NE(lock, nullptr);
  EXPECT_TRUE(is_locked(*second, "a"));
  EXPECT_EQ(try_lock(*second, "a", 0ms), nullptr);
  EXPECT_EQ(try_lock(*store_, "a", 30ms), nullptr) << "not even for ourselves twice";
  EXPECT_NE(try_lock(*second, "b", 0ms), nullptr) << "another study";
  lock.reset();
  EXPECT_FALSE(is_locked(*second, "a"));
  EXPECT_NE(try_lock(*second, "a", 0ms), nullptr);
}

TEST_P(StoreTest, AWaitingProcessGetsTheLockWhenItIsReleased) {
  (void)create("a");
  std::unique_ptr<StudyLock> lock = try_lock(*store_, "a", 0ms);
  const std::unique_ptr<Store> second = open_();
  std::jthread holder([&] {
    std::this_thread::yield();
    lock.reset();
  });
  EXPECT_NE(try_lock(*second, "a", 60s), nullptr);
}

TEST_P(StoreTest, OfManyWhoWantALockOneHasItAtATime) {
  (void)create("a");
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < 4; ++i) stores.push_back(open_());
  std::atomic<int> holders = 0;
  std::vector<std::jthread> threads;
  for (const std::unique_ptr<Store>& store : stores) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        const std::unique_ptr<StudyLock> lock = try_lock(*store, "a", 60s);
        ASSERT_NE(lock, nullptr);
        EXPECT_EQ(++holders, 1);
        std::this_thread::yield();
        --holders;
      }
    });
  }
}

TEST_P(StoreTest, NumbersCommandsInEveryStudy) {
  const StudyId a = create("a").id;
  const StudyId b = create("b").id;
  EXPECT_EQ(store_->post_command(a, 1.0, command_text({RunnerCommand::pause, "me"})), 1U);
  EXPECT_EQ(store_->post_command(b, 1.0, command_text({RunnerCommand::end, "me"})), 1U);
  EXPECT_EQ(store_->post_command(a, 1.0, command_text({RunnerCommand::resume, "me"})), 2U);
  const std::vector<PostedCommand> all = store_->commands(a, 0);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(command_from(all[0].text).command, RunnerCommand::pause);
  EXPECT_EQ(all[1].number, 2U);
  ASSERT_EQ(store_->commands(a, 1).size(), 1U);
  EXPECT_EQ(command_from(store_->commands(a, 1)[0].text).command, RunnerCommand::resume);
  EXPECT_TRUE(store_->commands(a, 2).empty());
  store_->erase(b);
  EXPECT_THROW(store_->post_command(b, 1.0, command_text({RunnerCommand::end, "me"})), StoreError);
}

// --- stores that keep whatever they are given ----------------------------------------------------

TEST_P(FullStoreTest, GivesBackWhatItWasGiven) {
  const StudyRecord made = store_->create({"a", "{\"a\": \"ä\"}", 12.5, "another"}).value();
  EXPECT_EQ(made.events, 0U);
  EXPECT_EQ(made.pulls, 0U);
  EXPECT_EQ(made.updated, 12.5);
  EXPECT_EQ(made.holder, "");
  store_->append({made.id, entries(1, 3), 7});
  store_ = open_();
  const StudyRecord found = store_->find("a").value();
  EXPECT_EQ(found.id, made.id);
  EXPECT_EQ(found.specification, "{\"a\": \"ä\"}");
  EXPECT_EQ(found.forked_from, "another");
  EXPECT_EQ(found.created, 12.5);
  EXPECT_EQ(found.updated, 1e9 + 3);
  EXPECT_EQ(found.events, 3U);
  EXPECT_EQ(found.pulls, 7U);
  EXPECT_EQ(read_all(*store_, found.id), entries(1, 3));
}

TEST_P(FullStoreTest, ACommandWithAKeyIsPostedOnceAlsoByTwoProcesses) {
  const StudyId a = create("a").id;
  const std::string text = command_text({RunnerCommand::pause, "me", 0, "key"});
  const auto other = open_();
  EXPECT_EQ(store_->post_command(a, 1.0, text), 1U);
  EXPECT_EQ(other->post_command(a, 2.0, text), 1U);
  EXPECT_EQ(other->post_command(a, 2.0, command_text({RunnerCommand::pause, "me"})), 2U);
  EXPECT_EQ(store_->commands(a, 0).size(), 2U);
}

TEST_P(FullStoreTest, AnIdIsNeverUsedAgain) {
  const StudyId first = create("a").id;
  store_->erase(first);
  EXPECT_NE(create("a").id, first);
  EXPECT_THROW(store_->append({first, entries(1, 1), 0}), StoreError);
  EXPECT_EQ(store_->find("a")->events, 0U);
}

TEST_P(FullStoreTest, WhatIsNotTextIsRefusedAndNothingIsWritten) {
  const StudyId a = create("a").id;
  for (const std::string& bad : {std::string("a\0b", 3), std::string("\xC3")}) {
    EXPECT_ANY_THROW((void)store_->create({"b", bad, 0.0}));
    EXPECT_ANY_THROW((void)store_->create({"b", "{}", 0.0, bad}));
    EXPECT_THROW(store_->set_specification(a, bad), StoreError);
    EXPECT_THROW(store_->set_holder(a, bad), StoreError);
    EXPECT_THROW(store_->post_command(a, 1.0, bad), StoreError);
    for (const KeptAnswer& answer : std::vector<KeptAnswer>{
             {bad, "x", "x", 1.0}, {"x", bad, "x", 1.0}, {"x", "x", bad, 1.0}}) {
      EXPECT_THROW(store_->append({a, entries(1, 1), 0, {&answer, 1}}), StoreError);
    }
    EXPECT_FALSE(store_->find(bad)) << "no study can have such a name";
  }
  EXPECT_FALSE(store_->find("b"));
  EXPECT_EQ(store_->find("a")->events, 0U);
  EXPECT_TRUE(store_->commands(a, 0).empty());
}

TEST_P(FullStoreTest, KeepsEveryEventOfAnySize) {
  int number = 0;
  EXPECT_TRUE(rc::check("every event of any size", [&] {
    const StudyRecord study = create(std::to_string(++number));
    std::vector<JournalEntry> written;
    const auto events = *rc::gen::container<std::vector<Event>>(random_event());
    for (const Event& event : events) {
      written.push_back({written.size() + 1, *random_finite(), event});
    }
    store_->append({study.id, written, 0});
    RC_ASSERT(read_all(*store_, study.id) == written);
  }));
}

TEST_P(FullStoreTest, KeepsTheLargestNumbers) {
  using Limits = std::numeric_limits<double>;
  const StudyRecord study = create("a");
  const std::vector<JournalEntry> written{
      {1, 0.0, Told{UINT64_MAX, Limits::max()}},
      {2, Limits::max(), Told{INT64_MAX, Limits::denorm_min()}},
      {3, Limits::max(), Asked{1, UINT64_MAX, UINT64_MAX, {Limits::lowest(), Limits::min()}}},
      {4, Limits::max(), Told{1, Rewards{UINT64_MAX, -0.0, 1e-300, 0.1, 1.0 / 3.0}}},
      {5, Limits::max(), Failed{1, std::string(100'000, 'x')}}};
  store_->append({study.id, written, INT64_MAX});
  EXPECT_EQ(read_all(*store_, study.id), written);
  EXPECT_EQ(store_->find("a")->pulls, static_cast<std::uint64_t>(INT64_MAX));
}

TEST_P(FullStoreTest, KeepsTheLastSnapshotOnly) {
  const StudyRecord study = create("a");
  EXPECT_FALSE(store_->snapshot(study.id).has_value());
  store_->set_snapshot(study.id, {1, "one", "tuner"});
  store_->set_snapshot(study.id, {2, std::string(3'000'000, 'x'), ""});
  EXPECT_EQ(store_->snapshot(study.id)->events, 2U);
  EXPECT_EQ(store_->snapshot(study.id)->optimizer, std::string(3'000'000, 'x'));
  EXPECT_EQ(store_->snapshot(study.id)->tuner, "");
}

TEST_P(FullStoreTest, SpecificationAndHolderMayChange) {
  const StudyRecord study = create("a");
  const StudyRecord other = create("b");
  store_->set_specification(study.id, "{\"b\": 2}");
  store_->set_holder(study.id, "pid 7");
  EXPECT_EQ(store_->find("a")->specification, "{\"b\": 2}");
  EXPECT_EQ(store_->find("a")->holder, "pid 7");
  EXPECT_EQ(store_->find("b")->specification, other.specification);
  EXPECT_EQ(store_->find("b")->holder, "");
}

TEST_P(FullStoreTest, WhatThrowsHasWrittenNothing) {
  const StudyRecord study = create("a");
  store_->append({study.id, entries(1, 3), 1});
  EXPECT_THROW(store_->append({study.id, entries(3, 2), 9}), StoreError);
  EXPECT_EQ(read_all(*store_, study.id), entries(1, 3)) << "all or none";
  EXPECT_EQ(store_->find("a")->events, 3U);
  EXPECT_EQ(store_->find("a")->pulls, 1U);
  store_->append({study.id, entries(4, 2), 2});
  EXPECT_EQ(read_all(*store_, study.id), entries(1, 5));
  store_->append({study.id, {}, 77});
  EXPECT_EQ(store_->find("a")->pulls, 2U) << "nothing was written";
}

TEST_P(FullStoreTest, NothingIsWrittenForAStudyThatWasDeletedMeanwhile) {
  const StudyRecord study = create("a");
  store_->append({study.id, entries(1, 3), 1});
  open_()->erase(study.id);
  EXPECT_THROW(store_->append({study.id, entries(4, 2), 2}), StoreError);
  EXPECT_THROW(store_->set_snapshot(study.id, {3, "of a", ""}), StoreError);
  EXPECT_THROW(store_->set_specification(study.id, "{}"), StoreError);
  EXPECT_THROW(store_->set_holder(study.id, "pid 7"), StoreError);
  EXPECT_TRUE(read_all(*store_, study.id).empty());
  EXPECT_FALSE(store_->snapshot(study.id).has_value()) << "the next study may have its number";
}

TEST_P(FullStoreTest, ReadersDoNotWaitForTheWriterNorTheWriterForThem) {
  const StudyRecord study = create("a");
  store_->append({study.id, entries(1, 10), 0});
  const std::unique_ptr<FullStore> reader = open_();
  reader->read(study.id, {}, [&](const JournalEntry& entry) {
    if (entry.number == 5) store_->append({study.id, entries(11, 10), 0});
  });
  EXPECT_EQ(read_all(*reader, study.id).size(), 20U);
}

TEST_P(FullStoreTest, WritesForManyStudiesInOneStep) {
  const StudyId a = create("a").id;
  const StudyId b = create("b").id;
  const StudyId gone = create("gone").id;
  store_->erase(gone);
  const auto some = entries(1, 3);
  const auto more = entries(1, 5);
  const std::vector<StudyWrite> writes{{.study = a, .entries = some, .pulls = 1},
                                       {.study = gone, .entries = some, .pulls = 1},
                                       {.study = b, .entries = more, .pulls = 2}};
  const auto errors = store_->write(writes);
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_FALSE(errors[0]);
  EXPECT_TRUE(errors[1]);
  EXPECT_FALSE(errors[2]);
  EXPECT_EQ(read_all(*store_, a), some);
  EXPECT_EQ(read_all(*store_, b), more);
  EXPECT_EQ(store_->find("b")->pulls, 2U);
  EXPECT_TRUE(read_all(*store_, gone).empty());
}

TEST_P(FullStoreTest, KeepsAnswersWithWhatWasDoneForThem) {
  const StudyId a = create("a").id;
  const StudyId b = create("b").id;
  const std::vector<KeptAnswer> answers{{"it's \"1\"", "tell", R"({"ok":true})", 10.0},
                                        {"2", "ask", "", 20.0}};
  const auto some = entries(1, 2);
  store_->append({.study = a, .entries = some, .pulls = 1, .answers = answers});
  const std::vector<AnswerKey> keys{{a, "2"}, {b, "2"}, {a, "3"}, {a, "it's \"1\""}};
  const auto found = store_->find_answers(keys);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0], answers[1]);
  EXPECT_FALSE(found[1]);
  EXPECT_FALSE(found[2]);
  EXPECT_EQ(found[3], answers[0]);

  EXPECT_ANY_THROW(store_->append({.study = a, .entries = entries(3, 1), .answers = answers}))
      << "a key is used once";
  EXPECT_EQ(read_all(*store_, a).size(), 2U);

  EXPECT_EQ(store_->forget_answers(15.0), 1U);
  EXPECT_FALSE(store_->find_answers(keys)[3]);
  EXPECT_TRUE(store_->find_answers(keys)[0]);
  store_->erase(a);
  EXPECT_FALSE(store_->find_answers(keys)[0]);
}

TEST_P(FullStoreTest, ReadsLongJournalsInOrder) {
  const StudyRecord study = create("a");
  const std::vector<JournalEntry> written = entries(1, 25'000);
  store_->append({study.id, std::span(written).first(9'999), 0});
  store_->append({study.id, std::span(written).subspan(9'999), 0});
  EXPECT_EQ(read_all(*store_, study.id), written);
  for (const std::uint64_t after : {0U, 1U, 4'999U, 5'000U, 15'000U, 24'999U, 25'000U, 99'999U}) {
    const std::uint64_t rest = after < 25'000 ? 25'000 - after : 0;
    EXPECT_EQ(read_all(*store_, study.id, {.after = after}), entries(after + 1, rest)) << after;
  }
}

}  // namespace canopy::testing
