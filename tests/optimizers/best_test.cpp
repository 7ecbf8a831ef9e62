// Recommendations of every optimizer, and estimates of the arms it was told about.

#include "canopy/hct.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"

#include "support/arms.hpp"
#include "support/every_optimizer.hpp"
#include "support/objectives.hpp"
#include "support/tree.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::line;
using testing::mixed_space;
using testing::nodes_of;
using testing::unit_range;

using Point = std::vector<double>;

/// All rewards by arm.
using Told = std::map<Point, std::vector<double>>;

/// Asks, tells in every form, observes, records and drops at random, and stores what was told.
class Chatter {
 public:
  using Reward = std::function<double(Arm, RandomStream&)>;

  Chatter(std::uint64_t seed, Reward reward)
      : random_({.seed = seed}), reward_(std::move(reward)) {}

  void step(Optimizer& optimizer) {
    const double what = random_.uniform();
    if (open_.empty() || what < 0.4) {
      open_.emplace_back(optimizer.ask(1 + random_() % 6));
    } else if (what < 0.45) {
      RC_ASSERT(optimizer.drop(take().ticket) == Status::ok);
    } else if (what < 0.5) {
      const Point arm = testing::arm_somewhere(mixed_space(), random_);
      const Rewards rewards = Rewards::of(draw(arm, 1 + random_() % 4));
      const Status status =
          random_.coin() ? optimizer.observe(arm, rewards) : optimizer.remember(arm, rewards);
      RC_ASSERT(status == Status::ok);
    } else {
      tell(optimizer);
    }
  }

  [[nodiscard]] const Told& told() const { return told_; }

 private:
  OwnedPull take() {
    const std::size_t which = random_() % open_.size();
    OwnedPull pull = open_[which];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    return pull;
  }

  std::vector<double> draw(const Point& arm, std::uint64_t count) {
    std::vector<double> rewards;
    for (std::uint64_t i = 0; i < count; ++i) rewards.push_back(reward_(arm, random_));
    std::vector<double>& all = told_[arm];
    all.insert(all.end(), rewards.begin(), rewards.end());
    return rewards;
  }

  void tell(Optimizer& optimizer) {
    const OwnedPull pull = take();
    const std::vector<double> rewards = draw(pull.arm, pull.length);
    const std::uint64_t how = random_() % 3;
    if (how == 0) {
      for (const double reward : rewards)
        RC_ASSERT(optimizer.tell(pull.ticket, reward) == Status::ok);
    } else if (how == 1) {
      RC_ASSERT(optimizer.tell(pull.ticket, std::span<const double>(rewards)) == Status::ok);
    } else {
      RC_ASSERT(optimizer.tell(pull.ticket, Rewards::of(rewards)) == Status::ok);
    }
  }

  RandomStream random_;
  Reward reward_;
  std::vector<OwnedPull> open_;
  Told told_;
};

double hill(Arm arm) {
  return 0.8 - std::abs(arm[0] - 0.4) - 0.02 * std::abs(arm[1] - 4.0) + 0.05 * arm[2];
}

Chatter::Reward noisy_hill(double deviation) {
  return [=](Arm arm, RandomStream& random) { return hill(arm) + deviation * random.normal(); };
}

/// Checks that `best` agrees with `estimate` for its arm, and that the arm is the safest one, or
/// one by a model that no arm with as many pulls is entirely better than.
void expect_best_of_estimates(const Optimizer& optimizer, const Told& told, bool minimizes) {
  const auto best = optimizer.best();
  RC_ASSERT(best.has_value() == !told.empty());
  if (!best) return;
  RC_ASSERT(best->lower <= best->mean && best->mean <= best->upper);
  RC_ASSERT(std::isfinite(best->lower) == (best->assumes != Assumption::none));
  Evidence::Others others;
  for (const auto& [arm, rewards] : told) {
    const auto known = optimizer.estimate(arm);
    RC_ASSERT(known.has_value());
    const Rewards plain = Rewards::of(rewards);
    RC_ASSERT(known->pulls == plain.count);
    RC_ASSERT(std::abs(known->mean - plain.mean()) <= 1e-9);
    if (arm == best->arm) continue;
    const Interval& interval = known->interval;
    const bool reaches = minimizes ? interval.lower < best->upper : interval.upper > best->lower;
    if (!interval.bounded()) {
      ++others.unknown;
    } else if (reaches) {
      ++others.rivals;
    }
    const bool is_wholly_better =
        minimizes ? interval.upper < best->lower : interval.lower > best->upper;
    if (best->basis == Best::Basis::model) {
      RC_ASSERT(!is_wholly_better || known->pulls < best->pulls);
    }
  }
  RC_ASSERT(best->rivals == others.rivals);
  RC_ASSERT(best->unknown == others.unknown);
  if (best->basis == Best::Basis::interval) {
    const Evidence evidence = optimizer.evidence().value();
    const Arm safest = evidence.arm(evidence.safest(minimizes).value());
    RC_ASSERT(best->arm == Point(safest.begin(), safest.end()));
  }
  if (!told.contains(best->arm)) return;  // the algorithm's own choice, which was never played
  const auto known = optimizer.estimate(best->arm);
  RC_ASSERT(known->mean == best->mean);
  RC_ASSERT(known->pulls == best->pulls);
  RC_ASSERT(known->interval == (Interval{best->lower, best->upper}));
  RC_ASSERT(known->assumes == best->assumes);
}

class BestOfEveryOptimizer : public testing::EachOptimizer {};

TEST_P(BestOfEveryOptimizer, IsThatOfBruteForceOverAllArms) {
  EXPECT_TRUE(rc::check("the best of " + GetParam().label, [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const int steps = *rc::gen::inRange(0, 400);
    const bool minimizes = *rc::gen::arbitrary<bool>();
    RC_LOG() << "seed " << seed << " steps " << steps << " minimizes " << minimizes;
    const auto optimizer =
        make({.direction = minimizes ? Direction::minimize : Direction::maximize});
    Chatter chatter(seed, noisy_hill(0.2));
    for (int i = 0; i < steps; ++i) chatter.step(*optimizer);
    expect_best_of_estimates(*optimizer, chatter.told(), minimizes);
    const Point never{0.123456789, 1.0, 0.0};
    RC_ASSERT(chatter.told().contains(never) == optimizer->estimate(never).has_value());
  }));
}

TEST_P(BestOfEveryOptimizer, ZerosAndOnesAreNoException) {
  EXPECT_TRUE(rc::check("zeros and ones with " + GetParam().label, [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const bool minimizes = *rc::gen::arbitrary<bool>();
    RC_LOG() << "seed " << seed << " minimizes " << minimizes;
    const auto optimizer =
        make({.direction = minimizes ? Direction::minimize : Direction::maximize});
    Chatter chatter(seed, [](Arm arm, RandomStream& random) {
      return random.uniform() < hill(arm) ? 1.0 : 0.0;
    });
    for (int i = 0; i < 300; ++i) chatter.step(*optimizer);
    expect_best_of_estimates(*optimizer, chatter.told(), minimizes);
  }));
}

TEST_P(BestOfEveryOptimizer, MinimizingMirrorsMaximizing) {
  const auto up = make();
  const auto down = make({.direction = Direction::minimize});
  RandomStream random({.seed = 21});
  for (int i = 0; i < 1'000; ++i) {
    const OwnedPull one(up->ask(1));
    const OwnedPull other(down->ask(1));
    ASSERT_EQ(one.arm, other.arm) << "pull " << i;
    const double reward = std::round(4096.0 * (hill(one.arm) + 0.2 * random.normal())) / 4096.0;
    ASSERT_EQ(up->tell(one.ticket, reward), Status::ok);
    ASSERT_EQ(down->tell(other.ticket, -reward), Status::ok);
    if (!std::has_single_bit(static_cast<unsigned>(i))) continue;
    const Best best = up->best().value();
    const Best mirrored = down->best().value();
    ASSERT_EQ(best.arm, mirrored.arm);
    ASSERT_EQ(best.own, mirrored.own);
    EXPECT_EQ(best.mean, -mirrored.mean);
    EXPECT_EQ(best.lower, -mirrored.upper);
    EXPECT_EQ(best.upper, -mirrored.lower);
    EXPECT_EQ(best.rivals, mirrored.rivals);
    EXPECT_EQ(best.basis, mirrored.basis);
  }
}

TEST_P(BestOfEveryOptimizer, OddRewardsNeverBreakIt) {
  const auto at = [](int where, double odd, double usual) {
    return [=](int i) { return i == where ? odd : usual; };
  };
  const std::vector<std::function<double(int)>> kinds{
      at(0, 0.5, 0.5),   at(0, 0.0, 0.0),    at(0, 1e9, 0.5),
      at(250, 1e9, 0.5), at(250, 0.75, 0.5), at(499, 0.5, 1e9),
      at(250, 0.0, 1.0), at(9, 1e99, -1e99), [](int i) { return i % 2 == 0 ? 3.0 : 4.0; },
      at(3, 1e-300, 0.0)};
  for (const Objective& objective :
       {Objective{}, unit_range(), Objective{.direction = Direction::minimize}}) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      SCOPED_TRACE("kind " + std::to_string(kind));
      const auto optimizer = make(objective);
      for (int i = 0; i < 500; ++i) {
        const Pull pull = optimizer->ask(1);
        ASSERT_EQ(optimizer->tell(pull.ticket, kinds[kind](i)), Status::ok) << "pull " << i;
        if (i % 16 != 0) continue;
        const Best best = optimizer->best().value();
        ASSERT_TRUE(mixed_space().contains(best.arm));
        ASSERT_TRUE(std::isfinite(best.mean));
        ASSERT_LE(best.lower, best.mean);
        ASSERT_GE(best.upper, best.mean);
      }
    }
  }
}

TEST_P(BestOfEveryOptimizer, LooksChangeNothing) {
  const auto watched = make();
  const auto alone = make();
  RandomStream random({.seed = 22});
  for (int i = 0; i < 400; ++i) {
    const OwnedPull one(watched->ask(1));
    const OwnedPull other(alone->ask(1));
    ASSERT_EQ(one.arm, other.arm);
    const double reward = hill(one.arm) + 0.2 * random.normal();
    ASSERT_EQ(watched->tell(one.ticket, reward), Status::ok);
    ASSERT_EQ(alone->tell(other.ticket, reward), Status::ok);
    (void)watched->best();
    (void)watched->estimate(one.arm);
    (void)watched->summary();
  }
  EXPECT_EQ(watched->save(), alone->save());
}

TEST_P(BestOfEveryOptimizer, RecordsChangeTheBestAndNotTheSearch) {
  for (const Objective& objective : {Objective{}, unit_range()}) {
    const auto recording = make(objective);
    const auto plain = make(objective);
    RandomStream random({.seed = 23});
    const Point baseline{0.9375, 8.0, 2.0};
    for (int i = 0; i < 600; ++i) {
      if (i % 3 == 0) {  // far beyond all others
        ASSERT_EQ(recording->remember(baseline, Rewards::one(50.0 + random.normal())), Status::ok);
      }
      const OwnedPull one(recording->ask(1));
      const OwnedPull other(plain->ask(1));
      ASSERT_EQ(one.arm, other.arm) << "pull " << i;
      const double reward = hill(one.arm) + 0.2 * random.normal();
      ASSERT_EQ(recording->tell(one.ticket, reward), Status::ok);
      ASSERT_EQ(plain->tell(other.ticket, reward), Status::ok);
    }
    EXPECT_EQ(recording->best()->arm, baseline);
    EXPECT_NE(plain->best()->arm, baseline);
    EXPECT_GE(recording->estimate(baseline)->pulls, 200U);
    EXPECT_EQ(recording->summary().t, plain->summary().t);
    EXPECT_EQ(recording->summary().observed, 0U);
    EXPECT_EQ(recording->summary().out_of_range, plain->summary().out_of_range);
    EXPECT_EQ(recording->summary().fitting_range, plain->summary().fitting_range);
  }
}

TEST_P(BestOfEveryOptimizer, RecordsAreRefusedLikeObservations) {
  const auto optimizer = make();
  const std::string before = optimizer->save();
  EXPECT_EQ(optimizer->remember(Point{2.0, 5.0, 1.0}, Rewards::one(0.5)), Status::not_an_arm);
  EXPECT_EQ(optimizer->remember(Point{0.5}, Rewards::one(0.5)), Status::not_an_arm);
  const Point arm{0.5, 5.0, 1.0};
  EXPECT_EQ(optimizer->remember(arm, Rewards::one(testing::kNan)), Status::not_a_reward);
  EXPECT_EQ(optimizer->remember(arm, {}), Status::impossible_sums);
  EXPECT_EQ(optimizer->save(), before);
  EXPECT_FALSE(optimizer->best().has_value());
  EXPECT_EQ(optimizer->remember(arm, Rewards::one(0.5)), Status::ok);
  EXPECT_EQ(optimizer->best()->arm, arm) << "the only one that is known";
}

TEST_P(BestOfEveryOptimizer, WhatWasSavedRecommendsTheSame) {
  const auto one = make();
  Chatter chatter(24, noisy_hill(0.2));
  for (int i = 0; i < 300; ++i) chatter.step(*one);
  const auto other = make();
  other->restore(one->save());
  const Best best = one->best().value();
  const Best again = other->best().value();
  EXPECT_EQ(best.arm, again.arm);
  EXPECT_EQ(best.lower, again.lower);
  EXPECT_EQ(best.upper, again.upper);
  EXPECT_EQ(best.rivals, again.rivals);
  EXPECT_EQ(best.own, again.own);
}

// --- units -----------------------------------------------------------------------------------

/// The arms played in 600 pulls when rewards are multiplied by `times` and shifted by `plus`.
std::vector<Point> arms_in_units(const Selection& optimizer, double times, double plus,
                                 bool on_a_grid) {
  const auto player = make_optimizer(optimizer, line());
  RandomStream random({.seed = 25});
  std::vector<Point> arms;
  for (int i = 0; i < 600; ++i) {
    const OwnedPull pull(player->ask(1));
    const double x = pull.arm[0];
    double reward = 0.9 - (x - 0.3) * (x - 0.3) + 0.2 * random.normal();
    if (on_a_grid) reward = std::round(256.0 * reward) / 256.0;
    EXPECT_EQ(player->tell(pull.ticket, times * reward + plus), Status::ok);
    arms.push_back(pull.arm);
  }
  return arms;
}

TEST_P(BestOfEveryOptimizer, ArmsDoNotDependOnUnits) {
  const auto same_arms = [&](double times, double plus, bool on_a_grid, double tolerance) {
    const std::vector<Point> one = arms_in_units(GetParam().selection, 1.0, 0.0, on_a_grid);
    const std::vector<Point> other = arms_in_units(GetParam().selection, times, plus, on_a_grid);
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (!(std::abs(one[i][0] - other[i][0]) <= tolerance)) {
        return "arm " + std::to_string(i) + " differs";
      }
    }
    return std::string();
  };
  // On a grid of powers of two the arithmetic is exact, so that ties remain ties.
  EXPECT_EQ(same_arms(std::exp2(-20.0), 0.0, true, 0.0), "");
  EXPECT_EQ(same_arms(std::exp2(20.0), 0.0, true, 0.0), "");
  EXPECT_EQ(same_arms(1.0, std::exp2(20.0), true, 0.0), "");
  EXPECT_EQ(same_arms(std::exp2(10.0), -std::exp2(20.0), true, 0.0), "");
  // Elsewhere nothing ties. PoWER computes its arms from the rewards.
  EXPECT_EQ(same_arms(1e-6, 0.0, false, 1e-9), "");
  EXPECT_EQ(same_arms(1.0, 1e6, false, 1e-6), "");
}

INSTANTIATE_TEST_SUITE_P(Best, BestOfEveryOptimizer,
                         ::testing::ValuesIn(testing::every_optimizer()), testing::name_of_test);

RC_GTEST_PROP(HctUnits, ArmsDoNotDependOnThem, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double times = std::exp2(*rc::gen::inRange(-30, 30));
  const double plus = times * *rc::gen::inRange(-4096, 4096);
  const double deviation = *rc::gen::element(0.0, 0.01, 0.3);
  const int equal = *rc::gen::element(0, 1, 5, 100);  // rewards before the first that differs
  const auto feedback = *rc::gen::element(Feedback::iid, Feedback::correlated);
  RC_LOG() << "seed " << seed << " times " << times << " plus " << plus << " deviation "
           << deviation << " equal " << equal;
  Hct plain(line(), {.feedback = feedback});
  Hct other(line(), {.feedback = feedback});
  RandomStream random({.seed = seed});
  for (int i = 0; i < 400; ++i) {
    const Pull a = plain.ask(1);
    const Pull b = other.ask(1);
    RC_ASSERT(a.arm[0] == b.arm[0]);
    double reward = i < equal ? 0.5 : 0.9 - std::abs(a.arm[0] - 0.3) + deviation * random.normal();
    reward = std::round(256.0 * reward) / 256.0;
    RC_ASSERT(plain.tell(a.ticket, reward) == Status::ok);
    RC_ASSERT(other.tell(b.ticket, times * reward + plus) == Status::ok);
  }
  const Best best = plain.best().value();
  const Best scaled = other.best().value();
  RC_ASSERT(best.basis == scaled.basis);
  RC_ASSERT(best.arm == scaled.arm);
}

// --- the optimizer's own choice --------------------------------------------------------------

TEST(Best, IsTheOptimizersOwnChoiceWhileNothingRepeats) {
  for (const char* name : {"hoo", "random"}) {
    const auto optimizer = make_optimizer({name}, line());
    RandomStream random({.seed = 26});
    for (int i = 0; i < 300; ++i) {
      const Pull pull = optimizer->ask(1);
      ASSERT_EQ(optimizer->tell(pull.ticket, pull.arm[0] + 0.1 * random.normal()), Status::ok);
    }
    const Best best = optimizer->best().value();
    EXPECT_EQ(best.basis, Best::Basis::repeats_few) << name;
    EXPECT_EQ(best.lower, -kInfinity) << name;
    EXPECT_EQ(best.upper, kInfinity) << name;
    EXPECT_TRUE(best.own.empty()) << "it is the choice";
    EXPECT_EQ(best.unknown, 299U) << name << ": nothing is known of the others";
    EXPECT_EQ(best.rivals, 0U) << name;
  }
}

TEST(Best, OfHctIsTheMostPulledArmWhileNothingIsKnownOfTheNoise) {
  Hct hct(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 1.0});
  std::map<double, int> pulls;
  for (const double reward : {0.1, 0.9, 0.8, 0.85, 0.7}) {
    const Pull pull = hct.ask(1);
    ++pulls[pull.arm[0]];
    ASSERT_EQ(hct.tell(pull.ticket, reward), Status::ok);
  }
  const Best best = hct.best().value();
  EXPECT_EQ(best.basis, Best::Basis::repeats_few);
  for (const auto& [arm, count] : pulls) {
    EXPECT_LE(static_cast<std::uint64_t>(count), best.pulls) << arm;
  }
}

TEST(Best, SaysWhenThereIsNoNoise) {
  Hct hct(line());
  double largest = -kInfinity;
  for (int i = 0; i < 200; ++i) {
    const Pull pull = hct.ask(1);
    const double reward = 0.9 - std::abs(pull.arm[0] - 0.3);
    largest = std::max(largest, reward);
    ASSERT_EQ(hct.tell(pull.ticket, reward), Status::ok);
  }
  const Best best = hct.best().value();
  EXPECT_EQ(best.basis, Best::Basis::no_noise);
  EXPECT_EQ(best.mean, largest);
  EXPECT_EQ(best.lower, -kInfinity);
}

TEST(Best, IsNoLuckySinglePull) {
  // One reward far above all others must not make an arm the recommendation.
  Hct hct(line());
  RandomStream random({.seed = 27});
  for (int i = 0; i < 2'000; ++i) {
    const Pull pull = hct.ask(1);
    const double x = pull.arm[0];
    ASSERT_EQ(hct.tell(pull.ticket, 1.0 - (x - 0.3) * (x - 0.3) + 0.3 * random.normal()),
              Status::ok);
  }
  ASSERT_EQ(hct.observe(Point{0.987654321}, Rewards::one(1.9)), Status::ok);
  const Best best = hct.best().value();
  EXPECT_GT(best.pulls, 20U);
  EXPECT_NEAR(best.arm[0], 0.3, 0.25);
  EXPECT_GT(best.rivals, 0U) << "and it says that others may be better";
  EXPECT_GT(best.unknown, 0U) << "that one among those of which nothing is known";
}

TEST(Best, PowerNamesItsThetaBesideIt) {
  const auto power = make_optimizer({"power"}, line());
  RandomStream random({.seed = 28});
  for (int i = 0; i < 500; ++i) {
    const Pull pull = power->ask(1);
    ASSERT_EQ(power->tell(pull.ticket, pull.arm[0] + 0.1 * random.normal()), Status::ok);
  }
  const Best best = power->best().value();
  EXPECT_EQ(best.basis, Best::Basis::interval);
  EXPECT_EQ(best.pulls, 10U) << "a rollout";
  ASSERT_EQ(best.own.size(), 1U);
  EXPECT_FALSE(power->estimate(best.own).has_value()) << "theta itself was never played";
}

TEST(Best, StatesTheLevelOfTheObjective) {
  const auto optimizer = make_optimizer({"hct"}, line(), SplitRule::cyclic, {.confidence = 0.8});
  ASSERT_EQ(optimizer->tell(optimizer->ask(1).ticket, 0.5), Status::ok);
  EXPECT_EQ(optimizer->best()->confidence, 0.8);
}

// --- changes of the range --------------------------------------------------------------------

/// U of the first child of the root less its mean, in units of its value for R = 1.
double scale_in_use(Hct& hct, double resolution_and_width) {
  for (const NodeView& node : nodes_of(hct)) {
    if (node.path == "0") return (node.upper - node.mean) / resolution_and_width;
  }
  return 0.0;
}

TEST(RewardRange, ANewRangeTakesEffectInTheNextPhase) {
  Hct hct(line(), {}, unit_range());
  Hct same(line(), {}, unit_range());
  RandomStream random({.seed = 29});
  const auto play_to = [&](std::uint64_t t) {
    while (hct.summary().t < t) {
      const OwnedPull pull(hct.ask(1));
      const OwnedPull other(same.ask(1));
      ASSERT_EQ(pull.arm, other.arm) << "t " << hct.summary().t;
      const double reward = pull.arm[0] + 0.1 * random.normal();
      ASSERT_EQ(hct.tell(pull.ticket, reward), Status::ok);
      ASSERT_EQ(same.tell(other.ticket, reward), Status::ok);
    }
  };
  play_to(100);
  hct.set_reward_range(std::array{0.0, 4.0});
  play_to(128);
  const std::vector<NodeView> before = nodes_of(hct);
  (void)hct.ask(1);  // a phase begins
  (void)same.ask(1);
  const std::vector<NodeView> after = nodes_of(hct);
  const std::vector<NodeView> usual = nodes_of(same);
  ASSERT_EQ(after.size(), usual.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].pulls == 0) continue;
    EXPECT_LT(before[i].upper - before[i].mean, after[i].upper - after[i].mean);
    EXPECT_NEAR(after[i].upper - after[i].mean, 4.0 * (usual[i].upper - usual[i].mean), 1e-9);
  }
}

TEST(RewardRange, MayBeLearntFromSomePhaseOn) {
  Hct hct(line(), {}, {.reward_range = {{0.0, 100.0}}});
  double least = kInfinity;
  double largest = -kInfinity;
  RandomStream random({.seed = 30});
  for (int i = 0; i < 127; ++i) {
    if (i == 100) hct.set_reward_range(std::nullopt);
    const Pull pull = hct.ask(1);
    const double reward = pull.arm[0] + 0.1 * random.normal();
    least = std::min(least, reward);
    largest = std::max(largest, reward);
    ASSERT_EQ(hct.tell(pull.ticket, reward), Status::ok);
  }
  EXPECT_NEAR(scale_in_use(hct, 1.0), 100.0 * scale_in_use(hct, 100.0), 1e-12);
  const double wide = scale_in_use(hct, 100.0);
  (void)hct.ask(1);
  // L has increased slightly, so that the widths are not exactly proportional.
  EXPECT_NEAR(scale_in_use(hct, largest - least) / wide, 1.0, 0.05);
  EXPECT_EQ(hct.summary().fitting_range, std::nullopt) << "there is none to judge";
}

TEST(RewardRange, AnInvalidRangeIsRefused) {
  for (const testing::OptimizerCase& which : testing::every_optimizer()) {
    const auto optimizer = make_optimizer(which.selection, mixed_space());
    const std::string before = optimizer->save();
    EXPECT_THROW(optimizer->set_reward_range(std::array{1.0, 1.0}), ConfigurationError);
    EXPECT_THROW(optimizer->set_reward_range(std::array{0.0, kInfinity}), ConfigurationError);
    EXPECT_EQ(optimizer->save(), before);
    optimizer->set_reward_range(std::array{0.0, 5.0});
    EXPECT_NE(optimizer->save(), before) << "it is remembered";
  }
}

TEST(RewardRange, AnUnsuitableRangeIsReportedInTheSummary) {
  Hct hct(line(), {}, unit_range());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(hct.summary().fitting_range, std::nullopt);
    const Pull pull = hct.ask(1);
    ASSERT_EQ(hct.tell(pull.ticket, 13'000.0 + i), Status::ok);
  }
  EXPECT_EQ(hct.summary().fitting_range, (std::optional{std::array{13'000.0, 13'099.0}}));
  EXPECT_EQ(hct.summary().out_of_range, 100U);
}

TEST(RewardRange, TheFirstDifferentRewardTakesEffectAtTheNextSelection) {
  Hct hct(line());
  const auto play = [&](double reward) {
    const Pull pull = hct.ask(1);
    ASSERT_EQ(hct.tell(pull.ticket, reward), Status::ok);
  };
  for (int i = 0; i < 20; ++i) play(7.0);
  const double usual = scale_in_use(hct, 1.0);
  play(1007.0);
  const std::uint64_t refreshes = hct.summary().refreshes;
  (void)hct.ask(1);
  EXPECT_NEAR(scale_in_use(hct, 1000.0) / usual, 1.0, 0.3) << "in the same phase";
  EXPECT_EQ(hct.summary().refreshes, refreshes) << "which is not counted";
}

// --- coverage --------------------------------------------------------------------------------

/// The number of 200 runs of default HCT (seeds 0 to 199) in which, at 1, 2, 4, ... pulls or at the
/// end, the interval of the best arm did not contain the truth.
int misses(const Space& space, const std::function<double(Arm)>& truth,
           const std::function<double(double, RandomStream&)>& reward) {
  int missed = 0;
  int bounded = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Hct hct(space);
    RandomStream random({.seed = seed, .purpose = "coverage"});
    bool holds = true;
    for (std::uint64_t t = 1; t <= 1000; ++t) {
      const Pull pull = hct.ask(1);
      EXPECT_EQ(hct.tell(pull.ticket, reward(truth(pull.arm), random)), Status::ok);
      if (!std::has_single_bit(t) && t != 1000) continue;
      const Best best = hct.best().value();
      const double f = truth(best.arm);
      holds = holds && best.lower <= f && f <= best.upper;
      if (t == 1000 && best.basis == Best::Basis::interval) ++bounded;
    }
    missed += holds ? 0 : 1;
  }
  EXPECT_EQ(bounded, 200) << "intervals have ends in the end";
  return missed;
}

// If 200 runs each miss with a probability of 5 %, at most 21 do with a probability of 99.9 %.
constexpr int kMostMisses = 21;

double quadratic(Arm arm) {
  return 1.0 - 2.0 * (arm[0] - 0.3) * (arm[0] - 0.3);
}

double with_noise(double mean, RandomStream& random) {
  return mean + 0.3 * random.normal();
}

double success_or_not(double rate, RandomStream& random) {
  return random.uniform() < rate ? 1.0 : 0.0;
}

TEST(Coverage, OfNoisyRewardsHoldsAtAllLooks) {
  EXPECT_LE(misses(line(), quadratic, with_noise), kMostMisses);
}

TEST(Coverage, OfZerosAndOnesHoldsAtAllLooks) {
  EXPECT_LE(misses(line(), quadratic, success_or_not), kMostMisses);
  const auto rare = [](Arm arm) { return 0.05 * quadratic(arm); };
  EXPECT_LE(misses(line(), rare, success_or_not), kMostMisses) << "successes are rare";
}

TEST(Coverage, OfAListHoldsAtAllLooks) {
  const Space list{{"c", Choice{{"a", "b", "c", "d", "e", "f", "g", "h"}}}};
  const std::array values{0.1, 0.8, 0.3, 0.75, 0.2, 0.0, 0.6, 0.4};
  const auto truth = [&](Arm arm) { return values.at(static_cast<std::size_t>(arm[0])); };
  EXPECT_LE(misses(list, truth, with_noise), kMostMisses);
  EXPECT_LE(misses(list, truth, success_or_not), kMostMisses);
}

}  // namespace
}  // namespace canopy
