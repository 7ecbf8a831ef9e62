#include "files/row.hpp"

#include "support/random_document.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

enum class Course { soup, cake };

}  // namespace

template <>
struct EnumNames<Course> {
  static constexpr std::array<std::string_view, 2> names{"soup", "cake"};
};

namespace {

struct Meal {
  std::uint64_t cups = 0;
  double strength = 0.0;
  Course course = Course::soup;
  std::string note = {};
  std::vector<double> minutes = {};
  std::optional<std::array<double, 2>> heat = {};
  std::map<std::string, double> scores = {};
  std::uint64_t spoons = 1;
  bool iced = false;

  friend bool operator==(const Meal&, const Meal&) = default;
};

template <class Visit>
void visit_fields(Meal& meal, Visit&& visit) {
  visit(Field{"cups", ""}, meal.cups);
  visit(Field{"strength", ""}, meal.strength);
  visit(Field{"course", ""}, meal.course);
  visit(Field{"note", ""}, meal.note);
  visit(Field{"minutes", ""}, meal.minutes);
  visit(Field{"heat", ""}, meal.heat);
  visit(Field{"scores", ""}.or_none(), meal.scores);
  visit(Field{"spoons", "", kOneOrMore}.usually(1), meal.spoons);
  visit(Field{"iced", ""}.or_none(), meal.iced);
}

std::string row_of(const Meal& meal) {
  std::string text;
  RowWriter row(text, "meal");
  visit_fields_of(meal, row);
  row.finish();
  return text;
}

Meal meal_in(std::string_view text) {
  RowReader row(text);
  EXPECT_EQ(row.name(), "meal");
  Meal meal;
  visit_fields(meal, row);
  row.finish();
  return meal;
}

TEST(Row, HasTheValuesOfTheFieldsInTheirOrder) {
  const Meal meal{2, 0.5, Course::cake, "no milk", {3.0, 4.5}, {{80.0, 95.0}}, {{"taste", 8.0}},
                  3, true};
  EXPECT_EQ(row_of(meal), R"(["meal",2,0.5,"cake","no milk",[3,4.5],[80,95],{"taste":8},3,true])");
  EXPECT_EQ(meal_in(row_of(meal)), meal);
}

TEST(Row, LeavesOutWhatIsUsualAtItsEnd) {
  EXPECT_EQ(row_of({}), R"(["meal",0,0,"soup","",[],null])");
  EXPECT_EQ(row_of({.iced = true}), R"(["meal",0,0,"soup","",[],null,{},1,true])");
  EXPECT_EQ(meal_in(R"(["meal",0,0,"soup","",[],null])"), Meal{});
  EXPECT_EQ(row_of({.spoons = 2}), R"(["meal",0,0,"soup","",[],null,{},2])");
}

TEST(Row, RefusesValuesOutsideTheRangeOfTheirField) {
  try {
    (void)meal_in(R"(["meal",0,0,"soup","",[],null,{},0])");
    FAIL();
  } catch (const RowError& error) {
    EXPECT_STREQ(error.what(), "spoons must be 1 or more");
  }
}

RC_GTEST_PROP(Row, GivesBackAnyTextsAndNumbers, ()) {
  const Meal meal{.cups = *rc::gen::arbitrary<std::uint64_t>(),
                  .strength = *testing::random_finite(),
                  .note = *testing::random_text(),
                  .minutes = *rc::gen::container<std::vector<double>>(testing::random_finite()),
                  .scores = {{*testing::random_text(), *testing::random_finite()}}};
  RC_ASSERT(meal_in(row_of(meal)) == meal);
}

}  // namespace
}  // namespace canopy
