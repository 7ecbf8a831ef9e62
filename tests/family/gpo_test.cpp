#include "canopy/family/gpo.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_poo.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::Budget;
using testing::line;
using testing::RandomHct;

std::string gpo_complaint(const GpoOptions& options) {
  return testing::complaint_of<Gpo>(line(), options);
}

TEST(GpoPlan, MatchesHandComputedValues) {
  // rho_max = 0.9: half of D_max is 3.28941. n = 1000: ln(500 / ln 500) = ln(80.454) = 4.38769,
  // times 3.28941 = 14.43: 15 instances. floor(1000 / 30) = 33.
  const GpoPlan plan = gpo_plan(1000, 0.9, 2);
  EXPECT_EQ(plan.instances, 15U);
  EXPECT_EQ(plan.share, 33U);
  // rho_max = 0.5: half of D_max is 0.5; ln(80.454) / 2 = 2.19: 3 instances, floor(1000 / 6) = 166.
  EXPECT_EQ(gpo_plan(1000, 0.5, 2).instances, 3U);
  EXPECT_EQ(gpo_plan(1000, 0.5, 2).share, 166U);
}

TEST(GpoPlan, HasAnInstanceAndAPullForAnyHorizon) {
  for (std::uint64_t n = 1; n <= 50; ++n) {
    for (const double rho_max : {1e-9, 0.5, 0.9, 1.0 - 1e-12}) {
      const auto [instances, share] = gpo_plan(n, rho_max, 2);
      EXPECT_GE(instances, 1U);
      EXPECT_GE(share, 1U);
      EXPECT_LE(2 * instances * share, std::max<std::uint64_t>(2, n)) << n << ' ' << rho_max;
    }
  }
}

TEST(Gpo, SearchesThenValidatesThenPlaysTheWinner) {
  // rho_max = 0.5 and n = 100: ln(50 / ln 50) / 2 = 1.27: 2 instances, 25 pulls each.
  Gpo gpo(line(), {.horizon = 100, .rho_max = 0.5});
  ASSERT_EQ(gpo.plan().instances, 2U);
  ASSERT_EQ(gpo.plan().share, 25U);
  const auto reward = [](Arm arm) { return 1.0 - std::abs(arm[0] - 0.3); };
  for (int i = 0; i < 50; ++i) {
    const Pull pull = gpo.ask();
    EXPECT_EQ(pull.length, 1U);
    ASSERT_EQ(gpo.tell(pull.ticket, reward(pull.arm)), Status::ok);
    EXPECT_EQ(gpo.children(), i < 25 ? 1U : 2U);
  }
  std::vector<double> validated;
  for (int i = 0; i < 2; ++i) {
    const Pull pull = gpo.ask();
    EXPECT_EQ(pull.length, 25U) << "what was found is played in one turn";
    validated.push_back(pull.arm[0]);
    const std::vector<double> rewards(25, reward(pull.arm));
    ASSERT_EQ(gpo.tell(pull.ticket, std::span<const double>(rewards)), Status::ok);
  }
  const std::vector<double> first{validated[0]};
  const std::vector<double> second{validated[1]};
  const double winner = reward(second) > reward(first) ? validated[1] : validated[0];
  for (int i = 0; i < 10; ++i) {
    const Pull pull = gpo.ask();
    EXPECT_EQ(pull.arm[0], winner);
    ASSERT_EQ(gpo.tell(pull.ticket, 0.0), Status::ok);  // too late to change the winner
  }
}

TEST(Gpo, EndsWithItsHorizonHoweverManyPullsAreInFlight) {
  // 15 instances with 33 pulls each, and 33 more for each arm found: 990 in all.
  for (const std::size_t in_flight : {1U, 8U, 50U}) {
    Gpo gpo(line(), {.horizon = 1000}, {.reward_range = {{0.0, 1.0}}});
    ASSERT_EQ(gpo.plan().instances * gpo.plan().share, 495U);
    std::size_t pulls = 0;
    std::size_t searched = 0;
    std::size_t last_change = 0;
    double arm = -1.0;
    while (pulls < 3000) {
      std::vector<OwnedPull> batch;
      for (std::size_t i = 0; i < in_flight; ++i) batch.emplace_back(gpo.ask(1));
      if (gpo.children() < 15) searched = pulls;  // or the last one has begun
      if (batch[0].arm[0] != arm) last_change = pulls;
      arm = batch[0].arm[0];
      for (const OwnedPull& pull : batch) {
        EXPECT_EQ(pull.arm[0], arm);
        ASSERT_EQ(gpo.tell(pull.ticket, 1.0 - std::abs(pull.arm[0] - 0.3)), Status::ok);
      }
      pulls += in_flight;
    }
    // If a batch is larger than a share, every instance and every arm gets one batch.
    const std::size_t most = std::max<std::size_t>(990, 30 * in_flight);
    EXPECT_LE(searched, 14 * most / 30 + in_flight) << in_flight;
    EXPECT_LE(last_change, most + in_flight) << in_flight;
    EXPECT_EQ(gpo.children(), 15U);
  }
}

TEST(Gpo, ABarredWinnerIsNoLongerPlayed) {
  Gpo gpo(line(), {.horizon = 40, .rho_max = 0.5});
  const auto step = [&gpo] {
    const Pull pull = gpo.ask(1);
    std::vector<double> arm(pull.arm.begin(), pull.arm.end());
    EXPECT_EQ(gpo.tell(pull.ticket, 1.0 - std::abs(arm[0] - 0.3)), Status::ok);
    return arm;
  };
  for (int i = 0; i < 40; ++i) step();
  for (int i = 0; i < 5; ++i) {  // more often than there are instances
    const std::vector<double> winner = step();
    ASSERT_EQ(gpo.bar(winner, 0.0), Status::ok);
    EXPECT_NE(step(), winner);
  }
}

RC_GTEST_PROP(Gpo, IsTheAlgorithmOfItsPaperPullForPull, ()) {
  for (int i = 0; i < 3; ++i) {
    const auto setting = *rc::gen::arbitrary<RandomHct>();
    const auto rule = *rc::gen::element(SplitRule::cyclic, SplitRule::longest_side);
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    const Space space = RandomHct::make_space(setting.space);
    GpoOptions options;
    options.horizon = *rc::gen::inRange<std::uint64_t>(10, 400);
    options.base = *rc::gen::element(Base::hct, Base::vhct);
    options.nu_max = *rc::gen::element(0.1, 1.0, 3.0);
    options.rho_max = *rc::gen::element(0.2, 0.5, 0.8);
    options.confidence_scale = *rc::gen::element(0.01, 0.05, 0.2);
    RC_LOG() << setting << " horizon " << options.horizon << " base " << name_of(options.base)
             << " nu_max " << options.nu_max << " rho_max " << options.rho_max
             << " confidence_scale " << *options.confidence_scale << " seed " << seed << '\n';
    RandomStream noise({.seed = seed});
    Budget budget{[&](Arm arm) { return setting.reward(arm, noise.uniform()); },
                  static_cast<std::size_t>(options.horizon) + 20};
    const std::size_t pulls = budget.left;
    testing::textbook_gpo(std::string(name_of(options.base)),
                          {{"confidence_scale", *options.confidence_scale}}, options.nu_max,
                          options.rho_max, options.horizon, space, rule, setting.objective, budget);
    Gpo gpo(space, options, setting.objective, rule);
    RandomStream same_noise({.seed = seed});
    for (std::size_t pull = 0; pull < pulls; ++pull) {
      const Pull next = gpo.ask(1);
      RC_ASSERT(std::vector<double>(next.arm.begin(), next.arm.end()) == budget.played[pull]);
      RC_ASSERT(gpo.tell(next.ticket, setting.reward(next.arm, same_noise.uniform())) ==
                Status::ok);
    }
  }
}

TEST(Gpo, PctAndVpctAreGpoOverTheirTrees) {
  for (const auto& [name, base] : {std::pair{"pct", "hct"}, std::pair{"vpct", "vhct"}}) {
    const OptionValues both{{"horizon", std::uint64_t{200}}, {"rho_max", 0.7}};
    OptionValues of_gpo = both;
    of_gpo.set("base", std::string(base));
    const auto trees = make_optimizer({name, both}, line());
    const auto gpo = make_optimizer({"gpo", of_gpo}, line());
    RandomStream random({.seed = 6});
    for (int i = 0; i < 250; ++i) {
      const Pull one = trees->ask(1);
      const Pull other = gpo->ask(1);
      ASSERT_EQ(one.arm[0], other.arm[0]) << name;
      const double reward = one.arm[0] + random.uniform();
      ASSERT_EQ(trees->tell(one.ticket, reward), Status::ok);
      ASSERT_EQ(gpo->tell(other.ticket, reward), Status::ok);
    }
  }
}

TEST(Gpo, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(gpo_complaint({.horizon = 0}),
            "optimizer.horizon = 0: must be a whole number from 1 to 9007199254740992");
  EXPECT_EQ(gpo_complaint({.rho_max = 0.0}), "optimizer.rho_max = 0: must be in (0, 1)");
}

}  // namespace
}  // namespace canopy
