#include "canopy/family/poo.hpp"

#include "canopy/garland.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/partition.hpp"
#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_poo.hpp"
#include "support/tree.hpp"
#include "support/values.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::Budget;
using testing::line;
using testing::nodes_of;
using testing::RandomHct;

std::string poo_complaint(const PooOptions& options) {
  return testing::complaint_of<Poo>(line(), options);
}

TEST(PooFormulas, MatchHandComputedValues) {
  // D_max = ln 2 / ln(1 / 0.9) = 0.693147 / 0.105361 = 6.57881. n = 100: ln(100 / 4.60517) =
  // 3.07799; half the product is 10.1247.
  EXPECT_NEAR(instances_worthwhile(100.0, 0.9, 2), 10.1247, 1e-4);
  // Three parts: ln 3 / ln 2 times as much.
  EXPECT_NEAR(instances_worthwhile(100.0, 0.9, 3), 10.1247 * 1.58496, 1e-3);
  EXPECT_EQ(instances_worthwhile(0.0, 0.9, 2), 0.0);
  EXPECT_EQ(instances_worthwhile(1.0, 0.9, 2), 0.0) << "not infinity";
  // 0.9^(8/3) = exp(-0.280962) = 0.755057; 0.9^(8/9) = exp(-0.0936539) = 0.910597.
  EXPECT_NEAR(instance_rho(0.9, 1, 4), 0.755057, 1e-6);
  EXPECT_NEAR(instance_rho(0.9, 4, 4), 0.910597, 1e-6);
}

/// The number of instances after each of the pulls.
std::vector<std::uint64_t> instances_over(Poo& poo, int pulls) {
  std::vector<std::uint64_t> instances;
  for (int i = 0; i < pulls; ++i) {
    const Pull pull = poo.ask();
    instances.push_back(poo.children());
    EXPECT_EQ(poo.tell(pull.ticket, 0.5), Status::ok);
  }
  return instances;
}

TEST(Poo, StartsInstancesWhenItHasPullsEnoughForThem) {
  // With rho_max = 0.9 half of D_max is 3.2894. n = 2, N = 1: 3.2894 ln(2 / 0.6931) = 3.486: one
  // more, which gets 2 / 1 pulls. n = 4, N = 2: 3.2894 * 1.0597 = 3.486: two more, with 2 each. n =
  // 8, N = 4: 3.2894 * 1.3473 = 4.432: four more. n = 16, N = 8: 3.2894 * 1.7533 = 5.767: no more
  // are needed, and all eight get one pull each in turn.
  Poo poo(line());
  EXPECT_EQ(instances_over(poo, 20), (std::vector<std::uint64_t>{1, 1, 2, 2, 3, 3, 4, 4, 5, 5,
                                                                 6, 6, 7, 7, 8, 8, 8, 8, 8, 8}));
}

TEST(Poo, AllInstancesHaveAsManyPullsHoweverManyAreInFlight) {
  // With one pull at a time there are 8 instances from the 16th pull to the 32nd, and 16 at the end
  // (the table of n and N above, continued). With 8 in flight an instance may be 7 ahead of the
  // others.
  const auto instances_after = [](std::size_t in_flight, std::size_t pulls) {
    Poo poo(line(), {.base = Base::hct});
    for (std::size_t i = 0; i < pulls; i += in_flight) {
      std::vector<OwnedPull> batch;
      for (std::size_t k = 0; k < in_flight; ++k) batch.emplace_back(poo.ask(1));
      for (const OwnedPull& pull : batch) {
        EXPECT_EQ(poo.tell(pull.ticket, 1.0 - std::abs(pull.arm[0] - 0.3)), Status::ok);
      }
    }
    return poo.children();
  };
  for (const std::size_t pulls : {400U, 2000U, 8000U}) {
    EXPECT_EQ(instances_after(8, pulls), instances_after(1, pulls)) << pulls;
  }
}

TEST(Poo, WithASmallRhoMaxThereIsOneInstanceForLong) {
  // Half of D_max is 0.5 * 0.6931 / 4.6052 = 0.07526: N = 1 needs ln(n / ln n) = 13.29.
  Poo poo(line(), {.rho_max = 0.01});
  EXPECT_EQ(instances_over(poo, 300), std::vector<std::uint64_t>(300, 1));
}

RC_GTEST_PROP(Poo, IsTheAlgorithmOfItsPaperPullForPull, ()) {
  for (int i = 0; i < 3; ++i) {
    const auto setting = *rc::gen::arbitrary<RandomHct>();
    const auto rule = *rc::gen::element(SplitRule::cyclic, SplitRule::longest_side);
    const Space space = RandomHct::make_space(setting.space);
    PooOptions options;
    options.nu_max = *rc::gen::element(0.1, 1.0, 3.0);
    options.rho_max = *rc::gen::element(0.2, 0.5, 0.8, 0.95);
    options.confidence_scale = *rc::gen::element(0.01, 0.2, 1.0);
    options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    RC_LOG() << setting << " nu_max " << options.nu_max << " rho_max " << options.rho_max
             << " confidence_scale " << *options.confidence_scale << " seed " << options.seed
             << '\n';
    constexpr std::size_t kPulls = 250;
    RandomStream noise({.seed = options.seed});
    Budget budget{[&](Arm arm) { return setting.reward(arm, noise.uniform()); }, kPulls};
    testing::textbook_poo(std::make_shared<BoxPartition>(space, rule), setting.objective,
                          options.nu_max, options.rho_max, *options.confidence_scale, options.seed,
                          budget);
    Poo poo(space, options, setting.objective, rule);
    RandomStream same_noise({.seed = options.seed});
    for (std::size_t pull = 0; pull < kPulls; ++pull) {
      const Pull next = poo.ask();
      RC_ASSERT(std::vector<double>(next.arm.begin(), next.arm.end()) == budget.played[pull]);
      RC_ASSERT(poo.tell(next.ticket, setting.reward(next.arm, same_noise.uniform())) ==
                Status::ok);
    }
  }
}

TEST(Poo, PlaysTheSameOverTheSameCellsOfTheCallersOwn) {
  Poo theirs(line(), {.seed = 3});
  Poo ours(std::make_shared<BoxPartition>(line(), SplitRule::cyclic), {.seed = 3});
  RandomStream noise({.seed = 1});
  for (int pull = 0; pull < 500; ++pull) {
    const Pull expected = theirs.ask();
    const Pull next = ours.ask();
    ASSERT_EQ(next.arm[0], expected.arm[0]);
    const double reward = 1.0 - std::abs(next.arm[0] - 0.3) + noise.uniform();
    ASSERT_EQ(theirs.tell(expected.ticket, reward), Status::ok);
    ASSERT_EQ(ours.tell(next.ticket, reward), Status::ok);
  }
  EXPECT_GT(ours.children(), 1);
}

/// A box whose cells can temporarily not be cut.
class Stubborn final : public Partition {
 public:
  mutable bool throws = false;

  [[nodiscard]] std::size_t dimension() const override { return box_.dimension(); }
  [[nodiscard]] std::size_t cell_size() const override { return box_.cell_size(); }
  void root(std::span<double> cell) const override { box_.root(cell); }
  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t depth,
                           std::span<double> parts) const override {
    if (throws) throw std::runtime_error("it cannot be cut now");
    return box_.split(cell, depth, parts);
  }
  void arm(std::span<const double> cell, std::span<double> arm) const override {
    box_.arm(cell, arm);
  }
  [[nodiscard]] bool contains(Arm arm) const override { return box_.contains(arm); }

 private:
  BoxPartition box_{line(), SplitRule::cyclic};
};

TEST(Poo, TriesAgainToMakeAnInstanceWhoseCellsHaveThrown) {
  const auto cells = std::make_shared<Stubborn>();
  Poo poo(cells, {.base = Base::hct});
  RandomStream noise({.seed = 1});
  int thrown = 0;
  for (int pull = 0; pull < 2000; ++pull) {
    cells->throws = noise.uniform() < 0.3;
    try {
      const Pull next = poo.ask();
      static_cast<void>(poo.tell(next.ticket, noise.uniform() - std::abs(next.arm[0] - 0.3)));
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  cells->throws = false;
  Poo other(cells, {.base = Base::hct});
  other.restore(poo.save());  // throws where the state makes no sense
  EXPECT_EQ(other.save(), poo.save());
  EXPECT_GT(poo.children(), 1);
  EXPECT_GT(thrown, 0);
}

TEST(Poo, RecommendsWhatItsBestInstanceWould) {
  Poo poo(line(), {}, {.reward_range = {{0.0, 1.0}}});
  EXPECT_FALSE(poo.best().has_value());
  RandomStream random({.seed = 4});
  for (int i = 0; i < 2000; ++i) {
    const Pull pull = poo.ask();
    const double off = pull.arm[0] - 0.3;
    EXPECT_EQ(poo.tell(pull.ticket, 0.9 - off * off + 0.1 * (random.uniform() - 0.5)), Status::ok);
  }
  EXPECT_NEAR(poo.best()->arm[0], 0.3, 0.1);
}

// --- all composite optimizers -----------------------------------------------------------------

TEST(Composite, EveryRewardIsInTheEvidence) {
  Poo poo(line(), {.base = Base::hct});
  std::set<std::vector<double>> arms;
  RandomStream random({.seed = 5});
  for (int i = 0; i < 500; ++i) {
    const Pull pull = poo.ask();
    arms.insert({pull.arm.begin(), pull.arm.end()});
    ASSERT_EQ(poo.tell(pull.ticket, pull.arm[0] + random.uniform()), Status::ok);
  }
  std::uint64_t pulls = 0;
  for (const std::vector<double>& arm : arms) pulls += poo.estimate(arm).value().pulls;
  EXPECT_EQ(pulls, 500U);
}

TEST(Composite, ChildrenThatComeLaterLearnWhatWasObservedBefore) {
  Poo poo(line(), {.base = Base::hct});
  const std::vector<double> quarter{0.25};
  ASSERT_EQ(poo.observe(quarter, {7, 3.5, 0.0, 0.5, 0.5}), Status::ok);
  for (int i = 0; i < 4; ++i) {  // the third and fourth are of the second instance
    const Pull pull = poo.ask();
    const NodeView left = nodes_of(poo)[1];
    EXPECT_EQ(left.path, "0");
    EXPECT_GE(left.pulls, 7U) << "before pull " << i;
    EXPECT_EQ(left.mean, 0.5);
    ASSERT_EQ(poo.tell(pull.ticket, 0.5), Status::ok);
  }
  EXPECT_EQ(poo.children(), 2U);
}

TEST(Composite, AnswersThatComeLateAreLearntByTheChildThatAsked) {
  Poo poo(line(), {.rho_max = 0.01});  // one instance
  std::vector<Ticket> tickets;
  for (int i = 0; i < 5; ++i) tickets.push_back(poo.ask().ticket);
  for (const Ticket ticket : tickets) ASSERT_EQ(poo.tell(ticket, 0.5), Status::ok);
  EXPECT_EQ(poo.summary().t, 6U);
  EXPECT_EQ(nodes_of(poo)[0].pulls, 5U);
}

TEST(Composite, AFailureIsKnownToAllChildren) {
  Poo poo(line(), {.base = Base::hct});
  for (int i = 0; i < 2; ++i) ASSERT_EQ(poo.penalize(poo.ask().ticket, -1.0), Status::ok);
  const Pull third = poo.ask();  // by the second instance, whose two arms both failed before
  ASSERT_EQ(poo.children(), 2U);
  EXPECT_EQ(nodes_of(poo)[1].pulls, 1U);
  EXPECT_EQ(nodes_of(poo)[2].pulls, 1U);
  EXPECT_EQ(poo.tell(third.ticket, 0.5), Status::ok);
}

TEST(Composite, ADroppedTicketLeavesTheTurnToTheNext) {
  Poo poo(line(), {.base = Base::vhct});
  const Pull first = poo.ask();
  const std::vector<double> arm(first.arm.begin(), first.arm.end());
  ASSERT_EQ(poo.drop(first.ticket), Status::ok);
  const Pull second = poo.ask();
  EXPECT_EQ(std::vector<double>(second.arm.begin(), second.arm.end()), arm);
  ASSERT_EQ(poo.tell(second.ticket, 0.25), Status::ok);
  EXPECT_EQ(poo.estimate(arm)->pulls, 1U);
}

TEST(Composite, AnotherRangeReachesTheChildren) {
  // A range ten times as wide makes U(v) - mean ten times as large, from the next phase on.
  const auto upper_after = [](bool wider) {
    Poo poo(line(), {.base = Base::vhct, .rho_max = 0.01}, {.reward_range = {{0.0, 1.0}}});
    if (wider) poo.set_reward_range(RewardRange{0.0, 10.0});
    const Pull pull = poo.ask();
    EXPECT_EQ(poo.tell(pull.ticket, 0.5), Status::ok);
    return nodes_of(poo)[1].upper - 0.5;
  };
  EXPECT_NEAR(upper_after(true), 10.0 * upper_after(false), 1e-9);
}

TEST(Poo, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(poo_complaint({.nu_max = 0.0}),
            "optimizer.nu_max = 0: must be a number from 1e-50 to 1e50");
  EXPECT_EQ(poo_complaint({.rho_max = 1.0}), "optimizer.rho_max = 1: must be in (0, 1)");
  EXPECT_EQ(poo_complaint({.confidence_scale = 0.0}),
            "optimizer.confidence_scale = 0: must be a number from 1e-50 to 1e50");
}

}  // namespace
}  // namespace canopy
