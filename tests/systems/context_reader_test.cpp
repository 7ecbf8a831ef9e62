#include "systems/context_reader.hpp"

#include "canopy/clock.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Kind = ContextInput::Kind;

constexpr double kMonday = 1'705'276'800.0;  // 15 January 2024, 00:00 UTC

const ContextVariable kHour{"hour", Real{0.0, 24.0}, 24.0};
const ContextVariable kWeekday{"weekday", Integer{0, 6}};
const ContextVariable kLoad{"load", Real{0.0, 1.0}};
const ContextVariable kTenant{"tenant", Choice{{"a", "big one"}}};

class ContextReaderTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::variant<std::vector<double>, SystemFailure> read(
      std::vector<ContextVariable> variables, const std::vector<ContextInput>& inputs,
      double at = kMonday) const {
    const ContextSpace contexts(std::move(variables));
    const VirtualClock clock(at);
    return ContextReader(contexts, inputs, true, clock).read({.timeout_seconds = 5.0});
  }

  /// Reads one value; fails the test if that fails.
  [[nodiscard]] double value(const ContextVariable& variable, const ContextInput& input,
                             double at = kMonday) const {
    const auto result = read({variable}, {input}, at);
    const auto* failure = std::get_if<SystemFailure>(&result);
    EXPECT_EQ(failure, nullptr) << failure->what;
    return failure == nullptr ? std::get<std::vector<double>>(result).at(0) : -1.0;
  }

  [[nodiscard]] std::string failure(const ContextVariable& variable,
                                    const ContextInput& input) const {
    const auto result = read({variable}, {input});
    const auto* failure = std::get_if<SystemFailure>(&result);
    return failure != nullptr ? failure->what : "";
  }
};

TEST_F(ContextReaderTest, ReadsTheHourAndTheWeekdayOffAClockInAnyTimeZone) {
  const ContextInput hour{.kind = Kind::hour, .time_zone = "Etc/UTC"};
  const ContextInput weekday{.kind = Kind::weekday, .time_zone = "Etc/UTC"};
  EXPECT_EQ(value(kHour, hour), 0.0);
  EXPECT_EQ(value(kHour, hour, kMonday + 9000.0), 2.5);
  EXPECT_NEAR(value(kHour, hour, kMonday - 1.8), 24.0 - 0.0005, 1e-6);
  EXPECT_EQ(value(kWeekday, weekday), 0.0);
  EXPECT_EQ(value(kWeekday, weekday, kMonday - 1.0), 6.0);
  EXPECT_EQ(value(kWeekday, weekday, kMonday + 5.5 * 86'400.0), 5.0);
  const ContextInput india{.kind = Kind::hour, .time_zone = "Asia/Kolkata"};
  EXPECT_EQ(value(kHour, india), 5.5);
  const ContextInput new_york{.kind = Kind::weekday, .time_zone = "America/New_York"};
  EXPECT_EQ(value(kWeekday, new_york), 6.0) << "it is still Sunday there";
  const ContextInput berlin{.kind = Kind::hour, .time_zone = "Europe/Berlin"};
  EXPECT_EQ(value(kHour, berlin), 1.0);
  EXPECT_EQ(value(kHour, berlin, kMonday + 180.0 * 86'400.0), 2.0) << "in summer";
}

TEST_F(ContextReaderTest, ReadsWhatACommandPrints) {
  EXPECT_EQ(value(kLoad, {.kind = Kind::command, .command = "echo ' 0.25 '"}), 0.25);
  EXPECT_EQ(value(kTenant, {.kind = Kind::command, .command = "echo 'big one'"}), 1.0);
  EXPECT_EQ(value(kWeekday, {.kind = Kind::command, .command = "echo 3"}), 3.0);
  const ContextVariable indented{"tenant", Choice{{"a", " b "}}};
  EXPECT_EQ(value(indented, {.kind = Kind::command, .command = "echo ' b '"}), 1.0);
  EXPECT_EQ(value(indented, {.kind = Kind::command, .command = "echo ' a '"}), 0.0);
}

TEST_F(ContextReaderTest, LeavesANumberBeyondItsRangeAsItIs) {
  EXPECT_EQ(value(kLoad, {.kind = Kind::command, .command = "echo 3.5"}), 3.5);
  EXPECT_EQ(value(kWeekday, {.kind = Kind::command, .command = "echo -2.5"}), -2.5);
}

TEST_F(ContextReaderTest, ReadsAllVariablesInTheirOrder) {
  const auto result = read({kLoad, kHour, kTenant}, {{.kind = Kind::command, .command = "echo 0.5"},
                                                     {.kind = Kind::hour, .time_zone = "Etc/UTC"},
                                                     {.kind = Kind::command, .command = "echo a"}});
  EXPECT_EQ(std::get<std::vector<double>>(result), (std::vector{0.5, 0.0, 0.0}));
}

TEST_F(ContextReaderTest, SaysWhatIsWrongAndOfWhichVariable) {
  EXPECT_EQ(failure(kLoad, {}), "context.load: has no source");
  EXPECT_EQ(failure(kLoad, {.kind = Kind::command, .command = "echo down >&2; exit 3"}),
            "context.load: ended with status 3: down");
  EXPECT_EQ(failure(kLoad, {.kind = Kind::command, .command = "echo high"}),
            "context.load: the source printed \"high\": must be a finite number");
  EXPECT_EQ(failure(kLoad, {.kind = Kind::command, .command = "echo nan"}),
            "context.load: the source printed \"nan\": must be a finite number");
  EXPECT_EQ(failure(kTenant, {.kind = Kind::command, .command = "echo c"}),
            "context.tenant: the source printed \"c\": must be one of \"a\" \"big one\"");
  EXPECT_NE(failure(kHour, {.kind = Kind::hour, .time_zone = "Mars/Base"})
                .find("context.hour: this machine has no time zone \"Mars/Base\""),
            std::string::npos);
}

TEST_F(ContextReaderTest, WaitsNoLongerThanItsLimits) {
  const ContextSpace contexts({kLoad});
  const VirtualClock clock;
  const ContextReader reader(contexts, {{.kind = Kind::command, .command = "exec sleep 1000"}},
                             true, clock);
  const auto result = reader.read({.timeout_seconds = 0.1});
  EXPECT_EQ(std::get<SystemFailure>(result).what, "context.load: took longer than 0.1 s");
}

}  // namespace
}  // namespace canopy
