#include "journal/command_text.hpp"

#include "canopy/specification_error.hpp"

#include "support/random_document.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

std::string wrong_with_command(const std::string& text) {
  try {
    (void)command_from(text);
  } catch (const SpecificationError& error) {
    return error.what();
  }
  return "";
}

TEST(CommandText, IsAShortTable) {
  EXPECT_EQ(command_text({RunnerCommand::pause, "alice"}), R"({"command":"pause","by":"alice"})");
  EXPECT_EQ(command_text({RunnerCommand::confirm, "bob", 40}),
            R"({"command":"confirm","by":"bob","pulls":40})");
  EXPECT_EQ(command_from(R"({"command":"end"})"), (WantedCommand{RunnerCommand::end, "anonymous"}));
}

RC_GTEST_PROP(CommandText, EveryCommandReadsBack, ()) {
  const WantedCommand wanted{static_cast<RunnerCommand>(*rc::gen::inRange(0, 6)),
                             *testing::random_text(),
                             *rc::gen::inRange<std::uint64_t>(0, INT64_MAX)};
  RC_ASSERT(command_from(command_text(wanted)) == wanted);
}

RC_GTEST_PROP(CommandText, AnyOtherTextIsRefusedWithAReason, ()) {
  const std::string text = *rc::gen::arbitrary<std::string>();
  RC_ASSERT(!wrong_with_command(text).empty());
}

TEST(CommandText, SaysWhatIsWrong) {
  EXPECT_EQ(wrong_with_command(R"({"by":"alice"})"), "command: command: is missing");
  EXPECT_EQ(wrong_with_command(R"({"command":"pause","pulls":-1})"),
            "command: pulls = -1: must be a whole number, 0 or more");
  EXPECT_EQ(wrong_with_command(R"({"command":"pause","for":1})"),
            "command: for = 1: unknown key; known: command by pulls key");
  EXPECT_EQ(wrong_with_command("[]"),
            "command: command = []: must be a table; command: command: is missing");
}

}  // namespace
}  // namespace canopy
