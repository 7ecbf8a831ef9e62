#include "core/fields.hpp"

#include "core/alternatives.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

struct Tea {
  double strength = 0.5;
  std::optional<double> sugar = std::nullopt;
  std::optional<std::uint64_t> minutes = std::nullopt;
  Scale scale = Scale::log;
  std::uint64_t seed = 7;
};

struct Water {
  double degrees = 20.0;
};

template <AlternativeOf<std::variant<Tea>> Options, class Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit(Field{"strength", "how strong", kOpenUnit}, options.strength);
  visit(Field{"sugar", "how sweet", kNotNegative}, options.sugar);
  visit(Field{"minutes", "how long", kMillion, "for ever"}, options.minutes);
  visit(Field{"scale", "how measured"}, options.scale);
  visit(Field{"seed", "of the leaves", kAnyWhole}, options.seed);
}

template <class Options>
struct Entry;
template <>
struct Entry<Tea> {
  static constexpr std::string_view name = "tea";
};
template <>
struct Entry<Water> {
  static constexpr std::string_view name = "water";
};

TEST(Fields, OptionsAreWrittenOnOneLine) {
  EXPECT_EQ(options_text(Tea{}), "strength 0.5, minutes for ever, scale log");
  EXPECT_EQ(options_text(Tea{.sugar = 2.0, .minutes = 3}),
            "strength 0.5, sugar 2, minutes 3, scale log");
}

TEST(Fields, EveryOptionOutOfRangeIsFound) {
  EXPECT_TRUE(field_violations(Tea{}, "tea.").empty()) << "an option without a value is in order";
  const std::vector<Violation> found =
      field_violations(Tea{.strength = 1.0, .sugar = -1.0, .minutes = 0}, "tea.");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].text(), "tea.strength = 1: must be in (0, 1)");
  EXPECT_EQ(found[1].text(), "tea.sugar = -1: must be a number from 0 to 1e50");
  EXPECT_EQ(found[2].text(),
            "tea.minutes = 0: must be a whole number from 1 to 1000000 or \"for ever\"");
}

TEST(Alternatives, AreFoundByName) {
  using Drink = std::variant<Tea, Water>;
  EXPECT_EQ((names_of_all<Drink, Entry>()), (std::vector<std::string_view>{"tea", "water"}));
  const auto water = alternative_named<Drink, Entry>("water");
  ASSERT_TRUE(water.has_value());
  EXPECT_EQ(std::get<Water>(*water).degrees, 20.0);
  EXPECT_EQ(name_of_alternative<Entry>(*water), "water");
  EXPECT_FALSE((alternative_named<Drink, Entry>("wine").has_value()));
}

}  // namespace
}  // namespace canopy
