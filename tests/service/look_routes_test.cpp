#include "service/service.hpp"
#include "support/http_exchange.hpp"
#include "support/test_server.hpp"

#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

using nlohmann::json;
using testing::HttpAnswer;
using testing::HttpConnection;
using testing::TestServer;

const std::string kLooked = "/v1/studies/a";

/// Performs `pulls` asks and tells, with the rewards 0, 1, 2, ...
void pull(const TestServer& server, int pulls, double offset = 0.0) {
  HttpConnection connection(server.port());
  for (int i = 0; i < pulls; ++i) {
    const json asked = connection.exchange("POST", kLooked + "/asks", R"({"pulls":1})").json();
    const json tell{{"ticket", asked["tickets"][0]["ticket"]}, {"reward", offset + i}};
    const HttpAnswer told =
        connection.exchange("POST", kLooked + "/tells", json{{"tells", {tell}}}.dump());
    ASSERT_EQ(told.status, 200) << told.body;
  }
}

json look_at(const TestServer& server, const std::string& what) {
  const HttpAnswer answer = server.exchange("GET", kLooked + what);
  EXPECT_EQ(answer.status, 200) << what << ": " << answer.body;
  return answer.json();
}

TEST(Look, TheHistoryOfAnEmptyStudyIsEmpty) {
  TestServer server;
  server.make_study("a");
  const json history = look_at(server, "/history");
  EXPECT_EQ(history["mean"].size(), 0U);
  EXPECT_EQ(history["extent"]["pulls"], json({0, 0}));
  EXPECT_TRUE(history["extent"]["time"].is_null());
  EXPECT_EQ(server.exchange("GET", "/v1/studies/none/history").status, 404);
}

TEST(Look, AHistoryGrowsWithItsStudy) {
  TestServer server;
  server.make_study("a");
  for (int round = 1; round <= 3; ++round) {
    pull(server, 10, 10.0 * (round - 1));
    const json history = look_at(server, "/history");
    ASSERT_EQ(history["mean"].size(), 10U * static_cast<unsigned>(round));
    EXPECT_EQ(history["mean"].back(), 10.0 * round - 1.0);
    EXPECT_EQ(history["raw"], true);
    EXPECT_TRUE(history["arm"].back().contains("x"));
    EXPECT_EQ(history["pull"].front(), 0.5);
    EXPECT_EQ(history["number"].front(), 2);
  }
}

TEST(Look, AHistoryIsThinnedOutAndLookedAtClosely) {
  TestServer server;
  server.make_study("a");
  pull(server, 30);
  const json thin = look_at(server, "/history?buckets=3");
  EXPECT_EQ(thin["raw"], false);
  EXPECT_EQ(thin["count"], json({10, 10, 10}));
  EXPECT_EQ(thin["least"], json({0.0, 10.0, 20.0}));
  EXPECT_EQ(thin["largest"], json({9.0, 19.0, 29.0}));
  EXPECT_NEAR(thin["deviation"][0].get<double>(), 3.0277, 1e-4);
  EXPECT_FALSE(thin.contains("arm"));
  const json close = look_at(server, "/history?from=10&to=12");
  EXPECT_EQ(close["mean"], json({10.0, 11.0}));
  EXPECT_EQ(close["range"], json({10.0, 12.0}));
  const json by_time = look_at(server, "/history?by=time&buckets=1");
  EXPECT_EQ(by_time["count"], json({30}));
}

TEST(Look, WhatAHistoryCannotBeAskedForIsSaid) {
  TestServer server;
  server.make_study("a");
  const HttpAnswer answer =
      server.exchange("GET", kLooked + "/history?by=moon&from=x&buckets=0&more=1");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.json()["errors"].size(), 4U) << answer.body;
  EXPECT_EQ(server.exchange("GET", kLooked + "/history?from=2&to=1").status, 422);
  EXPECT_EQ(server.exchange("GET", kLooked + "/history?from=nan").status, 422);
}

TEST(Look, ArmsAndTheTreeAreShownInPart) {
  TestServer server;
  server.make_study("a");
  pull(server, 20);
  const json arms = look_at(server, "/arms?limit=2");
  EXPECT_EQ(arms["arms"].size(), 2U);
  EXPECT_GT(arms["count"], 2);
  EXPECT_GE(arms["arms"][0]["pulls"], arms["arms"][1]["pulls"]);
  const json tree = look_at(server, "/tree?limit=3&cells=true");
  EXPECT_EQ(tree["nodes"].size(), 3U);
  EXPECT_EQ(tree["nodes"][1]["cell"]["x"], json({0.0, 0.5}));
  EXPECT_EQ(tree["nodes"][1]["share"], 0.5);
  EXPECT_GT(tree["left_out"], 0);
  EXPECT_EQ(look_at(server, "/tree")["left_out"], 0);
  EXPECT_FALSE(look_at(server, "/tree")["nodes"][0].contains("cell"));
  EXPECT_EQ(server.exchange("GET", kLooked + "/tree?cells=maybe").status, 422);
}

TEST(Look, TheSpecificationIsAlsoAStudyFile) {
  TestServer server;
  server.make_study("a");
  const json answer = look_at(server, "/specification");
  EXPECT_EQ(answer["specification"]["optimizer"]["name"], "hct");
  const json same{{"name", "a"}, {"toml", answer["toml"]}};
  EXPECT_EQ(server.exchange("POST", "/v1/studies", same.dump()).status, 200);
}

json item_of(const TestServer& server) {
  const json page = server.exchange("GET", "/v1/studies").json();
  EXPECT_GT(page.at("now"), 1e9);
  return page.at("studies").at(0);
}

void command(const TestServer& server, const std::string& what) {
  EXPECT_EQ(server.exchange("POST", kLooked + "/commands", json{{"command", what}}.dump()).status,
            201);
}

/// Waits until a study is listed in this phase.
json item_in_phase(const TestServer& server, const std::string& phase) {
  for (int i = 0; i < 100 && item_of(server).at("phase") != phase; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return item_of(server);
}

TEST(Look, ListsHaveThePhaseOfEachStudy) {
  TestServer server;
  server.make_study("a");
  json item = item_of(server);
  EXPECT_EQ(item["phase"], "waiting");
  EXPECT_EQ(item["why"], "no events yet");
  EXPECT_TRUE(item["last"].is_null());
  EXPECT_EQ(item["direction"], "maximize");
  EXPECT_EQ(item["optimizer"], "hct");
  pull(server, 3);
  item = item_of(server);
  EXPECT_EQ(item["phase"], "running");
  EXPECT_FALSE(item.contains("why"));
  EXPECT_EQ(item["last"]["kind"], "tell");
  EXPECT_EQ(item["last"]["at"], item["updated"]);
  command(server, "pause");
  EXPECT_EQ(item_in_phase(server, "waiting")["why"], "paused by anonymous");
  command(server, "end");
  EXPECT_EQ(item_in_phase(server, "finished")["why"], "ended by anonymous");
}

TEST(Look, AStudyThatIsNotOpenHasAPhaseAsWell) {
  TestServer server;
  server.make_study("a");
  pull(server, 3);
  server.stop();
  server.start();
  EXPECT_EQ(item_of(server)["phase"], "waiting");
  EXPECT_EQ(item_of(server)["why"], "no client is active");
  command(server, "end");
  EXPECT_EQ(item_of(server)["phase"], "finished");
  command(server, "resume");
  EXPECT_EQ(item_of(server)["phase"], "waiting");
}

TEST(Look, ATunerIsFollowedToItsEnd) {
  TestServer server;
  server.make_study("a");
  const auto take = [&](const char* method) {
    return server.exchange(method, kLooked + "/tuner", R"({"tuner":"t","holder":"me"})").status;
  };
  const auto add = [&](int after, const std::string& event) {
    const HttpAnswer answer = server.exchange(
        "POST", kLooked + "/tuner-events",
        R"({"tuner":"t","after":)" + std::to_string(after) + R"(,"events":[)" + event + "]}");
    EXPECT_EQ(answer.status, 200) << answer.body;
  };
  EXPECT_EQ(take("PUT"), 200);
  add(0, R"({"kind":"start","earlier_seconds":0})");
  EXPECT_EQ(item_of(server)["phase"], "running");
  EXPECT_EQ(server.exchange("DELETE", kLooked + "/tuner?tuner=t").status, 204);
  EXPECT_EQ(item_in_phase(server, "failed")["why"], "the tuner ended unexpectedly");
  EXPECT_EQ(take("PUT"), 200);
  add(1, R"({"kind":"stop","why":"the budget of 500 pulls is used","at_limit":false})");
  EXPECT_EQ(item_of(server)["phase"], "finished");
  EXPECT_EQ(item_of(server)["why"], "the budget of 500 pulls is used");
  add(2, R"({"kind":"start","earlier_seconds":0})");
  add(3, R"({"kind":"stop","why":"30 of 50 pulls failed","at_limit":true})");
  EXPECT_EQ(item_of(server)["phase"], "failed");
  EXPECT_EQ(look_at(server, "/summary")["why"], "30 of 50 pulls failed");
}

TEST(Look, AGlanceHasTheBestArmAndTheRewards) {
  TestServer server;
  server.make_study("a");
  json glance = look_at(server, "/glance");
  EXPECT_TRUE(glance["best"].is_null());
  EXPECT_EQ(glance["spark"], json::array());
  for (int round = 1; round <= 3; ++round) {
    pull(server, 30);
    for (int again = 0; again < 2; ++again) {
      glance = look_at(server, "/glance");
      EXPECT_EQ(glance["pulls"], 30 * round);
      EXPECT_EQ(glance["best"], look_at(server, "/best"));
      EXPECT_EQ(glance["spark"].size(), round == 1 ? 30U : 40U);
      EXPECT_TRUE(glance["baseline_mean"].is_null());
    }
  }
  EXPECT_EQ(server.exchange("GET", "/v1/studies/none/glance").status, 404);
}

TEST(Look, ASummarySaysWhereTheStudyIs) {
  TestServer server;
  server.make_study("a");
  pull(server, 5);
  const json summary = look_at(server, "/summary");
  EXPECT_EQ(summary["events"], 10);
  EXPECT_EQ(summary["pulls"], 5);
  EXPECT_EQ(summary["state"], "idle");
  EXPECT_EQ(summary["phase"], "running");
  EXPECT_GT(summary["updated"], 1e9);
}

std::string receive_until(HttpConnection& stream, const std::string& wanted) {
  std::string text;
  while (text.find(wanted) == std::string::npos) {
    const std::string more = stream.receive();
    if (more.empty()) break;
    text += more;
  }
  return text;
}

TEST(Look, AStreamWithoutTheJournalStillSaysWhereTheStudyIs) {
  TestServer server;
  server.make_study("a");
  pull(server, 2);
  HttpConnection stream(server.port());
  stream.send("GET " + kLooked + "/stream?journal=false HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(receive_until(stream, "event: best").find("event: summary"), std::string::npos);
  pull(server, 1);
  const std::string more = receive_until(stream, "event: best");
  EXPECT_NE(more.find("\"events\":6"), std::string::npos) << more;
  EXPECT_EQ(more.find("event: journal"), std::string::npos);
}

TEST(Look, AStreamSaysWhenThereIsNoBestArmYet) {
  TestServer server;
  server.make_study("a");
  HttpConnection stream(server.port());
  stream.send("GET " + kLooked + "/stream?journal=false HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(receive_until(stream, "event: best\ndata: null").find("event: summary"),
            std::string::npos);
}

TEST(Look, AnAnswerStaysTheSameUntilSomethingHappens) {
  TestServer server;
  server.make_study("a");
  pull(server, 3);
  const std::string before = server.exchange("GET", kLooked + "/tree").body;
  EXPECT_EQ(server.exchange("GET", kLooked + "/tree").body, before);
  pull(server, 1);
  const std::string after = server.exchange("GET", kLooked + "/tree").body;
  EXPECT_NE(after, before);
  EXPECT_EQ(server.exchange("DELETE", kLooked).status, 204);
  server.make_study("a");
  EXPECT_EQ(server.exchange("GET", kLooked + "/best").code(), "no_best");
}

std::vector<int> numbers_in(const json& page) {
  std::vector<int> numbers;
  for (const json& event : page.at("events")) numbers.push_back(event.at("number"));
  return numbers;
}

TEST(Look, EventsComeTheNewestFirst) {
  TestServer server;
  server.make_study("a");
  EXPECT_TRUE(look_at(server, "/events?order=newest")["next"].is_null());
  pull(server, 4);
  json page = look_at(server, "/events?order=newest&limit=3");
  EXPECT_EQ(numbers_in(page), (std::vector{8, 7, 6}));
  EXPECT_EQ(page["next"], 6);
  EXPECT_EQ(page["last"], 8);
  page = look_at(server, "/events?order=newest&limit=5&before=6");
  EXPECT_EQ(numbers_in(page), (std::vector{5, 4, 3, 2, 1}));
  EXPECT_TRUE(page["next"].is_null());
  EXPECT_EQ(server.exchange("GET", kLooked + "/events?before=3").status, 422);
  EXPECT_EQ(server.exchange("GET", kLooked + "/events?order=newest&after=3").status, 422);
}

TEST(Look, EventsOfSomeKindsAreFoundFromBothEnds) {
  TestServer server;
  server.make_study("a");
  pull(server, 50);
  json page = look_at(server, "/events?order=newest&limit=2&kinds=tell");
  EXPECT_EQ(numbers_in(page), (std::vector{100, 98}));
  page = look_at(server, "/events?order=newest&limit=2&kinds=tell&before=98");
  EXPECT_EQ(numbers_in(page), (std::vector{96, 94}));
  page = look_at(server, "/events?kinds=tell,drop&after=3&limit=2");
  EXPECT_EQ(numbers_in(page), (std::vector{4, 6}));
  EXPECT_EQ(page["next"], 6);
  page = look_at(server, "/events?kinds=failure");
  EXPECT_EQ(numbers_in(page), std::vector<int>());
  EXPECT_EQ(page["next"], 100) << "there is nothing more up to here";
  const HttpAnswer wrong = server.exchange("GET", kLooked + "/events?kinds=tel");
  EXPECT_EQ(wrong.status, 422);
  EXPECT_NE(wrong.body.find("did you mean"), std::string::npos) << wrong.body;
}

TEST(Look, AStudyThatWasMadeAgainHasANewHistory) {
  TestServer server;
  server.make_study("a");
  pull(server, 5);
  EXPECT_EQ(look_at(server, "/history")["mean"].size(), 5U);
  EXPECT_EQ(server.exchange("DELETE", kLooked).status, 204);
  server.make_study("a");
  EXPECT_EQ(look_at(server, "/history")["mean"].size(), 0U);
}

TEST(Look, KnobsAreRankedByHowMuchTheyMatter) {
  TestServer server;
  server.make_study("a");
  EXPECT_EQ(look_at(server, "/knobs")["basis"], "There are no rewards yet.");
  pull(server, 20);
  const json knobs = look_at(server, "/knobs")["knobs"];
  ASSERT_EQ(knobs.size(), 1U);
  EXPECT_EQ(knobs[0]["name"], "x");
  EXPECT_EQ(knobs[0]["share"], 1.0);
}

TEST(Look, ASummarySaysWhichCommandsMakeSense) {
  TestServer server;
  const auto commands = [&] {
    std::string names;
    const json summary = look_at(server, "/summary");
    for (const json& each : summary["commands"]) {
      names += each["command"].get<std::string>() + " ";
    }
    return names;
  };
  const json study{{"name", "a"},
                   {"toml",
                    "[[space]]\nname = 'x'\nlow = 0\nhigh = 1\n[optimizer]\nsettle = 2\n"
                    "[system]\nmeasure = 'echo 1'\nmin_pulls_per_change = 2\n[baseline]\n"
                    "setting = {x = 0.5}\nevery = 0"}};
  ASSERT_EQ(server.exchange("POST", "/v1/studies", study.dump()).status, 201);
  EXPECT_EQ(commands(), "pause hold baseline end ");
  pull(server, 3);
  EXPECT_EQ(commands(), "pause confirm hold baseline end ");
  const json confirm = look_at(server, "/summary")["commands"][1];
  EXPECT_EQ(confirm["pulls"], 100);
  EXPECT_EQ(confirm["least_pulls"], 32) << "eight pairs of two visits of two pulls";
  ASSERT_EQ(server.exchange("POST", kLooked + "/commands", R"({"command":"end"})").status, 201);
  for (int i = 0; i < 100 && commands() != "resume "; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(commands(), "resume ");
  EXPECT_TRUE(look_at(server, "/summary")["is_over"]);
}

TEST(Look, ARoleIncludesThoseBelowIt) {
  const TestServer server;
  EXPECT_EQ(server.exchange("GET", "/v1/me").json()["roles"], json({"read", "work", "admin"}));
}

/// A study with one knob whose best setting depends on the load.
void make_study_in_contexts(const TestServer& server) {
  const json body{{"name", "a"},
                  {"toml",
                   "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n"
                   "[[context]]\nname = \"load\"\nlow = 0.0\nhigh = 1.0\n"}};
  ASSERT_EQ(server.exchange("POST", "/v1/studies", body.dump()).status, 201);
}

const std::string kBestAtNoon = "/best?context=%7B%22load%22%3A0.9%7D";

TEST(Look, TheBestArmIsThatOfTheContext) {
  TestServer server;
  make_study_in_contexts(server);
  HttpConnection connection(server.port());
  for (int i = 0; i < 200; ++i) {
    const double load = i % 10 / 10.0;
    const json ask{{"context", {{"load", load}}}};
    const json asked = connection.exchange("POST", kLooked + "/asks", ask.dump()).json();
    const double x = asked["tickets"][0]["arm"]["x"].get<double>();
    const json tell{{"ticket", asked["tickets"][0]["ticket"]},
                    {"reward", 1.0 - std::abs(x - (load < 0.5 ? 0.2 : 0.8))}};
    ASSERT_EQ(
        connection.exchange("POST", kLooked + "/tells", json{{"tells", {tell}}}.dump()).status,
        200);
  }
  EXPECT_NEAR(look_at(server, kBestAtNoon)["arm"]["x"].get<double>(), 0.8, 0.1);
  const json policy = look_at(server, "/policy");
  EXPECT_GE(policy["rows"].size(), 2U);
  EXPECT_EQ(policy["rows"][0]["where"]["load"]["from"], 0.0);
  EXPECT_NEAR(policy["rows"][0]["arm"]["x"].get<double>(), 0.2, 0.1);
  EXPECT_EQ(policy["moved"], 0);
  const json first = look_at(server, "/events?limit=1")["events"][0];
  EXPECT_EQ(first["context"], (json{{"load", 0.0}}));
  EXPECT_EQ(first["context_coordinates"], json({0.0}));
  const json study = look_at(server, "/specification")["specification"];
  EXPECT_EQ(study["context"][0]["name"], "load");
}

TEST(Look, AContextThatIsMissingOrWrongIsSaid) {
  TestServer server;
  make_study_in_contexts(server);
  const auto refusal = [&](const std::string& what) {
    const HttpAnswer answer = server.exchange("GET", kLooked + what);
    EXPECT_EQ(answer.status, 422) << answer.body;
    const json error = answer.json()["errors"][0];
    return error["field"].get<std::string>() + " " + error["code"].get<std::string>();
  };
  EXPECT_EQ(refusal("/best"), "?context missing_key");
  EXPECT_EQ(refusal("/best?context=7"), "?context wrong_type");
  EXPECT_EQ(refusal("/best?context=%7B"), "?context malformed_json");
  EXPECT_EQ(refusal("/best?context=%7B%7D"), "?context.load missing_key");
  EXPECT_EQ(server.exchange("GET", kLooked + kBestAtNoon).status, 409) << "nothing was told yet";
  const auto refused_ask = [&](const std::string& body) {
    const HttpAnswer answer = server.exchange("POST", kLooked + "/asks", body);
    EXPECT_EQ(answer.status, 422) << answer.body;
    return answer.json()["errors"][0]["field"].get<std::string>();
  };
  EXPECT_EQ(refused_ask("{}"), "context");
  EXPECT_EQ(refused_ask(R"({"context":{"load":"much"}})"), "context.load");
  const HttpAnswer observed = server.exchange("POST", kLooked + "/observations",
                                              R"({"observations":[{"arm":{"x":0.5},"reward":1}]})");
  EXPECT_EQ(observed.status, 422);
  EXPECT_EQ(observed.json()["errors"][0]["field"], "observations[0].context");
  EXPECT_EQ(
      server
          .exchange("POST", kLooked + "/observations",
                    R"({"observations":[{"arm":{"x":0.5},"context":{"load":0.1},"reward":1}]})")
          .status,
      200);
}

TEST(Look, AStudyWithoutContextsHasNoPolicy) {
  TestServer server;
  server.make_study("a");
  EXPECT_EQ(server.exchange("GET", kLooked + "/policy").status, 409);
  EXPECT_EQ(server.exchange("GET", kLooked + kBestAtNoon).status, 422);
}

}  // namespace
}  // namespace canopy::service
