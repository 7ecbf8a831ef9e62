#include "canopy/domains/integer.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Numbers = std::vector<double>;

TEST(Integer, AGridHasNumbersThatAreSpreadEqually) {
  EXPECT_EQ((Integer{0, 9}.grid(2)), (Numbers{2.0, 7.0}));
  EXPECT_EQ((Integer{0, 3}.grid(9)), (Numbers{0.0, 1.0, 2.0, 3.0}));
  EXPECT_EQ((Integer{0, 22, Scale::linear, 5}.grid(9)), (Numbers{0.0, 5.0, 10.0, 15.0, 20.0}));
}

TEST(Integer, AGridOnALogScaleHasEachNumberOnce) {
  EXPECT_EQ((Integer{1, 5, Scale::log}.grid(5)), (Numbers{1.0, 2.0, 3.0, 4.0, 5.0}))
      << "the rare ones too";
  EXPECT_EQ((Integer{1, 7, Scale::log}.grid(6)), (Numbers{1.0, 2.0, 3.0, 4.0, 6.0}))
      << "1 is in the middle of two parts";
}

TEST(Integer, TicksAreWholeNumbers) {
  EXPECT_EQ((Integer{1, 3}.ticks(9)), (Numbers{1.0, 2.0, 3.0}));
  EXPECT_EQ((Integer{1, 33}.ticks(5)), (Numbers{10.0, 20.0, 30.0}));
  EXPECT_EQ((Integer{3, 22, Scale::linear, 5}.ticks(3)), (Numbers{3.0, 13.0}));
  EXPECT_EQ((Integer{1, 65536, Scale::log}.ticks(9)), (Numbers{1.0, 10.0, 100.0, 1e3, 1e4}));
  EXPECT_EQ((Integer{2, 5, Scale::log}.ticks(9)), (Numbers{2.0, 3.0, 4.0, 5.0}));
}

TEST(Integer, EndsAtItsLastStep) {
  EXPECT_EQ((Integer{0, 22, Scale::linear, 5}.ends()), (std::array{0.0, 20.0}));
  EXPECT_EQ((Integer{0, 22, Scale::linear, 5}.count()), 5U);
}

TEST(Integer, SaysWhatItIs) {
  EXPECT_EQ((Integer{0, 22, Scale::linear, 5}.description()),
            "a whole number from 0 to 22 in steps of 5");
  EXPECT_EQ((Integer{1, 9, Scale::log}.description()), "a whole number from 1 to 9 on a log scale");
}

}  // namespace
}  // namespace canopy
