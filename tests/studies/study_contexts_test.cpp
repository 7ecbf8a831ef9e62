#include "canopy/errors.hpp"
#include "canopy/journal.hpp"
#include "canopy/policy.hpp"
#include "canopy/random.hpp"
#include "canopy/stores.hpp"
#include "canopy/study.hpp"
#include "canopy/study_session.hpp"

#include "studies/fork.hpp"
#include "studies/verify.hpp"
#include "support/sqlite.hpp"
#include "support/temporary_folder.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::TemporaryFolder;

const std::string kTunedTtl = "[[space]]\nname = \"ttl\"\nlow = 0.0\nhigh = 1.0\n";
const std::string kLoadContext = "[[context]]\nname = \"load\"\nlow = 0.0\nhigh = 1.0\n";
const std::string kTenantContext =
    "[[context]]\nname = \"tenant\"\ntype = \"choice\"\nchoices = [\"a\", \"b\"]\n";

/// The best arm is 0.2 if the load is low, else 0.8.
double reward_in_context(double arm, double load) {
  const double best = load < 0.5 ? 0.2 : 0.8;
  return 1.0 - std::abs(arm - best);
}

class StudyContextsTest : public ::testing::Test {
 protected:
  [[nodiscard]] Study open(const std::string& toml, const std::string& name = "a",
                           const std::optional<std::string>& fork = {}) {
    return Study::open(*store_, parse_study(toml, "study.toml"), {name, fork});
  }

  /// Performs pulls in random contexts and returns the arms.
  std::vector<double> play(Optimizer& optimizer, int pulls) {
    std::vector<double> arms;
    for (int i = 0; i < pulls; ++i) {
      std::vector<double> context{random_.uniform()};
      if (optimizer.contexts().size() > 1) context.push_back(random_.coin() ? 1.0 : 0.0);
      const OwnedPull pull(optimizer.ask_in(context));
      arms.push_back(pull.arm[0]);
      EXPECT_EQ(optimizer.tell(pull.ticket, reward_in_context(pull.arm[0], context[0])),
                Status::ok);
    }
    return arms;
  }

  void begin_again() { random_ = RandomStream({.seed = 1, .algorithm = "contexts"}); }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_ = open_store(folder_.path("s.db"), Store::Mode::create);
  RandomStream random_{{.seed = 1, .algorithm = "contexts"}};
};

TEST_F(StudyContextsTest, LearnsASettingForEveryContextAndItsPolicy) {
  Study study = open(kTunedTtl + kLoadContext);
  (void)play(study, 400);
  study.commit();
  EXPECT_EQ(study.contexts().size(), 1U);
  const std::vector<double> low{0.1};
  const std::vector<double> high{0.9};
  EXPECT_NEAR(study.best_in(low)->arm[0], 0.2, 0.1);
  EXPECT_NEAR(study.best_in(high)->arm[0], 0.8, 0.1);
  const std::optional<Policy> policy = study.policy();
  ASSERT_TRUE(policy.has_value());
  EXPECT_GE(policy->rows.size(), 2U);
  EXPECT_EQ(policy->weights.size(), 1U);
}

TEST_F(StudyContextsTest, GoesOnAsIfItHadNotBeenClosed) {
  const std::string toml = kTunedTtl + kLoadContext + kTenantContext;
  const auto optimizer = make_optimizer(parse_study(toml, "study.toml"));
  const std::vector<double> expected = play(*optimizer, 300);
  begin_again();
  std::vector<double> played;
  for (int life = 0; life < 6; ++life) {
    Study study = open(toml);
    const std::vector<double> arms = play(study, 50);
    played.insert(played.end(), arms.begin(), arms.end());
    study.commit();
    if (life % 3 == 1) study.snapshot();
  }
  EXPECT_EQ(played, expected);
  Study study = open(toml);
  const std::string saved = study.save();
  EXPECT_EQ(saved, optimizer->save());
  testing::execute(folder_.path("s.db"), "DELETE FROM snapshots");
  const LoadedOptimizer loaded = load_optimizer(*store_, study.record(), study.specification());
  EXPECT_EQ(loaded.optimizer->save(), saved);
  const std::optional<Verification> verified = verify_study(*store_, find_study(*store_, "a"));
  EXPECT_TRUE(verified && verified->faults.empty());
}

TEST_F(StudyContextsTest, TheJournalHasTheContextAsItWasGiven) {
  Study study = open(kTunedTtl + kLoadContext);
  const std::vector<double> context{1.75};
  const OwnedPull pull(study.ask_in(context));
  ASSERT_EQ(study.observe_in(context, std::vector{0.5}, Rewards::one(0.5)), Status::ok);
  ASSERT_EQ(study.observe(std::vector{0.5}, 0.25, Role::warm_up, context), Status::ok);
  study.commit();
  std::vector<Event> events;
  read_entries(*store_, study.record(), 0,
               [&](const JournalEntry& entry) { events.push_back(entry.event); });
  const std::vector<double> arm{0.5};
  EXPECT_EQ(events, (std::vector<Event>{
                        Asked{.ticket = 1, .length = 1, .arm = pull.arm, .context = context},
                        Observed{.arm = arm, .rewards = 0.5, .context = context},
                        Observed{arm, 0.25, Role::warm_up, context}}));
  EXPECT_EQ(study.policy()->moved, 2U);
}

TEST_F(StudyContextsTest, RefusesAMissingAndAnImpossibleContext) {
  Study study = open(kTunedTtl + kLoadContext + kTenantContext);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)study.ask(), ConfigurationError);
  EXPECT_THROW((void)study.ask_in(std::vector{0.5}), ConfigurationError);
  EXPECT_THROW((void)study.ask_in(std::vector{nan, 0.0}), ConfigurationError);
  EXPECT_THROW((void)study.ask_in(std::vector{0.5, 2.0}), ConfigurationError);
  EXPECT_THROW((void)study.ask_on_lease(1, 60.0), ConfigurationError);
  EXPECT_EQ(study.observe(std::vector{0.5}, Rewards::one(1.0)), Status::needs_context);
  EXPECT_EQ(study.events(), 0U) << "what is refused leaves nothing behind";
  EXPECT_EQ(study.ask_on_lease(1, 60.0, std::vector{0.5, 1.0}).ticket, 1U);
}

TEST_F(StudyContextsTest, AContextIsPassedOverWhereThereIsNone) {
  Study study = open(kTunedTtl);
  EXPECT_EQ(study.ask_in(std::vector{0.5}, 1).ticket, 1U);
  EXPECT_EQ(study.observe_in(std::vector{0.5}, std::vector{0.5}, Rewards::one(1.0)), Status::ok);
  study.commit();
  read_entries(*store_, study.record(), 0, [](const JournalEntry& entry) {
    EXPECT_EQ(encode(entry.event).find("[0.5],\"search\""), std::string::npos);
  });
  EXPECT_EQ(Study::open(*store_, study.specification(), {"b", {}}).policy().has_value(), false);
}

TEST_F(StudyContextsTest, AskingAgainIsInTheSameContext) {
  std::string saved;
  {
    Study study = open(kTunedTtl + kLoadContext);
    (void)play(study, 200);
    const OwnedPull first(study.ask_in(std::vector{0.9}));
    const OwnedPull again(study.ask_again());
    EXPECT_EQ(again.arm, first.arm);
    EXPECT_EQ(study.tell(again.ticket, 0.5), Status::ok);
    study.commit();
    saved = study.save();
  }
  EXPECT_EQ(open(kTunedTtl + kLoadContext).save(), saved);
}

TEST_F(StudyContextsTest, AStudyThatHasBegunRefusesOtherContexts) {
  {
    Study study = open(kTunedTtl + kLoadContext);
    (void)play(study, 3);
    study.commit();
  }
  for (const std::string& other :
       {kTunedTtl, kTunedTtl + kTenantContext, kTunedTtl + kLoadContext + kTenantContext}) {
    try {
      (void)open(other);
      ADD_FAILURE() << "was opened";
    } catch (const StudyError& error) {
      EXPECT_EQ(error.fault(), StudyError::Fault::differs);
      EXPECT_NE(std::string(error.what()).find("context."), std::string::npos) << error.what();
    }
  }
}

TEST_F(StudyContextsTest, AForkWithTheSameContextsKeepsRewardsInThem) {
  {
    Study study = open(kTunedTtl + kLoadContext);
    (void)play(study, 300);
    study.commit();
  }
  const Study whole = open(kTunedTtl + kLoadContext, "a", "whole");
  EXPECT_EQ(whole.summary().t, 301U);
  const std::string wider = kTunedTtl + "[[context]]\nname = \"load\"\nlow = 0.0\nhigh = 2.0\n";
  EXPECT_EQ(fork_start(parse_study(kTunedTtl + kLoadContext, "s"), parse_study(wider, "s")),
            ForkStart::rewards);
  const Study fork = open(wider, "a", "wider");
  EXPECT_EQ(fork.events(), 300U);
  read_entries(*store_, fork.record(), 0, [](const JournalEntry& entry) {
    EXPECT_EQ(std::get<Observed>(entry.event).context.size(), 1U);
  });
}

TEST_F(StudyContextsTest, AForkWithoutContextsForgetsThemAndOneWithOthersBeginsWithNothing) {
  {
    Study study = open(kTunedTtl + kLoadContext);
    (void)play(study, 20);
    study.commit();
  }
  const Study without = open(kTunedTtl, "a", "without");
  EXPECT_EQ(without.events(), 20U);
  EXPECT_EQ(without.summary().observed, 20U);
  EXPECT_EQ(open(kTunedTtl + kLoadContext + kTenantContext, "a", "more").events(), 0U);
  (void)open(kTunedTtl, "plain");
  EXPECT_EQ(open(kTunedTtl + kLoadContext, "plain", "in contexts").events(), 0U);
}

TEST_F(StudyContextsTest, AnEventThatHasAnotherContextIsNotRepeated) {
  const auto refused = [](Study& study, const Event& event) -> std::string {
    try {
      study.replay(event);
      return "was repeated";
    } catch (const StudyError& error) {
      return error.what();
    }
  };
  Study study = open(kTunedTtl + kLoadContext);
  const OwnedPull first(make_optimizer(study.specification())->ask_in(std::vector{0.5}));
  const Asked asked{.ticket = 1, .length = 1, .arm = first.arm};
  EXPECT_EQ(refused(study, asked), "event 1 does not fit: it has no context");
  Asked in_two = asked;
  in_two.context = {0.5, 0.5};
  EXPECT_EQ(refused(study, in_two), "event 1 does not fit: context = 2 values: must have 1");
  Asked as_it_was = asked;
  as_it_was.context = {0.5};
  EXPECT_EQ(refused(study, as_it_was), "was repeated");
  Study plain = open(kTunedTtl, "plain");
  EXPECT_EQ(refused(plain, Observed{{0.5}, 1.0, Role::search, {0.5}}),
            "event 1 does not fit: it has a context, but the study has none");
}

TEST_F(StudyContextsTest, ASessionServesThemToo) {
  StudySession session(std::shared_ptr<Store>(std::move(store_)), [&](Store& store) {
    return Study::open(store, parse_study(kTunedTtl + kLoadContext, "s"), {"a", {}});
  });
  session.perform([&](Study& study) { (void)play(study, 30); });
  EXPECT_EQ(session.perform([](Study& study) { return study.summary().t; }), 31U);
  session.close();
}

}  // namespace
}  // namespace canopy
