#include "core/text.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

double read_back(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}

TEST(Text, WritesNumbersAsShortlyAsTheyReadBack) {
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(0.0), "0");
  EXPECT_EQ(to_text(-1.5), "-1.5");
  EXPECT_EQ(to_text(42.0), "42");
  EXPECT_EQ(to_text(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(to_text(1e100), "1e+100");
  EXPECT_EQ(to_text(5e-324), "5e-324");
}

TEST(Text, WritesWhatIsNotANumberByName) {
  EXPECT_EQ(to_text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(to_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(to_text(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Text, HasRoomForTheLongestNumber) {
  // Seventeen digits, a sign, a point and the longest exponent.
  const double longest = -2.2250738585072014e-308;
  EXPECT_EQ(to_text(longest), "-2.2250738585072014e-308");
  EXPECT_EQ(read_back(to_text(std::numeric_limits<double>::max())),
            std::numeric_limits<double>::max());
}

RC_GTEST_PROP(Text, EveryFiniteNumberReadsBackAsItself, ()) {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  // All bit patterns: RapidCheck's own doubles are never subnormal, and grow with the size.
  const auto value = std::bit_cast<double>(bits * 0x9E3779B97F4A7C15U);
  RC_PRE(value - value == 0.0);
  RC_ASSERT(std::bit_cast<std::uint64_t>(read_back(to_text(value))) ==
            std::bit_cast<std::uint64_t>(value));
}

constexpr std::array<std::string_view, 5> kOptions = {"nu1", "rho", "delta", "confidence_scale",
                                                      "mixing_time"};

TEST(Text, FindsTheNameDespiteATypo) {
  EXPECT_EQ(nearest_name("dleta", kOptions), "delta") << "letters swapped";
  EXPECT_EQ(nearest_name("rh", kOptions), "rho") << "one left out";
  EXPECT_EQ(nearest_name("deltaa", kOptions), "delta") << "one too many";
  EXPECT_EQ(nearest_name("nu2", kOptions), "nu1") << "one replaced";
  EXPECT_EQ(nearest_name("confidense_skale", kOptions), "confidence_scale");
  EXPECT_EQ(nearest_name("mixingtime", kOptions), "mixing_time");
}

TEST(Text, FindsTheNameItself) {
  for (const std::string_view name : kOptions) EXPECT_EQ(nearest_name(name, kOptions), name);
}

TEST(Text, FindsTheNearestOfSeveral) {
  constexpr std::array<std::string_view, 3> candidates = {"thoo", "hoot", "hoo"};
  EXPECT_EQ(nearest_name("ho", candidates), "hoo") << "one edit is nearer than two";
  EXPECT_EQ(nearest_name("thou", candidates), "thoo");
}

TEST(Text, FindsNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("temperature", kOptions), "");
  EXPECT_EQ(nearest_name("", kOptions), "");
  EXPECT_EQ(nearest_name("xyz", kOptions), "") << "replacing every letter is no slip";
  EXPECT_EQ(nearest_name("rho", {}), "");
  constexpr std::array<std::string_view, 2> short_names = {"c1", "nu"};
  EXPECT_EQ(nearest_name("xy", short_names), "") << "two edits replace all of a short name";
}

TEST(Text, LongNamesMayHaveMoreTypos) {
  constexpr std::array<std::string_view, 1> candidates = {"confidence_scale"};
  EXPECT_EQ(nearest_name("confydence_skail", candidates), "confidence_scale") << "four of sixteen";
  EXPECT_EQ(nearest_name("convidense", candidates), "") << "eight of ten";
}

TEST(Text, AnUnknownNameIsAnsweredWithTheLikelyOne) {
  EXPECT_EQ(unknown_name("key", "roh", kOptions), "unknown key, did you mean \"rho\"?");
}

TEST(Text, AnUnknownNameWithoutALikelyOneIsAnsweredWithAllOfThem) {
  EXPECT_EQ(unknown_name("option", "temperature", kOptions),
            "unknown option; known: nu1 rho delta confidence_scale mixing_time");
}

TEST(Text, IsUtf8WithoutAZeroByte) {
  for (const char* text : {"", "a", "ä \U0001F333 \uffff", "\U0010FFFF", "\n\x7f"}) {
    EXPECT_TRUE(is_text(text)) << text;
  }
  EXPECT_FALSE(is_text(std::string_view("a\0b", 3)));
  for (const char* bytes :
       {"\xFF", "\xC3", "a\x80", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_FALSE(is_text(bytes)) << bytes;
  }
}

}  // namespace
}  // namespace canopy
