#include "canopy/domain.hpp"

#include "support/domain_laws.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

/// A kind that is not built in: 2^first to 2^last. All its code is here.
struct PowerOfTwo {
  static constexpr std::string_view kName = "power_of_two";
  static constexpr bool kOrdered = true;

  std::int64_t first = 0;
  std::int64_t last = 10;

  [[nodiscard]] Integer exponents() const { return {first, last}; }

  [[nodiscard]] std::vector<Violation> violations() const { return exponents().violations(); }
  [[nodiscard]] std::array<double, 2> ends() const { return exponents().ends(); }
  [[nodiscard]] std::optional<std::uint64_t> count() const { return exponents().count(); }
  [[nodiscard]] static double spacing() { return 1.0; }
  [[nodiscard]] bool contains(double coordinate) const { return exponents().contains(coordinate); }
  [[nodiscard]] static Value value(double coordinate) {
    return std::int64_t{1} << static_cast<std::int64_t>(coordinate);
  }
  [[nodiscard]] std::optional<double> coordinate(const Value& value) const {
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (whole == nullptr || *whole < 1) return std::nullopt;
    const double exponent = std::log2(static_cast<double>(*whole));
    return contains(exponent) ? std::optional(exponent) : std::nullopt;
  }
  [[nodiscard]] double at(double share) const { return exponents().at(share); }
  [[nodiscard]] double share(double coordinate) const { return exponents().share(coordinate); }
  [[nodiscard]] std::shared_ptr<const CutAxis> axis() const { return exponents().axis(); }
  [[nodiscard]] std::vector<double> grid(std::uint64_t points) const {
    return exponents().grid(points);
  }
  [[nodiscard]] std::vector<double> ticks(std::size_t most) const {
    return exponents().ticks(most);
  }
  [[nodiscard]] static std::string text(double coordinate) {
    return "2^" + Integer::text(coordinate);
  }
  [[nodiscard]] std::string description() const {
    return "a power of two from " + text(ends()[0]) + " to " + text(ends()[1]);
  }
  [[nodiscard]] static bool measures_like(const PowerOfTwo& /*other*/) { return true; }

  friend bool operator==(const PowerOfTwo&, const PowerOfTwo&) = default;
};

template <class Visit>
void visit_fields(PowerOfTwo& power, Visit&& visit) {
  visit(Field{.name = "first", .help = "the least exponent", .required = true}, power.first);
  visit(Field{.name = "last", .help = "the largest exponent", .required = true}, power.last);
}

struct NoKind {
  double low = 0.0;
};

static_assert(ParameterKind<Real> && ParameterKind<Integer> && ParameterKind<Choice>);
static_assert(ParameterKind<PowerOfTwo>, "a new kind needs nothing that is not in one place");
static_assert(!ParameterKind<NoKind>);

PowerOfTwo random_power() {
  const auto first = *rc::gen::inRange<std::int64_t>(0, 50);
  return {first, first + *rc::gen::inRange<std::int64_t>(1, 12)};
}

RC_GTEST_PROP(Domain, EveryKindKeepsTheLaws, ()) {
  testing::check_laws_of(static_cast<const Domain::Kinds*>(nullptr));
  testing::check_laws(random_power());
}

RC_GTEST_PROP(Domain, NeighboursAreTheValuesNextToOne, ()) {
  const Domain domain = testing::random_domain();
  const std::vector<double> all = domain.grid(1000);
  if (!domain.count()) {
    RC_ASSERT(domain.neighbours(all.front()).empty());
    return;
  }
  const auto i = *rc::gen::inRange<std::size_t>(0, all.size());
  std::vector<double> expected;
  if (i > 0) expected.push_back(all[i - 1]);
  if (i + 1 < all.size()) expected.push_back(all[i + 1]);
  RC_ASSERT(domain.neighbours(all[i]) == expected);
}

TEST(Domain, IsFoundByTheNameOfItsKind) {
  EXPECT_EQ(Domain::names(), (std::vector<std::string_view>{"real", "integer", "choice"}));
  for (const std::string_view name : Domain::names()) {
    ASSERT_TRUE(Domain::named(name).has_value());
    EXPECT_EQ(Domain::named(name)->name(), name);
  }
  EXPECT_EQ(Domain::named("integer"), Domain(Integer()));
  EXPECT_FALSE(Domain::named("Real").has_value());
}

TEST(Domain, IsOfOneKind) {
  const Domain domain = Integer{2, 9};
  ASSERT_NE(domain.as<Integer>(), nullptr);
  EXPECT_EQ(domain.as<Integer>()->high, 9);
  EXPECT_EQ(domain.as<Real>(), nullptr);
  EXPECT_NE(domain, Domain(Integer{2, 8}));
  EXPECT_NE(Domain(Real{0.0, 1.0}), Domain(Integer{0, 1}));
}

TEST(Domain, HasTheFieldsOfItsKind) {
  Domain domain = Integer{2, 9};
  std::vector<std::string> names;
  visit_fields(domain, [&](const Field& field, auto& member) {
    names.emplace_back(field.name);
    if constexpr (std::is_same_v<decltype(member), std::int64_t&>) member += 1;
  });
  EXPECT_EQ(names, (std::vector<std::string>{"low", "high", "scale", "step"}));
  EXPECT_EQ(domain, Domain(Integer{3, 10, Scale::linear, 2}));
}

TEST(Domain, OnlyCoordinatesOfTheSameKindMeanTheSame) {
  EXPECT_TRUE(Domain(Real{0.0, 1.0}).measures_like(Real{0.0, 9.0}));
  EXPECT_TRUE(Domain(Integer{0, 1}).measures_like(Integer{0, 9, Scale::linear, 3}));
  EXPECT_FALSE(Domain(Integer{0, 1}).measures_like(Real{0.0, 1.0}));
  EXPECT_TRUE(Domain(Choice{{"a", "b"}}).measures_like(Choice{{"a", "b"}}));
  EXPECT_FALSE(Domain(Choice{{"a", "b"}}).measures_like(Choice{{"b", "a"}}));
}

}  // namespace
}  // namespace canopy
