// Properties of every bandit that supports contexts.

#include "canopy/errors.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

ContextSpace hour_and_tenant() {
  return ContextSpace({{"hour", Real{0.0, 24.0}, 24.0}, {"tenant", Choice{{"a", "b", "c"}}}});
}

double reward_in(const std::vector<double>& context, Arm arm) {
  const double best = context[1] == 1.0 ? 0.2 : 0.8;
  return 0.9 - std::abs(arm[0] - best) + 0.1 * std::sin(context[0] / 24.0 * 6.283185307179586);
}

class EachContextBandit : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::unique_ptr<Optimizer> make() {
    return make_optimizer({GetParam(), {{"points", std::uint64_t{4}}}}, {{"x", Real{0.0, 1.0}}}, {},
                          {.reward_range = {{0.0, 1.0}}}, hour_and_tenant());
  }

  std::vector<double> draw_context() {
    return {24.0 * random_.uniform(), std::floor(3.0 * random_.uniform())};
  }

  /// Plays once, and returns the arm.
  double play(Optimizer& optimizer, const std::vector<double>& context, double noise) {
    const Pull pull = optimizer.ask_in(context);
    const double arm = pull.arm[0];
    EXPECT_EQ(optimizer.tell(pull.ticket, reward_in(context, {&arm, 1}) + noise), Status::ok);
    return arm;
  }

  RandomStream random_{{.seed = 12}};
};

TEST_P(EachContextBandit, PlaysWhatIsBestInTheContext) {
  const auto optimizer = make();
  EXPECT_EQ(optimizer->contexts(), hour_and_tenant());
  for (int i = 0; i < 3'000; ++i) {
    (void)play(*optimizer, draw_context(), 0.1 * random_.normal());
  }
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> context = draw_context();
    const auto best = optimizer->best_in(context);
    ASSERT_TRUE(best.has_value());
    EXPECT_EQ(best->arm, std::vector{context[1] == 1.0 ? 0.125 : 0.875});
    EXPECT_NEAR(best->mean, reward_in(context, best->arm), 0.15);
    EXPECT_GT(best->pulls, 0U);
  }
}

TEST_P(EachContextBandit, HasOneRewardATicketAndAsksForTheContext) {
  const auto optimizer = make();
  EXPECT_EQ(optimizer->ask_in(std::vector{3.0, 1.0}, 100).length, 1U);
  EXPECT_EQ(optimizer->ask_again().length, 1U);
  EXPECT_THROW((void)optimizer->ask(), ConfigurationError);
  EXPECT_THROW((void)optimizer->ask_in(std::vector{3.0}), ConfigurationError);
  EXPECT_THROW((void)optimizer->ask_in(std::vector{3.0, 7.0}), ConfigurationError);
  EXPECT_THROW((void)make()->ask_again(), ConfigurationError);
  EXPECT_EQ(optimizer->summary().in_flight, 2U);
  EXPECT_FALSE(optimizer->best_in(std::vector{3.0, 1.0}).has_value()) << "nothing was told";
}

TEST_P(EachContextBandit, AnswersBelongToTheContextOfTheirTicket) {
  // Rewards told for a ticket of one context must not be learnt in the context of the last ask.
  const auto forwards = make();
  const auto backwards = make();
  const std::vector<double> first{3.0, 0.0};
  const std::vector<double> second{15.0, 1.0};
  for (int i = 0; i < 40; ++i) {
    const Pull a = forwards->ask_in(first);
    const Pull b = forwards->ask_in(second);
    EXPECT_EQ(backwards->ask_in(first).arm[0], a.arm[0]);
    EXPECT_EQ(backwards->ask_in(second).arm[0], b.arm[0]);
    const double of_a = reward_in(first, a.arm);
    const double of_b = reward_in(second, b.arm);
    EXPECT_EQ(forwards->tell(a.ticket, of_a), Status::ok);
    EXPECT_EQ(forwards->tell(b.ticket, of_b), Status::ok);
    EXPECT_EQ(backwards->tell(b.ticket, of_b), Status::ok);
    EXPECT_EQ(backwards->tell(a.ticket, of_a), Status::ok);
  }
}

TEST_P(EachContextBandit, ContinuesFromASavedStateWithTicketsInFlight) {
  const auto original = make();
  for (int i = 0; i < 200; ++i) (void)play(*original, draw_context(), 0.1 * random_.normal());
  std::vector<Ticket> open;
  for (int i = 0; i < 5; ++i) open.push_back(original->ask_in(draw_context()).ticket);
  const auto restored = make();
  restored->restore(original->save());
  const auto copy = original->clone();
  EXPECT_EQ(restored->save(), original->save());
  for (const Ticket ticket : open) {
    const double reward = random_.uniform();
    for (Optimizer* each : {original.get(), restored.get(), copy.get()}) {
      EXPECT_EQ(each->tell(ticket, reward), Status::ok);
    }
  }
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> context = draw_context();
    const double noise = 0.1 * random_.normal();
    const double arm = play(*original, context, noise);
    ASSERT_EQ(play(*restored, context, noise), arm);
    ASSERT_EQ(play(*copy, context, noise), arm);
  }
  EXPECT_EQ(restored->save(), original->save());
  EXPECT_EQ(copy->save(), original->save());
}

TEST_P(EachContextBandit, LearnsObservedRewardsOnlyInTheirContext) {
  const auto optimizer = make();
  const std::vector<double> here{3.0, 0.0};
  for (const double arm : {0.125, 0.375, 0.625, 0.875}) {
    const double reward = arm == 0.625 ? 0.9 : 0.1;
    ASSERT_EQ(
        optimizer->observe_in(here, std::vector{arm}, Rewards::of(std::vector<double>(50, reward))),
        Status::ok);
  }
  EXPECT_EQ(optimizer->ask_in(here).arm[0], 0.625);
  EXPECT_EQ(optimizer->best_in(here)->arm, std::vector{0.625});
  EXPECT_EQ(optimizer->summary().observed, 200U);
  EXPECT_EQ(optimizer->observe_in(here, std::vector{1.5}, Rewards::one(0.5)), Status::not_an_arm);

  EXPECT_EQ(make()->observe(std::vector{0.625}, Rewards::one(0.9)), Status::needs_context);
}

TEST_P(EachContextBandit, PassesOverWhatIsBarredInEveryContext) {
  const auto optimizer = make();
  for (int i = 0; i < 500; ++i) (void)play(*optimizer, draw_context(), 0.0);
  ASSERT_EQ(optimizer->bar(std::vector{0.875}, 0.0), Status::ok);
  for (int i = 0; i < 500; ++i) EXPECT_NE(play(*optimizer, draw_context(), 0.0), 0.875);
  for (int i = 0; i < 20; ++i) {
    EXPECT_NE(optimizer->best_in(draw_context())->arm, std::vector{0.875});
  }
}

std::string bandit_name(const ::testing::TestParamInfo<const char*>& which) {
  std::string name(which.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Family, EachContextBandit, ::testing::Values("grid", "lin-ucb"),
                         bandit_name);

}  // namespace
}  // namespace canopy
