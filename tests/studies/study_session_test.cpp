#include "canopy/study_session.hpp"

#include "canopy/random.hpp"
#include "canopy/stores.hpp"

#include "stores/memory_store.hpp"
#include "studies/committer.hpp"
#include "support/faulty_store.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::FaultyStore;

constexpr int kThreads = 8;

/// Runs a function on many threads and waits for all of them.
template <class Work>
void on_threads(int count, const Work& work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
}

/// Blocks threads until it is opened.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

std::string text_of(int thread, int number) {
  return std::to_string(thread) + "/" + std::to_string(number);
}

/// A session on a memory store whose appends are counted and can be made to block or fail.
class StudySessionTest : public ::testing::Test {
 protected:
  [[nodiscard]] static StudySpecification specification() {
    return parse_study("[[space]]\nname = \"x\"\nlow = 0\nhigh = 1\n", "study.toml");
  }

  [[nodiscard]] std::unique_ptr<StudySession> open() {
    auto store = std::make_unique<FaultyStore>(
        std::make_unique<MemoryStore>(studies_),
        [this](std::string_view operation) { before(operation); }, [this] { after_append(); });
    return std::make_unique<StudySession>(std::move(store), [](Store& opened) {
      return Study::open(opened, specification(), {"a", {}});
    });
  }

  void before(std::string_view operation) {
    if (operation == "append") {
      const int number = ++appends_;
      if (number == held_append_) {
        append_began_.open();
        append_may_go_on_.wait();
      }
      if (append_fails_) testing::fail_as_if_full();
    } else if (nothing_works_) {
      throw StoreError(StoreError::Fault::unreachable, "the disk is gone");
    }
  }

  void after_append() const {
    if (appends_ != lost_append_) return;
    throw StoreError(StoreError::Fault::in_doubt, "the connection was lost");
  }

  /// The texts of all failures in the journal.
  [[nodiscard]] std::multiset<std::string> notes() const {
    std::multiset<std::string> all;
    MemoryStore store(studies_);
    store.read(find_study(store, "a").id, {}, [&](const JournalEntry& entry) {
      if (const auto* failed = std::get_if<Failed>(&entry.event)) all.insert(failed->what);
    });
    return all;
  }

  static void note(StudySession& session, const std::string& text) {
    session.perform([&](Study& study) { study.note(Failed{0, text}); });
  }

  std::shared_ptr<MemoryStudies> studies_ = std::make_shared<MemoryStudies>();
  std::atomic<int> appends_ = 0;
  std::atomic<int> held_append_ = 0;  // 0: none
  std::atomic<int> lost_append_ = 0;  // the append whose acknowledgement is lost; 0: none
  Gate append_began_;
  Gate append_may_go_on_;
  std::atomic<bool> append_fails_ = false;
  std::atomic<bool> nothing_works_ = false;
};

TEST_F(StudySessionTest, AnswersWhatIsOnTheDisk) {
  const auto session = open();
  const OwnedPull pull = session->perform([](Study& study) { return OwnedPull(study.ask()); });
  EXPECT_EQ(appends_, 1);
  EXPECT_EQ(session->perform([&](Study& study) { return study.tell(pull.ticket, 0.5); }),
            Status::ok);
  EXPECT_EQ(appends_, 2);
  EXPECT_EQ(session->perform([](const Study& study) { return study.summary().t; }), 2U);
  EXPECT_EQ(appends_, 2) << "looking changes nothing";
  MemoryStore store(studies_);
  EXPECT_EQ(find_study(store, "a").events, 2U);
}

TEST_F(StudySessionTest, OneCommitServesAllWhoHaveArrivedMeanwhile) {
  held_append_ = 1;
  const auto session = open();
  std::atomic<int> performed = 0;
  std::jthread first([&] { note(*session, "first"); });
  append_began_.wait();
  std::jthread opener([&] {
    while (performed < kThreads) std::this_thread::yield();
    append_may_go_on_.open();
  });
  on_threads(kThreads, [&](int thread) {
    session->perform([&](Study& study) {
      study.note(Failed{0, text_of(thread, 0)});
      ++performed;
    });
  });
  first.join();
  EXPECT_EQ(appends_, 2) << "the first, and all others";
  EXPECT_EQ(notes().size(), kThreads + 1U);
}

TEST_F(StudySessionTest, ReadersOfUncommittedEventsWaitForTheCommit) {
  held_append_ = 1;
  const auto session = open();
  std::jthread writer([&] { note(*session, "first"); });
  append_began_.wait();
  std::atomic<bool> looked = false;
  std::atomic<bool> answered = false;
  std::jthread reader([&] {
    session->perform([&](const Study& study) {
      EXPECT_EQ(study.events(), 1U);
      looked = true;
    });
    answered = true;
  });
  while (!looked) std::this_thread::yield();
  EXPECT_FALSE(answered);
  append_may_go_on_.open();
  reader.join();
  EXPECT_EQ(appends_, 1);
}

TEST_F(StudySessionTest, AFailureIsToldToAllWhoWaitAndNothingHasHappened) {
  const auto session = open();
  note(*session, "kept");
  const std::string saved = session->perform([](Study& study) { return study.save(); });
  held_append_ = 2;
  append_fails_ = true;
  std::atomic<int> performed = 0;
  std::atomic<int> refused = 0;
  std::jthread opener([&] {
    append_began_.wait();
    while (performed < kThreads) std::this_thread::yield();
    append_may_go_on_.open();
  });
  on_threads(kThreads, [&](int /*thread*/) {
    try {
      session->perform([&](Study& study) {
        (void)study.ask();
        ++performed;
      });
    } catch (const StoreError& error) {
      EXPECT_EQ(error.fault(), StoreError::Fault::full);
      ++refused;
    }
  });
  EXPECT_EQ(refused, kThreads);
  EXPECT_EQ(appends_, 2) << "one failure for all";
  append_fails_ = false;
  EXPECT_EQ(session->perform([](Study& study) { return study.save(); }), saved);
  const auto ticket = session->perform([](Study& study) { return study.ask().ticket; });
  EXPECT_EQ(ticket, 1U) << "no caller was told the other tickets";
}

TEST_F(StudySessionTest, WhatWasDoneWhileAnAcknowledgementWasLostIsLostAndNotAcknowledged) {
  held_append_ = lost_append_ = 1;
  const auto session = open();
  std::jthread first([&] { EXPECT_NO_THROW(note(*session, "first")) << "it is on the disk"; });
  append_began_.wait();
  std::atomic<bool> is_performed = false;
  std::atomic<bool> is_refused = false;
  std::jthread second([&] {
    try {
      session->perform([&](Study& study) {
        study.note(Failed{0, "second"});
        is_performed = true;
      });
    } catch (const StoreError& error) {
      EXPECT_EQ(error.fault(), StoreError::Fault::unreachable);
      is_refused = true;
    }
  });
  while (!is_performed) std::this_thread::yield();
  append_may_go_on_.open();
  first.join();
  second.join();
  EXPECT_TRUE(is_refused);
  note(*session, "third");
  EXPECT_EQ(notes(), (std::multiset<std::string>{"first", "third"}));
}

TEST_F(StudySessionTest, AfterAStoreThatCannotEvenBeReadItGoesOnWhenItCan) {
  const auto session = open();
  note(*session, "kept");
  append_fails_ = true;
  nothing_works_ = true;
  EXPECT_THROW(note(*session, "lost"), StoreError);
  EXPECT_THROW(note(*session, "lost"), StoreError);
  EXPECT_THROW((void)session->perform([](const Study& study) { return study.best(); }), StoreError);
  EXPECT_THROW(session->begin_batch(), StoreError);
  append_fails_ = false;
  EXPECT_THROW(note(*session, "lost"), StoreError) << "it does not know where it is";
  nothing_works_ = false;
  note(*session, "kept");
  EXPECT_EQ(notes(), (std::multiset<std::string>{"kept", "kept"}));
}

TEST_F(StudySessionTest, ARequestThatComesAgainWhileTheFirstIsOnItsWayIsPerformedOnce) {
  const auto store =
      std::make_shared<FaultyStore>(std::make_unique<MemoryStore>(studies_),
                                    [this](std::string_view operation) { before(operation); });
  std::mutex mutex;
  std::vector<std::jthread> workers;
  Committer committer(*store);
  const auto session = std::make_shared<StudySession>(
      store,
      [](Store& opened) {
        return Study::open(opened, specification(), {"a", {}});
      },
      StudySession::Options{.execute =
                                [&](std::function<void()> work) {
                                  const std::lock_guard lock(mutex);
                                  workers.emplace_back(std::move(work));
                                },
                            .committer = &committer,
                            .answers = store.get()});
  held_append_ = 1;
  std::atomic<int> performed = 0;
  Gate first_done;
  Gate second_done;
  Gate third_performed;
  std::string first;
  std::string second;
  const auto ask = [&](std::string& answer, Gate& done) {
    session->post({.perform =
                       [&](Study& study) {
                         ++performed;
                         return std::to_string(study.ask(1).ticket);
                       },
                   .done =
                       [&](const StudySession::Outcome& outcome) {
                         EXPECT_FALSE(outcome.error);
                         answer = outcome.answer;
                         done.open();
                       },
                   .key = "key",
                   .request = "ask"});
  };
  ask(first, first_done);
  append_began_.wait();
  ask(second, second_done);
  session->post({.perform =
                     [&](Study& /*study*/) {
                       third_performed.open();
                       return std::string();
                     },
                 .done = [](const StudySession::Outcome& /*outcome*/) {}});
  third_performed.wait();  // so all earlier tasks have been performed
  append_may_go_on_.open();
  first_done.wait();
  second_done.wait();
  EXPECT_EQ(performed, 1);
  EXPECT_EQ(first, "1");
  EXPECT_EQ(second, "1");
  session->close();
}

TEST_F(StudySessionTest, WhatAnActionThrowsIsThrown) {
  const auto session = open();
  EXPECT_THROW(session->perform([](Study&) { throw std::logic_error("mine"); }), std::logic_error);
  note(*session, "kept");
  EXPECT_EQ(notes().size(), 1U);
}

// --- batches ------------------------------------------------------------------------------------

TEST_F(StudySessionTest, ABatchIsOneCommitAndBatchesNest) {
  const auto session = open();
  session->begin_batch();
  note(*session, "1");
  session->begin_batch();
  note(*session, "2");
  session->end_batch();
  note(*session, "3");
  EXPECT_EQ(appends_, 0);
  session->end_batch();
  EXPECT_EQ(appends_, 1);
  EXPECT_EQ(notes().size(), 3U);
  session->end_batch();  // no batch is open
  note(*session, "4");
  EXPECT_EQ(appends_, 2) << "no batch any more";
}

TEST_F(StudySessionTest, ABatchThatIsLostIsToldAtItsEnd) {
  const auto session = open();
  session->begin_batch();
  note(*session, "1");
  append_fails_ = true;
  std::jthread([&] { EXPECT_THROW(note(*session, "of another thread"), StoreError); }).join();
  append_fails_ = false;
  note(*session, "2");
  EXPECT_THROW(session->end_batch(), StoreError);
  EXPECT_FALSE(notes().contains("1"));
  session->begin_batch();
  note(*session, "3");
  session->end_batch();
  EXPECT_TRUE(notes().contains("3"));
}

TEST_F(StudySessionTest, ABatchThatOthersHaveCommittedIsNotLostByALaterFailure) {
  const auto session = open();
  session->begin_batch();
  note(*session, "1");
  std::jthread([&] {
    note(*session, "of another thread");
    append_fails_ = true;
    EXPECT_THROW(note(*session, "lost"), StoreError);
    append_fails_ = false;
  }).join();
  EXPECT_NO_THROW(session->end_batch());
  EXPECT_TRUE(notes().contains("1"));
}

TEST_F(StudySessionTest, ABatchThatIsLostByAnotherWhoClosesIsToldAtItsEnd) {
  const auto session = open();
  session->begin_batch();
  note(*session, "1");
  append_fails_ = true;
  std::jthread([&] { EXPECT_THROW(session->close(), StoreError); }).join();
  append_fails_ = false;
  EXPECT_THROW(session->end_batch(), StoreError);
  EXPECT_TRUE(notes().empty());
}

// --- closing ------------------------------------------------------------------------------------

TEST_F(StudySessionTest, AfterClosingItIsClosedAndFreeForOthers) {
  const auto session = open();
  note(*session, "1");
  EXPECT_TRUE(session->is_open());
  session->close();
  session->close();
  EXPECT_FALSE(session->is_open());
  try {
    note(*session, "2");
    FAIL();
  } catch (const StudyError& error) {
    EXPECT_EQ(error.fault(), StudyError::Fault::closed);
    EXPECT_STREQ(error.what(), "the study a is closed");
  }
  MemoryStore store(studies_);
  EXPECT_EQ(store.snapshot(find_study(store, "a").id)->events, 1U) << "for a quick opening";
  EXPECT_NO_THROW((void)open());
}

TEST_F(StudySessionTest, ClosingKeepsWhatIsInABatch) {
  const auto session = open();
  session->begin_batch();
  note(*session, "1");
  session->close();
  EXPECT_NO_THROW(session->end_batch());
  EXPECT_EQ(notes().size(), 1U);
}

TEST_F(StudySessionTest, ClosedWhileOthersWorkItHasKeptAllThatWasAcknowledged) {
  for (int round = 0; round < 20; ++round) {
    const auto session = open();
    std::mutex mutex;
    std::multiset<std::string> acknowledged = notes();
    std::jthread closer([&] {
      while (appends_ < 10 * (round + 1)) std::this_thread::yield();
      session->close();
    });
    on_threads(kThreads, [&](int thread) {
      for (int i = 0;; ++i) {
        const std::string text = std::to_string(round) + ":" + text_of(thread, i);
        try {
          note(*session, text);
        } catch (const StudyError& error) {
          EXPECT_EQ(error.fault(), StudyError::Fault::closed);
          return;
        }
        const std::lock_guard lock(mutex);
        acknowledged.insert(text);
      }
    });
    closer.join();
    EXPECT_EQ(notes(), acknowledged);
    appends_ = std::max<int>(appends_, 10 * (round + 1));
  }
}

TEST_F(StudySessionTest, ClosesAfterTheStoreWasAwayAndIsBack) {
  const auto session = open();
  note(*session, "before");
  append_fails_ = nothing_works_ = true;
  EXPECT_THROW(note(*session, "lost"), StoreError);
  EXPECT_THROW(session->close(), StoreError);
  append_fails_ = nothing_works_ = false;
  session->close();
  EXPECT_FALSE(session->is_open());
  EXPECT_EQ(notes(), std::multiset<std::string>{"before"});
}

// --- everything at once -------------------------------------------------------------------------

TEST_F(StudySessionTest, WhatIsAcknowledgedHasHappenedAndWhatIsRefusedHasNot) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  const auto session = open();
  std::mutex mutex;
  std::multiset<std::string> acknowledged;
  std::atomic<int> working = kThreads;
  std::jthread spoiler([&] {
    RandomStream random({.seed = seed, .algorithm = "spoiler"});
    while (working > 0) {
      append_fails_ = random.uniform() < 0.3;
      nothing_works_ = append_fails_ && random.uniform() < 0.1;
      std::this_thread::yield();
    }
    append_fails_ = nothing_works_ = false;
  });
  on_threads(kThreads, [&](int thread) {
    for (int i = 0; i < 2000; ++i) {
      const std::string text = text_of(thread, i);
      try {
        note(*session, text);
        const std::lock_guard lock(mutex);
        acknowledged.insert(text);
      } catch (const StoreError&) {
        continue;
      }
    }
    --working;
  });
  spoiler.join();
  EXPECT_GT(acknowledged.size(), 0U);
  EXPECT_EQ(notes(), acknowledged);
  session->close();
}

/// Many threads use a study in a store on disk.
TEST(StudySessionOnDisk, EveryAnswerOfManyThreadsIsInTheJournal) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("s.db");
  std::atomic<int> appends = 0;
  StudySession session(
      std::make_unique<FaultyStore>(
          open_store(path, Store::Mode::create),
          [&](std::string_view operation) { appends += operation == "append" ? 1 : 0; }),
      [](Store& store) {
        return Study::open(
            store, parse_study("[[space]]\nname = \"x\"\nlow = 0\nhigh = 1\n", "study"), {"a", {}});
      });
  std::mutex mutex;
  std::map<Ticket, OwnedPull> asked;
  std::map<Ticket, double> told;
  std::set<Ticket> dropped;
  std::atomic<int> operations = 0;
  on_threads(kThreads, [&](int thread) {
    RandomStream random({.seed = static_cast<std::uint64_t>(thread)});
    for (int i = 0; i < 40; ++i) {
      const OwnedPull pull = session.perform([](Study& study) { return OwnedPull(study.ask(1)); });
      const bool drop = random.uniform() < 0.2;
      const double reward = random.uniform();
      const Status status = session.perform([&](Study& study) {
        return drop ? study.drop(pull.ticket) : study.tell(pull.ticket, reward);
      });
      EXPECT_EQ(status, Status::ok);
      operations += 2;
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(asked.emplace(pull.ticket, pull).second) << "a ticket is for one";
      if (drop) {
        dropped.insert(pull.ticket);
      } else {
        told[pull.ticket] = reward;
      }
    }
  });
  const std::string saved = session.perform([](Study& study) { return study.save(); });
  session.close();
  EXPECT_LE(appends, operations);
  const std::unique_ptr<Store> store = open_store(path, Store::Mode::open);
  const StudyRecord record = find_study(*store, "a");
  EXPECT_EQ(record.events, static_cast<std::uint64_t>(operations));
  store->read(record.id, {}, [&](const JournalEntry& entry) {
    if (const auto* event = std::get_if<Asked>(&entry.event)) {
      EXPECT_EQ(asked.at(event->ticket).arm, event->arm);
    } else if (const auto* answer = std::get_if<Told>(&entry.event)) {
      EXPECT_EQ(told.at(answer->ticket), std::get<double>(answer->rewards));
    } else {
      EXPECT_TRUE(dropped.contains(std::get<Dropped>(entry.event).ticket));
    }
  });
  EXPECT_EQ(Study::reopen(*store, {"a", {}}).save(), saved);
}

}  // namespace
}  // namespace canopy
