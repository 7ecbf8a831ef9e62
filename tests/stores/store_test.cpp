// What every store has to do. A new one is added to `implementations`.

#include "canopy/store.hpp"

#include "canopy/stores.hpp"

#include "support/memory_store.hpp"
#include "support/postgres_server.hpp"
#include "support/random_event.hpp"
#include "support/temporary_folder.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using namespace std::chrono_literals;

/// A place for a store, which may be opened as often as one likes.
class Place {
 public:
  virtual ~Place() = default;
  [[nodiscard]] virtual std::unique_ptr<Store> open() = 0;
};

class SqlitePlace final : public Place {
 public:
  [[nodiscard]] std::unique_ptr<Store> open() override {
    return open_store(folder_.path("a store.db"), Store::Mode::create);
  }

 private:
  testing::TemporaryFolder folder_;
};

class PostgresPlace final : public Place {
 public:
  [[nodiscard]] std::unique_ptr<Store> open() override {
    return open_store(address_, Store::Mode::create);
  }

 private:
  std::string address_ = testing::PostgresServer::shared().new_database();
};

class MemoryPlace final : public Place {
 public:
  [[nodiscard]] std::unique_ptr<Store> open() override {
    return std::make_unique<testing::MemoryStore>(studies_);
  }

 private:
  std::shared_ptr<testing::MemoryStudies> studies_ = std::make_shared<testing::MemoryStudies>();
};

struct Implementation {
  std::string name;
  std::function<std::unique_ptr<Place>()> make;
};

std::vector<Implementation> implementations() {
  return {{"Sqlite", [] { return std::make_unique<SqlitePlace>(); }},
          {"Postgres", [] { return std::make_unique<PostgresPlace>(); }},
          {"Memory", [] { return std::make_unique<MemoryPlace>(); }}};
}

/// Entries of a journal, from one number on.
std::vector<JournalEntry> entries(std::uint64_t first, std::uint64_t count) {
  std::vector<JournalEntry> all;
  for (std::uint64_t i = first; i < first + count; ++i) {
    const double at = 1e9 + static_cast<double>(i);
    all.push_back({i, at, i % 2 == 0 ? Event(Told{i, 0.1}) : Event(Asked{i, 1, 1, {1.0 / 3.0}})});
  }
  return all;
}

std::vector<JournalEntry> read_all(Store& store, StudyId study, std::uint64_t after = 0) {
  std::vector<JournalEntry> all;
  store.read(study, after, [&](const JournalEntry& entry) { all.push_back(entry); });
  return all;
}

class StoreTest : public ::testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    if (GetParam().name == "Postgres" && !testing::PostgresServer::is_installed()) {
      GTEST_SKIP() << "PostgreSQL is not installed";
    }
    place_ = GetParam().make();
    store_ = place_->open();
  }

  [[nodiscard]] StudyRecord create(const std::string& name, double created = 0.0) {
    return store_->create({name, "{}", created}).value();
  }

  std::unique_ptr<Place> place_;
  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(Every, StoreTest, ::testing::ValuesIn(implementations()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(StoreTest, GivesBackWhatItWasGiven) {
  const std::string name = "a 'name' with \"quotes\", ä and\nlines";
  const StudyRecord made = store_->create({name, "{\"a\": 1}", 12.5, "another"}).value();
  EXPECT_EQ(made.name, name);
  EXPECT_EQ(made.events, 0U);
  EXPECT_EQ(made.pulls, 0U);
  EXPECT_EQ(made.updated, 12.5);
  EXPECT_EQ(made.holder, "");
  store_->append(made.id, entries(1, 3), 7);
  store_ = place_->open();
  const StudyRecord found = store_->find(name).value();
  EXPECT_EQ(found.id, made.id);
  EXPECT_EQ(found.specification, "{\"a\": 1}");
  EXPECT_EQ(found.forked_from, "another");
  EXPECT_EQ(found.created, 12.5);
  EXPECT_EQ(found.updated, 1e9 + 3);
  EXPECT_EQ(found.events, 3U);
  EXPECT_EQ(found.pulls, 7U);
  EXPECT_EQ(read_all(*store_, found.id), entries(1, 3));
  EXPECT_FALSE(store_->find("a").has_value());
}

TEST_P(StoreTest, ReadsLongJournalsInOrder) {
  const StudyRecord study = create("a");
  const std::vector<JournalEntry> written = entries(1, 25'000);
  store_->append(study.id, std::span(written).first(9'999), 0);
  store_->append(study.id, std::span(written).subspan(9'999), 0);
  EXPECT_EQ(read_all(*store_, study.id), written);
  for (const std::uint64_t after : {0U, 1U, 4'999U, 5'000U, 15'000U, 24'999U, 25'000U, 99'999U}) {
    const std::uint64_t rest = after < 25'000 ? 25'000 - after : 0;
    EXPECT_EQ(read_all(*store_, study.id, after), entries(after + 1, rest)) << after;
  }
}

TEST_P(StoreTest, JournalsOfAFullPageEndThere) {
  const StudyRecord study = create("a");
  store_->append(study.id, entries(1, 10'000), 0);
  EXPECT_EQ(read_all(*store_, study.id).size(), 10'000U);
}

TEST_P(StoreTest, KeepsEveryEventOfAnySize) {
  int number = 0;
  EXPECT_TRUE(rc::check("every event of any size", [&] {
    const StudyRecord study = create(std::to_string(++number));
    std::vector<JournalEntry> written;
    const auto events = *rc::gen::container<std::vector<Event>>(testing::random_event());
    for (const Event& event : events) {
      written.push_back({written.size() + 1, *testing::random_finite(), event});
    }
    store_->append(study.id, written, 0);
    RC_ASSERT(read_all(*store_, study.id) == written);
  }));
}

TEST_P(StoreTest, KeepsTheLargestNumbers) {
  using Limits = std::numeric_limits<double>;
  const StudyRecord study = create("a");
  const std::vector<JournalEntry> written{
      {1, 0.0, Told{UINT64_MAX, Limits::max()}},
      {2, Limits::max(), Told{INT64_MAX, Limits::denorm_min()}},
      {3, Limits::max(), Asked{1, UINT64_MAX, UINT64_MAX, {Limits::lowest(), Limits::min()}}},
      {4, Limits::max(), ToldSums{1, {UINT64_MAX, -0.0, 1e-300, 0.1, 1.0 / 3.0}}},
      {5, Limits::max(), Failed{1, std::string(100'000, 'x')}}};
  store_->append(study.id, written, INT64_MAX);
  EXPECT_EQ(read_all(*store_, study.id), written);
  EXPECT_EQ(store_->find("a")->pulls, static_cast<std::uint64_t>(INT64_MAX));
}

TEST_P(StoreTest, StudiesDoNotMix) {
  const StudyRecord b = create("b");
  const StudyRecord a = create("a");
  const StudyRecord c = create("C");
  EXPECT_NE(a.id, b.id);
  store_->append(a.id, entries(1, 3), 0);
  store_->append(b.id, entries(1, 5), 0);
  store_->set_snapshot(a.id, {3, "of a", ""});
  const std::vector<StudyRecord> list = store_->list();
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].name, "C");
  EXPECT_EQ(list[1].name, "a");
  EXPECT_EQ(list[2].events, 5U);
  EXPECT_FALSE(store_->snapshot(b.id).has_value());
  store_->erase(a.id);
  EXPECT_FALSE(store_->find("a").has_value());
  EXPECT_EQ(store_->list().size(), 2U);
  EXPECT_TRUE(read_all(*store_, a.id).empty());
  EXPECT_FALSE(store_->snapshot(a.id).has_value());
  EXPECT_EQ(read_all(*store_, b.id).size(), 5U);
  const StudyRecord again = create("a");
  EXPECT_EQ(again.events, 0U) << "a new one of that name";
  EXPECT_TRUE(read_all(*store_, again.id).empty());
}

TEST_P(StoreTest, ANameIsForOne) {
  const StudyRecord study = create("a");
  store_->append(study.id, entries(1, 2), 0);
  EXPECT_FALSE(store_->create({"a", "other", 5.0}).has_value());
  EXPECT_EQ(store_->find("a")->specification, "{}");
  EXPECT_EQ(store_->find("a")->events, 2U);
}

TEST_P(StoreTest, AStudyMayBeginWithTheJournalOfAnother) {
  const StudyRecord a = create("a");
  store_->append(a.id, entries(1, 12'000), 42);
  store_->set_snapshot(a.id, {5, "of a", ""});
  NewStudy copy{"b", "{}", 7.0, "a"};
  copy.copied = a.id;
  const StudyRecord b = store_->create(copy).value();
  EXPECT_EQ(b.events, 12'000U);
  EXPECT_EQ(b.pulls, 42U);
  EXPECT_EQ(b.created, 7.0);
  EXPECT_EQ(b.updated, 1e9 + 12'000);
  EXPECT_EQ(read_all(*store_, b.id), entries(1, 12'000));
  EXPECT_FALSE(store_->snapshot(b.id).has_value());
  store_->append(b.id, entries(12'001, 1), 43);
  EXPECT_EQ(read_all(*store_, a.id).size(), 12'000U);
}

TEST_P(StoreTest, AStudyMayBeginWithAJournalOfItsOwn) {
  const std::vector<JournalEntry> journal = entries(1, 11'000);
  NewStudy given{"a", "{}", 7.0};
  given.pulls = 3;
  given.journal = journal;
  const StudyRecord study = store_->create(given).value();
  EXPECT_EQ(study.events, 11'000U);
  EXPECT_EQ(study.pulls, 3U);
  EXPECT_EQ(study.updated, journal.back().at);
  EXPECT_EQ(read_all(*store_, study.id), journal);
}

TEST_P(StoreTest, KeepsTheLastSnapshotOnly) {
  const StudyRecord study = create("a");
  EXPECT_FALSE(store_->snapshot(study.id).has_value());
  store_->set_snapshot(study.id, {1, "one", "tuner"});
  store_->set_snapshot(study.id, {2, std::string(3'000'000, 'x'), ""});
  EXPECT_EQ(store_->snapshot(study.id)->events, 2U);
  EXPECT_EQ(store_->snapshot(study.id)->optimizer, std::string(3'000'000, 'x'));
  EXPECT_EQ(store_->snapshot(study.id)->tuner, "");
}

TEST_P(StoreTest, SpecificationAndHolderMayChange) {
  const StudyRecord study = create("a");
  const StudyRecord other = create("b");
  store_->set_specification(study.id, "{\"b\": 2}");
  store_->set_holder(study.id, "pid 7");
  EXPECT_EQ(store_->find("a")->specification, "{\"b\": 2}");
  EXPECT_EQ(store_->find("a")->holder, "pid 7");
  EXPECT_EQ(store_->find("b")->specification, "{}");
  EXPECT_EQ(store_->find("b")->holder, "");
}

TEST_P(StoreTest, WhatThrowsHasWrittenNothing) {
  const StudyRecord study = create("a");
  store_->append(study.id, entries(1, 3), 1);
  EXPECT_THROW(store_->append(study.id, entries(3, 2), 9), StoreError);
  EXPECT_EQ(read_all(*store_, study.id), entries(1, 3)) << "all or none";
  EXPECT_EQ(store_->find("a")->events, 3U);
  EXPECT_EQ(store_->find("a")->pulls, 1U);
  store_->append(study.id, entries(4, 2), 2);
  EXPECT_EQ(read_all(*store_, study.id), entries(1, 5));
  store_->append(study.id, {}, 77);
  EXPECT_EQ(store_->find("a")->pulls, 2U) << "nothing has happened";
}

TEST_P(StoreTest, NothingIsWrittenForAStudyThatWasDeletedMeanwhile) {
  const StudyRecord study = create("a");
  store_->append(study.id, entries(1, 3), 1);
  place_->open()->erase(study.id);
  EXPECT_THROW(store_->append(study.id, entries(4, 2), 2), StoreError);
  EXPECT_THROW(store_->set_snapshot(study.id, {3, "of a", ""}), StoreError);
  EXPECT_THROW(store_->set_specification(study.id, "{}"), StoreError);
  EXPECT_THROW(store_->set_holder(study.id, "pid 7"), StoreError);
  EXPECT_TRUE(read_all(*store_, study.id).empty());
  EXPECT_FALSE(store_->snapshot(study.id).has_value()) << "the next study may have its number";
}

TEST_P(StoreTest, ReadersDoNotWaitForTheWriterNorTheWriterForThem) {
  const StudyRecord study = create("a");
  store_->append(study.id, entries(1, 10), 0);
  const std::unique_ptr<Store> reader = place_->open();
  reader->read(study.id, 0, [&](const JournalEntry& entry) {
    if (entry.number == 5) store_->append(study.id, entries(11, 10), 0);
  });
  EXPECT_EQ(read_all(*reader, study.id).size(), 20U);
}

// --- locks
// ----------------------------------------------------------------------------------------

TEST_P(StoreTest, ALockIsForOneUntilItIsGivenBack) {
  const StudyRecord study = create("a");
  const StudyRecord other = create("b");
  const std::unique_ptr<Store> second = place_->open();
  EXPECT_FALSE(store_->is_locked(study.id));
  std::unique_ptr<StudyLock> lock = store_->try_lock(study.id, 0ms);
  ASSERT_NE(lock, nullptr);
  EXPECT_TRUE(second->is_locked(study.id));
  EXPECT_EQ(second->try_lock(study.id, 0ms), nullptr);
  EXPECT_EQ(store_->try_lock(study.id, 30ms), nullptr) << "not even for ourselves twice";
  EXPECT_NE(second->try_lock(other.id, 0ms), nullptr) << "another study";
  lock.reset();
  EXPECT_FALSE(second->is_locked(study.id));
  EXPECT_NE(second->try_lock(study.id, 0ms), nullptr);
}

TEST_P(StoreTest, WhoeverHasPatienceGetsTheLockWhenItIsGivenBack) {
  const StudyRecord study = create("a");
  std::unique_ptr<StudyLock> lock = store_->try_lock(study.id, 0ms);
  const std::unique_ptr<Store> second = place_->open();
  std::jthread holder([&] {
    std::this_thread::yield();
    lock.reset();
  });
  EXPECT_NE(second->try_lock(study.id, 60s), nullptr);
}

TEST_P(StoreTest, OfManyWhoWantALockOneHasItAtATime) {
  const StudyRecord study = create("a");
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < 4; ++i) stores.push_back(place_->open());
  std::atomic<int> holders = 0;
  std::vector<std::jthread> threads;
  for (const std::unique_ptr<Store>& store : stores) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        const std::unique_ptr<StudyLock> lock = store->try_lock(study.id, 60s);
        ASSERT_NE(lock, nullptr);
        EXPECT_EQ(++holders, 1);
        std::this_thread::yield();
        --holders;
      }
    });
  }
}

TEST_P(StoreTest, ListsByPages) {
  for (const char* name : {"c", "a", "d", "b"}) (void)store_->create({name, "{}", 0.0});
  const auto names = [&](const std::string& after, std::size_t limit) {
    std::string all;
    for (const StudyRecord& record : store_->list_some(after, limit)) all += record.name;
    return all;
  };
  EXPECT_EQ(names("", 3), "abc");
  EXPECT_EQ(names("c", 3), "d");
  EXPECT_EQ(names("a", 1), "b");
  EXPECT_EQ(names("x", 3), "");
}

TEST_P(StoreTest, ReadsAPieceOfAJournal) {
  const StudyId study = store_->create({"a", "{}", 0.0})->id;
  const auto written = entries(1, 50);
  store_->append(study, written, 0);
  std::vector<JournalEntry> some;
  store_->read_some(study, 10, 7, [&](const JournalEntry& entry) { some.push_back(entry); });
  EXPECT_EQ(some, std::vector<JournalEntry>(written.begin() + 10, written.begin() + 17));
  some.clear();
  store_->read_some(study, 48, 7, [&](const JournalEntry& entry) { some.push_back(entry); });
  EXPECT_EQ(some.size(), 2U);
  some.clear();
  for (std::uint64_t after = 0; after <= 50; ++after) {
    store_->read_some(study, after, 1, [&](const JournalEntry& entry) { some.push_back(entry); });
  }
  EXPECT_EQ(some, written) << "one by one";
}

TEST_P(StoreTest, WritesForManyStudiesInOneStep) {
  const StudyId a = store_->create({"a", "{}", 0.0})->id;
  const StudyId b = store_->create({"b", "{}", 0.0})->id;
  const StudyId gone = store_->create({"gone", "{}", 0.0})->id;
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

TEST_P(StoreTest, KeepsAnswersWithWhatWasDoneForThem) {
  const StudyId a = store_->create({"a", "{}", 0.0})->id;
  const StudyId b = store_->create({"b", "{}", 0.0})->id;
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

TEST_P(StoreTest, NumbersActsInEveryStudy) {
  const StudyId a = store_->create({"a", "{}", 0.0})->id;
  const StudyId b = store_->create({"b", "{}", 0.0})->id;
  EXPECT_EQ(store_->post_act(a, 1.0, "pause"), 1U);
  EXPECT_EQ(store_->post_act(b, 2.0, "end"), 1U);
  EXPECT_EQ(store_->post_act(a, 3.0, "resume"), 2U);
  EXPECT_EQ(store_->acts(a, 0), (std::vector<PostedAct>{{1, 1.0, "pause"}, {2, 3.0, "resume"}}));
  EXPECT_EQ(store_->acts(a, 1), (std::vector<PostedAct>{{2, 3.0, "resume"}}));
  store_->erase(b);
  EXPECT_TRUE(store_->acts(b, 0).empty());
  EXPECT_THROW(store_->post_act(b, 4.0, "end"), StoreError);
}

}  // namespace
}  // namespace canopy
