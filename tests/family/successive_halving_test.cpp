#include "canopy/family/successive_halving.hpp"

#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_grid.hpp"
#include "support/textbook_scale.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::TextbookGrid;
using testing::TextbookScale;

TEST(SuccessiveHalving, PullsOfARoundMatchHandComputedValues) {
  EXPECT_EQ(halving_round_pulls(1000, 32, 32), 6U) << "1000 / (32 5) = 6.25";
  EXPECT_EQ(halving_round_pulls(1000, 2, 32), 100U);
  EXPECT_EQ(halving_round_pulls(90, 10, 10), 2U) << "90 / (10 4) = 2.25";
  EXPECT_EQ(halving_round_pulls(10, 10, 10), 1U) << "at least one";
  EXPECT_EQ(halving_round_pulls(7, 2, 2), 3U);
}

TEST(SuccessiveHalving, KeepsTheBetterHalfRoundedUpAndPlaysTheWinner) {
  // Five arms, three rounds, 30 pulls: two of each of 5, three of each of 3, five of each of 2.
  SuccessiveHalving search({{"c", Choice{{"a", "b", "c", "d", "e"}}}}, {.horizon = 30});
  const std::vector<double> values{0.3, 0.9, 0.1, 0.5, 0.8};
  std::string played;
  std::string turns;
  while (played.size() < 40) {
    const Pull pull = search.ask();
    const auto arm = static_cast<std::size_t>(pull.arm[0]);
    turns += std::to_string(pull.length);
    for (std::uint64_t i = 0; i < pull.length; ++i) {
      played += static_cast<char>('a' + arm);
      EXPECT_EQ(search.tell(pull.ticket, values[arm]), Status::ok);
    }
  }
  EXPECT_EQ(played, "aabbccddeebbbdddeeebbbbbeeeeebbbbbbbbbbb");
  EXPECT_EQ(turns.substr(0, 10), "2222233355");
  EXPECT_EQ(search.best()->arm, std::vector{1.0});
}

TEST(SuccessiveHalving, HasAtMostTheArmsThatTheHorizonAllows) {
  // Two parameters: 11^2 = 121 arms need 7 121 = 847 pulls, 12^2 = 144 arms 8 144 = 1152. Three:
  // 5^3 = 125 and 875 pulls, 6^3 = 216 and 1728. Four: 3^4 = 81 and 567, 4^4 = 256 and 2048.
  const auto arms = [](std::size_t dimension, const SuccessiveHalvingOptions& options = {}) {
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < dimension; ++i) {
      parameters.push_back({"x" + std::to_string(i), Real{0.0, 1.0}});
    }
    return SuccessiveHalving(Space(parameters), options).size();
  };
  EXPECT_EQ(arms(1), 32U);
  EXPECT_EQ(arms(2), 121U);
  EXPECT_EQ(arms(3), 125U);
  EXPECT_EQ(arms(4), 81U);
  EXPECT_EQ(arms(11), 2048U) << "two along each parameter at least";
  EXPECT_EQ(arms(1, {.horizon = 40}), 10U) << "4 10 = 40";
  EXPECT_EQ(arms(2, {.horizon = 1'000'000}), 1024U);
  EXPECT_EQ(arms(2, {.points = 40}), 1600U) << "if set";
  EXPECT_EQ(arms(1, {.horizon = 1}), 2U);
}

TEST(SuccessiveHalving, TheLastEliminatedArmReplacesABarredWinner) {
  SuccessiveHalving search({{"c", Choice{{"a", "b", "c", "d", "e"}}}}, {.horizon = 30});
  const std::vector<double> values{0.3, 0.9, 0.1, 0.5, 0.8};
  const auto play = [&] {
    const Pull pull = search.ask(1);
    const auto arm = static_cast<std::size_t>(pull.arm[0]);
    EXPECT_EQ(search.tell(pull.ticket, values[arm]), Status::ok);
    return static_cast<char>('a' + arm);
  };
  for (int i = 0; i < 30; ++i) play();
  std::string winners;
  for (int i = 0; i < 5; ++i) {
    winners += play();
    ASSERT_EQ(search.bar(std::vector<double>{static_cast<double>(winners.back() - 'a')}, 0.0),
              Status::ok);
  }
  EXPECT_EQ(winners, "bedac") << "the better of those that went together comes first";
  EXPECT_EQ(play(), 'c') << "all are barred, but one must be played";
}

TEST(SuccessiveHalving, AnArmThatIsBarredOnTheWayIsPassedOver) {
  SuccessiveHalving search({{"c", Choice{{"a", "b", "c", "d"}}}}, {.horizon = 8});
  const std::vector<double> values{0.3, 0.9, 0.1, 0.5};
  ASSERT_EQ(search.bar(std::vector{1.0}, 0.0), Status::ok);
  std::string played;
  for (int i = 0; i < 8; ++i) {
    const Pull pull = search.ask(1);
    const auto arm = static_cast<std::size_t>(pull.arm[0]);
    played += static_cast<char>('a' + arm);
    ASSERT_EQ(search.tell(pull.ticket, values[arm]), Status::ok);
  }
  EXPECT_EQ(played, "acdaaddd") << "two rounds: one pull each, then two";
}

TEST(SuccessiveHalving, OneArmIsTheWinnerAtOnce) {
  SuccessiveHalving search({{"x", Real{0.0, 1.0}}}, {.points = 1});
  for (int i = 0; i < 5; ++i) {
    const Pull pull = search.ask();
    EXPECT_EQ(pull.arm[0], 0.5);
    EXPECT_EQ(search.tell(pull.ticket, 0.0), Status::ok);
  }
}

TEST(SuccessiveHalving, AFailureEndsTheTurnOfItsArm) {
  SuccessiveHalving search({{"c", Choice{{"a", "b"}}}}, {.horizon = 10});
  const Pull pull = search.ask();
  EXPECT_EQ(pull.length, 5U);
  EXPECT_EQ(search.penalize(pull.ticket, -1.0), Status::ok);
  const Pull next = search.ask();
  EXPECT_EQ(next.arm[0], 1.0);
  EXPECT_EQ(search.tell(next.ticket, std::vector<double>(5, 0.5)), Status::ok);
  EXPECT_EQ(search.ask().arm[0], 1.0) << "the winner";
}

RC_GTEST_PROP(SuccessiveHalving, EqualsTheTextbookOnRandomConfigurations,
              (const testing::RandomHct& setting)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto points = *rc::gen::inRange<std::uint64_t>(1, 9);
  const auto horizon = *rc::gen::inRange<std::uint64_t>(1, 600);
  const Space space = testing::RandomHct::make_space(setting.space);
  RC_LOG() << setting << " seed " << seed << " points " << points << " horizon " << horizon;
  constexpr std::size_t kPulls = 400;
  TextbookGrid textbook(space, points);
  TextbookScale known(setting.objective);
  RandomStream noise({.seed = seed});
  const auto play = [&](std::size_t arm) {
    const double reward = setting.reward(textbook[arm].arm, noise.uniform());
    known.see(reward);
    return known.to_mapped(reward);
  };
  const auto expected = testing::sequential_halving(textbook, horizon, kPulls, play);
  SuccessiveHalving search(space, {.points = points, .horizon = horizon}, setting.objective);
  RandomStream same({.seed = seed});
  for (const std::size_t arm : expected) {
    const Pull pull = search.ask(1);
    RC_ASSERT(std::vector<double>(pull.arm.begin(), pull.arm.end()) == textbook[arm].arm);
    RC_ASSERT(search.tell(pull.ticket, setting.reward(pull.arm, same.uniform())) == Status::ok);
  }
}

TEST(SuccessiveHalving, NamesEveryOptionThatIsOutOfRange) {
  const Space line{{"x", Real{0.0, 1.0}}};
  EXPECT_EQ(testing::complaint_of<SuccessiveHalving>(
                line, SuccessiveHalvingOptions{.points = 0, .horizon = 0}),
            "optimizer.points = 0: must be a whole number from 1 to 1000000; "
            "optimizer.horizon = 0: must be a whole number from 1 to 9007199254740992");
}

}  // namespace
}  // namespace canopy
