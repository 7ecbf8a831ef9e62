#include "canopy/event.hpp"

#include "canopy/study_error.hpp"

#include "support/random_event.hpp"

#include <set>
#include <string>
#include <variant>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::random_event;

/// One event of each kind.
std::vector<Event> all_kinds() {
  return {Asked{7, 3, 2, {0.25, -1e-300}},
          Told{7, std::vector{0.1, 1.0 / 3.0}, true},
          Penalized{7, -0.5},
          Dropped{7},
          Observed{{0.5}, Rewards{2, 4.5, 0.1, 2.0, 2.5}, Role::warm_up},
          Barred{-0.5, {0.25}},
          RangeSet{{{-1.0, 3.5}}},
          Finished{},
          TunerStarted{12.5},
          TunerStopped{"two\nlines", true},
          Applied{7, {0.75}},
          Held{7, 1e100},
          Failed{7, "apply: ended with status 1", true},
          Deferred{7, {0.25}},
          MetricsMeasured{7, {{"p99_ms", 31.5}, {"errors", 0.0}}, {0.25}},
          ComparisonBegun{60, 2, {0.25}},
          Compared{true, 0.5},
          ComparisonEnded{true, "better"},
          CommandAccepted{3, RunnerCommand::confirm, 40, "the night shift"},
          CommandsChanged{"system.measure was \"a\" and is \"b\""},
          Changed{{7, Change::Kind::shape, 0.5}},
          LevelSeen{0.75}};
}

/// The error message for an invalid text.
std::string complaint_about(const std::string& text) {
  try {
    (void)decode(text);
  } catch (const StudyError& error) {
    EXPECT_EQ(error.fault(), StudyError::Fault::damaged);
    return error.what();
  }
  return "";
}

TEST(Event, HasANameForEveryKind) {
  const std::vector<Event> events = all_kinds();
  ASSERT_EQ(events.size(), std::variant_size_v<Event>);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].index(), i);
    EXPECT_EQ(decode(encode(events[i])), events[i]) << encode(events[i]);
    EXPECT_EQ(event_named(kind_name(events[i]))->index(), i);
    names.insert(kind_name(events[i]));
  }
  EXPECT_EQ(names.size(), events.size());
  EXPECT_EQ(kind_name(Asked{}), "ask");
  EXPECT_EQ(kind_name(Told{}), "tell");
  EXPECT_EQ(kind_name(Observed{}), "observe");
  EXPECT_FALSE(event_named("dance").has_value());
}

TEST(Event, IsOneLineOfJsonInStores) {
  EXPECT_EQ(encode(Asked{7, 0, 2, {0.25, 3.0}}), R"(["ask",7,[0.25,3],0,2])");
  EXPECT_EQ(encode(Asked{7, 0, 1, {0.25}}), R"(["ask",7,[0.25],0])");
  EXPECT_EQ(encode(Asked{7, 1, 1, {0.25}}), R"(["ask",7,[0.25]])");
  EXPECT_EQ(encode(Asked{7, 1, 1, {0.25}, 30.0}), R"(["ask",7,[0.25],1,1,30])");
  EXPECT_EQ(encode(Told{7, 0.1}), R"(["tell",7,0.1])");
  EXPECT_EQ(encode(Asked{.ticket = 7, .pulls = 1, .length = 1, .arm = {0.25}, .again = true}),
            R"(["ask",7,[0.25],1,1,0,true])");
  EXPECT_EQ(encode(Told{7, std::vector{0.1, 2.0}}), R"(["tell",7,[0.1,2]])");
  EXPECT_EQ(encode(Told{7, 0.1, true}), R"(["tell",7,0.1,true])");
  EXPECT_EQ(encode(Told{7, Rewards{2, 0.5, 0.02, 0.15, 0.35}}),
            R"(["tell",7,{"count":2,"sum":0.5,"squared_deviations":0.02,"min":0.15,"max":0.35}])");
  EXPECT_EQ(encode(Observed{{0.5}, 2.0}), R"(["observe",[0.5],2])");
  EXPECT_EQ(encode(Observed{{0.5}, 2.0, Role::baseline}), R"(["observe",[0.5],2,"baseline"])");
  EXPECT_EQ(encode(Finished{}), R"(["finish"])");
  EXPECT_EQ(encode(TunerStopped{"two\nlines", true}), R"(["stop","two\nlines",true])");
  EXPECT_EQ(encode(RangeSet{}), R"(["range",null])");
  EXPECT_EQ(encode(RangeSet{{{-1.0, 3.5}}}), R"(["range",[-1,3.5]])");
  EXPECT_EQ(encode(MetricsMeasured{7, {{"p99", 31.5}}, {}}), R"(["metrics",7,{"p99":31.5}])");
  EXPECT_EQ(encode(CommandAccepted{3, RunnerCommand::confirm, 40, "me"}),
            R"(["command",3,"confirm",40,"me"])");
}

RC_GTEST_PROP(Event, IsTheSameAfterItWasEncoded, ()) {
  const Event event = *random_event();
  RC_ASSERT(decode(encode(event)) == event);
}

TEST(Event, SaysWhatIsWrongWithAText) {
  EXPECT_EQ(complaint_about(""), "expected [, found the end");
  EXPECT_EQ(complaint_about("[7]"), "expected a text, found '7]'");
  EXPECT_EQ(complaint_about(R"(["dance"])"), "there is no event kind \"dance\"");
  EXPECT_EQ(complaint_about(R"(["tell",7])"), "has no rewards");
  EXPECT_EQ(complaint_about(R"(["tell",7,x])"), "expected a number, found 'x]'");
  EXPECT_EQ(complaint_about(R"(["tell",7,inf])"), "expected a number, found 'inf]'");
  EXPECT_EQ(complaint_about(R"(["tell",7,1e999])"), "expected a number, found '1e999]'");
  EXPECT_EQ(complaint_about(R"(["tell",-7,1])"), "expected a whole number, found '-7,1]'");
  EXPECT_EQ(complaint_about(R"(["tell",7,0.5,true,true,1])"), "expected ], found ',1]'");
  EXPECT_EQ(complaint_about(R"(["tell",7,0.5] )"), "expected the end, found ' '");
  EXPECT_EQ(complaint_about(R"(["tell",7,[0.5,]])"), "expected a number, found ']]'");
  EXPECT_EQ(complaint_about(R"(["range",[2,1]])"), "has no range");
  EXPECT_EQ(complaint_about(R"(["range",[1]])"), "has no range");
  EXPECT_EQ(complaint_about(R"(["confirm",60,0,[0.5]])"), "visit must be 1 or more");
  EXPECT_EQ(complaint_about(R"(["command",3,"dance",40,"me"])"),
            "expected a known name, found ',40,\"me\"]'");
  EXPECT_EQ(complaint_about(R"(["stop","no end)"), "expected the end of a text, found '\"no end'");
  EXPECT_NE(complaint_about(R"(["stop","\x",true])"), "");
  EXPECT_EQ(complaint_about(R"(["stop","why",tru])"), "expected true, found 'tru]'");
}

RC_GTEST_PROP(Event, OfAnyTextIsAnEventOrRefused, ()) {
  std::string text = encode(*random_event());
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  text.replace(at, *rc::gen::inRange<std::size_t>(0, 3), *rc::gen::string<std::string>());
  try {
    const Event event = decode(text);
    RC_ASSERT(decode(encode(event)) == event);
  } catch (const StudyError&) {
    RC_SUCCEED("refused");
  }
}

}  // namespace
}  // namespace canopy
