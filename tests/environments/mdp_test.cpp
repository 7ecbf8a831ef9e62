#include "canopy/mdp.hpp"

#include "canopy/garland.hpp"
#include "canopy/lqr.hpp"

#include <array>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// A counter that is moved by actions, observed with a delay of one step.
struct Counter {
  struct State {
    double count = 0.0;
    double before = 0.0;
  };
  using Observation = double;
  using Action = double;

  double fails_at = std::numeric_limits<double>::infinity();

  [[nodiscard]] Transition<State, double> start(RandomStream& /*random*/) const {
    return {7.0, {100.0, 99.0}, 99.0};
  }
  [[nodiscard]] Transition<State, double> step(const State& state, double action,
                                               RandomStream& /*random*/) const {
    const State next{state.count + action, state.count};
    const bool fails = next.count >= fails_at;
    return {fails ? std::numeric_limits<double>::quiet_NaN() : next.count / 1000.0, next,
            next.before};
  }
};

struct Adder {
  double operator()(Arm theta, double /*observation*/, RandomStream& /*random*/) const {
    return theta[0];
  }
};

struct Echo {
  double operator()(Arm theta, double observation, RandomStream& /*random*/) const {
    return theta[0] * observation;
  }
};

static_assert(MarkovDecisionProcess<Counter>);
static_assert(PolicyClass<Adder, Counter>);
static_assert(!MarkovDecisionProcess<double>);
static_assert(!PolicyClass<std::string, Counter>);

Space step_size() {
  return {{"step", Real{0.0, 10.0}}};
}

TEST(PolicyEnvironment, APullIsOneStepOfTheChain) {
  PolicyEnvironment<Counter, Adder> chain(step_size());
  RandomStream random({});
  chain.start(random);
  const std::array two{2.0};
  EXPECT_DOUBLE_EQ(chain.pull(two, random), 0.102);
  EXPECT_DOUBLE_EQ(chain.pull(two, random), 0.104);
  EXPECT_EQ(chain.state().count, 104.0);
}

TEST(PolicyEnvironment, APolicySeesTheObservationAndNotTheState) {
  PolicyEnvironment<Counter, Echo> chain(step_size());
  RandomStream random({});
  chain.start(random);
  const std::array one{1.0};
  chain.pull(one, random);
  EXPECT_EQ(chain.state().count, 199.0) << "100 plus the 99 that were seen";
  chain.pull(one, random);
  EXPECT_EQ(chain.state().count, 299.0) << "199 plus the 100 that were seen";
}

TEST(PolicyEnvironment, SwitchingPoliciesDoesNotResetTheState) {
  PolicyEnvironment<Counter, Adder> chain(step_size());
  RandomStream random({});
  chain.start(random);
  const std::array one{1.0};
  const std::array five{5.0};
  chain.pull(one, random);
  chain.pull(five, random);
  chain.pull(one, random);
  EXPECT_EQ(chain.state().count, 107.0);
  chain.start(random);
  EXPECT_EQ(chain.state().count, 100.0) << "only start does";
}

TEST(PolicyEnvironment, ARewardThatIsNoNumberIsRefusedByNameAndPlace) {
  PolicyEnvironment<Counter, Adder> chain(step_size(), Counter{.fails_at = 104.0});
  RandomStream random({});
  chain.start(random);
  const std::array two{2.0};
  chain.pull(two, random);
  try {
    chain.pull(two, random);
    FAIL() << "NaN went through";
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(error.what(), "step 2: the reward is nan at step = 2; must be a finite number");
  }
}

template <class AnEnvironment>
std::vector<double> trajectory(std::uint64_t seed) {
  AnEnvironment environment;
  RandomStream random({.seed = seed});
  environment.start(random);
  std::vector<double> rewards;
  rewards.reserve(200);
  const std::array arms{0.5, 0.9};
  for (std::size_t i = 0; i < 200; ++i) {
    rewards.push_back(environment.pull({&arms[i % 2], 1}, random));
  }
  return rewards;
}

TEST(PolicyEnvironment, TheSameSeedGivesTheSameTrajectory) {
  EXPECT_EQ(trajectory<Lqr>(1), trajectory<Lqr>(1));
  EXPECT_NE(trajectory<Lqr>(1), trajectory<Lqr>(2));
  EXPECT_EQ(trajectory<GarlandMdp>(1), trajectory<GarlandMdp>(1));
}

}  // namespace
}  // namespace canopy
