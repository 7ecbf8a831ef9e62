// The conversation, line by line, without a process.

#include "cli/pipe_session.hpp"

#include "studies/specification.hpp"

#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kStudy = R"(
[optimizer]
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

class PipeSessionTest : public ::testing::Test {
 protected:
  json answer(const std::string& line) { return json::parse(session_.answer(line)); }

  /// The code of the error with which a line is answered; the state must be as before.
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
  PipeSession session_{study_.space, *optimizer_};
};

TEST_F(PipeSessionTest, AsksAndTellsInEveryWay) {
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

TEST_F(PipeSessionTest, TellsTheBestArmOnceThereIsOne) {
  EXPECT_EQ(code(R"({"op":"best"})"), "no_answers");
  answer(R"({"op":"ask"})");
  answer(R"({"op":"tell","ticket":1,"reward":0.5})");
  const json best = answer(R"({"op":"best"})");
  EXPECT_EQ(best["arm"]["n"], 5);
  EXPECT_EQ(best["mean"], 0.5);
  EXPECT_EQ(best["pulls"], 1);
  EXPECT_LT(best["lower"], best["mean"]);
  EXPECT_GT(best["upper"], best["mean"]);
}

TEST_F(PipeSessionTest, ShowsSummaryAndTree) {
  answer(R"({"op":"ask"})");
  answer(R"({"op":"tell","ticket":1,"reward":1.5})");
  EXPECT_EQ(answer(R"({"op":"summary"})"), (json{{"t", 2},
                                                 {"nodes", 5},
                                                 {"depth", 2},
                                                 {"switches", 1},
                                                 {"refreshes", 1},
                                                 {"out_of_range", 1},
                                                 {"in_flight", 0}}));
  const json nodes = answer(R"({"op":"tree"})")["nodes"];
  ASSERT_EQ(nodes.size(), 5U);
  EXPECT_EQ(nodes[0]["path"], "");
  EXPECT_TRUE(nodes[0]["upper"].is_null()) << "infinite";
  EXPECT_EQ(nodes[0]["leaf"], false);
  EXPECT_EQ(nodes[1]["path"], "0");
  EXPECT_EQ(nodes[1]["mean"], 1.5);
  EXPECT_EQ(nodes[4]["path"], "01");
}

TEST_F(PipeSessionTest, AnswersWhatIsWrongWithAnErrorAndChangesNothing) {
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
      {R"({"op":"ask","pulls":-1})", "wrong_type"},
      {R"({"op":"ask","pulls":1.5})", "wrong_type"},
      {R"({"op":"tell"})", "missing_key"},
      {R"({"op":"tell","ticket":"2","reward":0.5})", "wrong_type"},
      {R"({"op":"tell","ticket":2})", "malformed_request"},
      {R"({"op":"tell","ticket":2,"reward":1,"rewards":[1]})", "malformed_request"},
      {R"({"op":"tell","ticket":2,"count":1,"sum":1})", "missing_key"},
      {R"({"op":"tell","ticket":2,"reward":"NaN"})", "not_a_reward"},
      {R"({"op":"tell","ticket":2,"reward":null})", "not_a_reward"},
      {R"({"op":"tell","ticket":2,"reward":1e999})", "not_a_reward"},
      {R"({"op":"tell","ticket":2,"reward":1e300})", "not_a_reward"},
      {R"({"op":"tell","ticket":2,"rewards":[0.1,"x"]})", "not_a_reward"},
      {R"({"op":"tell","ticket":2,"rewards":[]})", "wrong_type"},
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
       "wrong_type"}};
  for (const auto& [line, expected] : wrong) EXPECT_EQ(code(line), expected) << line.substr(0, 80);
  EXPECT_EQ(answer(R"({"op":"tell","ticket":2,"reward":0.5})")["ok"], true) << "still open";
}

}  // namespace
}  // namespace canopy::cli
