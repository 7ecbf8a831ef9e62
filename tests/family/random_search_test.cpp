#include "canopy/family/random_search.hpp"

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(RandomSearch, ArmsAreUniformAlsoInLogUnitsAndAmongChoices) {
  RandomSearch search({{"x", Real{-1.0, 1.0}},
                       {"y", Real{1.0, 100.0, Scale::log}},
                       {"c", Choice{{"a", "b", "c"}}}});
  constexpr int kPulls = 30'000;
  double x = 0.0;
  double log_y = 0.0;
  std::vector<int> choices(3);
  for (int i = 0; i < kPulls; ++i) {
    const Pull pull = search.ask();
    x += pull.arm[0];
    log_y += std::log10(pull.arm[1]);
    ++choices.at(static_cast<std::size_t>(pull.arm[2]));
    EXPECT_EQ(search.tell(pull.ticket, 0.5), Status::ok);
  }
  // Five standard errors of a uniform of width 2.
  const double tolerance = 5.0 * 2.0 / std::sqrt(12.0 * kPulls);
  EXPECT_NEAR(x / kPulls, 0.0, tolerance);
  EXPECT_NEAR(log_y / kPulls, 1.0, tolerance);
  for (const int count : choices)
    EXPECT_NEAR(count, kPulls / 3.0, 5.0 * std::sqrt(kPulls * 2.0 / 9.0));
}

TEST(RandomSearch, RecommendsWhatEarnedMost) {
  RandomSearch search({{"x", Real{0.0, 1.0}}});
  EXPECT_FALSE(search.best().has_value());
  double best = 0.0;
  for (const double reward : {0.3, 0.8, 0.5}) {
    const Pull pull = search.ask();
    if (reward == 0.8) best = pull.arm[0];
    EXPECT_EQ(search.tell(pull.ticket, reward), Status::ok);
  }
  EXPECT_EQ(search.best()->arm[0], best);
  EXPECT_EQ(search.best()->mean, 0.8);
  EXPECT_LT(search.best()->lower, 0.8);
  EXPECT_GT(search.best()->upper, 0.8);
}

TEST(RandomSearch, TheSameSeedDrawsTheSameArms) {
  const auto draw = [](std::uint64_t seed) {
    RandomSearch search({{"x", Real{0.0, 1.0}}}, {.seed = seed});
    std::vector<double> arms;
    for (int i = 0; i < 5; ++i) {
      const Pull pull = search.ask();
      arms.push_back(pull.arm[0]);
      EXPECT_EQ(search.tell(pull.ticket, 0.0), Status::ok);
    }
    return arms;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

TEST(RandomSearch, TakesRoomForTheTicketsInFlightAlone) {
  RandomSearch search({{"x", Real{0.0, 1.0}}});
  std::set<const double*> places;
  for (int i = 0; i < 1'000; ++i) {
    const Pull first = search.ask();
    const Pull second = search.ask();
    places.insert(first.arm.data());
    places.insert(second.arm.data());
    EXPECT_EQ(search.tell(first.ticket, 0.1), Status::ok);
    EXPECT_EQ(search.drop(second.ticket), Status::ok);
  }
  EXPECT_LE(places.size(), 2U);
}

}  // namespace
}  // namespace canopy
