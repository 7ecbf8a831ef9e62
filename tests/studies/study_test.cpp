#include "canopy/study.hpp"

#include "canopy/errors.hpp"
#include "canopy/journal.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"
#include "canopy/state.hpp"
#include "canopy/stores.hpp"

#include "stores/event_row.hpp"
#include "stores/memory_store.hpp"
#include "studies/measured.hpp"
#include "support/sealed.hpp"
#include "support/sqlite.hpp"
#include "support/temporary_folder.hpp"
#include "support/traffic.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::execute;
using testing::TemporaryFolder;

StudySpecification study_of(const std::string& optimizer = "name = \"hct\"",
                            const std::string& high = "1.0") {
  return parse_study(
      "[optimizer]\n" + optimizer + "\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = " + high + "\n",
      "study.toml");
}

std::vector<JournalEntry> journal_of(Store& store, const std::string& name) {
  std::vector<JournalEntry> entries;
  store.read(find_study(store, name).id, {},
             [&](const JournalEntry& entry) { entries.push_back(entry); });
  return entries;
}

/// Performs steps of random traffic, with commits and snapshots. Returns the arms played.
std::map<Ticket, OwnedPull> converse(Study& study, testing::Traffic& traffic, int steps) {
  std::map<Ticket, OwnedPull> played;
  for (int i = 0; i < steps; ++i) {
    traffic.step(study);
    for (const Pull& pull : study.in_flight()) played.try_emplace(pull.ticket, pull);
    if (traffic.random()() % 24 == 0) study.commit();
    if (traffic.random()() % 64 == 0) study.snapshot();
  }
  study.commit();
  return played;
}

RC_GTEST_PROP(Study, ReplayGivesTheLiveStateBitForBitTicketsInFlightIncluded, ()) {
  const auto file = *rc::gen::elementOf(testing::all_kinds_of_studies());
  const StudySpecification specification = parse_study(file, "study.toml");
  const TemporaryFolder folder;
  const std::unique_ptr<Store> store = open_store(folder.path("s.db"), Store::Mode::create);
  testing::Traffic traffic(*rc::gen::arbitrary<std::uint64_t>());
  std::string saved;
  for (int life = 0; life < 3; ++life) {
    Study study = Study::open(*store, specification, {"a", {}});
    if (life > 0) RC_ASSERT(study.save() == saved);
    (void)converse(study, traffic, 100);
    saved = study.save();
    const LoadedOptimizer loaded = load_optimizer(*store, study.record(), study.specification());
    RC_ASSERT(loaded.optimizer->save() == saved);
    RC_ASSERT(loaded.warning.empty());
  }
  execute(folder.path("s.db"), "DELETE FROM snapshots");
  RC_ASSERT(Study::reopen(*store, {"a", {}}).save() == saved);
}

RC_GTEST_PROP(Study, TheJournalAloneHasTheArmsThatWerePlayed, ()) {
  const auto file = *rc::gen::elementOf(testing::all_kinds_of_studies());
  MemoryStore store;
  testing::Traffic traffic(*rc::gen::arbitrary<std::uint64_t>());
  std::map<Ticket, OwnedPull> played;
  {
    Study study = Study::open(store, parse_study(file, "study.toml"), {"a", {}});
    played = converse(study, traffic, 150);
  }
  std::size_t asks = 0;
  for (const JournalEntry& entry : journal_of(store, "a")) {
    const auto* asked = std::get_if<Asked>(&entry.event);
    if (asked == nullptr) continue;
    ++asks;
    RC_ASSERT(asked->arm == played.at(asked->ticket).arm);
    RC_ASSERT(asked->length == played.at(asked->ticket).length);
  }
  RC_ASSERT(asks == played.size());
}

class StudyTest : public ::testing::Test {
 protected:
  [[nodiscard]] Study open(const StudySpecification& specification,
                           const std::optional<std::string>& fork = {}) {
    return Study::open(*store_, specification, {"a", fork});
  }

  /// Performs pulls whose reward is the arm.
  static void pull(Study& study, int pulls) {
    for (int i = 0; i < pulls; ++i) {
      const Pull pull = study.ask(1);
      (void)study.tell(pull.ticket, pull.arm[0]);
    }
    study.commit();
  }

  /// Changes the store directly.
  void change(const std::string& sql) const { execute(folder_.path("s.db"), sql); }

  /// Replaces an event by another one with a valid checksum.
  void replace_event(std::uint64_t number, const Event& event) {
    const EventRow row = row_of({number, journal_of(*store_, "a").at(number - 1).at, event});
    change("UPDATE events SET checksum = " + std::to_string(row.checksum) + ", event = '" +
           row.event + "' WHERE number = " + std::to_string(number));
  }

  /// Returns the message of a StudyError, which must have this fault.
  template <class Do>
  [[nodiscard]] static std::string complaint(StudyError::Fault fault, Do&& command) {
    try {
      command();
    } catch (const StudyError& error) {
      EXPECT_EQ(error.fault(), fault) << error.what();
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_ = open_store(folder_.path("s.db"), Store::Mode::create);
};

// --- commits ------------------------------------------------------------------------------------

TEST_F(StudyTest, WhatWasNotCommittedHasNotHappened) {
  std::string saved;
  {
    Study study = open(study_of());
    pull(study, 10);
    saved = study.save();
    (void)study.ask(1);
  }
  EXPECT_EQ(open(study_of()).save(), saved);
}

TEST_F(StudyTest, AFailedCommitTakesTheStudyBackToTheLastOne) {
  Study study = open(study_of());
  pull(study, 10);
  const std::string saved = study.save();
  change(
      "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk is full'); "
      "END");
  const Pull lost = study.ask(1);
  const Ticket ticket = lost.ticket;
  (void)study.tell(ticket, 0.5);
  EXPECT_THROW(study.commit(), StoreError);
  EXPECT_EQ(study.save(), saved);
  EXPECT_EQ(study.events(), 20U);
  change("DROP TRIGGER full");
  EXPECT_EQ(study.ask(1).ticket, ticket) << "no caller was told this ticket";
  study.commit();
  EXPECT_EQ(study.record().events, 21U);
}

TEST_F(StudyTest, WhatTheOptimizerRefusesIsNotInTheJournal) {
  Study study = open(study_of());
  pull(study, 1);
  EXPECT_EQ(study.tell(77, 0.5), Status::unknown_ticket);
  EXPECT_EQ(study.tell(1, 0.5), Status::closed_ticket);
  EXPECT_EQ(study.observe(std::vector{7.0}, Rewards::one(0.5)), Status::not_an_arm);
  EXPECT_EQ(study.drop(1), Status::closed_ticket);
  EXPECT_EQ(study.events(), 2U);
}

TEST_F(StudyTest, AStudyIsRestoredFromItsStoreOnly) {
  Study study = open(study_of());
  EXPECT_THROW(study.restore(study.save()), StateError);
}

TEST_F(StudyTest, ACloneIsAnOptimizerOfItsOwn) {
  Study study = open(study_of());
  pull(study, 5);
  const std::unique_ptr<Optimizer> clone = study.clone();
  EXPECT_EQ(clone->save(), study.save());
  (void)clone->ask();
  EXPECT_EQ(study.events(), 10U);
}

// --- opening ------------------------------------------------------------------------------------

TEST_F(StudyTest, IsForOneWriterAtATimeWhoIsNamed) {
  const Study first = open(study_of());
  const std::string refused =
      complaint(StudyError::Fault::open_elsewhere, [&] { (void)open(study_of()); });
  EXPECT_EQ(refused.find("the study a is open elsewhere: pid " + std::to_string(getpid()) + " on "),
            0U)
      << refused;
}

TEST_F(StudyTest, NamesMustBeFitToBeShown) {
  for (const std::string name : {"", "a/b", "a\nb", "\xff"}) {
    EXPECT_NE(complaint(StudyError::Fault::bad_name,
                        [&] {
                          (void)Study::open(*store_, study_of(), {name, {}});
                        }),
              "");
  }
  EXPECT_TRUE(store_->list({}).empty());
}

TEST_F(StudyTest, AStudyThatIsNotThereIsMissedWithWhatWasProbablyMeant) {
  EXPECT_EQ(complaint(StudyError::Fault::missing,
                      [&] {
                        (void)Study::reopen(*store_, {"cache", {}});
                      }),
            store_->name() + ": has no studies yet");
  { const Study study = Study::open(*store_, study_of(), {"cache", {}}); }
  EXPECT_EQ(complaint(StudyError::Fault::missing,
                      [&] {
                        (void)Study::reopen(*store_, {"cash", {}});
                      }),
            store_->name() + ": cash: unknown study, did you mean \"cache\"?");
}

TEST_F(StudyTest, AnOptimizerThatCannotBeMadeLeavesNothingBehind) {
  EXPECT_THROW((void)open(study_of("name = \"grid\"\npoints = 1000000")), ConfigurationError);
  EXPECT_TRUE(store_->list({}).empty());
}

TEST_F(StudyTest, AStudyWithoutEventsMayStillChange) {
  { const Study study = open(study_of()); }
  EXPECT_EQ(open(study_of("name = \"hct\"\nnu1 = 2")).summary().t, 1U);
  EXPECT_NE(find_study(*store_, "a").specification.find("\"nu1\":2"), std::string::npos);
}

TEST_F(StudyTest, AStudyWithoutEventsKeepsItsSpace) {
  { const Study study = open(study_of()); }
  EXPECT_EQ(
      complaint(StudyError::Fault::differs, [&] { (void)open(study_of("name = \"hct\"", "3.0")); }),
      "the study a was created with other settings: space.x was parameter 1, a number from 0 "
      "to 1 and is parameter 1, a number from 0 to 3");
  EXPECT_EQ(open(study_of()).summary().t, 1U);
}

TEST_F(StudyTest, AFileThatChangesWhatIsLearntIsRefusedWithWhatDiffers) {
  {
    Study study = open(study_of());
    pull(study, 1);
  }
  EXPECT_EQ(complaint(StudyError::Fault::differs,
                      [&] { (void)open(study_of("name = \"hct\"\nnu1 = 2", "3.0")); }),
            "the study a was created with other settings: optimizer.nu1 was 4.0 and is 2.0; "
            "space.x was parameter 1, a number from 0 to 1 and is parameter 1, a number from 0 to "
            "3");
  EXPECT_EQ(complaint(StudyError::Fault::differs,
                      [&] { (void)open(study_of("name = \"hct\"\nnu1 = 4.0")); }),
            "")
      << "the default, spelled out";
}

TEST_F(StudyTest, KeepsItsOptimizerWhereNoneIsAskedFor) {
  {
    Study study = Study::open(*store_, study_of("name = \"hct\"\nrho = 0.6"), {"a", {}});
    ASSERT_EQ(study.tell(study.ask().ticket, 0.5), Status::ok);
    study.commit();
  }
  EXPECT_EQ(Study::open(*store_, study_of(""), {"a", {}}).specification().optimizer.name, "hct");
  EXPECT_EQ(Study::open(*store_, study_of(""), {"b", {}}).specification().optimizer.name,
            kDefaultOptimizer);
  EXPECT_THROW((void)Study::open(*store_, study_of("settle = 3"), {"a", {}}), StudyError);
}

TEST_F(StudyTest, WhatDoesNotConcernLearningMayChangeAndIsKept) {
  {
    Study study = open(study_of());
    pull(study, 1);
  }
  StudySpecification changed = study_of();
  changed.budget.pulls = 77;
  { const Study study = open(changed); }
  EXPECT_EQ(specification_of(find_study(*store_, "a")).budget.pulls, 77U);
}

TEST_F(StudyTest, ASpecificationIsKeptWithEveryOption) {
  { const Study study = open(study_of()); }
  const StudySpecification kept = specification_of(find_study(*store_, "a"));
  EXPECT_EQ(kept, resolved(study_of()));
  EXPECT_EQ(kept.revision, 2U);
  EXPECT_NE(kept.optimizer.options.find("confidence_scale"), nullptr);
}

TEST_F(StudyTest, TimeNeverGoesBack) {
  {
    Study study = open(study_of());
    pull(study, 1);
  }
  // The clock was an hour ahead when the last event happened.
  change("UPDATE studies SET updated = updated + 3600");
  const double before = find_study(*store_, "a").updated;
  Study study = open(study_of());
  pull(study, 1);
  EXPECT_GE(find_study(*store_, "a").updated, before);
}

// --- forks --------------------------------------------------------------------------------------

TEST_F(StudyTest, AForkHasTheWholeJournalWhenNothingDiffers) {
  std::string saved;
  {
    Study study = open(study_of());
    pull(study, 20);
    saved = study.save();
  }
  {
    Study same = open(study_of(), "b");
    EXPECT_EQ(same.save(), saved);
    EXPECT_EQ(same.record().forked_from, "a");
    EXPECT_EQ(same.record().pulls, 20U);
    pull(same, 5);
  }
  EXPECT_EQ(open(study_of()).save(), saved) << "the old one is as it was";
  EXPECT_EQ(open(study_of(), "b").summary().t, 26U) << "the same command goes on";
  EXPECT_EQ(Study::reopen(*store_, {"a", "b"}).summary().t, 26U);
  { const Study other = Study::open(*store_, study_of(), {"d", {}}); }
  EXPECT_EQ(complaint(StudyError::Fault::taken, [&] { (void)open(study_of(), "d"); }),
            "there already is a study d");
  EXPECT_NE(complaint(StudyError::Fault::bad_name, [&] { (void)open(study_of(), "b/c"); }), "");
}

TEST_F(StudyTest, AForkWithOtherOptionsHasObservedAllRewards) {
  double sum = 0.0;
  {
    Study study = open(study_of());
    for (int i = 0; i < 20; ++i) {
      const Pull pull = study.ask(1);
      sum += pull.arm[0];
      (void)study.tell(pull.ticket, pull.arm[0]);
    }
    (void)study.ask(1);  // remains in flight, and is not copied to the fork
    study.commit();
  }
  Study fork = open(study_of("name = \"hct\"\nnu1 = 2"), "b");
  EXPECT_EQ(fork.summary().observed, 20U);
  EXPECT_EQ(fork.summary().t, 1U) << "none of these was its own pull";
  EXPECT_TRUE(fork.in_flight().empty());
  double observed = 0.0;
  const std::vector<JournalEntry> before = journal_of(*store_, "a");
  std::size_t tells = 0;
  for (const JournalEntry& entry : journal_of(*store_, "b")) {
    const auto& event = std::get<Observed>(entry.event);
    EXPECT_EQ(event.arm.at(0), sums_of(event.rewards).sum) << "every arm was told itself";
    observed += sums_of(event.rewards).sum;
    while (!std::holds_alternative<Told>(before.at(tells).event)) ++tells;
    EXPECT_EQ(entry.at, before.at(tells++).at) << "when it happened";
  }
  EXPECT_EQ(observed, sum);
  pull(fork, 5);
  const std::string saved = fork.save();
  EXPECT_EQ(load_optimizer(*store_, fork.record(), fork.specification()).optimizer->save(), saved);
}

TEST_F(StudyTest, AForkToAnotherAlgorithmHasObservedAllRewardsToo) {
  {
    Study study = open(study_of());
    pull(study, 20);
  }
  for (const std::string name : {"thoo", "hoo", "power", "grid", "random"}) {
    Study fork = open(study_of("name = \"" + name + "\""), name);
    EXPECT_EQ(fork.summary().observed, 20U) << name;
    EXPECT_TRUE(fork.best().has_value()) << name;
  }
}

TEST_F(StudyTest, AForkWithAnotherSpaceHasTheRewardsOfThoseArmsThatFit) {
  std::uint64_t low = 0;
  {
    Study study = open(study_of("name = \"random\""));
    for (int i = 0; i < 30; ++i) {
      const Pull pull = study.ask(1);
      low += pull.arm[0] <= 0.5 ? 1U : 0U;
      (void)study.tell(pull.ticket, pull.arm[0]);
    }
    study.commit();
  }
  EXPECT_EQ(open(study_of("name = \"random\"", "3.0"), "wider").summary().observed, 30U);
  EXPECT_EQ(open(study_of("name = \"random\"", "0.5"), "narrower").summary().observed, low);
  const StudySpecification other = parse_study("[[space]]\nname = \"y\"\nlow = 0\nhigh = 1\n", "y");
  EXPECT_EQ(open(other, "another").summary().observed, 0U) << "its numbers mean something else";
}

TEST_F(StudyTest, AForkOfAForkCarriesObservationsOn) {
  {
    Study study = open(study_of());
    pull(study, 10);
  }
  {
    Study fork = open(study_of("name = \"hoo\""), "b");
    pull(fork, 5);
  }
  Study second = Study::open(*store_, study_of("name = \"grid\""), {"b", "c"});
  EXPECT_EQ(second.summary().observed, 15U);
}

// --- snapshots and journals ---------------------------------------------------------------------

TEST_F(StudyTest, ADamagedSnapshotFallsBackToTheJournal) {
  std::string saved;
  {
    Study study = open(study_of());
    pull(study, 50);
    study.snapshot();
    saved = study.save();
  }
  change("UPDATE snapshots SET tuner = 'garbage'");
  EXPECT_EQ(open(study_of()).save(), saved);
  change("UPDATE snapshots SET optimizer = 'canopy-state 1 hct garbage 5'");
  EXPECT_EQ(open(study_of()).save(), saved);
  change("UPDATE snapshots SET events = 7777");
  EXPECT_EQ(open(study_of()).save(), saved) << "of a future that did not happen";
  change("UPDATE snapshots SET events = 100, optimizer = 'canopy-state 99 hct 1'");
  EXPECT_EQ(open(study_of()).save(), saved) << "a version that its checksum does not confirm";
  change("UPDATE snapshots SET optimizer = '" + testing::sealed("canopy-state 99 hct") + "'");
  EXPECT_NE(complaint(StudyError::Fault::damaged, [&] { (void)open(study_of()); })
                .find("a: the state was saved by a newer version of canopy (format 99"),
            std::string::npos);
}

TEST_F(StudyTest, WhileItsStoreCannotBeReadASnapshotIsAnErrorAndThenTheStudyGoesOn) {
  Study study = open(study_of());
  pull(study, 5);
  const std::string saved = study.save();
  change("ALTER TABLE studies RENAME TO elsewhere");
  (void)study.ask();
  EXPECT_THROW(study.commit(), StoreError);
  EXPECT_THROW(study.snapshot(), StoreError);
  change("ALTER TABLE elsewhere RENAME TO studies");
  study.commit();
  study.snapshot();
  EXPECT_EQ(study.save(), saved);
}

TEST_F(StudyTest, ASnapshotIsTakenNowAndThenByItself) {
  Study study = open(study_of("name = \"random\""));
  for (int i = 0; i < 6; ++i) pull(study, 1000);
  const std::optional<Snapshot> snapshot = store_->snapshot(study.record().id);
  ASSERT_TRUE(snapshot.has_value());
  EXPECT_GE(snapshot->events, 10'000U);
  EXPECT_LE(snapshot->events, 12'000U);
}

/// Counts the folded entries.
class CountingFold final : public JournalFold {
 public:
  explicit CountingFold(int& applied) : applied_(applied) {}

  void apply(const JournalEntry& /*entry*/) override { ++applied_; }
  [[nodiscard]] std::string save() override { return "two words"; }
  void restore(std::string_view saved) override { EXPECT_EQ(saved, "two words"); }

 private:
  int& applied_;
};

TEST_F(StudyTest, AFoldGoesOnFromTheSnapshot) {
  int applied = 0;
  const OpenOptions options{.name = "a", .fork = {}, .fold = [&](const StudySpecification&) {
                              return std::make_unique<CountingFold>(applied);
                            }};
  {
    Study study = Study::open(*store_, study_of(), options);
    pull(study, 5);
    study.snapshot();
    pull(study, 1);
  }
  applied = 0;
  { const Study study = Study::open(*store_, study_of(), options); }
  EXPECT_EQ(applied, 2) << "the events after the snapshot";
}

TEST_F(StudyTest, AnArmThatWasChangedInTheJournalIsNamedAndNothingIsReattributed) {
  {
    Study study = open(study_of());
    pull(study, 5);
  }
  replace_event(5, Asked{3, 1, 1, {0.1}});
  EXPECT_EQ(complaint(StudyError::Fault::damaged, [&] { (void)open(study_of()); }),
            "a: event 5 of its journal does not match: the optimizer would play another arm");
  EXPECT_EQ(complaint(StudyError::Fault::damaged,
                      [&] {
                        (void)Study::reopen(*store_, {"a", {}});
                      }),
            "a: event 5 of its journal does not match: the optimizer would play another arm");
  const StudyRecord record = find_study(*store_, "a");
  EXPECT_THROW((void)load_optimizer(*store_, record, specification_of(record)), StudyError);
  EXPECT_FALSE(store_->is_locked(record.id));
  EXPECT_EQ(record.events, 10U);
  read_journal(*store_, record, [](const JournalEntry& entry, std::optional<Arm> arm) {
    EXPECT_EQ(entry.number == 5 || entry.number == 6, arm->front() == 0.1);
  });
  // Its history can still be copied to a fork, as observations.
  EXPECT_EQ(open(study_of("name = \"hoo\""), "b").summary().observed, 5U);
}

TEST_F(StudyTest, AJournalThatDoesNotFitIsNamed) {
  {
    Study study = open(study_of());
    pull(study, 5);
  }
  const auto refused = [&] {
    return complaint(StudyError::Fault::damaged, [&] { (void)open(study_of()); });
  };
  const std::vector<double> arm = std::get<Asked>(journal_of(*store_, "a").at(8).event).arm;
  replace_event(9, Asked{5, 1, 3, arm});
  EXPECT_EQ(
      refused(),
      "a: event 9 of its journal does not match: the optimizer would ask for another number of "
      "pulls");
  replace_event(7, Asked{99, 1, 1, arm});
  EXPECT_EQ(refused(),
            "a: event 7 of its journal does not match: the next ticket has another number");
  replace_event(4, Told{77, 0.5});
  EXPECT_EQ(refused(), "a: event 4 of its journal does not match: " +
                           std::string(describe(Status::unknown_ticket)));
  change("UPDATE events SET event = '[\"ask\",2,[0.5]]' WHERE number = 3");
  EXPECT_EQ(refused(), "a: event 3 of its journal is damaged: its checksum differs");
  change("DELETE FROM events WHERE number = 3");
  EXPECT_EQ(refused(), "a: event 4 of its journal does not match: an event is missing before it");
  change("DELETE FROM events WHERE number >= 3");
  EXPECT_EQ(refused(), "a: its journal ends after event 2 of 10");
}

TEST_F(StudyTest, ASpecificationThatCannotBeUnderstoodIsDamage) {
  { const Study study = open(study_of()); }
  change("UPDATE studies SET specification = '{}'");
  EXPECT_NE(complaint(StudyError::Fault::damaged,
                      [&] {
                        (void)Study::reopen(*store_, {"a", {}});
                      }),
            "");
  change("UPDATE studies SET specification = replace('{\"format\":9}', ' ', '')");
  EXPECT_NE(complaint(StudyError::Fault::damaged,
                      [&] {
                        (void)Study::reopen(*store_, {"a", {}});
                      })
                .find("newer version of canopy (format 9, this one reads 3)"),
            std::string::npos);
}

/// A study that compares its arms with the baseline 0.9 very often.
StudySpecification compared() {
  return parse_study(
      "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[baseline]\nsetting = { x = 0.9 }\nevery = "
      "2\npulls = 3\n",
      "study.toml");
}

/// Answers asks of any purpose with 1 minus the arm.
void answer(Study& study, int asks) {
  for (int i = 0; i < asks; ++i) {
    const OwnedPull pull(study.ask(1));
    std::vector<double> rewards(pull.length - pull.then_length, 1.0 - pull.arm[0]);
    for (std::uint64_t j = 0; j < pull.then_length; ++j) rewards.push_back(1.0 - pull.then[0]);
    ASSERT_EQ(study.tell(pull.ticket, rewards), Status::ok);
  }
}

TEST_F(StudyTest, ComparesWithItsBaselineAndKnowsItAfterwards) {
  std::optional<Uplift> before;
  {
    Study study = open(compared());
    answer(study, 200);
    study.commit();
    before = study.uplift();
  }
  ASSERT_TRUE(before);
  EXPECT_EQ(before->verdict, Uplift::Verdict::better);
  EXPECT_NEAR(before->baseline_mean, 0.1, 1e-12);
  EXPECT_NEAR(before->difference, 0.9 - before->arm[0], 1e-12);
  const Study study = Study::reopen(*store_, {"a", {}});
  EXPECT_EQ(study.uplift()->arm, before->arm);
  EXPECT_EQ(study.uplift()->pairs, before->pairs);
  EXPECT_EQ(study.uplift()->interval, before->interval);
}

TEST_F(StudyTest, AJournalTellsWhoseTheRewardsOfADuelAre) {
  Study study = open(compared());
  answer(study, 200);
  study.commit();
  std::uint64_t of_baseline = 0;
  std::uint64_t of_others = 0;
  std::uint64_t duels = 0;
  read_journal(*store_, study.record(), [&](const JournalEntry& entry, std::optional<Arm> arm) {
    if (const auto* asked = std::get_if<Asked>(&entry.event)) {
      if (asked->purpose == Purpose::duel) ++duels;
    }
    const auto* told = std::get_if<Told>(&entry.event);
    if (told == nullptr) return;
    ASSERT_TRUE(arm);
    EXPECT_EQ(told->is_baseline, (*arm)[0] == 0.9);
    EXPECT_EQ(sums_of(told->rewards).mean(), 1.0 - (*arm)[0]);
    ++(told->is_baseline ? of_baseline : of_others);
  });
  EXPECT_GE(duels, 10U);
  EXPECT_EQ(of_baseline, duels + 3);
  EXPECT_EQ(of_baseline + of_others, 200 + duels);
}

TEST_F(StudyTest, RoundsMayComeMoreOrLessOftenThanWhenTheStudyWasBegun) {
  {
    Study study = open(compared());
    answer(study, 200);
    study.commit();
  }
  StudySpecification seldom = compared();
  seldom.baseline->every = 50;
  Study study = open(seldom);
  answer(study, 60);
  study.commit();
  EXPECT_GE(study.uplift()->pairs, 10U);
}

TEST_F(StudyTest, KeepsWhatElseWasMeasuredWithTheArmOfItsTicket) {
  Study study = open(study_of("name = \"hct\""));
  const OwnedPull pull(study.ask(2));
  const double nan = std::nan("");
  EXPECT_EQ(tell(study, pull.ticket, 1.0, {{"p99", nan}}), Status::not_a_reward);
  EXPECT_EQ(tell(study, pull.ticket, nan, {{"p99", 1.0}}), Status::not_a_reward);
  EXPECT_EQ(tell(study, pull.ticket, std::vector(9, 1.0), {{"p99", 1.0}}),
            Status::too_many_rewards);
  ASSERT_EQ(tell(study, pull.ticket, 0.5, {{"p99", 31.0}}), Status::ok);
  const std::vector<double> other{0.125};
  ASSERT_EQ(observe(study, other, 0.25, Role::search, {{"p99", 12.0}}), Status::ok);
  ASSERT_EQ(observe(study, other, std::vector{0.5, 0.75}, Role::baseline, {}), Status::ok);
  ASSERT_EQ(observe(study, other, 9.0, Role::warm_up, {{"p99", 99.0}}), Status::ok);
  EXPECT_EQ(tell(study, pull.ticket + 1, 0.5, {{"p99", 1.0}}), Status::unknown_ticket);
  EXPECT_EQ(observe(study, std::vector{7.0}, 9.0, Role::warm_up, {}), Status::not_an_arm);
  EXPECT_EQ(observe(study, other, nan, Role::warm_up, {}), Status::not_a_reward);
  EXPECT_EQ(observe(study, other, std::vector<double>{}, Role::search, {}),
            Status::impossible_sums);
  EXPECT_EQ(observe(study, other, 1.0, Role::search, {{"p99", nan}}), Status::not_a_reward);
  study.commit();
  std::vector<Event> events;
  for (const JournalEntry& entry : journal_of(*store_, "a")) events.push_back(entry.event);
  EXPECT_EQ(events, (std::vector<Event>{
                        Asked{pull.ticket, 2, pull.length, pull.arm},
                        MetricsMeasured{pull.ticket, {{"p99", 31.0}}, pull.arm},
                        Told{pull.ticket, 0.5},
                        MetricsMeasured{0, {{"p99", 12.0}}, other},
                        Observed{other, 0.25},
                        Observed{other, Rewards::of(std::vector{0.5, 0.75}), Role::baseline},
                        Observed{other, 9.0, Role::warm_up},
                    }));
  EXPECT_EQ(study.summary().observed, 1U) << "what others earned is learnt for the search alone";
}

/// Why a study cannot be opened; empty if it can.
template <class Open>
std::string refusal_of(Open&& open) {
  try {
    open();
  } catch (const StudyError& error) {
    return error.what();
  }
  return "";
}

TEST_F(StudyTest, WhatWasMeasuredBesideRewardsSteersTheSearchAlsoAfterReopening) {
  StudySpecification limited = study_of("name = \"adaptive\"");
  limited.objective.limits = {{.metric = "p99", .max = 40.0}};
  const auto play = [](Study& study, int pulls) {
    for (int i = 0; i < pulls; ++i) {
      const OwnedPull pull(study.ask());
      ASSERT_EQ(tell(study, pull.ticket, pull.arm[0], {{"p99", 100.0 * pull.arm[0]}}), Status::ok);
    }
    study.commit();
  };
  std::vector<double> arm;
  {
    Study study = open(limited);
    play(study, 60);
    arm = study.best()->arm;
    EXPECT_LE(arm[0], 0.4);
    EXPECT_GE(arm[0], 0.3);
  }
  {
    Study study = open(limited);
    EXPECT_EQ(study.best()->arm, arm);
    play(study, 5);
  }
  limited.objective.limits = {{.metric = "p99", .max = 80.0}};
  const std::string refused = refusal_of([&] { (void)open(limited); });
  EXPECT_NE(refused.find("limit p99 was at most 40 and is at most 80"), std::string::npos)
      << refused;
}

/// A hill whose maximum jumps at one pull, and whose level rises from another one on.
class JumpingHill {
 public:
  explicit JumpingHill(std::uint64_t jump, std::uint64_t rise = UINT64_MAX)
      : jump_(jump), rise_(rise) {}

  void play(Study& study, int pulls) {
    for (int i = 0; i < pulls; ++i) {
      const OwnedPull pull(study.ask(1));
      const double top = ++pulls_ <= jump_ ? 0.2 : 0.8;
      const double f = 1.0 - 3.0 * std::abs(pull.arm[0] - top);
      const double level = pulls_ <= rise_ ? 0.0 : 0.005 * static_cast<double>(pulls_ - rise_);
      ASSERT_EQ(study.tell(pull.ticket, f + level + 0.1 * random_.normal()), Status::ok);
    }
    study.commit();
  }

 private:
  std::uint64_t jump_;
  std::uint64_t rise_;
  std::uint64_t pulls_ = 0;
  RandomStream random_{{.seed = 3}};
};

std::vector<Change> changes_in(Store& store, const std::string& name) {
  std::vector<Change> changes;
  for (const JournalEntry& entry : journal_of(store, name)) {
    if (const auto* changed = std::get_if<Changed>(&entry.event)) {
      changes.push_back(changed->change);
    }
  }
  return changes;
}

TEST_F(StudyTest, AChangeOfTheSystemIsInTheJournalOnceAndIsFoundAgain) {
  const StudySpecification study_file = study_of("name = \"adaptive\"\ndrift = \"auto\"");
  JumpingHill hill(800);
  std::string saved;
  {
    Study study = open(study_file);
    hill.play(study, 700);
    study.snapshot();
    hill.play(study, 700);
    ASSERT_GE(study.changes(), 1U);
    EXPECT_EQ(changes_in(*store_, "a").size(), study.changes());
    EXPECT_EQ(changes_in(*store_, "a").back(), study.summary().last_change.value());
    EXPECT_EQ(changes_in(*store_, "a").front().kind, Change::Kind::shape);
    saved = study.save();
  }
  const auto so_far = static_cast<std::uint64_t>(changes_in(*store_, "a").size());
  EXPECT_EQ(Study::reopen(*store_, {"a", {}}).save(), saved);
  change("DELETE FROM snapshots");
  {
    Study study = open(study_file);
    EXPECT_EQ(study.save(), saved) << "from the journal alone";
    hill.play(study, 1);
    EXPECT_EQ(changes_in(*store_, "a").size(), so_far) << "none twice";
  }
  EXPECT_EQ(open(study_file, "same").changes(), so_far) << "a fork of the whole journal";
  const Study other = open(study_of("name = \"adaptive\"\ndrift = \"none\""), "other");
  EXPECT_EQ(other.changes(), 0U) << "does not look for changes";
  EXPECT_TRUE(changes_in(*store_, "other").empty());
}

TEST_F(StudyTest, ALevelThatIsFollowedIsInTheJournalAtTheSamePlacesHoweverOftenItIsReopened) {
  const StudySpecification study_file = study_of("name = \"adaptive\"\ndrift = \"auto\"");
  const auto events_after = [&](const std::string& name, int pulls_at_once) {
    JumpingHill hill(UINT64_MAX, 500);
    for (int i = 0; i < 1'200; i += pulls_at_once) {
      Study study = Study::open(*store_, study_file, {name, {}});
      hill.play(study, pulls_at_once);
    }
    std::vector<Event> events;
    for (const JournalEntry& entry : journal_of(*store_, name)) events.push_back(entry.event);
    return events;
  };
  const std::vector<Event> events = events_after("once", 1'200);
  const auto is_level = [](const Event& event) { return std::holds_alternative<LevelSeen>(event); };
  EXPECT_GE(std::count_if(events.begin(), events.end(), is_level), 3);
  EXPECT_EQ(events_after("often", 48), events);
}

TEST_F(StudyTest, MetricsAreOfOneArmOfADuel) {
  Study study = open(compared());
  for (int i = 0; i < 200; ++i) {
    const OwnedPull pull(study.ask(1));
    if (pull.then.empty()) {
      ASSERT_EQ(study.tell(pull.ticket, pull.arm[0]), Status::ok);
      continue;
    }
    EXPECT_EQ(tell(study, pull.ticket, std::vector{1.0, 2.0}, {{"p99", 1.0}}), Status::two_arms);
    EXPECT_EQ(tell(study, pull.ticket, 1.0, {{"p99", 1.0}}), Status::ok);
    EXPECT_EQ(tell(study, pull.ticket, 2.0, {{"p99", 2.0}}), Status::ok);
    return;
  }
  FAIL() << "there was no duel";
}

TEST_F(StudyTest, OtherCommandsAreRefusedUnlessTheUserAcceptsThem) {
  StudySpecification file = study_of("name = \"hct\"");
  file.system.emplace();
  file.system->measure = "old";
  {
    Study study = open(file);
    (void)study.tell(study.ask(1).ticket, 1.0);
    study.commit();
  }
  file.budget.pulls = 10;
  (void)open(file);
  file.system->measure = "new";
  const std::string refused = refusal_of([&] { (void)open(file); });
  EXPECT_NE(refused.find("system.measure was \"old\" and is \"new\""), std::string::npos)
      << refused;
  EXPECT_EQ(Study::open(*store_, file, {.name = "a", .fork = "empty"}).summary().t, 1U)
      << "what was measured may be something else";
  EXPECT_EQ(
      Study::open(*store_, file, {.name = "a", .fork = "full", .accept_changes = true}).summary().t,
      2U);
  const Study study = Study::open(*store_, file, {.name = "a", .fork = {}, .accept_changes = true});
  EXPECT_EQ(journal_of(*store_, "a").back().event,
            (Event(CommandsChanged{"system.measure was \"old\" and is \"new\""})));
}

}  // namespace
}  // namespace canopy
