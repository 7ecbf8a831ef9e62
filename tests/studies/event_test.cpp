#include "canopy/event.hpp"

#include "canopy/study.hpp"

#include "support/random_event.hpp"

#include <limits>
#include <set>
#include <string>
#include <variant>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::random_event;

/// One of every kind.
std::vector<Event> all_kinds() {
  return {Asked{7, 3, 2, {0.25, -1e-300}},
          Told{7, 0.1},
          ToldList{7, {0.1, 1.0 / 3.0}},
          ToldSums{7, {2, 0.5, 0.02, 0.15, 0.35}},
          Dropped{7},
          Finished{},
          TunerStarted{12.5},
          TunerStopped{"two\nlines", true},
          Applied{7, {0.75}},
          WarmedUp{7, -1.0},
          Held{7, 1e100},
          BaselineMeasured{0.5},
          Failed{7, "apply: ended with status 1", true},
          Observed{{0.5}, {1, 2.0, 0.0, 2.0, 2.0}},
          RangeSet{{{-1.0, 3.5}}},
          Remembered{{0.5}, {1, 2.0, 0.0, 2.0, 2.0}},
          PassedOver{7, {2, 0.5, 0.02, 0.15, 0.35}},
          AskedAgain{8, {0.25}},
          Penalized{7, -0.5},
          Barred{-0.5, {0.25}},
          PutOff{7, {0.25}},
          MetricsMeasured{7, {{"p99_ms", 31.5}, {"errors", 0.0}}},
          ComparisonBegun{60, 2, {0.25}},
          Compared{true, 0.5},
          ComparisonEnded{true, "better"},
          ActTaken{3, Act::confirm, 40, "the night shift"}};
}

/// What is wrong with some columns.
std::string complaint(const EventColumns& columns) {
  try {
    (void)from_columns(columns);
  } catch (const StudyError& error) {
    EXPECT_EQ(error.fault(), StudyError::Fault::damaged);
    return error.what();
  }
  return "";
}

TEST(EventColumns, HaveANumberAndANameForEveryKind) {
  const std::vector<Event> events = all_kinds();
  ASSERT_EQ(events.size(), std::variant_size_v<Event>);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(to_columns(events[i]).kind, static_cast<int>(i)) << "stores have these numbers";
    EXPECT_EQ(from_columns(to_columns(events[i])), events[i]) << i;
    names.insert(kind_name(events[i]));
  }
  EXPECT_EQ(names.size(), events.size());
  EXPECT_EQ(kind_name(Asked{}), "ask");
  EXPECT_EQ(kind_name(ToldSums{}), "tell_sums");
  EXPECT_EQ(kind_name(Observed{}), "observe");
}

TEST(EventColumns, AreTheseInStores) {
  const EventColumns asked = to_columns(Asked{7, 0, 2, {0.25, 3.0}});
  EXPECT_EQ(asked.ticket, 7U);
  EXPECT_EQ(asked.data, "0 2 0.25 3");
  EXPECT_EQ(to_columns(ToldList{7, {0.1, 2.0}}).data, "0.1 2");
  EXPECT_EQ(to_columns(ToldSums{7, {2, 0.5, 0.02, 0.15, 0.35}}).data, "2 0.5 0.02 0.15 0.35");
  EXPECT_EQ(to_columns(Observed{{0.5, 1.0}, {1, 2.0, 0.0, 2.0, 2.0}}).data, "1 2 0 2 2 0.5 1");
  EXPECT_EQ(to_columns(TunerStopped{"why", true}).value, 1.0);
  EXPECT_EQ(to_columns(TunerStopped{"why", true}).data, "why");
}

RC_GTEST_PROP(EventColumns, GiveBackTheSameEvent, ()) {
  const Event event = *random_event();
  RC_ASSERT(from_columns(to_columns(event)) == event);
}

TEST(EventColumns, ThatAreNoEventAreRefusedInWords) {
  EXPECT_EQ(complaint({.kind = -1}), "there is no event of kind -1");
  EXPECT_EQ(complaint({.kind = 26}), "there is no event of kind 26");
  EXPECT_EQ(complaint({.kind = 21, .data = "31.5 p99_ms"}), "it has no names of metrics");
  EXPECT_EQ(complaint({.kind = 21, .data = "x p99_ms\n"}), "\"x\" is not a number");
  EXPECT_EQ(complaint({.kind = 22, .data = "60 0 0.5"}), "it has no length of a visit");
  EXPECT_EQ(complaint({.kind = 14, .data = "1"}), "it has no range");
  EXPECT_EQ(complaint({.kind = 14, .data = "2 1"}), "it has no range");
  EXPECT_EQ(complaint({.kind = 0, .ticket = 1, .data = ""}), "\"\" is not a number");
  EXPECT_EQ(complaint({.kind = 0, .ticket = 1, .data = "1"}), "\"\" is not a number");
  EXPECT_EQ(complaint({.kind = 0, .ticket = 1, .data = "1 x 0.5"}), "\"x\" is not a number");
  EXPECT_EQ(complaint({.kind = 0, .ticket = 1, .data = "-1 1 0.5"}), "\"-1\" is not a number");
  EXPECT_EQ(complaint({.kind = 0, .ticket = 1, .data = "1 1 0.5  0.5"}), "\"\" is not a number");
  EXPECT_EQ(complaint({.kind = 2, .ticket = 1, .data = "0.5,0.5"}), "\"0.5,0.5\" is not a number");
  EXPECT_EQ(complaint({.kind = 2, .ticket = 1, .data = "inf"}), "\"inf\" is not a number");
  EXPECT_EQ(complaint({.kind = 3, .ticket = 1, .data = "1 2 3 4"}), "\"\" is not a number");
  EXPECT_EQ(complaint({.kind = 8, .ticket = 1, .data = "{\"x\":0.5}"}),
            "\"{\"x\":0.5}\" is not a number");
  EXPECT_EQ(complaint({.kind = 1, .value = std::numeric_limits<double>::quiet_NaN()}),
            "its value is not a number");
  EXPECT_EQ(complaint({.kind = 1, .value = std::numeric_limits<double>::infinity()}),
            "its value is not a number");
}

TEST(EventColumns, ThatHaveMoreThanTheirEventAreRefused) {
  EXPECT_NE(complaint({.kind = 3, .ticket = 1, .data = "1 2 3 4 5 6"}), "");
}

RC_GTEST_PROP(EventColumns, OfAnyWordsAreAnEventOrRefused, ()) {
  const EventColumns columns{
      .kind = *rc::gen::inRange(-3, 17),
      .ticket = *rc::gen::arbitrary<Ticket>(),
      .value = *testing::random_finite(),
      .data = *rc::gen::oneOf(testing::random_text(), rc::gen::string<std::string>())};
  try {
    const Event event = from_columns(columns);
    RC_ASSERT(from_columns(to_columns(event)) == event);
  } catch (const StudyError&) {
    RC_SUCCEED("refused");
  }
}

}  // namespace
}  // namespace canopy
