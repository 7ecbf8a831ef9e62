#include "canopy/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using Draws = std::vector<std::uint64_t>;

Draws first_numbers(const StreamName& name, std::size_t count = 8) {
  RandomStream stream(name);
  Draws numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(stream());
  return numbers;
}

/// The upper 64 bits of a product, from products of 32 bits.
std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLow = 0xFFFFFFFF;
  const std::uint64_t low = (a & kLow) * (b & kLow);
  const std::uint64_t left = (a >> 32) * (b & kLow) + (low >> 32);
  const std::uint64_t right = (a & kLow) * (b >> 32) + (left & kLow);
  return (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);
}

/// Philox4x64-10 as published by Salmon et al. (2011), the reference for the library's.
std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> x,
                                    std::array<std::uint64_t, 2> key) {
  constexpr std::uint64_t kM0 = 0xD2E7470EE14C6C93;
  constexpr std::uint64_t kM1 = 0xCA5A826395121157;
  for (int round = 0; round < 10; ++round) {
    x = {high_product(kM1, x[2]) ^ x[1] ^ key[0], kM1 * x[2],
         high_product(kM0, x[0]) ^ x[3] ^ key[1], kM0 * x[0]};
    key[0] += 0x9E3779B97F4A7C15;  // the golden ratio
    key[1] += 0xBB67AE8584CAA73B;  // sqrt 3 - 1
  }
  return x;
}

/// FNV-1a, 64 bits.
std::uint64_t fnv(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

TEST(Random, TheReferenceGivesThePublishedValues) {
  // kat_vectors of Random123 for philox4x64-10.
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (std::array<std::uint64_t, 4>{0x16554d9eca36314c, 0xdb20fe9d672d0fdc,
                                          0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
  // FNV-1a's own test vectors.
  EXPECT_EQ(fnv(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv("foobar"), 0x85944171f73967e8U);
}

TEST(Random, FirstNumbersNeverChange) {
  // Computed with an independent Philox, written in Python from the paper: the counter is (block,
  // 0, run, 0), the key is (seed, FNV-1a of the three names, each followed by a zero byte).
  EXPECT_EQ(first_numbers({}), (Draws{0xe3459ff37eacd2b1, 0xe1f6dd6db84e33d7, 0xc45bc4d5b63b760e,
                                      0x2e3d7fbc59f116bf, 0xbc2af8b5af47bfb1, 0xbbd65ead8887908d,
                                      0xc453926f49567f04, 0xe4dc1229241029cd}));
  const Draws named = first_numbers(
      {.seed = 42, .environment = "garland", .algorithm = "hct", .purpose = "rho=0.5", .run = 7},
      68);
  EXPECT_EQ(
      Draws(named.begin(), named.begin() + 4),
      (Draws{0xc4172fc2c846482d, 0x4d2435fa28251c86, 0x2865f927e697497d, 0x69c4a07b6ecd10f8}));
  EXPECT_EQ(named[63], 0x39f502b86cef2d33U);
  EXPECT_EQ(named[64], 0x3fc5bbc48a84586fU);
  EXPECT_EQ(named[67], 0x79a3b001e9ac167aU);
}

RC_GTEST_PROP(Random, EveryNumberIsPhiloxOfItsPlace,
              (std::uint64_t seed, std::uint64_t run, const std::string& environment)) {
  RC_PRE(environment.find('\0') == std::string::npos);
  const std::string names = environment + '\0' + "hct" + '\0' + '\0';
  const std::size_t count = *rc::gen::inRange<std::size_t>(1, 300);
  const Draws numbers = first_numbers(
      {.seed = seed, .environment = environment, .algorithm = "hct", .run = run}, count);
  for (std::size_t i = 0; i < count; ++i) {
    RC_ASSERT(numbers[i] == philox({i / 4, 0, run, 0}, {seed, fnv(names)})[i % 4]);
  }
}

RC_GTEST_PROP(Random, TheSameNameGivesTheSameNumbers,
              (std::uint64_t seed, std::uint64_t run, const std::string& text)) {
  const std::string elsewhere(text.begin(), text.end());  // equal, not identical
  const StreamName name{
      .seed = seed, .environment = text, .algorithm = text, .purpose = text, .run = run};
  const StreamName same{.seed = seed,
                        .environment = elsewhere,
                        .algorithm = elsewhere,
                        .purpose = elsewhere,
                        .run = run};
  RC_ASSERT(first_numbers(name, 100) == first_numbers(same, 100));
}

TEST(Random, AnyChangeOfTheNameChangesTheNumbers) {
  const StreamName name{
      .seed = 1, .environment = "garland", .algorithm = "hct", .purpose = "tuning", .run = 1};
  std::vector<StreamName> others(10, name);
  others[0].seed = 2;
  others[1].seed = 0;
  others[2].run = 2;
  others[3].run = 0;
  others[4].environment = "garlanD";
  others[5].algorithm = "hoo";
  others[6].purpose = "measuring";
  others[7].environment = "";
  others[8].algorithm = "";
  others[9].purpose = "";
  std::set<Draws> seen{first_numbers(name)};
  for (const StreamName& other : others) seen.insert(first_numbers(other));
  EXPECT_EQ(seen.size(), 1 + others.size());
}

RC_GTEST_PROP(Random, OneFieldOfTheNameIsEnough,
              (std::uint64_t a, std::uint64_t b, const std::string& s, const std::string& t)) {
  RC_PRE(a != b && s != t);
  const Draws base = first_numbers({.seed = a, .environment = s, .algorithm = s, .run = a});
  RC_ASSERT(base != first_numbers({.seed = b, .environment = s, .algorithm = s, .run = a}));
  RC_ASSERT(base != first_numbers({.seed = a, .environment = t, .algorithm = s, .run = a}));
  RC_ASSERT(base != first_numbers({.seed = a, .environment = s, .algorithm = t, .run = a}));
  RC_ASSERT(base != first_numbers({.seed = a, .environment = s, .algorithm = s, .run = b}));
}

TEST(Random, NamesDoNotRunIntoEachOther) {
  const std::set<Draws> seen = {
      first_numbers({.environment = "ab", .algorithm = "c"}),
      first_numbers({.environment = "a", .algorithm = "bc"}),
      first_numbers({.environment = "abc"}),
      first_numbers({.algorithm = "abc"}),
      first_numbers({.purpose = "abc"}),
      first_numbers({.algorithm = "ab", .purpose = "c"}),
      first_numbers({.algorithm = "a", .purpose = "bc"}),
  };
  EXPECT_EQ(seen.size(), 7U);
}

TEST(Random, SeedAndRunAreNotInterchangeable) {
  EXPECT_NE(first_numbers({.seed = 1, .run = 2}), first_numbers({.seed = 2, .run = 1}));
}

TEST(Random, UniformIsTheUpperBitsAsAFraction) {
  RandomStream bits({.seed = 5});
  RandomStream uniform({.seed = 5});
  for (int i = 0; i < 1000; ++i) {
    const double expected = std::ldexp(static_cast<double>(bits() >> 11), -53);
    ASSERT_EQ(uniform.uniform(), expected);
  }
}

TEST(Random, UniformIsUniformInTheUnitInterval) {
  constexpr int kDraws = 1'000'000;
  RandomStream stream({.seed = 11});
  double sum = 0.0;
  double sum_squares = 0.0;
  double least = 1.0;
  double largest = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.uniform();
    sum += u - 0.5;
    sum_squares += (u - 0.5) * (u - 0.5);
    least = std::min(least, u);
    largest = std::max(largest, u);
  }
  // One draw has variance 1/12, its squared distance from 1/2 has variance 1/80 - 1/144 = 1/180.
  // Five standard errors each: wrong once in a million seeds, and this seed is fixed.
  EXPECT_NEAR(sum / kDraws, 0.0, 5.0 * std::sqrt(1.0 / 12.0 / kDraws));
  EXPECT_NEAR(sum_squares / kDraws, 1.0 / 12.0, 5.0 * std::sqrt(1.0 / 180.0 / kDraws));
  // None of a million below 2e-5 (or above 1 - 2e-5) has probability e^-20.
  EXPECT_GE(least, 0.0);
  EXPECT_LT(least, 2e-5);
  EXPECT_GT(largest, 1.0 - 2e-5);
  EXPECT_LT(largest, 1.0);
}

TEST(Random, ServesTheStandardDistributions) {
  static_assert(std::uniform_random_bit_generator<RandomStream>);
  RandomStream stream({.seed = 3});
  std::uniform_int_distribution<int> die(1, 6);
  std::set<int> faces;
  for (int i = 0; i < 200; ++i) faces.insert(die(stream));  // one missing: 6 (5/6)^200 < 1e-14
  EXPECT_EQ(faces, (std::set<int>{1, 2, 3, 4, 5, 6}));
}

TEST(Random, NormalNumbersHaveTheMomentsAndTailsOfTheNormalDistribution) {
  RandomStream stream({.seed = 4});
  constexpr int kDraws = 1'000'000;
  std::array<double, 5> powers{};
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = stream.normal();
    double power = 1.0;
    for (double& sum : powers) {
      sum += power / kDraws;
      power *= z;
    }
    beyond_two += std::abs(z) > 2.0 ? 1 : 0;
  }
  // Five standard errors: the variances of z, z^2, z^3, z^4 are 1, 2, 15, 96.
  EXPECT_NEAR(powers[1], 0.0, 5.0 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(powers[2], 1.0, 5.0 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(powers[3], 0.0, 5.0 * std::sqrt(15.0 / kDraws));
  EXPECT_NEAR(powers[4], 3.0, 5.0 * std::sqrt(96.0 / kDraws));
  EXPECT_NEAR(static_cast<double>(beyond_two) / kDraws, 0.0455003, 0.001);
}

TEST(Random, ExponentialNumbersHaveTheMomentsOfTheExponentialDistribution) {
  RandomStream stream({.seed = 5});
  constexpr int kDraws = 1'000'000;
  double sum = 0.0;
  double squares = 0.0;
  double least = 1.0;
  for (int i = 0; i < kDraws; ++i) {
    const double e = stream.exponential();
    sum += e;
    squares += e * e;
    least = std::min(least, e);
  }
  EXPECT_NEAR(sum / kDraws, 1.0, 5.0 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(squares / kDraws, 2.0, 5.0 * std::sqrt(20.0 / kDraws));
  EXPECT_GE(least, 0.0);
}

TEST(Random, CoinsAreFair) {
  RandomStream stream({.seed = 6});
  int heads = 0;
  for (int i = 0; i < 100'000; ++i) heads += stream.coin() ? 1 : 0;
  EXPECT_NEAR(heads, 50'000, 5.0 * std::sqrt(25'000.0));
}

TEST(Random, ACopyGoesOnByItself) {
  RandomStream stream({.seed = 9});
  for (int i = 0; i < 10; ++i) stream();
  RandomStream copy = stream;
  const std::uint64_t next = stream();
  EXPECT_EQ(copy(), next);
  EXPECT_NE(stream(), next);
}

}  // namespace
}  // namespace canopy
