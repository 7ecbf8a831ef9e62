#include "canopy/auction.hpp"

#include "support/long_run.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::long_run;

double f_of(const SteadyEnvironment& environment, double reserve) {
  return environment.mean_reward({&reserve, 1});
}

TEST(Auction, RevenueFollowsTheRules) {
  EXPECT_EQ(revenue({0.4, 0.2}, 0.5), 0.0) << "no bid reaches the reserve";
  EXPECT_EQ(revenue({0.7, 0.2}, 0.5), 0.5) << "one does, and pays it";
  EXPECT_EQ(revenue({0.9, 0.7}, 0.5), 0.7) << "two do";
  EXPECT_EQ(revenue({0.0, 0.0}, 0.0), 0.0);
}

TEST(Auction, MeanRevenueIsTheOneWorkedByHand) {
  // Two bidders: 1/3 + r^2 - 4/3 r^3.
  EXPECT_NEAR(f_of(Auction({.bidders = 2}), 0.5), 5.0 / 12.0, 1e-15);
  EXPECT_NEAR(f_of(Auction({.bidders = 2}), 0.0), 1.0 / 3.0, 1e-15);
  // One bidder pays the reserve with probability 1 - r.
  EXPECT_NEAR(f_of(Auction({.bidders = 1}), 0.3), 0.3 * 0.7, 1e-15);
  // Three: (n-1)/(n+1) + r^n - 2n/(n+1) r^(n+1).
  EXPECT_NEAR(f_of(Auction({.bidders = 3}), 0.7), 0.5 + 0.343 - 1.5 * 0.2401, 1e-14);
  EXPECT_EQ(f_of(Auction(), 1.0), 0.0);
}

TEST(Auction, TheBestReserveIsOneHalfWhateverTheNumberOfBidders) {
  for (const std::uint64_t bidders : {1U, 2U, 5U, 20U}) {
    const Auction auction({.bidders = bidders});
    for (int i = 0; i <= 1'000; ++i) {
      ASSERT_LE(f_of(auction, i / 1'000.0), auction.optimum().value + 1e-12);
    }
    EXPECT_EQ(auction.optimum().arm[0], 0.5);
  }
}

TEST(Auction, ManyBiddersEarnTheirMean) {
  Auction auction({.bidders = 7});
  const auto [mean, error] = long_run(auction, {0.8}, 200'000);
  EXPECT_NEAR(mean, f_of(auction, 0.8), 5.0 * error);
}

TEST(ReactiveAuction, WithoutAversionIsTheOrdinaryAuction) {
  const ReactiveAuction reactive({.bidders = 3, .aversion = 0.0});
  for (const double reserve : {0.0, 0.2, 0.5, 0.9}) {
    EXPECT_NEAR(f_of(reactive, reserve), f_of(Auction({.bidders = 3}), reserve), 1e-14);
  }
  EXPECT_NEAR(reactive.optimum().arm[0], 0.5, 1e-7);
  EXPECT_EQ(reactive.mixing_time(), 0.0);
}

TEST(ReactiveAuction, AversionLowersTheBestReserve) {
  double before = 0.5;
  for (const double aversion : {0.2, 0.5, 1.0}) {
    const ReactiveAuction reactive({.aversion = aversion});
    EXPECT_LT(reactive.optimum().arm[0], before);
    before = reactive.optimum().arm[0];
    for (int i = 0; i <= 1'000; ++i) {
      ASSERT_LE(f_of(reactive, i / 1'000.0), reactive.optimum().value + 1e-12);
    }
  }
}

TEST(ReactiveAuction, AnAuctionWithoutBiddersEarnsNothing) {
  EXPECT_EQ(f_of(ReactiveAuction({.aversion = 1.0}), 1.0), 0.0);
}

TEST(ReactiveAuction, AfterAChangeTheRewardsAreOffByNoMoreThanTheMixingTime) {
  // Starting from the worst memory, the expected rewards of a reserve held from then on: the sum of
  // their differences from f, over many runs, with its standard error.
  const double reserve = 0.3;
  const ReactiveAuctionOptions options{.bidders = 2, .aversion = 0.8, .beta = 0.1};
  const ReactiveAuction auction(options);
  const ReactiveAuctionProcess process{options.bidders, options.aversion, options.beta};
  RandomStream random({.seed = 8});
  constexpr int kRuns = 20'000;
  double sum = 0.0;
  double squares = 0.0;
  for (int run = 0; run < kRuns; ++run) {
    double memory = 1.0;
    double off = 0.0;
    for (int t = 0; t < 100; ++t) {
      const auto next = process.step(memory, reserve, random);
      off += next.reward - f_of(auction, reserve);
      memory = next.state;
    }
    sum += off;
    squares += off * off;
  }
  const double mean = sum / kRuns;
  const double error = std::sqrt((squares / kRuns - mean * mean) / kRuns);
  EXPECT_GT(std::abs(mean), 5.0 * error) << "the past matters";
  EXPECT_LT(std::abs(mean), auction.mixing_time().value());
  EXPECT_EQ(auction.mixing_time(), 16.0);
}

}  // namespace
}  // namespace canopy
