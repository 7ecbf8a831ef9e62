// Each operation of a store fails once, during random traffic. Everything acknowledged must be
// stored, nothing else may be, and the study must remain usable.

#include "canopy/random.hpp"
#include "canopy/stores.hpp"
#include "canopy/study_session.hpp"

#include "journal/told.hpp"
#include "stores/memory_store.hpp"
#include "support/faulty_store.hpp"
#include "support/postgres_server.hpp"
#include "support/random_event.hpp"
#include "support/temporary_folder.hpp"
#include "support/traffic.hpp"

#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::FaultyStore;

/// Makes `count` consecutive operations fail, from a given number on.
struct PlannedFault {
  int first = 0;  // 0: none
  int length = 1;
};

/// Replays a journal with an optimizer in memory.
void replay_event(Optimizer& twin, const Event& event) {
  if (const auto* asked = std::get_if<Asked>(&event)) {
    const Pull pull = twin.ask_in(asked->context, asked->pulls == 0 ? UINT64_MAX : asked->pulls);
    ASSERT_EQ(OwnedPull(pull).arm, asked->arm);
  } else if (const auto* told = std::get_if<Told>(&event)) {
    ASSERT_EQ(tell(twin, told->ticket, told->rewards), Status::ok);
  } else if (const auto* observed = std::get_if<Observed>(&event)) {
    ASSERT_EQ(twin.observe_in(observed->context, observed->arm, sums_of(observed->rewards)),
              Status::ok);
  } else if (const auto* dropped = std::get_if<Dropped>(&event)) {
    ASSERT_EQ(twin.drop(dropped->ticket), Status::ok);
  } else {
    ASSERT_TRUE(std::holds_alternative<Finished>(event));
    twin.finish();
  }
}

/// A study on a failing store, and a twin that does not see the failures.
class Trial {
 public:
  Trial(const std::string& file, std::uint64_t seed, PlannedFault fault,
        const std::function<std::unique_ptr<FullStore>()>& open)
      : specification_(parse_study(file, "study.toml")),
        traffic_(seed),
        fault_(fault),
        plain_(open()),
        twin_(make_optimizer(specification_)) {
    store_ = std::make_unique<FaultyStore>(
        open(), [this](std::string_view operation) { before(operation); });
  }

  void run(int commits) {
    for (int i = 0; i < commits; ++i) {
      if (!study_) reopen();
      if (!study_) continue;
      try {
        const auto steps = 1 + traffic_.random()() % 6;
        for (std::uint64_t step = 0; step < steps; ++step) traffic_.step(*study_);
        study_->commit();
        acknowledge();
        if (traffic_.random()() % 8 == 0) study_->snapshot();
        if (traffic_.random()() % 16 == 0) study_.reset();
      } catch (const StoreError&) {
        ++failures_;
        compare_after_failure();
      }
      if (::testing::Test::HasFatalFailure()) return;
    }
    study_.reset();
    fault_ = {};
    reopen();
    ASSERT_TRUE(study_.has_value());
    EXPECT_EQ(study_->save(), twin_->save());
    EXPECT_EQ(journal(), acknowledged_) << "nothing is lost, and there is nothing else";
  }

  [[nodiscard]] int operations() const { return operations_; }
  [[nodiscard]] int failures() const { return failures_; }
  [[nodiscard]] const std::set<std::string, std::less<>>& kinds() const { return kinds_; }

 private:
  void before(std::string_view operation) {
    ++operations_;
    kinds_.emplace(operation);
    const bool fails = fault_.first > 0 && operations_ >= fault_.first &&
                       operations_ < fault_.first + fault_.length;
    if (fails) testing::fail_as_if_full();
  }

  void reopen() {
    try {
      study_.emplace(Study::open(*store_, specification_, {"a", {}}));
    } catch (const StoreError&) {
      ++failures_;
    }
  }

  [[nodiscard]] std::vector<JournalEntry> journal() {
    std::vector<JournalEntry> entries;
    if (const auto record = plain_->find("a")) {
      plain_->read(record->id, {}, [&](const JournalEntry& entry) { entries.push_back(entry); });
    }
    return entries;
  }

  /// The commit has returned, so new events in the journal are acknowledged.
  void acknowledge() {
    const std::vector<JournalEntry> entries = journal();
    ASSERT_EQ(entries.size(), study_->events());
    for (std::size_t i = acknowledged_.size(); i < entries.size(); ++i) {
      replay_event(*twin_, entries[i].event);
    }
    acknowledged_ = entries;
    ASSERT_EQ(study_->save(), twin_->save());
  }

  void compare_after_failure() {
    ASSERT_EQ(journal(), acknowledged_);
    try {
      study_->recover();
      ASSERT_EQ(study_->save(), twin_->save());
      ASSERT_EQ(study_->events(), acknowledged_.size());
    } catch (const StoreError&) {
      return;  // reading fails, too; the next commit will recover
    }
  }

  StudySpecification specification_;
  testing::Traffic traffic_;
  PlannedFault fault_;
  std::unique_ptr<FullStore> plain_;  // never fails
  std::unique_ptr<FullStore> store_;
  std::optional<Study> study_;
  std::unique_ptr<Optimizer> twin_;
  std::vector<JournalEntry> acknowledged_;
  int operations_ = 0;
  int failures_ = 0;
  std::set<std::string, std::less<>> kinds_;
};

/// A new location for every trial.
std::function<std::unique_ptr<FullStore>()> in_memory() {
  return [studies = std::make_shared<MemoryStudies>()] {
    return std::make_unique<MemoryStore>(studies);
  };
}

TEST(Faults, AnyOperationMayFailAndNothingThatWasAcknowledgedIsLost) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  for (const std::string& file : testing::all_kinds_of_studies()) {
    SCOPED_TRACE(file);
    Trial plain(file, seed, {}, in_memory());
    plain.run(40);
    EXPECT_EQ(plain.failures(), 0);
    for (const char* kind : {"find", "create", "append", "read", "snapshot", "set_snapshot",
                             "try_lock", "set_holder"}) {
      EXPECT_TRUE(plain.kinds().contains(kind)) << kind;
    }
    for (int nth = 1; nth <= plain.operations() && !::testing::Test::HasFailure(); ++nth) {
      for (const int length : {1, 2, 7}) {
        SCOPED_TRACE("from " + std::to_string(nth) + ", " + std::to_string(length));
        Trial(file, seed, {nth, length}, in_memory()).run(40);
      }
    }
  }
}

TEST(Faults, TheSameOnADisk) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  RandomStream random({.seed = seed});
  for (const std::string& file : testing::all_kinds_of_studies()) {
    const testing::TemporaryFolder folder;
    Trial trial(file, seed, {1 + static_cast<int>(random() % 60), 3},
                [&] { return open_store(folder.path("s.db"), Store::Mode::create); });
    trial.run(20);
  }
}

TEST(Faults, TheSameInADatabaseOfPostgres) {
  if (!testing::PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  RandomStream random({.seed = seed});
  for (const std::string& file : testing::all_kinds_of_studies()) {
    const std::string address = testing::PostgresServer::shared().new_database();
    Trial trial(file, seed, {1 + static_cast<int>(random() % 60), 3},
                [&] { return open_store(address, Store::Mode::create); });
    trial.run(20);
  }
}

/// A fork is created atomically: completely or not at all.
TEST(Faults, AForkIsMadeAsAWholeOrNotAtAll) {
  const std::string other =
      "[optimizer]\nname = \"hoo\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n";
  for (const bool same : {true, false}) {
    for (int nth = 1;; ++nth) {
      const auto studies = std::make_shared<MemoryStudies>();
      int operations = -1000;  // operations remaining before the failure
      FaultyStore store(std::make_unique<MemoryStore>(studies), [&](std::string_view) {
        if (++operations == 0) testing::fail_as_if_full();
      });
      const StudySpecification before =
          parse_study(testing::all_kinds_of_studies().front(), "study.toml");
      {
        Study study = Study::open(store, before, {"a", {}});
        testing::Traffic traffic(7, false);
        for (int i = 0; i < 50; ++i) traffic.step(study);
        study.commit();
      }
      const StudySpecification after = same ? before : parse_study(other, "study.toml");
      operations = -nth;
      bool failed = false;
      std::string saved;
      try {
        saved = Study::open(store, after, {"a", "b"}).save();
      } catch (const StoreError&) {
        failed = true;
      }
      operations = -1000;
      const std::string again = Study::open(store, after, {"a", "b"}).save();
      if (!failed) {
        EXPECT_EQ(again, saved);
        break;  // there are fewer operations
      }
      EXPECT_GT(find_study(store, "b").events, 0U);
    }
  }
}

}  // namespace
}  // namespace canopy
