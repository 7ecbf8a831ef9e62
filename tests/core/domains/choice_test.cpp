#include "canopy/domains/choice.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Numbers = std::vector<double>;

TEST(Choice, ACoordinateIsAPlaceInTheList) {
  const Choice choice{{"lru", "lfu", "fifo"}};
  EXPECT_EQ(choice.value(2.0), Value("fifo"));
  EXPECT_EQ(choice.coordinate("lfu"), 1.0);
  EXPECT_FALSE(choice.coordinate("none").has_value());
  EXPECT_EQ(choice.ends(), (std::array{0.0, 2.0}));
}

TEST(Choice, GridsAndTicksAreSpreadOverTheList) {
  const Choice choice{{"a", "b", "c", "d", "e", "f", "g"}};
  EXPECT_EQ(choice.grid(3), (Numbers{1.0, 3.0, 5.0}));
  EXPECT_EQ(choice.grid(9).size(), 7U);
  EXPECT_EQ(choice.ticks(9).size(), 7U);
  EXPECT_EQ(choice.ticks(3), (Numbers{0.0, 3.0, 6.0}));
}

TEST(Choice, SaysWhatItIs) {
  EXPECT_EQ((Choice{{"a", "b"}}.description()), "one of \"a\" \"b\"");
}

}  // namespace
}  // namespace canopy
