#include "canopy/family/hoo.hpp"

#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/objectives.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_cells.hpp"
#include "support/textbook_hoo.hpp"
#include "support/tree.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::depth_of;
using testing::line;
using testing::nodes_of;
using testing::RandomHct;
using testing::TextbookHoo;
using testing::TextbookScale;

std::string complaint(const HooOptions& options) {
  return testing::complaint_of<Hoo>(line(), options);
}

TEST(Hoo, PlaysAChildOfTheRootFirstAndGivesItChildren) {
  Hoo hoo(line());
  EXPECT_EQ(hoo.summary().nodes, 3U);
  const Pull pull = hoo.ask();
  EXPECT_EQ(depth_of(hoo, pull.ticket), 1U);
  EXPECT_EQ(pull.length, 1U);
  EXPECT_EQ(hoo.tell(pull.ticket, 0.5), Status::ok);
  EXPECT_EQ(hoo.summary().nodes, 5U);
  EXPECT_EQ(depth_of(hoo, hoo.ask().ticket), 1U) << "the other child knows no bound";
}

TEST(Hoo, BoundsMatchHandComputedValues) {
  Hoo hoo(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 1.0}, testing::unit_range());
  for (const double reward : {0.4, 0.8}) {
    EXPECT_EQ(hoo.tell(hoo.ask().ticket, reward), Status::ok);
  }
  const std::vector<NodeView> nodes = nodes_of(hoo);
  ASSERT_EQ(nodes.size(), 7U);
  EXPECT_EQ(nodes[0].pulls, 2U) << "a reward counts for the whole path";
  EXPECT_DOUBLE_EQ(nodes[0].mean, 0.6);
  EXPECT_DOUBLE_EQ(nodes[0].upper, 0.6 + 1.0 + std::sqrt(2.0 * std::log(2.0) / 2.0));
  const NodeView& better = nodes[1].mean > nodes[2].mean ? nodes[1] : nodes[2];
  EXPECT_DOUBLE_EQ(better.upper, 0.8 + 0.5 + std::sqrt(2.0 * std::log(2.0) / 1.0));
  EXPECT_EQ(better.bound, better.upper) << "its children know nothing yet";
  EXPECT_EQ(nodes[0].bound, std::min(nodes[0].upper, better.upper));
}

TEST(Hoo, RecommendsTheEndOfThePathOfMorePulls) {
  Hoo hoo(line(), {.confidence_scale = 0.1});
  EXPECT_FALSE(hoo.best().has_value());
  for (int i = 0; i < 300; ++i) {
    const Pull pull = hoo.ask();
    EXPECT_EQ(hoo.tell(pull.ticket, 0.9 - std::abs(pull.arm[0] - 0.3)), Status::ok);
  }
  EXPECT_NEAR(hoo.best()->arm[0], 0.3, 0.01);
}

TEST(Hoo, BreaksTiesByItsSeed) {
  const auto second_arms = [](std::uint64_t seed) {
    Hoo hoo(line(), {.seed = seed});
    return hoo.ask().arm[0];
  };
  int left = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) left += second_arms(seed) == 0.25 ? 1 : 0;
  EXPECT_GT(left, 25);
  EXPECT_LT(left, 75);
  EXPECT_EQ(second_arms(7), second_arms(7));
}

RC_GTEST_PROP(Hoo, IsTheAlgorithmOfItsPaperPullForPull, ()) {
  const RandomHct setting = testing::random_setting();
  const double nu1 = *rc::gen::element(0.1, 1.0, 3.0);
  const double rho = *rc::gen::element(0.3, 0.5, 0.8);
  const double scale = *rc::gen::element(0.05, 0.3, 1.0);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  RC_LOG() << setting << " seed " << seed;
  Hoo hoo(setting.partition, {.nu1 = nu1, .rho = rho, .confidence_scale = scale, .seed = seed},
          setting.objective);
  TextbookScale known(setting.objective);
  TextbookHoo textbook(setting.partition, known, nu1, rho, scale);
  RandomStream ties({.seed = seed, .algorithm = "hoo"});
  RandomStream noise({.seed = seed});
  for (std::uint64_t t = 1; t <= 200; ++t) {
    if (std::has_single_bit(t) || known.is_due()) known.update(std::has_single_bit(t));
    const auto path = textbook.select(ties);
    const Pull pull = hoo.ask();
    const std::vector<double> arm = textbook.arm(*path.back());
    RC_ASSERT(std::vector<double>(pull.arm.begin(), pull.arm.end()) == arm);
    RC_ASSERT(depth_of(hoo, pull.ticket) == static_cast<std::uint32_t>(path.back()->depth));
    const double reward = setting.reward(pull.arm, noise.uniform());
    known.see(reward);
    textbook.learn(path, known.to_mapped(reward));
    RC_ASSERT(hoo.tell(pull.ticket, reward) == Status::ok);
    RC_ASSERT(nodes_of(hoo).front().bound == known.to_user(textbook.root().bound));
  }
}

TEST(Hoo, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(complaint({.nu1 = 0.0}), "optimizer.nu1 = 0: must be a number from 1e-50 to 1e50");
  EXPECT_EQ(complaint({.rho = 1.0}), "optimizer.rho = 1: must be in (0, 1)");
  EXPECT_EQ(complaint({.confidence_scale = std::numeric_limits<double>::quiet_NaN()}),
            "optimizer.confidence_scale = nan: must be a number from 1e-50 to 1e50");
  EXPECT_EQ(complaint({.nu1 = -1.0, .rho = 0.0}),
            "optimizer.nu1 = -1: must be a number from 1e-50 to 1e50; "
            "optimizer.rho = 0: must be in (0, 1)");
}

}  // namespace
}  // namespace canopy
