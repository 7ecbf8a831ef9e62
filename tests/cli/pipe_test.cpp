// `canopy pipe` driven as a process.

#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include "support/process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using testing::Process;
using testing::run_tool;
using testing::TemporaryFile;

const std::string kStudyText =
    "[optimizer]\nname = \"hct\"\nnu1 = 1.0\nrho = 0.7071\nconfidence_scale = 0.05\n"
    "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n";

TEST(PipeCommand, AnswersEachLineAtOnceAndFollowsTheLibrary) {
  const TemporaryFile study("follows.toml", kStudyText);
  Process process({"pipe", study.path()});
  Hct hct(Space{{"x", Real{0.0, 1.0}}}, {.nu1 = 1.0, .rho = 0.7071, .confidence_scale = 0.05});
  RandomStream random({.seed = 11});
  for (int i = 0; i < 500; ++i) {
    process.write("{\"op\":\"ask\"}\n");
    const json pull = json::parse(process.read_line());
    const Pull expected = hct.ask();
    const TreeView* tree = hct.tree();
    ASSERT_EQ(pull["path"], tree->path(tree->place(expected.ticket)->node)) << "at pull " << i;
    ASSERT_EQ(pull["arm"]["x"], expected.arm[0]);
    const double reward = expected.arm[0] * random.uniform();
    process.write(json{{"op", "tell"}, {"ticket", pull["ticket"]}, {"reward", reward}}.dump() +
                  "\n");
    ASSERT_EQ(json::parse(process.read_line()), (json{{"ok", true}, {"t", i + 2}}));
    ASSERT_EQ(hct.tell(expected.ticket, reward), Status::ok);
  }
  EXPECT_EQ(process.finish().status, 0) << "the end of the input ends it cleanly";
}

TEST(PipeCommand, SurvivesAMillionByteLineAndALineWithoutAnEnd) {
  const TemporaryFile study("long.toml", kStudyText);
  Process process({"pipe", study.path()});
  process.write(R"({"op":"ask","pad":")" + std::string(1'000'000, 'x') + "\"}\n");
  EXPECT_EQ(json::parse(process.read_line())["error"]["code"], "line_too_long");
  process.write("{\"op\":\"summary\"}\n");
  EXPECT_EQ(json::parse(process.read_line())["t"], 1);
  process.write(R"({"op":"ask"})");
  const Process::Result result = process.finish();
  EXPECT_EQ(json::parse(result.out)["ticket"], 1);
  EXPECT_EQ(result.status, 0);
}

TEST(PipeCommand, RefusesWrongStudiesBeforeReadingALine) {
  const TemporaryFile wrong("wrong.toml", "[optimizer]\nname = \"hct\"\nrho = 3\n" +
                                              kStudyText.substr(kStudyText.find("[[")));
  const Process::Result result = run_tool("pipe " + wrong.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err,
            "canopy pipe: " + wrong.path() + ":3: optimizer.rho = 3: must be in (0, 1)\n");
  EXPECT_EQ(run_tool("pipe no-such-file.toml").err,
            "canopy pipe: no-such-file.toml: cannot be read: No such file or directory\n");
  EXPECT_EQ(run_tool("pipe no-such-file.toml").status, 2);
  EXPECT_EQ(run_tool("pipe").status, 2);
}

TEST(PipeCommand, RefusesASpaceOfOneArm) {
  const TemporaryFile one("one.toml",
                          "[optimizer]\nname = \"hct\"\n[[space]]\nname = \"c\"\ntype = "
                          "\"choice\"\nchoices = [\"a\"]\n");
  const Process::Result result = run_tool("pipe " + one.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("must have at least two arms"), std::string::npos);
}

}  // namespace
}  // namespace canopy
