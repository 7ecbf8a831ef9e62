// What every optimizer of the catalogue must do, whichever it is.

#include "optimizers/catalogue.hpp"

#include "core/alternatives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using Names = std::vector<std::string_view>;

Space mixed() {
  return {{"x", Real{0.0, 1.0}}, {"n", Integer{1, 9}}, {"c", Choice{{"a", "b", "c"}}}};
}

std::unique_ptr<Optimizer> make(std::string_view name, const Objective& objective = {}) {
  const auto options = alternative_named<OptimizerOptions, OptimizerEntry>(name);
  return make_optimizer(options.value(), mixed(), SplitRule::cyclic, objective);
}

double reward_of(Arm arm, double uniform) {
  return 0.8 - 0.5 * std::abs(arm[0] - 0.4) - 0.02 * std::abs(arm[1] - 4.0) + 0.1 * uniform;
}

class EveryOptimizer : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryOptimizer, AsksLearnNothing) {
  const auto optimizer = make(GetParam());
  const Pull first = optimizer->ask(1);
  const std::vector<double> arm(first.arm.begin(), first.arm.end());
  for (Ticket ticket = 2; ticket < 20; ++ticket) {
    const Pull again = optimizer->ask(1);
    EXPECT_EQ(again.ticket, ticket);
    EXPECT_TRUE(std::equal(arm.begin(), arm.end(), again.arm.begin()));
  }
  EXPECT_EQ(optimizer->summary().t, 1U);
  EXPECT_EQ(optimizer->summary().switches, 1U);
  EXPECT_EQ(optimizer->summary().in_flight, 19U);
  EXPECT_FALSE(optimizer->best().has_value());
}

TEST_P(EveryOptimizer, RefusesWhatIsNoAnswerAndGoesOn) {
  const auto optimizer = make(GetParam());
  const Pull pull = optimizer->ask(1);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(optimizer->tell(pull.ticket, kNan), Status::not_a_reward);
  EXPECT_EQ(optimizer->tell(pull.ticket, kInfinity), Status::not_a_reward);
  EXPECT_EQ(optimizer->tell(99, 0.5), Status::unknown_ticket);
  EXPECT_EQ(optimizer->tell(0, 0.5), Status::unknown_ticket);
  const std::array two{0.5, 0.5};
  EXPECT_EQ(optimizer->tell(pull.ticket, std::span<const double>(two)), Status::too_many_rewards);
  EXPECT_EQ(optimizer->tell(pull.ticket, Rewards{0, 0.0, 0.0}), Status::impossible_sums);
  EXPECT_EQ(optimizer->summary().t, 1U);
  EXPECT_EQ(optimizer->tell(pull.ticket, 0.5), Status::ok);
  EXPECT_EQ(optimizer->tell(pull.ticket, 0.5), Status::closed_ticket);
  EXPECT_EQ(optimizer->drop(pull.ticket), Status::closed_ticket);
  EXPECT_EQ(optimizer->summary().t, 2U);
}

TEST_P(EveryOptimizer, SumsTeachTheSameAsRewards) {
  const auto single = make(GetParam());
  const auto summed = make(GetParam());
  RandomStream random({.seed = 4});
  for (int i = 0; i < 500; ++i) {
    const Pull one = single->ask(1);
    const Pull other = summed->ask(1);
    ASSERT_TRUE(std::equal(one.arm.begin(), one.arm.end(), other.arm.begin())) << "pull " << i;
    const double reward = reward_of(one.arm, random.uniform());
    ASSERT_EQ(single->tell(one.ticket, reward), Status::ok);
    ASSERT_EQ(summed->tell(other.ticket, Rewards{1, reward, reward * reward}), Status::ok);
  }
}

TEST_P(EveryOptimizer, ArmsLieInTheSpaceAndOneIsRecommended) {
  const auto optimizer = make(GetParam());
  RandomStream random({.seed = 5});
  for (int i = 0; i < 2'000; ++i) {
    const Pull pull = optimizer->ask(1);
    ASSERT_GE(pull.arm[0], 0.0);
    ASSERT_LE(pull.arm[0], 1.0);
    ASSERT_EQ(pull.arm[1], std::floor(pull.arm[1]));
    ASSERT_GE(pull.arm[1], 1.0);
    ASSERT_LE(pull.arm[1], 9.0);
    ASSERT_GE(pull.arm[2], 0.0);
    ASSERT_LE(pull.arm[2], 2.0);
    optimizer->tell(pull.ticket, reward_of(pull.arm, random.uniform()));
  }
  optimizer->finish();
  const auto best = optimizer->best();
  ASSERT_TRUE(best.has_value());
  EXPECT_LE(best->lower, best->mean);
  EXPECT_LE(best->mean, best->upper);
  EXPECT_GT(reward_of(best->arm, 0.5), 0.6) << "no better than anywhere";
}

TEST_P(EveryOptimizer, MinimizingIsMaximizingTheOppositeInOtherUnits) {
  const auto maximizes = make(GetParam());
  const auto minimizes =
      make(GetParam(), {.direction = Direction::minimize, .reward_range = {-8.0, 0.0}});
  RandomStream random({.seed = 6});
  for (int i = 0; i < 500; ++i) {
    const Pull up = maximizes->ask(1);
    const Pull down = minimizes->ask(1);
    ASSERT_TRUE(std::equal(up.arm.begin(), up.arm.end(), down.arm.begin())) << "pull " << i;
    const double reward = std::round(64.0 * reward_of(up.arm, random.uniform())) / 64.0;  // exact
    maximizes->tell(up.ticket, reward);
    minimizes->tell(down.ticket, -8.0 * reward);
  }
  EXPECT_NEAR(minimizes->best()->mean, -8.0 * maximizes->best()->mean, 1e-9);
  EXPECT_LE(minimizes->best()->lower, minimizes->best()->upper);
}

TEST_P(EveryOptimizer, AnyInterleavingKeepsCountAndArms) {
  const std::string_view name = GetParam();
  EXPECT_TRUE(rc::check("interleaving of " + std::string(name), [name] {
    const auto optimizer = make(name);
    struct Held {
      Pull pull;
      std::vector<double> arm;
    };
    std::vector<Held> held;
    std::uint64_t answers = 0;
    const auto length = *rc::gen::inRange(1, 150);
    for (int i = 0; i < length; ++i) {
      const int action = held.empty() ? 0 : *rc::gen::inRange(0, 4);
      if (action <= 1) {
        const Pull pull = optimizer->ask(*rc::gen::inRange<std::uint64_t>(1, 5));
        held.push_back({pull, {pull.arm.begin(), pull.arm.end()}});
        continue;
      }
      const auto which = *rc::gen::inRange<std::size_t>(0, held.size());
      const Held chosen = held[which];
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      RC_ASSERT(std::equal(chosen.arm.begin(), chosen.arm.end(), chosen.pull.arm.begin()));
      if (action == 2) {
        RC_ASSERT(optimizer->drop(chosen.pull.ticket) == Status::ok);
        continue;
      }
      const std::vector<double> rewards(chosen.pull.length, 0.5);
      RC_ASSERT(optimizer->tell(chosen.pull.ticket, std::span<const double>(rewards)) ==
                Status::ok);
      answers += chosen.pull.length;
    }
    RC_ASSERT(optimizer->summary().t == answers + 1);
    RC_ASSERT(optimizer->summary().in_flight == held.size());
  }));
}

TEST_P(EveryOptimizer, HasPathsForItsNodesIfItHasATree) {
  const auto optimizer = make(GetParam());
  for (int i = 0; i < 50; ++i) {
    const Pull pull = optimizer->ask(1);
    EXPECT_EQ(optimizer->path(pull.node).size(), pull.depth);
    optimizer->tell(pull.ticket, 0.5);
  }
  const std::vector<NodeView> tree = optimizer->tree();
  EXPECT_EQ(tree.size(), optimizer->summary().nodes);
  std::set<std::string> paths;
  for (const NodeView& node : tree) paths.insert(node.path);
  EXPECT_EQ(paths.size(), tree.size());
}

std::string test_name(const ::testing::TestParamInfo<std::string_view>& info) {
  return std::string(info.param);
}

const Names all_names = names_of_all<OptimizerOptions, OptimizerEntry>();
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryOptimizer, ::testing::ValuesIn(all_names), test_name);

TEST(OptimizerCatalogue, HasTheAlgorithmsOfThePaperAndTwoFloors) {
  EXPECT_EQ(all_names, (Names{"hct", "thoo", "hoo", "power", "grid", "random"}));
}

TEST(OptimizerCatalogue, FillsInTheDefaultsThatDependOnTheDimension) {
  EXPECT_EQ(options_text(filled_in(ThooOptions{}, 2)),
            "horizon doubling, nu1 1, rho 0.7071067811865476, confidence_scale 0.2");
  EXPECT_EQ(filled_in(HctOptions{.preset = Preset::paper}, 1).rho, 0.5);
  EXPECT_EQ(filled_in(HctOptions{.nu1 = 3.0}, 1).nu1, 3.0);
  EXPECT_EQ(options_text(filled_in(GridOptions{}, 5)), "points 32, confidence_scale 0.1");
}

}  // namespace
}  // namespace canopy
