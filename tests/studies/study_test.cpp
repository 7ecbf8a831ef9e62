#include "studies/study.hpp"

#include "canopy/random.hpp"

#include "studies/uplift.hpp"
#include "support/temporary_folder.hpp"

#include <cstdint>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::TemporaryFolder;

StudyFile file_of(const std::string& optimizer = "name = \"hct\"",
                  const std::string& high = "1.0") {
  const std::string source =
      "[optimizer]\n" + optimizer + "\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = " + high + "\n";
  return {parse_study(source, "study.toml"), source};
}

/// Changes the store behind canopy's back.
void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

/// Asks, tells in all ways and drops, as drawn; commits now and then.
void converse(Study& study, RandomStream& random, int steps) {
  for (int i = 0; i < steps; ++i) {
    const std::vector<Pull> open = study.in_flight();
    const double what = random.uniform();
    if (open.empty() || what < 0.35) {
      (void)study.ask(random.coin() ? UINT64_MAX : 1 + random() % 4);
    } else {
      const Pull& pull = open[random() % open.size()];
      const double reward = random.uniform();
      if (what < 0.4) {
        (void)study.drop(pull.ticket);
      } else if (what < 0.6 && pull.length > 1) {
        (void)study.tell(pull.ticket, std::vector<double>{reward, random.uniform()});
      } else if (what < 0.7) {
        (void)study.tell(pull.ticket, Rewards{1, reward, reward * reward});
      } else {
        (void)study.tell(pull.ticket, reward);
      }
    }
    if (random() % 24 == 0) study.commit();
    if (random() % 64 == 0) study.snapshot();
  }
  study.commit();
}

RC_GTEST_PROP(Study, ReplayGivesTheLiveStateBitForBitTicketsInFlightIncluded, ()) {
  const auto optimizer = *rc::gen::element<std::string>(
      "name = \"hct\"", "name = \"hct\"\nfeedback = \"correlated\"",
      "name = \"hct\"\nnu1 = 1\nrho = 0.7\nconfidence_scale = 0.05", "name = \"thoo\"",
      "name = \"hoo\"", "name = \"power\"\nrollout_length = 3", "name = \"grid\"\npoints = 5",
      "name = \"random\"");
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const StudyFile file = file_of(optimizer);
  const TemporaryFolder folder;
  Store store(folder.path("s.db"), Store::Mode::create);
  RandomStream random({.seed = seed});
  std::string saved;
  for (int life = 0; life < 3; ++life) {
    Study study = Study::open(store, file, {"a", {}});
    if (life > 0) RC_ASSERT(study.save() == saved);
    converse(study, random, 150);
    saved = study.save();
    RC_ASSERT(load_optimizer(store, study.record(), study.specification())->save() == saved);
  }
  execute(folder.path("s.db"), "DELETE FROM snapshots");
  RC_ASSERT(Study::open(store, file, {"a", {}}).save() == saved);
}

class StudyTest : public ::testing::Test {
 protected:
  [[nodiscard]] Study open(const StudyFile& file, const std::optional<std::string>& fork = {}) {
    return Study::open(store_, file, {"a", fork});
  }

  /// So many pulls, each told its arm.
  static void pull(Study& study, int pulls) {
    for (int i = 0; i < pulls; ++i) {
      const Pull pull = study.ask(1);
      (void)study.tell(pull.ticket, pull.arm[0]);
    }
    study.commit();
  }

  template <class Do>
  [[nodiscard]] static std::string complaint(Do&& act) {
    try {
      act();
    } catch (const StudyError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  Store store_{folder_.path("s.db"), Store::Mode::create};
};

TEST_F(StudyTest, WhatWasNotCommittedHasNotHappened) {
  std::string saved;
  {
    Study study = open(file_of());
    pull(study, 10);
    saved = study.save();
    (void)study.ask(1);
  }
  EXPECT_EQ(open(file_of()).save(), saved);
}

TEST_F(StudyTest, AFailedCommitTakesTheStudyBackToTheLastOne) {
  Study study = open(file_of());
  pull(study, 10);
  const std::string saved = study.save();
  execute(folder_.path("s.db"),
          "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk is full'); "
          "END");
  const Pull lost = study.ask(1);
  (void)study.tell(lost.ticket, 0.5);
  EXPECT_THROW(study.commit(), StoreError);
  EXPECT_EQ(study.save(), saved);
  execute(folder_.path("s.db"), "DROP TRIGGER full");
  EXPECT_EQ(study.ask(1).ticket, lost.ticket) << "nobody was told of it";
  study.commit();
}

TEST_F(StudyTest, IsForOneWriterAtATimeWhoIsNamed) {
  const Study first = open(file_of());
  const std::string refused = complaint([&] { (void)open(file_of()); });
  EXPECT_EQ(refused.find("the study a is open elsewhere: pid " + std::to_string(getpid()) + " on "),
            0U)
      << refused;
}

TEST_F(StudyTest, NamesMustBeFitToBeShown) {
  for (const std::string name : {"", "a/b", "a\nb", "\xff"}) {
    EXPECT_NE(complaint([&] { (void)Study::open(store_, file_of(), {name, {}}); }), "");
  }
  EXPECT_TRUE(store_.list().empty());
}

TEST_F(StudyTest, AnOptimizerThatCannotBeMadeLeavesNothingBehind) {
  EXPECT_THROW((void)open(file_of("name = \"grid\"\npoints = 1000000")), ConfigurationError);
  EXPECT_TRUE(store_.list().empty());
}

TEST_F(StudyTest, AStudyWithoutEventsMayStillChange) {
  { Study study = open(file_of()); }
  EXPECT_EQ(open(file_of("name = \"hct\"\nnu1 = 2")).summary().t, 1U);
}

TEST_F(StudyTest, AFileThatChangesWhatIsLearntIsRefusedWithWhatDiffers) {
  {
    Study study = open(file_of());
    pull(study, 1);
  }
  EXPECT_EQ(complaint([&] { (void)open(file_of("name = \"hct\"\nnu1 = 2", "3.0")); }),
            "the study a is another one: optimizer.nu1 was 4 and is 2; space.x was number 1, real "
            "from 0 to 1 and is number 1, real from 0 to 3; --fork NEW starts a "
            "new one");
  EXPECT_EQ(complaint([&] { (void)open(file_of("name = \"hct\"\nnu1 = 4.0")); }), "")
      << "the default, spelled out";
}

TEST_F(StudyTest, AForkHasTheJournalWhenNothingDiffersAndElseStartsOver) {
  std::string saved;
  {
    Study study = open(file_of());
    pull(study, 20);
    saved = study.save();
  }
  {
    Study same = open(file_of(), "b");
    EXPECT_EQ(same.save(), saved);
    EXPECT_EQ(same.record().forked_from, "a");
    pull(same, 5);
  }
  EXPECT_EQ(open(file_of("name = \"hct\"", "3.0"), "c").summary().t, 1U);
  EXPECT_EQ(open(file_of()).save(), saved) << "the old one is as it was";
  EXPECT_EQ(open(file_of(), "b").summary().t, 26U) << "the same command goes on";
  { Study other = Study::open(store_, file_of(), {"d", {}}); }
  EXPECT_EQ(complaint([&] { (void)open(file_of(), "d"); }), "there is a study d already");
}

TEST_F(StudyTest, ADamagedSnapshotFallsBackToTheJournal) {
  std::string saved;
  {
    Study study = open(file_of());
    pull(study, 50);
    study.snapshot();
    saved = study.save();
  }
  execute(folder_.path("s.db"), "UPDATE snapshots SET state = 'canopy-state 1 hct garbage 5'");
  EXPECT_EQ(open(file_of()).save(), saved);
  execute(folder_.path("s.db"),
          "UPDATE snapshots SET state = replace(state, ' 1 hct', ' 9 hct'); UPDATE snapshots SET "
          "state = 'canopy-state 9 hct 1'");
  EXPECT_EQ(complaint([&] { (void)open(file_of()); }),
            "a: the state was saved by a newer version of canopy (format 9, this one reads 1)");
}

TEST_F(StudyTest, AJournalThatDoesNotFitIsNamed) {
  {
    Study study = open(file_of());
    pull(study, 5);
  }
  execute(folder_.path("s.db"), "UPDATE events SET ticket = 77 WHERE number = 4");
  EXPECT_EQ(
      complaint([&] { (void)open(file_of()); }),
      "a: event 4 of its journal does not fit: " + std::string(describe(Status::unknown_ticket)));
  execute(folder_.path("s.db"), "DELETE FROM events WHERE number = 4");
  EXPECT_EQ(complaint([&] { (void)open(file_of()); }),
            "a: event 5 of its journal does not fit: an event is missing before it");
}

TEST_F(StudyTest, TimeNeverGoesBack) {
  {
    Study study = open(file_of());
    pull(study, 1);
  }
  // The clock was an hour ahead when the last event happened.
  execute(folder_.path("s.db"),
          "UPDATE events SET at = at + 3600; UPDATE studies SET updated = updated + 3600");
  const double before = find_study(store_, "a").updated;
  Study study = open(file_of());
  pull(study, 1);
  EXPECT_GE(find_study(store_, "a").updated, before);
}

TEST_F(StudyTest, UpliftIsTheDifferenceToTheBaseline) {
  StudyFile file = file_of();
  file.source += "[system]\nmeasure = \"m {x}\"\nbaseline = { x = 0.9 }\n";
  file.study = parse_study(file.source, "study.toml");
  Study study = open(file);
  const Pull pull = study.ask(1);
  const std::vector<double> arm(pull.arm.begin(), pull.arm.end());
  (void)study.tell(pull.ticket, 0.5);
  for (const char* setting : {"{\"x\":0.5}", "{\"x\":0.9}"}) {  // the second one is the file's
    study.note({.kind = EventKind::apply, .text = setting});
    for (const double reward : {0.1, 0.2, 0.3}) {
      const bool other = setting[5] == '0' && setting[7] == '5';
      study.note({.kind = EventKind::baseline, .value = other ? 7.0 : reward});
    }
  }
  study.commit();
  const auto one = uplift_of(store_, study.record(), study.specification(), arm);
  ASSERT_TRUE(one.has_value());
  EXPECT_NEAR(one->difference.mean, 0.3, 1e-12);
  EXPECT_FALSE(one->difference.interval.has_value()) << "of a single reward";
  EXPECT_FALSE(uplift_of(store_, study.record(), study.specification(), std::vector{0.123}));
}

}  // namespace
}  // namespace canopy
