#include "canopy/loss.hpp"

#include "canopy/adaptive.hpp"
#include "canopy/random.hpp"
#include "canopy/with_baseline.hpp"

#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::line;

Rewards one(double reward) {
  return Rewards::one(reward);
}

/// A block of four measurements of the baseline.
void measure_block(LossBudget& budget, double level, double spread = 0.0) {
  budget.begin_block();
  for (const double sign : {1.0, -1.0, 1.0, -1.0}) {
    budget.add_to_block(budget.blocks() - 1, one(level + sign * spread));
  }
}

TEST(LossBudget, ComparesWithTheLevelAtTheTime) {
  LossBudget budget({.share = 0.02});
  measure_block(budget, 100.0);
  for (int i = 0; i < 4; ++i) budget.add(one(90.0));
  EXPECT_EQ(budget.lost(), 40.0) << "by the last level that is known";
  measure_block(budget, 140.0);
  // The level has risen in the meantime: pulls 5 to 8 are centred between 2.5 and 10.5.
  EXPECT_NEAR(budget.lost(), 4.0 * (120.0 - 90.0), 1e-9);
  budget.add(one(150.0));
  EXPECT_NEAR(budget.lost(), 110.0, 1e-9) << "gains count";
}

TEST(LossBudget, AllowsAPartOfWhatTheBaselineEarns) {
  LossBudget budget({.share = 0.02});
  EXPECT_FALSE(budget.knows_level());
  measure_block(budget, 100.0);
  EXPECT_FALSE(budget.knows_level()) << "one block does not say how much they differ";
  measure_block(budget, 100.0);
  EXPECT_TRUE(budget.knows_level());
  EXPECT_NEAR(budget.allowance(50.0), 100.0, 1e-9);
  const double worst = budget.worst_loss(true, 0.0, 0.0);
  EXPECT_EQ(worst, 100.0) << "a reward is not below 0";
  EXPECT_FALSE(budget.allows(worst, 1.0, 0.0));
  budget.add_waiting(41);
  EXPECT_TRUE(budget.allows(worst, 1.0, 0.0)) << "this is the 50th pull";
  EXPECT_FALSE(budget.allows(2.0 * worst, 1.0, 0.0)) << "another one is in flight";
}

TEST(LossBudget, KnowsAnArmByItsOwnRewards) {
  LossBudget budget({.share = 0.02});
  measure_block(budget, 100.0, 5.0);
  measure_block(budget, 100.0, 5.0);
  budget.add(one(60.0));
  EXPECT_EQ(budget.worst_loss(false, 0.0, 0.0), 40.0) << "as much as any has lost";
  const double deviation = std::sqrt(50.0);  // successive measurements differ by 10
  EXPECT_NEAR(budget.worst_loss(false, 4.0, 95.0), 5.0 + 2.0 * deviation / 2.0, 1e-9);
  EXPECT_EQ(budget.worst_loss(false, 100.0, 150.0), 0.0);
  EXPECT_GT(budget.margin(), 0.0);
}

TEST(LossBudget, DoesNotKnowALevelOfUncertainSign) {
  LossBudget share({.share = 0.02});
  LossBudget absolute({.per_pull = 1.0, .worst_per_pull = 30.0});
  for (LossBudget* budget : {&share, &absolute}) {
    measure_block(*budget, 1.0, 20.0);
    measure_block(*budget, -1.0, 20.0);
  }
  EXPECT_FALSE(share.knows_level()) << "its sign is not certain";
  EXPECT_TRUE(absolute.knows_level());
  EXPECT_EQ(absolute.worst_loss(true, 0.0, 0.0), 30.0);
  EXPECT_EQ(absolute.allowance(7.0), 7.0);
}

TEST(LossBudget, TakesSumsForTheirRewards) {
  LossBudget one_by_one({.share = 0.02});
  LossBudget together({.share = 0.02});
  for (LossBudget* budget : {&one_by_one, &together}) measure_block(*budget, 10.0, 1.0);
  for (const double reward : {7.0, 9.0}) one_by_one.add(one(reward));
  together.add(Rewards::of(std::vector{7.0, 9.0}));
  for (LossBudget* budget : {&one_by_one, &together}) measure_block(*budget, 14.0, 1.0);
  EXPECT_NEAR(one_by_one.lost(), together.lost(), 1e-9);
  EXPECT_NEAR(one_by_one.margin(), together.margin(), 1e-9);
}

TEST(LossBudget, SaysNothingAboutPullsFromBeforeTheBaselineWasMeasured) {
  LossBudget budget({.share = 0.02});
  for (int i = 0; i < 50; ++i) budget.add(one(1.0));
  EXPECT_EQ(budget.lost(), 0.0);
  budget.begin_block();
  budget.add(one(90.0));
  measure_block(budget, 100.0);
  EXPECT_NEAR(budget.lost(), 10.0, 1e-9) << "its own block was still to come";
}

TEST(LossBudget, NeedsMoreBlocksOfOneMeasurementEach) {
  LossBudget budget({.share = 0.02});
  for (int i = 0; i < 7; ++i) {
    budget.begin_block();
    budget.add_to_block(budget.blocks() - 1, one(i % 2 == 0 ? 99.0 : 101.0));
    EXPECT_FALSE(budget.knows_level()) << i;
  }
  budget.begin_block();
  budget.add_to_block(budget.blocks() - 1, one(100.0));
  EXPECT_TRUE(budget.knows_level());
  budget.add(one(100.0));
  EXPECT_GT(budget.margin(), 1.0);
}

/// The conditions of a study.
struct Shop {
  Direction direction = Direction::maximize;
  LossRule rule = {.share = 0.02};
  double level = 100.0;  ///< mean reward of the baseline
  std::size_t workers = 1;
  bool heavy_tails = false;
  std::uint64_t settle = 0;   ///< pulls after a change of arm
  bool rounds_settle = true;  ///< whether rounds discard as many; otherwise the tuner does
};

/// Plays `pulls` pulls with a loss budget. Returns the largest ratio of true loss to the allowed
/// loss at any pull from the 20th on.
double worst_ratio(const Shop& shop, std::uint64_t seed, int pulls,
                   std::set<double>* tried = nullptr) {
  const double sign = shop.direction == Direction::maximize ? 1.0 : -1.0;
  const std::vector<double> baseline{0.44};
  const auto gain = [](double x) { return -60.0 + 80.0 * std::exp(-(x - 0.6) * (x - 0.6) / 0.09); };
  const double of_baseline = gain(baseline[0]);
  const Objective objective{.direction = shop.direction};
  const AdaptiveOptions options{.settle = shop.settle, .settle_rule = SettleRule::strict};
  WithBaseline optimizer(std::make_unique<Adaptive>(line(), options, objective), line(), objective,
                         baseline,
                         {.settle = shop.rounds_settle ? shop.settle : 0,
                          .search_settle = shop.settle,
                          .first = 75,
                          .seed = seed,
                          .loss = shop.rule});
  RandomStream random({.seed = seed, .purpose = "loss"});
  std::vector<OwnedPull> open;
  double lost = 0.0;
  double worst = 0.0;
  for (int t = 1; t <= pulls;) {
    while (open.size() < shop.workers) open.emplace_back(optimizer.ask(1));
    const auto which = open.begin() + static_cast<std::ptrdiff_t>(random.uniform() *
                                                                  static_cast<double>(open.size()));
    const OwnedPull pull = *which;
    open.erase(which);
    for (std::uint64_t i = 0; i < pull.length; ++i, ++t) {
      const bool is_first = i < pull.length - pull.then_length;
      const double x = (is_first ? pull.arm : pull.then)[0];
      const double effect = gain(x) - of_baseline;
      double noise = random.normal();
      if (shop.heavy_tails) {
        const double other = random.normal();
        noise /= std::max(0.3, std::abs(other));
      }
      const Status status = optimizer.tell(pull.ticket, shop.level + sign * effect + 10.0 * noise);
      EXPECT_TRUE(is_taken(status)) << describe(status);
      if (tried != nullptr && pull.purpose == Purpose::search) tried->insert(x);
      lost -= effect;
      const double allowed =
          (shop.rule.share ? *shop.rule.share * std::abs(shop.level) : shop.rule.per_pull) * t;
      if (t >= 20) worst = std::max(worst, lost / allowed);
    }
  }
  const Loss known = optimizer.loss().value();
  EXPECT_NEAR(known.lost, lost, known.margin * 2.0 + 1.0) << "seed " << seed;
  return worst;
}

/// The number of 60 studies whose loss exceeded the budget.
int exceeded(const Shop& shop) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    if (worst_ratio(shop, seed, 300) > 1.0) ++count;
  }
  return count;
}

TEST(CapOnLoss, Holds) {
  EXPECT_LE(exceeded({}), 2);
}

TEST(CapOnLoss, HoldsWithSeveralPullsInFlight) {
  EXPECT_LE(exceeded({.workers = 8}), 3);
}

TEST(CapOnLoss, HoldsForCosts) {
  EXPECT_LE(
      exceeded({.direction = Direction::minimize, .rule = {.share = 0.02, .worst_share = 0.8}}), 3);
}

TEST(CapOnLoss, HoldsForRewardsAroundZero) {
  EXPECT_LE(exceeded({.rule = {.per_pull = 2.0, .worst_per_pull = 80.0}, .level = -5.0}), 3);
}

TEST(CapOnLoss, HoldsWithHeavyTails) {
  EXPECT_LE(exceeded({.heavy_tails = true}), 4);
}

/// Checks that the search tries at least ten arms although every visit has to settle first: it
/// could not if it were sent back to the baseline repeatedly.
void check_that_visits_go_on(const Shop& shop) {
  int exceeded = 0;
  std::set<double> fewest;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::set<double> tried;
    if (worst_ratio(shop, seed, 800, &tried) > 1.0) ++exceeded;
    if (seed == 1 || tried.size() < fewest.size()) fewest = tried;
  }
  EXPECT_LE(exceeded, 1) << "of 20";
  EXPECT_GE(fewest.size(), 10U) << "arms in 800 pulls";
}

TEST(CapOnLoss, LetsASearchSettleWhereItGoes) {
  check_that_visits_go_on({.rule = {.share = 0.05}, .settle = 3});
}

TEST(CapOnLoss, LetsASearchSettleAlsoWhereATunerPassesOverWhatRoundsNeed) {
  check_that_visits_go_on({.rule = {.share = 0.05}, .settle = 3, .rounds_settle = false});
}

TEST(CapOnLoss, HoldsWithSeveralPullsInFlightWhereVisitsBeginUnsettled) {
  EXPECT_LE(exceeded({.rule = {.share = 0.05}, .workers = 4, .settle = 3}), 3);
}

/// The number of consecutive pulls of each arm of the search.
TEST(CapOnLoss, AVisitIsPlayedToItsEnd) {
  constexpr std::uint64_t kSettle = 4;
  const AdaptiveOptions options{.settle = kSettle, .settle_rule = SettleRule::strict};
  WithBaseline optimizer(
      std::make_unique<Adaptive>(line(), options), line(), {}, {0.3},
      {.every = 6, .settle = kSettle, .first = 20, .loss = LossRule{.share = 0.05}});
  RandomStream random({.seed = 4});
  std::vector<double> arm;
  std::uint64_t in_a_row = 0;
  int visits = 0;
  for (int i = 0; i < 3'000; ++i) {
    const OwnedPull pull(optimizer.ask(1));
    const bool is_search = pull.purpose == Purpose::search;
    if (!is_search || pull.arm != arm) {
      if (in_a_row != 0) ++visits;
      ASSERT_TRUE(in_a_row == 0 || in_a_row > kSettle) << "pull " << i;
      in_a_row = 0;
    }
    arm = pull.arm;
    if (is_search) ++in_a_row;
    for (std::uint64_t j = 0; j < pull.length; ++j) {
      const bool is_first = j < pull.length - pull.then_length;
      const double x = (is_first ? pull.arm : pull.then)[0];
      ASSERT_TRUE(is_taken(optimizer.tell(pull.ticket, 100.0 + 20.0 * x + random.normal())));
    }
  }
  EXPECT_GT(visits, 100);
}

TEST(CapOnLoss, IsFarExceededWithoutIt) {
  EXPECT_GT(worst_ratio({.rule = {.share = 1.0}}, 1, 300), 0.0);
  const Shop loose{.rule = {.share = 0.5}};
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    if (25.0 * worst_ratio(loose, seed, 300) > 1.0) ++count;
  }
  EXPECT_GE(count, 9) << "of 10 would have exceeded 2 %";
}

TEST(CapOnLoss, PlaysTheBaselineUntilAnUntriedSettingMayBeTried) {
  WithBaseline optimizer(std::make_unique<Adaptive>(line()), line(), {}, {0.5},
                         {.loss = LossRule{.share = 0.02}});
  RandomStream random({.seed = 1});
  int waited = 0;
  for (int i = 0; i < 200; ++i) {
    const OwnedPull pull(optimizer.ask(1));
    if (pull.purpose == Purpose::search) break;
    waited += static_cast<int>(pull.length);
    EXPECT_EQ(pull.arm, std::vector{0.5});
    for (std::uint64_t j = 0; j < pull.length; ++j) {
      ASSERT_EQ(optimizer.tell(pull.ticket, 100.0 + random.normal()), Status::ok);
    }
    if (pull.purpose != Purpose::wait) continue;
    const Loss loss = optimizer.loss().value();
    EXPECT_EQ(optimizer.tell(pull.ticket - 1, 1.0) == Status::ok, false) << "it is held";
    if (loss.waits_for.empty()) continue;
    EXPECT_NEAR(loss.may_lose, 100.0, 2.0);
  }
  EXPECT_NEAR(waited, 50, 3) << "1 / 0.02";
}

void check_that_it_goes_on_from_a_saved_state(std::uint64_t settle, int before) {
  const auto made = [settle] {
    const AdaptiveOptions options{.settle = settle, .settle_rule = SettleRule::strict};
    return WithBaseline(std::make_unique<Adaptive>(line(), options), line(), {}, {0.3},
                        {.settle = settle, .loss = LossRule{.share = 0.05}});
  };
  WithBaseline optimizer = made();
  RandomStream random({.seed = 1});
  const auto step = [](WithBaseline& of, RandomStream& with) {
    const OwnedPull pull(of.ask(1));
    for (std::uint64_t j = 0; j < pull.length; ++j) {
      const bool is_first = j < pull.length - pull.then_length;
      const double x = (is_first ? pull.arm : pull.then)[0];
      EXPECT_TRUE(is_taken(of.tell(pull.ticket, 100.0 + 20.0 * x + with.normal())));
    }
    return std::pair(pull.purpose, pull.arm);
  };
  for (int i = 0; i < before; ++i) (void)step(optimizer, random);
  WithBaseline restored = made();
  restored.restore(optimizer.save());
  RandomStream first({.seed = 2});
  RandomStream second({.seed = 2});
  for (int i = 0; i < 200; ++i) ASSERT_EQ(step(optimizer, first), step(restored, second)) << i;
  EXPECT_EQ(optimizer.save(), restored.save());
}

TEST(CapOnLoss, ContinuesFromASavedStateAsIfUninterrupted) {
  check_that_it_goes_on_from_a_saved_state(0, 120);
}

TEST(CapOnLoss, ContinuesFromTheMiddleOfAVisit) {
  for (int before = 200; before < 220; ++before) {
    check_that_it_goes_on_from_a_saved_state(3, before);
  }
}

}  // namespace
}  // namespace canopy
