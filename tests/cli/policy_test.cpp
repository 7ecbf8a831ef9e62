// Studies with contexts, tuned and viewed by the tool.

#include "support/process.hpp"
#include "support/shell.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using testing::run_tool;
using testing::shell;

/// A system whose load alternates between 0.25 and 0.75; the best x is 0.2 if the load is low, else
/// 0.8.
class PolicyCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("load", "0.25\n");
    folder_.write("measure.sh",
                  "#!/bin/sh\ncd \"$(dirname \"$0\")\"\n"
                  "if [ \"$CANOPY_load\" = 0.25 ]; then echo 0.75 > load; best=0.2\n"
                  "else echo 0.25 > load; best=0.8; fi\n"
                  "awk -v x=\"$CANOPY_x\" -v best=$best 'BEGIN { print 1 - (x - best)^2 }'\n");
    std::filesystem::permissions(folder_.path("measure.sh"), std::filesystem::perms::owner_all);
  }

  [[nodiscard]] std::string study(const std::string& source, const std::string& system = "") const {
    folder_.write("a.toml",
                  "name = \"a\"\n[[context]]\nname = \"load\"\nlow = 0.0\nhigh = 1.0\n" + source +
                      "\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nmeasure = \"" +
                      folder_.path("measure.sh") + "\"\nreads_arm = true\n" + system +
                      "\n[budget]\npulls = 150\n");
    return folder_.path("a.toml");
  }
  [[nodiscard]] std::string source() const {
    return "source = \"cat " + folder_.path("load") + "\"";
  }
  [[nodiscard]] std::string policy_file() const {
    return "policy_file = \"" + folder_.path("policy.json") + "\"";
  }
  [[nodiscard]] std::string store() const { return " --store " + folder_.path("s.db"); }

  [[nodiscard]] json policy() const {
    return json::parse(run_tool("policy a --json" + store()).out);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(PolicyCommand, IsLearntShownAndWrittenToAFile) {
  const auto result = run_tool("tune " + study(source(), policy_file()) + store());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("best     2 regions of load; `canopy policy a` shows them\n"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("policy   written to " + folder_.path("policy.json") + "\n"),
            std::string::npos)
      << result.out;

  const auto shown = run_tool("policy a" + store());
  ASSERT_EQ(shown.status, 0) << shown.err;
  for (const char* part :
       {"a: 2 regions of load, after 150 pulls\n", "   load", "  x", "pulls  mean", "95 % interval",
        "\n1  0 to 0.", "\n2  0.", "load         1 split, evidence ",
        "For a single context: `canopy best a --context load=NUMBER`\n"}) {
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << "\n" << shown.out;
  }
  const json all = policy();
  ASSERT_EQ(all["rows"].size(), 2U);
  EXPECT_NEAR(all["rows"][0]["arm"]["x"].get<double>(), 0.2, 0.1);
  EXPECT_NEAR(all["rows"][1]["arm"]["x"].get<double>(), 0.8, 0.1);
  const json file = json::parse(folder_.content("policy.json"));
  EXPECT_EQ(file["rows"], all["rows"]);
  EXPECT_EQ(file["study"], "a");
  EXPECT_EQ(
      run_tool("policy a --csv" + store()).out.find("region,\"load_from\",\"load_to\",\"x\","), 0U);
  const json shown_study = json::parse(run_tool("studies show a --json" + store()).out);
  EXPECT_EQ(shown_study["policy"], all);
}

TEST_F(PolicyCommand, PrintsAFunctionThatSaysTheSameAsBest) {
  ASSERT_EQ(run_tool("tune " + study(source()) + store()).status, 0);
  folder_.write("policy.py", run_tool("policy a --code python" + store()).out);
  for (const char* load : {"0.1", "0.25", "0.7", "9"}) {
    const auto python = shell(
        "cd " + folder_.path("") +
        " && python3 -c 'import json, policy; print(json.dumps(policy.setting(" + load + ")))'");
    if (python.status == 127) GTEST_SKIP() << "there is no python3";
    const auto best = run_tool("best a --json --context load=" + std::string(load) + store());
    ASSERT_EQ(best.status, 0) << best.err;
    const json answer = json::parse(best.out);
    EXPECT_EQ(json::parse(python.out), answer["arm"]) << load;
    EXPECT_EQ(answer["context"]["load"], std::stod(load));
  }
}

TEST_F(PolicyCommand, BestIsAboutOneContextAndSaysWhatItNeeds) {
  ASSERT_EQ(run_tool("tune " + study(source()) + store()).status, 0);
  const auto best = run_tool("best a --context load=0.2" + store());
  ASSERT_EQ(best.status, 0) << best.err;
  EXPECT_EQ(best.out.find("x = 0."), 0U) << best.out;
  EXPECT_NE(best.out.find("\nregion: load 0 to 0."), std::string::npos) << best.out;
  for (const auto& [words, complaint] : std::vector<std::pair<std::string, std::string>>{
           {"",
            "--context: is missing; the best setting may depend on load. Give --context "
            "load=NUMBER, or see all regions of contexts with `canopy policy a`"},
           {" --context lod=1", "--context lod=1: unknown context, did you mean \"load\"?"},
           {" --context load", "--context load: must be NAME=VALUE"},
           {" --context load=high", "--context load=high: must be a finite number"},
           {" --context load=inf", "--context load=inf: must be a finite number"},
           {" --context load=1 --context load=2", "--context load: is given twice"}}) {
    const auto result = run_tool("best a" + words + store());
    EXPECT_EQ(result.status, 2) << words;
    EXPECT_EQ(result.err, "canopy best: " + complaint + "\n") << words;
  }
}

TEST_F(PolicyCommand, AStudyWithoutContextsHasNone) {
  folder_.write("b.toml",
                "name = \"b\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nmeasure = "
                "\"echo {x}\"\n[budget]\npulls = 20\n");
  ASSERT_EQ(run_tool("tune " + folder_.path("b.toml") + store()).status, 0);
  const auto policy = run_tool("policy b" + store());
  EXPECT_EQ(policy.status, 1);
  EXPECT_EQ(
      policy.err,
      "canopy policy: b: the study has no [[context]], so it has a single best arm and no policy; "
      "see `canopy best`\n");
  const auto best = run_tool("best b --context load=1" + store());
  EXPECT_EQ(best.status, 2);
  EXPECT_NE(best.err.find("--context: the study has no [[context]]"), std::string::npos);
  EXPECT_EQ(run_tool("policy b --json --csv" + store()).status, 2);
  EXPECT_EQ(run_tool("policy b --code cobol" + store()).err,
            "canopy policy: --code cobol: must be \"python\"\n");
}

TEST_F(PolicyCommand, ExplainSaysWhichContextsMatter) {
  ASSERT_EQ(run_tool("tune " + study(source()) + store()).status, 0);
  const auto words = run_tool("explain a" + store());
  ASSERT_EQ(words.status, 0) << words.err;
  for (const char* part :
       {"load         1 split, evidence ", "regions      2; `canopy policy a` shows them",
        "region       the following lines are about the region of the last context, load = 0.",
        "next         x = "}) {
    EXPECT_NE(words.out.find(part), std::string::npos) << part << "\n" << words.out;
  }
  const json learnt = json::parse(run_tool("explain a --json" + store()).out);
  EXPECT_EQ(learnt["policy"], policy());
}

TEST_F(PolicyCommand, ADryRunShowsWhatIsObservedNow) {
  const auto run = run_tool("tune " + study(source(), policy_file()) + store() + " --dry-run");
  EXPECT_EQ(run.status, 0) << run.out;
  for (const std::string& part : std::vector<std::string>{
           "dry run; only the contexts are observed, nothing is stored\n",
           "context load: cat " + folder_.path("load") + ", now 0.25\n",
           "system left at: the best setting for the last context\n",
           "policy file: " + folder_.path("policy.json") + "\n", "no warnings\n"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
  folder_.write("load", "3\n");
  EXPECT_NE(run_tool("tune " + study(source()) + store() + " --dry-run")
                .out.find("warning: context.load: the current value 3 is outside the range and "
                          "treated as 1; set low and high to the range of possible values\n"),
            std::string::npos);
  folder_.write("load", "high\n");
  const auto wrong = run_tool("tune " + study(source()) + store() + " --dry-run");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.out.find("error: context.load: the source printed \"high\": must be a finite "
                           "number\n"),
            std::string::npos)
      << wrong.out;
  EXPECT_FALSE(std::filesystem::exists(folder_.path("s.db")));
}

TEST_F(PolicyCommand, AStudyWithoutASourceOfItsContextCannotBeTuned) {
  const std::string why =
      "context.load: has no source, so canopy tune cannot get its value: give a source, or let a "
      "client "
      "ask with a context (canopy pipe, HTTP, Python)\n";
  const auto tune = run_tool("tune " + study("") + store());
  EXPECT_EQ(tune.status, 2);
  EXPECT_EQ(tune.err, "canopy tune: " + why);
  const auto dry = run_tool("tune " + study("") + store() + " --dry-run");
  EXPECT_EQ(dry.status, 1);
  EXPECT_NE(dry.out.find("context load: no source\n"), std::string::npos) << dry.out;
  EXPECT_NE(dry.out.find("error: " + why), std::string::npos) << dry.out;
}

TEST_F(PolicyCommand, ADryRunSaysWhatIsWrongWithNamesAndThePolicyFile) {
  std::filesystem::create_directory(folder_.path("here"));
  folder_.write("n.toml",
                "[[context]]\nname = \"a-b\"\nlow = 0.0\nhigh = 1.0\nsource = \"echo 0.5\"\n"
                "[[space]]\nname = \"a_b\"\nlow = 0.0\nhigh = 1.0\n"
                "[[space]]\nname = \"ARM\"\nlow = 0.0\nhigh = 1.0\n"
                "[system]\nmeasure = \"echo {a_b} {ARM}\"\npolicy_file = \"" +
                    folder_.path("here") + "\"\n");
  const auto dry = run_tool("tune " + folder_.path("n.toml") + store() + " --dry-run");
  EXPECT_EQ(dry.status, 1);
  for (const std::string what : {"system.policy_file: ", " is a folder\n",
                                 "warning: ARM and the whole setting have the same environment "
                                 "variable CANOPY_ARM: give ARM another name\n",
                                 "warning: a-b and a_b have the same environment variable "
                                 "CANOPY_a_b: give a-b another name\n"}) {
    EXPECT_NE(dry.out.find(what), std::string::npos) << what << "\n" << dry.out;
  }
}

TEST_F(PolicyCommand, TheStatusHasTheContextAndTheNumberOfRegions) {
  ASSERT_EQ(run_tool("tune " + study(source()) + store() + " --json --status " +
                     folder_.path("status.json") + " --metrics " + folder_.path("a.prom"))
                .status,
            0);
  const json status = json::parse(folder_.content("status.json"));
  EXPECT_TRUE(status["context"]["load"].is_number()) << status;
  EXPECT_NE(folder_.content("a.prom").find("canopy_regions{study=\"a\"} 2\n"), std::string::npos);
}

TEST_F(PolicyCommand, APolicyFileIsForStudiesWithContexts) {
  folder_.write("b.toml",
                "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nmeasure = \"echo {x}\"\n"
                "policy_file = \"p.json\"\n");
  const auto result = run_tool("tune " + folder_.path("b.toml") + store());
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("system.policy_file = 'p.json': requires [[context]]"),
            std::string::npos)
      << result.err;
}

TEST_F(PolicyCommand, OtherCommandsKnowOfContexts) {
  ASSERT_EQ(run_tool("tune " + study(source()) + store()).status, 0);
  EXPECT_EQ(run_tool("tree a" + store())
                .out.find("the tree of the region of the last context, load = 0."),
            0U);
  EXPECT_EQ(run_tool("confirm a" + store()).err,
            "canopy confirm: a: has no baseline to compare with; add [baseline] to its study file "
            "and run canopy tune again\n");
  EXPECT_NE(run_tool("studies show a" + store())
                .out.find("\nbest 2 regions of load; `canopy policy a` shows them\n"),
            std::string::npos);
}

TEST_F(PolicyCommand, CommandsMayAskForContextsByTheirNames) {
  const auto dry_run = [&](const std::string& measure) {
    folder_.write("c.toml",
                  "[[context]]\nname = \"load\"\nlow = 0.0\nhigh = 1.0\nsource = \"echo 0.5\"\n"
                  "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nmeasure = \"" +
                      measure + "\"\n[budget]\npulls = 100\n");
    return run_tool("tune " + folder_.path("c.toml") + " --dry-run");
  };
  EXPECT_NE(dry_run("echo {x} {load}").out.find("\n  measure  echo 0.0625 0.5\n"),
            std::string::npos);
  EXPECT_NE(dry_run("echo {x} {lod}").err.find("{lod} is not a parameter of the space"),
            std::string::npos);
}

}  // namespace
}  // namespace canopy
