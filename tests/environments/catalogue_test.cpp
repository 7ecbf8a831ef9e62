// Properties of every environment in the catalogue.

#include "canopy/auction.hpp"
#include "canopy/contextual_function.hpp"
#include "canopy/environments.hpp"
#include "canopy/errors.hpp"
#include "canopy/garland.hpp"
#include "canopy/lqr.hpp"
#include "canopy/lqr_partial.hpp"
#include "canopy/moving.hpp"
#include "canopy/routing.hpp"
#include "canopy/test_functions.hpp"

#include "support/long_run.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::long_run;
using Names = std::vector<std::string_view>;

std::unique_ptr<KnownEnvironment> make(std::string_view name) {
  return make_environment({std::string(name)});
}

/// Means are compared at the first step of a run if the environment moves.
constexpr std::uint64_t kAnyStep = 1;

std::vector<double> random_arm(const Space& space, RandomStream& random) {
  std::vector<double> point(space.dimension());
  for (double& coordinate : point) coordinate = random.uniform();
  std::vector<double> arm(space.dimension());
  space.from_unit_cube(point, arm);
  return arm;
}

class EveryEnvironment : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryEnvironment, NoArmIsBetterThanTheOptimumAndAllMeansAreInRange) {
  const auto environment = make(GetParam());
  const Optimum optimum = environment->optimum_at(kAnyStep);
  const auto [low, high] = environment->reward_range();
  EXPECT_NEAR(environment->mean_reward_at(optimum.arm, kAnyStep), optimum.value, 1e-7);
  RandomStream random({.seed = 1, .environment = GetParam()});
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<double> arm = random_arm(environment->space(), random);
    const double mean = environment->mean_reward_at(arm, kAnyStep);
    ASSERT_LE(mean, optimum.value + 1e-12) << environment->space().describe(arm);
    ASSERT_GE(mean, low);
    ASSERT_LE(mean, high);
  }
}

TEST_P(EveryEnvironment, TheOptimumLiesInTheBox) {
  const auto environment = make(GetParam());
  const Optimum optimum = environment->optimum_at(kAnyStep);
  ASSERT_EQ(optimum.arm.size(), environment->space().dimension());
  for (std::size_t i = 0; i < optimum.arm.size(); ++i) {
    const auto& box = *environment->space().parameters()[i].domain.as<Real>();
    EXPECT_GE(optimum.arm[i], box.low);
    EXPECT_LE(optimum.arm[i], box.high);
  }
}

TEST_P(EveryEnvironment, ALongRunEarnsTheMeanReward) {
  const auto environment = make(GetParam());
  if (environment->drifts()) GTEST_SKIP() << "it has another mean at every step";
  RandomStream random({.seed = 2, .environment = GetParam()});
  std::vector<std::vector<double>> arms{environment->optimum_at(kAnyStep).arm};
  for (int i = 0; i < 3; ++i) arms.push_back(random_arm(environment->space(), random));
  // The mean rewards of cart-pole were measured and are interpolated.
  const double slack = GetParam() == "cart-pole" ? 0.005 : 1e-9;
  for (const std::vector<double>& arm : arms) {
    const auto [mean, error] = long_run(*environment, arm, 400'000);
    EXPECT_NEAR(mean, environment->mean_reward_at(arm, kAnyStep), 5.0 * error + slack)
        << environment->space().describe(arm);
    EXPECT_LT(error, 0.02) << "or this says nothing";
  }
}

TEST_P(EveryEnvironment, TheSameSeedGivesTheSameTrajectory) {
  const auto trajectory = [](std::uint64_t seed) {
    const auto environment = make(GetParam());
    RandomStream arms({.seed = 3});
    RandomStream random({.seed = seed});
    environment->start(random);
    std::vector<double> rewards;
    rewards.reserve(100);
    for (int i = 0; i < 100; ++i) {
      rewards.push_back(environment->pull(random_arm(environment->space(), arms), random));
    }
    return rewards;
  };
  EXPECT_EQ(trajectory(1), trajectory(1));
  EXPECT_NE(trajectory(1), trajectory(2));
}

TEST_P(EveryEnvironment, StaysAsItIsUnlessItDrifts) {
  const auto environment = make(GetParam());
  if (environment->drifts()) GTEST_SKIP() << "it drifts";
  const Optimum first = environment->optimum_at(1);
  const Optimum last = environment->optimum_at(1'000'000'000);
  EXPECT_EQ(first.arm, last.arm);
  EXPECT_EQ(first.value, last.value);
  EXPECT_EQ(environment->mean_reward_at(first.arm, 1),
            environment->mean_reward_at(first.arm, 1'000'000'000));
}

TEST_P(EveryEnvironment, ContextsAreKnownBeforeThePull) {
  const auto environment = make(GetParam());
  RandomStream random({.seed = 4, .environment = GetParam()});
  environment->start(random);
  std::vector<std::vector<double>> announced;
  for (std::uint64_t t = 1; t <= 20; ++t) announced.push_back(environment->context_at(t));
  for (std::uint64_t t = 1; t <= 20; ++t) {
    EXPECT_EQ(environment->context_at(t), announced[t - 1]);
    EXPECT_EQ(announced[t - 1].size(), environment->contexts().size());
    (void)environment->pull(random_arm(environment->space(), random), random);
  }
}

TEST_P(EveryEnvironment, HasALineAndAHelpForEveryOption) {
  const EnvironmentEntry& entry = environments().at(GetParam());
  EXPECT_FALSE(entry.line.empty());
  for (const OptionField& field : entry.fields) EXPECT_FALSE(field.help.empty()) << field.name;
  EXPECT_TRUE(violations(entry.fields, completed(entry.fields, {}), "").empty());
}

std::string test_name(const ::testing::TestParamInfo<std::string_view>& info) {
  std::string name(info.param);
  for (char& letter : name) letter = letter == '-' ? '_' : letter;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryEnvironment, ::testing::ValuesIn(environments().names()),
                         test_name);

TEST(EnvironmentCatalogue, KnowsItsNames) {
  EXPECT_EQ(environments().names().size(), 24U);
  EXPECT_EQ(environments().names().front(), "garland");
  EXPECT_EQ(environments().find("nowhere"), nullptr);
  EXPECT_THROW((void)make_environment({"nowhere"}), ConfigurationError);
}

/// The message of making it by name and that of its constructor, which must be equal.
template <class AnEnvironment, class Options>
std::string complaint(const std::string& name, const Options& options) {
  std::string of_entry;
  std::string of_constructor;
  try {
    (void)make_environment({name, values_of(options)});
  } catch (const ConfigurationError& error) {
    of_entry = error.what();
  }
  try {
    const AnEnvironment environment(options);
  } catch (const ConfigurationError& error) {
    of_constructor = error.what();
  }
  EXPECT_EQ(of_entry, of_constructor);
  return of_entry;
}

TEST(EnvironmentCatalogue, EveryOptionOutOfRangeIsNamed) {
  EXPECT_EQ(complaint<Garland>("garland", GarlandOptions{.noise_width = -1.0}),
            "environment.noise_width = -1: must be a number from 0 to 1e50");
  EXPECT_EQ(complaint<GarlandMdp>("garland-mdp", GarlandMdpOptions{.beta = 0.0}),
            "environment.beta = 0: must be a number from 1e-6 to 1");
  EXPECT_EQ(complaint<Ackley>("ackley", Ackley::Options{.dimension = 0}),
            "environment.dimension = 0: must be a whole number from 1 to 1000");
  EXPECT_EQ(complaint<Lqr>("lqr", LqrOptions{.pole = 11.0, .control_cost = -1.0}),
            "environment.pole = 11: must be a number from 0 to 10; "
            "environment.control_cost = -1: must be a number from 0 to 100");
  EXPECT_EQ(complaint<LqrPartial>("lqr-partial", LqrPartialOptions{.observation_noise = 0.0}),
            "environment.observation_noise = 0: must be a number from 0.001 to 1000");
  EXPECT_EQ(complaint<Auction>("auction", AuctionOptions{.bidders = 0}),
            "environment.bidders = 0: must be a whole number from 1 to 1000");
  EXPECT_EQ(complaint<ReactiveAuction>("auction-reactive", ReactiveAuctionOptions{.aversion = 1.5}),
            "environment.aversion = 1.5: must be in [0, 1]");
  EXPECT_EQ(complaint<Moving>("moving", MovingOptions{.span = 0, .noise_memory = 1.0}),
            "environment.span = 0: must be a whole number from 1 to 9007199254740992; "
            "environment.noise_memory = 1: must be in [0, 1)");
  EXPECT_EQ(complaint<Moving>("traffic-day", TrafficDayOptions{.deploys = 101.0}),
            "environment.deploys = 101: must be a number from -100 to 100");
  EXPECT_EQ(complaint<ContextualFunction>("contextual", ContextualFunctionOptions{.span = 0}),
            "environment.span = 0: must be a whole number from 1 to 9007199254740992");
  EXPECT_EQ(complaint<Routing>("routing", RoutingOptions{.patience = 0.0}),
            "environment.patience = 0: must be a number from 0.001 to 1000");
  EXPECT_EQ(complaint<Routing>("routing", RoutingOptions{.arrival_rate = 1.75}),
            "environment.arrival_rate = 1.75: must be at most 90 % of first_rate + second_rate");
  EXPECT_EQ(
      complaint<Routing>(
          "routing", RoutingOptions{.arrival_rate = 1.8, .first_rate = 1.0, .second_rate = 1.0}),
      "")
      << "the end of the range belongs to it";
}

}  // namespace
}  // namespace canopy
