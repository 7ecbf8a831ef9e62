// Tests requests line by line, without a process.

#include "studies/requests.hpp"

#include "canopy/study_specification.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;

constexpr std::string_view kStudy = R"(
[optimizer]
name = "hct"
feedback = "correlated"
[[space]]
name = "x"
low = 0.0
high = 1.0
[[space]]
name = "n"
type = "integer"
low = 1
high = 9
[[space]]
name = "mode"
type = "choice"
choices = ["slow", "fast"]
)";

class RequestsTest : public ::testing::Test {
 protected:
  json answer(const std::string& line) {
    return json::parse(answer_request(line, study_.space, *optimizer_));
  }

  /// Returns the error code of the response to a line; the state must not change.
  std::string code(const std::string& line) {
    const json before = answer(R"({"op":"summary"})");
    const json reply = answer(line);
    EXPECT_EQ(answer(R"({"op":"summary"})"), before) << line;
    EXPECT_TRUE(reply.contains("error")) << line << " -> " << reply;
    EXPECT_FALSE(reply["error"]["message"].get<std::string>().empty());
    return reply.contains("error") ? reply["error"]["code"].get<std::string>() : "";
  }

  StudySpecification study_ = parse_study(kStudy, "study.toml");
  std::unique_ptr<Optimizer> optimizer_ = make_optimizer(study_);
};

TEST_F(RequestsTest, GivesOutSeveralTicketsAtOnce) {
  const json pulls = answer(R"({"op":"ask","pulls":1,"count":3})");
  ASSERT_EQ(pulls["tickets"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pulls["tickets"][i]["ticket"], i + 1);
    EXPECT_EQ(pulls["tickets"][i]["length"], 1);
  }
  EXPECT_EQ(answer(R"({"op":"ask","count":1})")["tickets"].size(), 1U);
  EXPECT_EQ(answer(R"({"op":"in_flight"})")["tickets"].size(), 4U);
}

TEST_F(RequestsTest, AsksAndTellsInEveryWay) {
  const json pull = answer(R"({"op":"ask"})");
  EXPECT_EQ(pull, (json{{"ticket", 1},
                        {"arm", {{"x", 0.25}, {"n", 5}, {"mode", "slow"}}},
                        {"length", 1},
                        {"depth", 1},
                        {"path", "0"}}));
  EXPECT_EQ(answer(R"({"op":"tell","ticket":1,"reward":0.3})"), (json{{"ok", true}, {"t", 2}}));
  answer(R"({"op":"ask","pulls":1})");
  EXPECT_EQ(answer(R"({"op":"tell","ticket":2,"rewards":[0.3]})"), (json{{"ok", true}, {"t", 3}}));
  answer(R"({"op":"ask"})");
  EXPECT_EQ(answer(R"({"op":"tell","ticket":3,"count":1,"sum":0.4,"sum_squares":0.16})"),
            (json{{"ok", true}, {"t", 4}}));
  answer(R"({"op":"ask"})");
  EXPECT_EQ(answer(R"({"op":"drop","ticket":4})"), (json{{"ok", true}}));
}

TEST_F(RequestsTest, APullThatFailedIsWorthWhatTheRuleSaysOrTheRequest) {
  answer(R"({"op":"ask","pulls":1})");
  EXPECT_EQ(code(R"({"op":"fail","ticket":1})"), "no_reward_yet");
  EXPECT_EQ(code(R"({"op":"bar","arm":{"x":0.25,"n":5,"mode":"slow"}})"), "no_reward_yet");
  EXPECT_EQ(answer(R"({"op":"fail","ticket":1,"reward":-1})"),
            (json{{"ok", true}, {"t", 2}, {"reward", -1.0}}));
  EXPECT_EQ(code(R"({"op":"best"})"), "no_best") << "a failure is no reward";
  for (const double reward : {2.0, 4.0}) {
    const json pull = answer(R"({"op":"ask","pulls":1})");
    answer(json{{"op", "tell"}, {"ticket", pull["ticket"]}, {"reward", reward}}.dump());
  }
  const json pull = answer(R"({"op":"ask","pulls":1})");
  EXPECT_EQ(answer(json{{"op", "fail"}, {"ticket", pull["ticket"]}}.dump()),
            (json{{"ok", true}, {"t", 5}, {"reward", 1.8}}));
  const json summary = answer(R"({"op":"summary"})");
  EXPECT_EQ(summary["penalized"], 2);
  EXPECT_EQ(summary["in_flight"], 0);

  const json best = answer(R"({"op":"best"})");
  EXPECT_EQ(answer(json{{"op", "bar"}, {"arm", best["arm"]}}.dump()),
            (json{{"ok", true}, {"reward", 1.8}}));
  EXPECT_NE(answer(R"({"op":"best"})").value("arm", json()), best["arm"]);
}

TEST_F(RequestsTest, AWrongFailureOrBarIsRefused) {
  answer(R"({"op":"ask","pulls":1})");
  answer(R"({"op":"tell","ticket":1,"reward":0.5})");
  answer(R"({"op":"ask","pulls":1})");
  for (const auto& [line, expected] : std::vector<std::pair<std::string, std::string>>{
           {R"({"op":"fail"})", "missing_key"},
           {R"({"op":"fail","ticket":1})", "closed_ticket"},
           {R"({"op":"fail","ticket":3})", "unknown_ticket"},
           {R"({"op":"fail","ticket":-3})", "wrong_type"},
           {R"({"op":"fail","ticket":2,"rewards":[1]})", "unknown_key"},
           {R"({"op":"fail","ticket":2,"reward":null})", "not_a_reward"},
           {R"({"op":"fail","ticket":2,"reward":1e200})", "not_a_reward"},
           {R"({"op":"bar"})", "missing_key"},
           {R"({"op":"bar","arm":[1]})", "wrong_type"},
           {R"({"op":"bar","arm":{"x":0.25,"n":5}})", "missing_key"},
           {R"({"op":"bar","arm":{"x":2,"n":5,"mode":"slow"}})", "not_an_arm"},
           {R"({"op":"bar","arm":{"x":0.2,"n":5,"mode":"slow"},"reward":"low"})", "not_a_reward"},
           {R"({"op":"bar","arm":{"x":0.2,"n":5,"mode":"slow"},"ticket":2})", "unknown_key"}}) {
    EXPECT_EQ(code(line), expected) << line;
  }
}

TEST_F(RequestsTest, TellsTheBestArmOnceThereIsOne) {
  EXPECT_EQ(code(R"({"op":"best"})"), "no_best");
  answer(R"({"op":"ask"})");
  answer(R"({"op":"tell","ticket":1,"reward":0.5})");
  const json best = answer(R"({"op":"best"})");
  EXPECT_EQ(best["arm"]["n"], 5);
  EXPECT_EQ(best["mean"], 0.5);
  EXPECT_EQ(best["pulls"], 1);
  EXPECT_EQ(best["lower"], nullptr) << "nothing was repeated";
  EXPECT_EQ(best["upper"], nullptr);
  EXPECT_EQ(best["basis"], "repeats_few");
  EXPECT_EQ(best["confidence"], 0.95);
}

TEST_F(RequestsTest, ShowsSummaryAndTree) {
  answer(R"({"op":"ask"})");
  answer(R"({"op":"tell","ticket":1,"reward":1.5})");
  EXPECT_EQ(answer(R"({"op":"summary"})"), (json{{"t", 2},
                                                 {"nodes", 5},
                                                 {"depth", 2},
                                                 {"switches", 1},
                                                 {"refreshes", 1},
                                                 {"out_of_range", 0},
                                                 {"in_flight", 0},
                                                 {"observed", 0},
                                                 {"penalized", 0}}));
  const json nodes = answer(R"({"op":"tree"})")["nodes"];
  ASSERT_EQ(nodes.size(), 5U);
  EXPECT_EQ(nodes[0]["path"], "");
  EXPECT_TRUE(nodes[0]["upper"].is_null()) << "infinite";
  EXPECT_EQ(nodes[0]["leaf"], false);
  EXPECT_EQ(nodes[1]["path"], "0");
  EXPECT_EQ(nodes[1]["mean"], 1.5);
  EXPECT_EQ(nodes[4]["path"], "01");
}

TEST_F(RequestsTest, AnswersWhatIsWrongWithAnErrorAndChangesNothing) {
  answer(R"({"op":"ask"})");
  answer(R"({"op":"tell","ticket":1,"reward":0.5})");
  answer(R"({"op":"ask"})");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "malformed_json"},
      {"{", "malformed_json"},
      {"\xff\xfe", "malformed_json"},
      {R"({"op":"tell","ticket":2,"reward":NaN})", "malformed_json"},
      {"7", "malformed_request"},
      {"[]", "malformed_request"},
      {"{}", "malformed_request"},
      {R"({"op":7})", "malformed_request"},
      {R"({"op":"asc"})", "unknown_op"},
      {R"({"op":"ask","pull":1})", "unknown_key"},
      {R"({"op":"best","x":1})", "unknown_key"},
      {R"({"op":"ask","pulls":0})", "wrong_type"},
      {R"({"op":"ask","count":0})", "wrong_type"},
      {R"({"op":"ask","count":1001})", "wrong_type"},
      {R"({"op":"ask","pulls":-1})", "wrong_type"},
      {R"({"op":"ask","pulls":1.5})", "wrong_type"},
      {R"({"op":"tell"})", "missing_key"},
      {R"({"op":"tell","ticket":"2","reward":0.5})", "wrong_type"},
      {R"({"op":"tell","ticket":2})", "malformed_request"},
      {R"({"op":"tell","ticket":2,"reward":1,"rewards":[1]})", "malformed_request"},
      {R"({"op":"tell","ticket":2,"count":1,"sum":1})", "missing_key"},
      {R"({"op":"tell","ticket":2,"reward":"NaN"})", "not_a_reward"},
      {R"({"op":"tell","ticket":2,"reward":null})", "not_a_reward"},
      {R"({"op":"tell","ticket":2,"reward":1e999})", "malformed_json"},
      {R"({"op":"tell","ticket":2,"reward":1e300})", "not_a_reward"},
      {R"({"op":"tell","ticket":2,"rewards":[0.1,"x"]})", "not_a_reward"},
      {R"({"op":"tell","ticket":2,"rewards":[]})", "not_a_reward"},
      {R"({"op":"tell","ticket":2,"rewards":[0.1,0.2,0.3]})", "too_many_rewards"},
      {R"({"op":"tell","ticket":2,"count":9,"sum":1,"sum_squares":1})", "too_many_rewards"},
      {R"({"op":"tell","ticket":2,"count":1,"sum":1,"sum_squares":0})", "impossible_sums"},
      {R"({"op":"tell","ticket":99,"reward":0.5})", "unknown_ticket"},
      {R"({"op":"tell","ticket":0,"reward":0.5})", "unknown_ticket"},
      {R"({"op":"tell","ticket":1,"reward":0.5})", "closed_ticket"},
      {R"({"op":"drop","ticket":1})", "closed_ticket"},
      {std::string(100'000, '['), "malformed_json"},
      {R"({"op":"tell","reward":1,"ticket":)" + std::string(100'000, '[') +
           std::string(100'000, ']') + "}",
       "malformed_json"},
      {R"({"op":"tell","ticket":2,"reward":0.5,"metrics":7})", "wrong_type"},
      {R"({"op":"tell","ticket":2,"reward":0.5,"metrics":{"p99":"x"}})", "wrong_type"},
      {R"({"op":"tell","ticket":2,"reward":0.5,"metrics":{"":1}})", "wrong_type"},
      {R"({"op":"observe","arm":{"x":0.5,"n":1,"mode":"fast"},"reward":1,"role":"boss"})",
       "wrong_type"},
      {R"({"op":"observe","arm":{"x":0.5,"n":1,"mode":"fast"},"reward":1,"role":"baseline"})",
       "needs_study"}};
  for (const auto& [line, expected] : wrong) EXPECT_EQ(code(line), expected) << line.substr(0, 80);
  EXPECT_EQ(answer(R"({"op":"tell","ticket":2,"reward":0.5})")["ok"], true) << "still open";
}

TEST_F(RequestsTest, SumsMayComeWithTheirLeastAndLargestReward) {
  answer(R"({"op":"ask"})");
  EXPECT_EQ(answer(R"({"op":"tell","ticket":1,"count":1,"sum":0.4,"sum_squares":0.16,)"
                   R"("min":0.4,"max":0.4})"),
            (json{{"ok", true}, {"t", 2}}));
  answer(R"({"op":"ask"})");
  for (const char* wrong : {R"("min":0.5)", R"("max":0.3)", R"("min":0.6,"max":0.1)"}) {
    EXPECT_EQ(code(R"({"op":"tell","ticket":2,"count":1,"sum":0.4,"sum_squares":0.16,)" +
                   std::string(wrong) + "}"),
              "impossible_sums")
        << wrong;
  }
  EXPECT_EQ(code(R"({"op":"tell","ticket":2,"count":1,"sum":0.4,"sum_squares":0.16,"min":"x"})"),
            "not_a_reward");
}

TEST_F(RequestsTest, ObservesArmsThatWereNotAskedFor) {
  const std::string arm = R"("arm":{"x":0.25,"n":5,"mode":"slow"})";
  EXPECT_EQ(answer(R"({"op":"observe",)" + arm + R"(,"reward":0.5})"), (json{{"ok", true}}));
  EXPECT_EQ(answer(R"({"op":"observe",)" + arm + R"(,"rewards":[0.5,0.7]})"), (json{{"ok", true}}));
  EXPECT_EQ(answer(R"({"op":"observe",)" + arm +
                   R"(,"count":2,"sum":1.0,"sum_squares":0.5,"min":0.5,"max":0.5})"),
            (json{{"ok", true}}));
  const json summary = answer(R"({"op":"summary"})");
  EXPECT_EQ(summary["observed"], 5);
  EXPECT_EQ(summary["t"], 1) << "none of them was a pull of ours";
  const json best = answer(R"({"op":"best"})");
  EXPECT_EQ(best["pulls"], 5);
  EXPECT_EQ(best["arm"], (json{{"x", 0.25}, {"n", 5}, {"mode", "slow"}}));
}

TEST_F(RequestsTest, AnArmToObserveMustBeOneOfTheSpace) {
  const auto refused = [&](const std::string& arm) {
    return code(R"({"op":"observe","reward":0.5,"arm":)" + arm + "}");
  };
  EXPECT_EQ(refused("7"), "wrong_type");
  EXPECT_EQ(refused("{}"), "missing_key");
  EXPECT_EQ(refused(R"({"x":0.5,"n":5})"), "missing_key");
  EXPECT_EQ(refused(R"({"x":1.5,"n":5,"mode":"slow"})"), "not_an_arm");
  EXPECT_EQ(refused(R"({"x":0.5,"n":5.5,"mode":"slow"})"), "not_an_arm");
  EXPECT_EQ(refused(R"({"x":0.5,"n":50,"mode":"slow"})"), "not_an_arm");
  EXPECT_EQ(refused(R"({"x":0.5,"n":5,"mode":"slower"})"), "not_an_arm");
  EXPECT_EQ(refused(R"({"x":null,"n":5,"mode":"slow"})"), "not_an_arm");
  EXPECT_EQ(refused(R"({"x":0.5,"n":5,"mode":"slow","z":1})"), "not_an_arm");
  EXPECT_EQ(code(R"({"op":"observe","reward":0.5})"), "missing_key");
  EXPECT_EQ(code(R"({"op":"observe","arm":{"x":0.5,"n":5,"mode":"slow"}})"), "malformed_request");
  EXPECT_EQ(code(R"({"op":"observe","ticket":1,"arm":{},"reward":1})"), "unknown_key");
  EXPECT_EQ(answer(R"({"op":"observe","reward":0.5,"arm":{"x":1,"n":5,"mode":"slow"}})"),
            (json{{"ok", true}}))
      << "a whole number is a real, too";
}

TEST_F(RequestsTest, ListsWhatIsInFlight) {
  answer(R"({"op":"ask"})");
  answer(R"({"op":"ask","pulls":1})");
  answer(R"({"op":"drop","ticket":1})");
  EXPECT_EQ(
      answer(R"({"op":"in_flight"})"),
      (json{
          {"tickets",
           {{{"ticket", 2}, {"arm", {{"x", 0.25}, {"n", 5}, {"mode", "slow"}}}, {"length", 1}}}}}));
}

TEST_F(RequestsTest, WhatCannotBeServedHasAnAnswerOfItsOwn) {
  EXPECT_EQ(json::parse(answer_to_long_request())["error"]["code"], "line_too_long");
  const json lost = json::parse(answer_to_lost_request("the disk\nis \xff full"));
  EXPECT_EQ(lost["error"]["code"], "not_stored");
}

constexpr std::string_view kStudyInContexts = R"(
[[space]]
name = "x"
low = 0.0
high = 1.0
[[context]]
name = "load"
low = 0.0
high = 1.0
[[context]]
name = "tenant"
type = "choice"
choices = ["a", "b"]
)";

class RequestsInContexts : public RequestsTest {
 protected:
  void SetUp() override {
    study_ = parse_study(kStudyInContexts, "study.toml");
    optimizer_ = make_optimizer(study_);
  }

  std::string message(const std::string& line) {
    const json reply = answer(line);
    return reply.contains("error") ? reply["error"]["message"].get<std::string>() : reply.dump();
  }

  /// The best x is 0.2 for tenant a, and 0.8 for tenant b.
  void play(int pulls) {
    for (int i = 0; i < pulls; ++i) {
      const char* tenant = i % 2 == 0 ? "a" : "b";
      const json context{{"load", i % 7 / 7.0}, {"tenant", tenant}};
      const json pull = answer(json{{"op", "ask"}, {"context", context}}.dump());
      const double x = pull["arm"]["x"].get<double>();
      const double reward = 1.0 - std::abs(x - (i % 2 == 0 ? 0.2 : 0.8));
      const json tell{{"op", "tell"}, {"ticket", pull["ticket"]}, {"reward", reward}};
      ASSERT_EQ(answer(tell.dump())["ok"], true);
    }
  }
};

TEST_F(RequestsInContexts, AskObserveAndNameTheBestArmInAContext) {
  const json asked = answer(R"({"op":"ask","context":{"load":0.7,"tenant":"b"}})");
  EXPECT_EQ(asked["ticket"], 1);
  EXPECT_EQ(asked["length"], 1);
  EXPECT_EQ(asked["path"], "") << "every region has a tree of its own";
  const json several = answer(R"({"op":"ask","count":3,"context":{"load":0,"tenant":"a"}})");
  EXPECT_EQ(several["tickets"].size(), 3U);
  EXPECT_EQ(answer(R"({"op":"tell","ticket":1,"reward":0.5})")["ok"], true);
  EXPECT_EQ(answer(R"({"op":"observe","arm":{"x":0.25},"context":{"load":0.1,"tenant":"a"},)"
                   R"("reward":0.4})"),
            (json{{"ok", true}}));
  EXPECT_TRUE(answer(R"({"op":"best","context":{"load":0.7,"tenant":"b"}})").contains("arm"));
}

TEST_F(RequestsInContexts, SayWhichVariableIsMissingOrWrong) {
  EXPECT_EQ(message(R"({"op":"ask"})"),
            "context: is missing; the best setting depends on: load, tenant");
  EXPECT_EQ(message(R"({"op":"best"})"),
            "context: is missing; the best setting depends on: load, tenant");
  EXPECT_EQ(message(R"({"op":"observe","arm":{"x":0.25},"reward":1})"),
            "context: is missing; the best setting depends on: load, tenant");
  EXPECT_EQ(message(R"({"op":"ask","context":{"load":0.7}})"), "context.tenant: is missing");
  EXPECT_EQ(message(R"({"op":"ask","context":{"load":"much","tenant":"a"}})"),
            "context.load = \"much\": must be a finite number");
  EXPECT_EQ(message(R"({"op":"ask","context":{"load":0.5,"tenant":"c"}})"),
            "context.tenant = \"c\": must be one of \"a\" \"b\"");
  EXPECT_EQ(message(R"({"op":"ask","context":{"load":0.5,"tenant":"a","hour":3}})"),
            "context.hour: unknown context variable; known: load tenant");
  for (const auto& [context, expected] : std::vector<std::pair<std::string, std::string>>{
           {"7", "wrong_type"},
           {R"({"load":0.7})", "missing_key"},
           {R"({"load":null,"tenant":"a"})", "not_a_context"},
           {R"({"load":0.5,"tenant":"c"})", "not_a_context"}}) {
    EXPECT_EQ(code(R"({"op":"ask","context":)" + context + "}"), expected) << context;
  }
  EXPECT_EQ(code(R"({"op":"policy","context":{"load":0.7,"tenant":"a"}})"), "unknown_key");
  EXPECT_EQ(message(R"({"op":"observe","arm":{"x":0.25},"reward":1,"role":"baseline"})"),
            "role: cannot be `baseline` in a study with [[context]]; this is not supported yet");
}

TEST_F(RequestsInContexts, CountANumberBeyondItsRangeAndMoveIt) {
  EXPECT_EQ(answer(R"({"op":"ask","context":{"load":17,"tenant":"a"}})")["ticket"], 1);
  EXPECT_EQ(answer(R"({"op":"policy"})")["moved"], 1);
}

TEST_F(RequestsInContexts, ShowThePolicy) {
  const json empty = answer(R"({"op":"policy"})");
  EXPECT_EQ(empty, json::parse(R"({"rows":[{"where":{},"pulls":0,"arm_pulls":0,"mean":0.0}],)"
                               R"("effects":{"load":[],"tenant":[]},"weights":{)"
                               R"("load":{"splits":0,"evidence":0.0},)"
                               R"("tenant":{"splits":0,"evidence":0.0}},"moved":0})"));
  play(300);
  const json policy = answer(R"({"op":"policy"})");
  EXPECT_GE(policy["rows"].size(), 2U);
  EXPECT_GE(policy["weights"]["tenant"]["splits"], 1);
  EXPECT_EQ(policy["rows"].front()["where"]["tenant"], json({"a"}));
  EXPECT_EQ(policy["rows"].back()["where"]["tenant"], json({"b"}));
  EXPECT_NEAR(policy["rows"].front()["arm"]["x"].get<double>(), 0.2, 0.1);
  EXPECT_NEAR(policy["rows"].back()["arm"]["x"].get<double>(), 0.8, 0.1);
  const json best = answer(R"({"op":"best","context":{"load":0.5,"tenant":"b"}})");
  EXPECT_NEAR(best["arm"]["x"].get<double>(), 0.8, 0.1);
}

TEST_F(RequestsTest, WithoutContextsThereIsNeitherAContextNorAPolicy) {
  EXPECT_EQ(code(R"({"op":"ask","context":{"load":0.7}})"), "not_a_context");
  EXPECT_EQ(code(R"({"op":"best","context":{}})"), "not_a_context");
  EXPECT_EQ(code(R"({"op":"policy"})"), "no_contexts");
}

}  // namespace
}  // namespace canopy
