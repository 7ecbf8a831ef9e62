#include "files/percent_encoding.hpp"

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(PercentEncoding, LeavesAloneWhatMayStandInAnAddress) {
  EXPECT_EQ(percent_encoded("cache-2.x_~"), "cache-2.x_~");
  EXPECT_EQ(percent_encoded("a b/ä?"), "a%20b%2F%C3%A4%3F");
  EXPECT_EQ(percent_encoded("%\n"), "%25%0A");
}

}  // namespace
}  // namespace canopy
