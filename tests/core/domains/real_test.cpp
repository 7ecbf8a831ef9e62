#include "canopy/domains/real.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Numbers = std::vector<double>;

TEST(Real, AGridHasTheMiddlesOfEqualParts) {
  EXPECT_EQ((Real{0.0, 1.0}.grid(4)), (Numbers{0.125, 0.375, 0.625, 0.875}));
  const Numbers on_log_scale = Real{1.0, 1e4, Scale::log}.grid(2);
  EXPECT_NEAR(on_log_scale[0], 10.0, 1e-9);
  EXPECT_NEAR(on_log_scale[1], 1000.0, 1e-9);
}

TEST(Real, TicksAreRoundNumbers) {
  EXPECT_EQ((Real{0.0, 1.0}.ticks(6)), (Numbers{0.0, 0.2, 0.4, 0.6, 0.8, 1.0}));
  EXPECT_EQ((Real{0.0, 0.3}.ticks(5)), (Numbers{0.0, 0.1, 0.2, 0.3}));
  EXPECT_EQ((Real{-5.0, 10.0}.ticks(5)), (Numbers{-5.0, 0.0, 5.0, 10.0}));
  EXPECT_EQ((Real{0.41, 0.42}.ticks(3)), (Numbers{0.41, 0.415, 0.42}));
}

TEST(Real, TicksOfALogScaleArePowersOfTen) {
  EXPECT_EQ((Real{0.01, 200.0, Scale::log}.ticks(6)), (Numbers{0.01, 0.1, 1.0, 10.0, 100.0}));
  EXPECT_EQ((Real{1.0, 1e9, Scale::log}.ticks(5)), (Numbers{1.0, 1e2, 1e4, 1e6, 1e8}));
  EXPECT_EQ((Real{2.0, 8.0, Scale::log}.ticks(4)), (Numbers{2.0, 4.0, 6.0, 8.0}));
}

TEST(Real, ExtremeRangesHaveTicksToo) {
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_EQ((Real{-kMax, kMax}.ticks(3)), (Numbers{-1e308, 0.0, 1e308}));
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_EQ((Real{1.0, next}.ticks(5)), (Numbers{1.0, next}));
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ((Real{0.0, least}.ticks(5)), (Numbers{0.0, least}));
}

TEST(Real, SaysWhatItIs) {
  EXPECT_EQ((Real{0.0, 2.5}.description()), "a number from 0 to 2.5");
  EXPECT_EQ((Real{1.0, 10.0, Scale::log}.description()), "a number from 1 to 10 on a log scale");
  EXPECT_EQ((Real{0.0, 1.0}.text(1.0 / 3.0)), "0.33333");
}

}  // namespace
}  // namespace canopy
