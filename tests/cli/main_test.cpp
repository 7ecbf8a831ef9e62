// Tests the tool as a whole: help, version, usage errors.

#include "support/process.hpp"
#include "support/shell.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::Process;
using testing::run_tool;
using testing::shell;

/// The tool's path for a shell command, followed by a space.
std::string tool() {
  return CANOPY_BINARY_DIR "/canopy ";
}

/// A usage error: exit status 2, one line on standard error, nothing on standard output.
void expect_refused(const std::string& words, const std::string& message) {
  const Process::Result result = run_tool(words);
  EXPECT_EQ(result.status, 2) << words;
  EXPECT_EQ(result.err, message + "\n") << words;
  EXPECT_EQ(result.out, "") << words;
}

TEST(Tool, HelpOfEveryCommandHasAnExample) {
  for (const std::string command : {"", "simulate", "pipe", "bounds"}) {
    const Process::Result result = run_tool(command + " --help");
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_NE(result.out.find("Example"), std::string::npos) << command;
    EXPECT_NE(result.out.find("canopy " + (command.empty() ? "simulate" : command)),
              std::string::npos);
  }
}

TEST(Tool, TellsItsVersion) {
  EXPECT_EQ(run_tool("--version").out.substr(0, 7), "canopy ");
}

TEST(Tool, WithoutACommandShowsTheHelpAndFails) {
  const Process::Result result = run_tool("");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.out.find("simulate"), std::string::npos);
}

TEST(Tool, OutputThatCannotBeWrittenIsAFailureOfEveryCommand) {
  const testing::TemporaryFolder folder;
  const std::string store = " --store " + folder.path("a.db");
  folder.write("a.toml", "[[space]]\nname = \"x\"\nlow = 0\nhigh = 1\n");
  ASSERT_EQ(shell("echo '{\"op\":\"observe\",\"arm\":{\"x\":0.5},\"reward\":1}' | " + tool() +
                  "pipe " + folder.path("a.toml") + " --study a" + store)
                .status,
            0);
  std::vector<std::string> commands{"--help",
                                    "--version",
                                    "tree --help",
                                    "bounds",
                                    "bounds --json",
                                    "simulate --steps 100 --runs 1",
                                    "simulate --steps 100 --runs 1 --json",
                                    "simulate --list",
                                    "environment garland"};
  for (const std::string words : {"studies list", "studies list --json", "studies show a",
                                  "studies export a", "best a", "tree a", "tree a --json"}) {
    commands.push_back(words + store);
  }
  for (const std::string& words : commands) {
    const auto [status, said] = shell(tool() + words + " 2>&1 >/dev/full");
    EXPECT_EQ(status, 1) << words;
    const std::string last = "canopy: the output could not be written: No space left on device\n";
    EXPECT_TRUE(said.ends_with(last)) << words << ": " << said;
    EXPECT_EQ(said.find("No space"), said.rfind("No space")) << "said once: " << said;
  }
}

TEST(Tool, AReaderThatLeavesIsNoFailure) {
  const std::string late = "{ sleep 0.3; " + tool() + "bounds; echo $? >&2; } | :";
  EXPECT_EQ(shell("trap '' PIPE; { " + late + "; } 2>&1").out, "0\n");
  EXPECT_EQ(shell("{ " + late + "; } 2>&1").out, "141\n") << "ended by SIGPIPE, as ever";
}

TEST(Tool, RefusesUnknownCommandsAndOptionsWithTheNearestKnownOne) {
  expect_refused("simulat", "canopy: simulat: unknown command, did you mean \"simulate\"?");
  expect_refused("simulate --rhoo 0.5",
                 "canopy simulate: --rhoo: unknown option, did you mean \"--rho\"?");
  expect_refused("simulate --step=5",
                 "canopy simulate: --step: unknown option, did you mean \"--steps\"?");
  expect_refused("bounds more", "canopy bounds: more: unexpected argument; see --help");
}

TEST(Tool, RefusesEveryOptionOutOfItsRange) {
  const std::string positive = "must be a number from 1e-50 to 1e50";
  const std::string unit = "must be in (0, 1)";
  const std::string not_negative = "must be a number from 0 to 1e50";
  const std::vector<std::vector<std::string>> wrong{
      {"simulate --optimizer hct", "--nu1", "0", positive},
      {"simulate --optimizer hct", "--nu1", "inf", positive},
      {"simulate --optimizer hct", "--rho", "1", unit},
      {"simulate --optimizer hct", "--rho", "x", unit},
      {"simulate --optimizer hct", "--rho", "nan", unit},
      {"simulate --optimizer hct", "--confidence-scale", "-1", positive},
      {"simulate --optimizer hct", "--delta", "0", unit},
      {"simulate --optimizer hct", "--mixing-time", "-0.5", not_negative},
      {"simulate --optimizer hct", "--feedback", "some", R"(must be "iid" or "correlated")"},
      {"simulate --optimizer hct", "--preset", "mine", R"(must be "practical" or "paper")"},
      {"simulate --optimizer hct", "--constants", "pi", R"(must be "main" or "supplement")"},
      {"simulate", "--noise-width", "-1", not_negative},
      {"simulate", "--steps", "0", "must be a whole number from 1 to 1000000000000"},
      {"simulate", "--steps", "1.5", "must be a whole number from 1 to 1000000000000"},
      {"simulate", "--steps", "-3", "must be a whole number from 1 to 1000000000000"},
      {"simulate", "--runs", "0", "must be a whole number from 1 to 1000000"},
      {"simulate", "--threads", "0", "must be a whole number from 1 to 1024"},
      {"simulate", "--seed", "-1", "must be a whole number from 0 to 18446744073709551615"},
      {"simulate", "--environment", "garlnd", "unknown environment, did you mean \"garland\"?"},
      {"simulate", "--optimizer", "hcd", "unknown optimizer, did you mean \"hct\"?"},
      {"bounds", "--steps", "0", "must be a whole number from 1 to 1000000000000000"},
      {"bounds", "--nu2", "0", positive},
      {"bounds", "--near-optimality-dimension", "-1", not_negative},
      {"bounds", "--near-optimality-constant", "0", positive},
      {"bounds", "--dimension", "0", "must be a whole number from 1 to 10000"}};
  for (const auto& words : wrong) {
    expect_refused(words[0] + " " + words[1] + " " + words[2],
                   "canopy " + words[0].substr(0, words[0].find(' ')) + ": " + words[1] + " " +
                       words[2] + ": " + words[3]);
  }
  expect_refused("simulate --environment garland-mdp --beta 0",
                 "canopy simulate: --beta 0: must be a number from 1e-6 to 1");
  expect_refused("simulate --beta 0.5",
                 "canopy simulate: --beta 0.5: garland has no such option (garland-mdp, "
                 "auction-reactive have)");
  for (const std::string words : {"--rho", "--rho 0.5 --rho 0.6", "--rho="}) {
    expect_refused("simulate " + words, "canopy: --rho: must be given once, with one value");
  }
  expect_refused("simulate --json=1", "canopy: --json: takes no value");
  expect_refused("--foo simulate", "canopy: --foo: unknown option; known: --help --version");
}

}  // namespace
}  // namespace canopy
