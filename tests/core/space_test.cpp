#include "canopy/space.hpp"

#include "canopy/errors.hpp"
#include "canopy/random.hpp"

#include "support/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::kInf;
using testing::kNan;

constexpr std::int64_t kLargest = std::int64_t{1} << 53;

/// The constructor's violations, as sentences; empty if there are none.
std::vector<std::string> complaints(std::vector<Parameter> parameters) {
  std::vector<std::string> sentences;
  try {
    const Space space(std::move(parameters));
  } catch (const ConfigurationError& error) {
    for (const Violation& violation : error.violations()) sentences.push_back(violation.text());
  }
  return sentences;
}

using Sentences = std::vector<std::string>;

TEST(Space, HoldsItsParametersInTheOrderGiven) {
  const Space space{{"x", Real{-1.0, 1.0}}, {"n", Integer{1, 3}}, {"c", Choice{{"a", "b"}}}};
  ASSERT_EQ(space.dimension(), 3U);
  EXPECT_EQ(space.parameters()[0].name, "x");
  EXPECT_EQ(space.parameters()[1].name, "n");
  EXPECT_EQ(space.parameters()[2].name, "c");
  EXPECT_EQ(space.parameters()[1].domain.as<Integer>()->high, 3);
}

TEST(Space, RefusesToBeEmpty) {
  EXPECT_EQ(complaints({}), Sentences{"space: must have at least one parameter"});
}

TEST(Space, RefusesEmptyNames) {
  EXPECT_EQ(complaints({{"x", Real{}}, {"", Real{}}}),
            Sentences{"space[1].name = \"\": must not be empty"});
}

TEST(Space, NamesAnUnnamedParameterByItsPlace) {
  EXPECT_EQ(complaints({{"", Real{2.0, 1.0}}}),
            (Sentences{"space[0].name = \"\": must not be empty",
                       "space[0].low = 2: must be below high = 1"}));
}

TEST(Space, RefusesRepeatedNames) {
  EXPECT_EQ(complaints({{"x", Real{}}, {"y", Real{}}, {"x", Integer{}}}),
            Sentences{"space.x.name = x: must not be used twice"});
}

TEST(Space, RefusesReversedBounds) {
  EXPECT_EQ(complaints({{"x", Real{2.5, 1.0}}}),
            Sentences{"space.x.low = 2.5: must be below high = 1"});
  EXPECT_EQ(complaints({{"n", Integer{7, -2}}}),
            Sentences{"space.n.low = 7: must be below high = -2"});
}

TEST(Space, RefusesEqualBounds) {
  EXPECT_EQ(complaints({{"x", Real{1.5, 1.5}}}),
            Sentences{"space.x.low = 1.5: must be below high = 1.5"});
  EXPECT_EQ(complaints({{"x", Real{-0.0, 0.0}}}).size(), 1U);
  EXPECT_EQ(complaints({{"n", Integer{4, 4}}}),
            Sentences{"space.n.low = 4: must be below high = 4"});
}

TEST(Space, RefusesBoundsThatAreNotFinite) {
  EXPECT_EQ(complaints({{"x", Real{kNan, 1.0}}}), Sentences{"space.x.low = nan: must be finite"});
  EXPECT_EQ(complaints({{"x", Real{-kInf, 1.0}}}), Sentences{"space.x.low = -inf: must be finite"});
  EXPECT_EQ(complaints({{"x", Real{0.0, kNan}}}), Sentences{"space.x.high = nan: must be finite"});
  EXPECT_EQ(complaints({{"x", Real{0.0, kInf}}}), Sentences{"space.x.high = inf: must be finite"});
  EXPECT_EQ(complaints({{"x", Real{kNan, kInf}}}),
            (Sentences{"space.x.low = nan: must be finite", "space.x.high = inf: must be finite"}));
}

TEST(Space, RefusesALogScaleThatDoesNotStartAboveZero) {
  EXPECT_EQ(complaints({{"x", Real{0.0, 1.0, Scale::log}}}),
            Sentences{"space.x.low = 0: must be above 0 on a log scale"});
  EXPECT_EQ(complaints({{"x", Real{-1.0, 1.0, Scale::log}}}),
            Sentences{"space.x.low = -1: must be above 0 on a log scale"});
  EXPECT_EQ(complaints({{"x", Real{5e-324, 1.0, Scale::log}}}), Sentences{});
}

TEST(Space, RefusesIntegersThatADoubleCannotHold) {
  EXPECT_EQ(complaints({{"n", Integer{0, kLargest + 1}}}),
            Sentences{"space.n.high = 9007199254740993: must be within +-2^53"});
  EXPECT_EQ(complaints({{"n", Integer{-kLargest - 1, 0}}}),
            Sentences{"space.n.low = -9007199254740993: must be within +-2^53"});
  EXPECT_EQ(complaints({{"n", Integer{std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max()}}})
                .size(),
            2U);
  EXPECT_EQ(complaints({{"n", Integer{-kLargest, kLargest}}}), Sentences{});
}

TEST(Space, RefusesALogScaleOfIntegersThatDoesNotStartAtOneOrAbove) {
  EXPECT_EQ(complaints({{"n", Integer{0, 9, Scale::log}}}),
            Sentences{"space.n.low = 0: must be at least 1 on a log scale"});
  EXPECT_EQ(complaints({{"n", Integer{-3, 9, Scale::log}}}),
            Sentences{"space.n.low = -3: must be at least 1 on a log scale"});
  EXPECT_EQ(complaints({{"n", Integer{1, kLargest, Scale::log}}}), Sentences{});
}

TEST(Space, RefusesInvalidSteps) {
  const auto refused = [](std::int64_t step, Scale scale = Scale::linear) {
    return complaints({{"n", Integer{1, 9, scale, step}}});
  };
  EXPECT_EQ(refused(0), Sentences{"space.n.step = 0: must be at least 1"});
  EXPECT_EQ(refused(-2), Sentences{"space.n.step = -2: must be at least 1"});
  EXPECT_EQ(refused(9), Sentences{"space.n.step = 9: must be at most high - low = 8"});
  EXPECT_EQ(refused(8), Sentences{});
  EXPECT_EQ(refused(5), Sentences{}) << "it need not end at high";
  EXPECT_EQ(refused(2, Scale::log), Sentences{"space.n.step = 2: must be 1 on a log scale"});
  EXPECT_EQ(refused(1, Scale::log), Sentences{});
  EXPECT_EQ(complaints({{"n", Integer{-kLargest, kLargest, Scale::linear, 2 * kLargest}}}),
            Sentences{});
}

TEST(Space, RefusesEmptyAndRepeatedChoices) {
  EXPECT_EQ(complaints({{"c", Choice{}}}),
            Sentences{"space.c.choices = []: must have at least one value"});
  EXPECT_EQ(complaints({{"c", Choice{{"fast", "slow", "fast"}}}}),
            Sentences{"space.c.choices = fast: must not be listed twice"});
  EXPECT_EQ(complaints({{"c", Choice{{"only"}}}}), Sentences{});
}

TEST(Space, AcceptsTheWidestAndTheNarrowestReals) {
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_EQ(complaints({{"x", Real{-kMax, kMax}}}), Sentences{});
  EXPECT_EQ(complaints({{"x", Real{1.0, std::nextafter(1.0, 2.0)}}}), Sentences{});
}

TEST(Space, ListsEveryViolationInOneMessage) {
  const std::vector<Parameter> wrong = {{"x", Real{-2.0, -3.0, Scale::log}},
                                        {"", Integer{5, kLargest + 1}},
                                        {"x", Choice{{"a", "a"}}}};
  const Sentences expected = {"space.x.low = -2: must be below high = -3",
                              "space.x.low = -2: must be above 0 on a log scale",
                              "space[1].name = \"\": must not be empty",
                              "space[1].high = 9007199254740993: must be within +-2^53",
                              "space.x.name = x: must not be used twice",
                              "space.x.choices = a: must not be listed twice"};
  EXPECT_EQ(complaints(wrong), expected);
  std::string joined;
  for (const std::string& sentence : expected) joined += (joined.empty() ? "" : "; ") + sentence;
  try {
    const Space space(wrong);
    FAIL() << "must not be accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_EQ(error.what(), joined);
  }
}

TEST(Space, AViolationHoldsFieldValueAndExpectationApart) {
  try {
    const Space space{{"x", Real{2.5, 1.0}}};
    FAIL() << "must not be accepted";
  } catch (const ConfigurationError& error) {
    ASSERT_EQ(error.violations().size(), 1U);
    EXPECT_EQ(error.violations()[0].field, "space.x.low");
    EXPECT_EQ(error.violations()[0].value, "2.5");
    EXPECT_EQ(error.violations()[0].expected, "must be below high = 1");
  }
}

TEST(Space, GivesEachCoordinateItsOwnType) {
  const Space space{{"x", Real{0.0, 1.0}}, {"n", Integer{-5, 5}}, {"c", Choice{{"a", "b", "c"}}}};
  const std::array<double, 3> arm = {0.1, -3.0, 2.0};
  EXPECT_EQ(std::get<double>(space.value(arm, 0)), 0.1);
  EXPECT_EQ(std::get<std::int64_t>(space.value(arm, 1)), -3);
  EXPECT_EQ(std::get<std::string>(space.value(arm, 2)), "c");
}

TEST(Space, GivesTheLargestIntegersExactly) {
  const Space space{{"n", Integer{-kLargest, kLargest}}};
  EXPECT_EQ(std::get<std::int64_t>(space.value(std::array{0x1p53}, 0)), kLargest);
  EXPECT_EQ(std::get<std::int64_t>(space.value(std::array{-0x1p53 + 1.0}, 0)), -kLargest + 1);
}

TEST(Space, KnowsHowManyValuesAParameterHas) {
  const Space space{{"x", Real{0.0, 1.0}}, {"n", Integer{-5, 5}}, {"c", Choice{{"a", "b", "c"}}}};
  EXPECT_FALSE(space.value_count(0).has_value());
  EXPECT_EQ(space.value_count(1), 11U);
  EXPECT_EQ(space.value_count(2), 3U);
}

TEST(Space, IntegersInStepsAreThoseFromLowOn) {
  const Space space{{"n", Integer{-3, 9, Scale::linear, 5}}};  // -3 2 7
  EXPECT_EQ(space.parameters()[0].domain.as<Integer>()->last(), 7);
  EXPECT_EQ(space.value_count(0), 3U);
  for (const std::int64_t n : {-3, 2, 7}) {
    const std::array arm{static_cast<double>(n)};
    EXPECT_TRUE(space.contains(arm)) << n;
    EXPECT_EQ(space.coordinate(0, n), arm[0]);
    EXPECT_EQ(std::get<std::int64_t>(space.value(arm, 0)), n);
    EXPECT_EQ(space.describe(arm), "n = " + std::to_string(n));
  }
  for (const std::int64_t n : {-8, -2, 0, 5, 8, 9, 12}) {
    EXPECT_FALSE(space.contains(std::array{static_cast<double>(n)})) << n;
    EXPECT_FALSE(space.coordinate(0, n).has_value()) << n;
  }
}

TEST(Space, IntegersInStepsShareTheUnitIntervalEqually) {
  const Space space{{"n", Integer{0, 17, Scale::linear, 5}}};  // 0 5 10 15
  std::array<double, 1> arm{};
  for (const auto& [point, value] :
       {std::pair{0.0, 0.0}, {0.24, 0.0}, {0.25, 5.0}, {0.5, 10.0}, {0.99, 15.0}, {1.0, 15.0}}) {
    space.from_unit_cube(std::array{point}, arm);
    EXPECT_EQ(arm[0], value) << point;
  }
  std::array<double, 1> point{};
  space.to_unit_cube(std::array{10.0}, point);
  EXPECT_DOUBLE_EQ(point[0], 0.625);
}

TEST(Space, IntegersOnALogScaleShareTheUnitIntervalInLogUnits) {
  const Space space{{"n", Integer{1, 7, Scale::log}}};  // log 8 in all: 1 has a third, 2..3 another
  std::array<double, 1> arm{};
  for (const auto& [point, value] :
       {std::pair{0.0, 1.0}, {0.33, 1.0}, {0.34, 2.0}, {0.66, 3.0}, {0.67, 4.0}, {1.0, 7.0}}) {
    space.from_unit_cube(std::array{point}, arm);
    EXPECT_EQ(arm[0], value) << point;
  }
  std::array<double, 1> point{};
  space.to_unit_cube(std::array{1.0}, point);
  EXPECT_DOUBLE_EQ(point[0], 0.5 / 3.0);
  EXPECT_EQ(space.value_count(0), 7U);
  EXPECT_TRUE(space.contains(std::array{7.0}));
  EXPECT_FALSE(space.contains(std::array{2.5}));
  EXPECT_FALSE(space.contains(std::array{8.0}));
}

TEST(Space, UniformPointsGiveEachIntegerOfALogScaleItsShare) {
  const Space space{{"n", Integer{2, 9, Scale::log}}};
  std::array<int, 10> counts{};
  constexpr int kPoints = 100'000;
  for (int i = 0; i < kPoints; ++i) {
    std::array<double, 1> arm{};
    space.from_unit_cube(std::array{(i + 0.5) / kPoints}, arm);
    ++counts.at(static_cast<std::size_t>(arm[0]));
  }
  for (std::size_t n = 2; n <= 9; ++n) {
    const auto from = static_cast<double>(n);
    EXPECT_NEAR(counts.at(n), kPoints * std::log((from + 1.0) / from) / std::log(10.0 / 2.0), 1.0)
        << n;
  }
}

RC_GTEST_PROP(Space, EveryValueOfAnIntegerIsContainedAndRoundTrips, ()) {
  const bool log = *rc::gen::arbitrary<bool>();
  const auto low = *rc::gen::inRange<std::int64_t>(log ? 1 : -300, 300);
  const auto width = *rc::gen::inRange<std::int64_t>(1, 300);
  const auto step = log ? 1 : *rc::gen::inRange<std::int64_t>(1, width + 1);
  const Integer integer{low, low + width, log ? Scale::log : Scale::linear, step};
  const Space space{{"n", integer}};
  std::uint64_t values = 0;
  for (std::int64_t n = low - 2; n <= low + width + 2; ++n) {
    const std::array arm{static_cast<double>(n)};
    const bool inside = n >= low && n <= integer.last() && (n - low) % step == 0;
    RC_ASSERT(space.contains(arm) == inside);
    RC_ASSERT(space.coordinate(0, n).has_value() == inside);
    if (!inside) continue;
    ++values;
    RC_ASSERT(space.coordinate(0, n) == arm[0]);
    RC_ASSERT(space.value(arm, 0) == Value(n));
    std::array<double, 1> point{};
    std::array<double, 1> back{};
    space.to_unit_cube(arm, point);
    space.from_unit_cube(point, back);
    RC_ASSERT(back == arm);
  }
  RC_ASSERT(space.value_count(0) == values);
}

TEST(Space, FindsTheArmAtAPointOfTheUnitCube) {
  const Space space{{"x", Real{-1.0, 3.0}},
                    {"y", Real{1.0, 100.0, Scale::log}},
                    {"n", Integer{-5, 5}},
                    {"c", Choice{{"a", "b", "c"}}}};
  std::array<double, 4> arm{};
  space.from_unit_cube(std::array{0.25, 0.5, 0.5, 0.5}, arm);
  EXPECT_DOUBLE_EQ(arm[0], 0.0);
  EXPECT_DOUBLE_EQ(arm[1], 10.0);
  EXPECT_EQ(arm[2], 0.0);
  EXPECT_EQ(arm[3], 1.0);
  space.from_unit_cube(std::array{0.0, 0.0, 0.0, 0.0}, arm);
  EXPECT_EQ(arm, (std::array{-1.0, 1.0, -5.0, 0.0}));
  space.from_unit_cube(std::array{1.0, 1.0, 1.0, 1.0}, arm);
  EXPECT_EQ(arm, (std::array{3.0, 100.0, 5.0, 2.0})) << "the far corner belongs to it";
}

Space one_of_each() {
  return {{"x", Real{-1.0, 3.0}},
          {"y", Real{1.0, 100.0, Scale::log}},
          {"n", Integer{-5, 5}},
          {"c", Choice{{"a", "b", "c"}}}};
}

TEST(Space, FindsTheCoordinateOfAValue) {
  const Space space = one_of_each();
  EXPECT_EQ(space.coordinate(0, 0.25), 0.25);
  EXPECT_EQ(space.coordinate(0, -1.0), -1.0) << "the ends belong to it";
  EXPECT_EQ(space.coordinate(0, 3.0), 3.0);
  EXPECT_EQ(space.coordinate(0, std::int64_t{2}), 2.0) << "a whole number is a real one";
  EXPECT_EQ(space.coordinate(2, std::int64_t{-5}), -5.0);
  EXPECT_EQ(space.coordinate(3, std::string("c")), 2.0);
}

TEST(Space, FindsNoCoordinateForWhatIsNotAValue) {
  const Space space = one_of_each();
  for (const double outside : {-1.5, 3.5, kNan, kInf, -kInf}) {
    EXPECT_FALSE(space.coordinate(0, outside).has_value()) << outside;
  }
  EXPECT_FALSE(space.coordinate(0, std::int64_t{4}).has_value());
  EXPECT_FALSE(space.coordinate(0, std::numeric_limits<std::int64_t>::max()).has_value());
  EXPECT_FALSE(space.coordinate(0, std::string("1")).has_value());
  EXPECT_FALSE(space.coordinate(1, 0.5).has_value());
  EXPECT_FALSE(space.coordinate(2, std::int64_t{6}).has_value());
  EXPECT_FALSE(space.coordinate(2, 1.0).has_value()) << "an integer is written as one";
  EXPECT_FALSE(space.coordinate(2, std::numeric_limits<std::int64_t>::min()).has_value());
  EXPECT_FALSE(space.coordinate(3, std::string("d")).has_value());
  EXPECT_FALSE(space.coordinate(3, std::int64_t{0}).has_value()) << "by its name, not its place";
}

TEST(Space, ContainsItsArmsAndNothingElse) {
  const Space space = one_of_each();
  EXPECT_TRUE(space.contains(std::array{-1.0, 100.0, 5.0, 0.0}));
  EXPECT_TRUE(space.contains(std::array{3.0, 1.0, -5.0, 2.0}));
  EXPECT_FALSE(space.contains(std::array{0.0, 10.0, 0.0})) << "too few numbers";
  EXPECT_FALSE(space.contains(std::array{0.0, 10.0, 0.0, 0.0, 0.0}));
  EXPECT_FALSE(space.contains(Arm{}));
  EXPECT_FALSE(space.contains(std::array{3.1, 10.0, 0.0, 0.0}));
  EXPECT_FALSE(space.contains(std::array{0.0, 0.5, 0.0, 0.0}));
  EXPECT_FALSE(space.contains(std::array{0.0, 10.0, 0.5, 0.0})) << "between two integers";
  EXPECT_FALSE(space.contains(std::array{0.0, 10.0, 6.0, 0.0}));
  EXPECT_FALSE(space.contains(std::array{0.0, 10.0, 0.0, 3.0}));
  EXPECT_FALSE(space.contains(std::array{0.0, 10.0, 0.0, -1.0}));
  EXPECT_FALSE(space.contains(std::array{0.0, 10.0, 0.0, 0.5}));
  for (std::size_t i = 0; i < 4; ++i) {
    for (const double wrong : {kNan, kInf, -kInf, 1e300, -1e300}) {
      std::array arm{0.0, 10.0, 0.0, 0.0};
      arm[i] = wrong;
      EXPECT_FALSE(space.contains(arm)) << i << ' ' << wrong;
    }
  }
}

TEST(Space, FindsThePointOfTheUnitCubeOfAnArm) {
  const Space space = one_of_each();
  std::array<double, 4> point{};
  space.to_unit_cube(std::array{0.0, 10.0, 0.0, 2.0}, point);
  EXPECT_DOUBLE_EQ(point[0], 0.25);
  EXPECT_DOUBLE_EQ(point[1], 0.5);
  EXPECT_DOUBLE_EQ(point[2], 0.5) << "the middle of what becomes 0";
  EXPECT_DOUBLE_EQ(point[3], 5.0 / 6.0);
  space.to_unit_cube(std::array{-1.0, 1.0, -5.0, 0.0}, point);
  EXPECT_EQ(point[0], 0.0);
  EXPECT_EQ(point[1], 0.0);
  EXPECT_DOUBLE_EQ(point[2], 0.5 / 11.0);
}

RC_GTEST_PROP(Space, ArmsOfTheUnitCubeRoundTrip, ()) {
  constexpr double kMax = std::numeric_limits<double>::max();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Space space = *rc::gen::element(
      one_of_each(), Space{{"x", Real{-kMax, kMax}}}, Space{{"x", Real{1e-300, kMax, Scale::log}}},
      Space{{"n", Integer{-kLargest, kLargest}}}, Space{{"n", Integer{1, 900, Scale::log}}},
      Space{{"n", Integer{-kLargest, kLargest, Scale::linear, std::int64_t{1} << 45}}},
      Space{{"x", Real{1e-3, 1e-2, Scale::log}}, {"n", Integer{0, 1}}});
  RC_LOG() << "seed " << seed << " space " << space.parameters()[0].name << ' '
           << space.dimension();
  RandomStream random({.seed = seed});
  std::vector<double> point(space.dimension());
  std::vector<double> arm(space.dimension());
  std::vector<double> back(space.dimension());
  std::vector<double> again(space.dimension());
  for (int i = 0; i < 100; ++i) {
    for (double& coordinate : point) coordinate = random.uniform();
    space.from_unit_cube(point, arm);
    RC_ASSERT(space.contains(arm));
    space.to_unit_cube(arm, back);
    space.from_unit_cube(back, again);
    for (std::size_t axis = 0; axis < arm.size(); ++axis) {
      RC_ASSERT(back[axis] >= 0.0 && back[axis] <= 1.0);
      const auto* real = space.parameters()[axis].domain.as<Real>();
      if (real != nullptr) {
        RC_ASSERT(std::abs(back[axis] - point[axis]) <= 1e-12);
        const double scale = real->scale == Scale::log
                                 ? arm[axis] * (std::log(real->high) - std::log(real->low))
                                 : std::max(std::abs(real->low), std::abs(real->high));
        RC_ASSERT(std::abs(again[axis] - arm[axis]) <= 1e-12 * scale);
      } else if (space.value_count(axis).value() < 1000) {
        RC_ASSERT(again[axis] == arm[axis]);
      } else {
        RC_ASSERT(std::abs(again[axis] - arm[axis]) <= 4.0);  // the range has 2^54 numbers
      }
      RC_ASSERT(space.coordinate(axis, space.value(arm, axis)) == arm[axis]);
    }
  }
}

TEST(Space, ALogScaleOfFewLargeIntegersIsAlmostLinear) {
  const Space space{{"n", Integer{kLargest - 3, kLargest, Scale::log}}};
  for (const double above : {0.0, 1.0, 2.0, 3.0}) {
    const std::array arm{0x1p53 - 3.0 + above};
    std::array<double, 1> point{};
    std::array<double, 1> back{};
    space.to_unit_cube(arm, point);
    EXPECT_NEAR(point[0], (above + 0.5) / 4.0, 1e-12);
    space.from_unit_cube(point, back);
    EXPECT_EQ(back, arm);
  }
}

RC_GTEST_PROP(Space, ArmsOfVeryWideIntegersStayOnTheirScale, ()) {
  const auto step = *rc::gen::inRange<std::int64_t>(1, 1000);
  const Space space{{"n", Integer{-kLargest, kLargest, Scale::linear, step}},
                    {"m", Integer{1, kLargest, Scale::log}}};
  RandomStream random({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  for (int i = 0; i < 100; ++i) {
    const std::array point{random.uniform(), random.uniform()};
    std::array<double, 2> arm{};
    space.from_unit_cube(point, arm);
    RC_ASSERT(space.contains(arm));
    std::array<double, 2> back{};
    space.to_unit_cube(arm, back);
    RC_ASSERT(std::abs(back[0] - point[0]) <= 1e-12);
    if (arm[1] > 1e6) RC_ASSERT(std::abs(back[1] - point[1]) <= 1e-6);
    std::array<double, 2> again{};
    space.from_unit_cube(back, again);
    RC_ASSERT(std::abs(again[1] - arm[1]) <= 1e-12 * arm[1]);
  }
}

TEST(Space, DescribesAnArmForPeople) {
  const Space space{
      {"x", Real{0.0, 1.0}}, {"n", Integer{-5, 5}}, {"mode", Choice{{"slow", "fast"}}}};
  EXPECT_EQ(space.describe(std::array{0.25, -3.0, 1.0}), "x = 0.25, n = -3, mode = fast");
  const Space alone{{"x", Real{0.0, 1.0}}};
  EXPECT_EQ(alone.describe(std::array{0.1}), "x = 0.1");
}

}  // namespace
}  // namespace canopy
