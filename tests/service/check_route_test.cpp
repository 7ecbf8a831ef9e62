#include "support/http_exchange.hpp"
#include "support/test_server.hpp"

#include <string>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

using nlohmann::json;
using testing::HttpAnswer;
using testing::TestServer;

const std::string kFile = "[[space]]\nname = \"ttl\"\nlow = 1.0\nhigh = 60.0\n";

class CheckRoute : public ::testing::Test {
 protected:
  json check(const json& draft) {
    const HttpAnswer answer = server_.exchange("POST", "/v1/checks", draft.dump());
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body);
  }
  void make(const std::string& name, const std::string& toml) {
    const json study{{"name", name}, {"toml", toml}};
    EXPECT_EQ(server_.exchange("POST", "/v1/studies", study.dump()).status, 201);
  }

  TestServer server_;
};

TEST_F(CheckRoute, AStudyFileIsToldAsJsonWithWhatStandsThereAndWithEveryOption) {
  const json checked = check({{"toml", kFile}});
  EXPECT_TRUE(checked["ok"]);
  EXPECT_EQ(checked["toml"], kFile);
  EXPECT_EQ(checked["given"], json::parse(R"({"space":[{"name":"ttl","low":1.0,"high":60.0}]})"));
  EXPECT_EQ(checked["specification"]["optimizer"]["name"], "adaptive");
  EXPECT_EQ(checked["errors"], json::array());
  EXPECT_FALSE(checked["has_comments"]);
  EXPECT_TRUE(check({{"toml", kFile + "# a knob"}})["has_comments"]);
  EXPECT_FALSE(check({{"toml", "name = '#1'\n" + kFile}})["has_comments"]);
}

TEST_F(CheckRoute, NoStudyFileAndNoStudyToForkIsRefusedHoweverItIsSaid) {
  for (const char* body : {"{}", R"({"fork_of":""})", R"({"":0})", R"({"fork_of":"","":0})"}) {
    const HttpAnswer answer = server_.exchange("POST", "/v1/checks", body);
    EXPECT_EQ(answer.status, 422) << body << ": " << answer.body;
  }
  for (const char* body : {R"({"name":"a"})", R"({"name":"a","":0})", R"({"name":"a","x":0})"}) {
    const HttpAnswer answer = server_.exchange("POST", "/v1/studies", body);
    EXPECT_EQ(answer.status, 422) << body << ": " << answer.body;
  }
}

TEST_F(CheckRoute, JsonIsWrittenAsAStudyFileWithItsKeysInTheirOrder) {
  const json checked = check({{"specification", json::parse(R"({"direction":"minimize","space":[
      {"name":"ttl","type":"real","low":1,"high":60},
      {"name":"size","type":"integer","low":1,"high":60}]})")}});
  EXPECT_TRUE(checked["ok"]) << checked;
  EXPECT_EQ(checked["toml"],
            "direction = \"minimize\"\n\n"
            "[[space]]\nhigh = 60.0\nlow = 1.0\nname = \"ttl\"\ntype = \"real\"\n\n"
            "[[space]]\nhigh = 60\nlow = 1\nname = \"size\"\ntype = \"integer\"\n")
      << "a real number is written as one; nlohmann's JSON sorts its keys";
  EXPECT_EQ(check({{"toml", checked["toml"]}})["specification"], checked["specification"]);
}

TEST_F(CheckRoute, AMistakeHasItsFieldAndTheLineOfTheFileThatIsAnswered) {
  const json wrong = json::parse(R"({"space":[{"name":"ttl","low":3600,"high":1}]})");
  for (const json& draft : {json{{"specification", wrong}},
                            json{{"toml", "[[space]]\nhigh = 1\nlow = 3600\nname = 'ttl'"}}}) {
    const json checked = check(draft);
    EXPECT_FALSE(checked["ok"]);
    ASSERT_EQ(checked["errors"].size(), 1);
    EXPECT_EQ(checked["errors"][0]["field"], "space.ttl.low");
    EXPECT_EQ(checked["errors"][0]["line"], 3);
    EXPECT_EQ(checked["given"], wrong) << "forms show it all the same";
    EXPECT_FALSE(checked.contains("specification"));
  }
}

TEST_F(CheckRoute, SaysEveryMistakeAndStoresNothing) {
  const json wrong = check(
      {{"toml", "directon = \"minimize\"\n[[space]]\nname = \"x\"\nlow = 2.0\nhigh = 1.0\n"}});
  ASSERT_EQ(wrong["errors"].size(), 2U) << wrong;
  EXPECT_EQ(wrong["errors"][0]["line"], 1);
  EXPECT_NE(wrong["errors"][0]["message"].get<std::string>().find("did you mean"),
            std::string::npos);
  const json right = check({{"toml", kFile + "[budget]\npulls = 1\n"}});
  EXPECT_TRUE(right["ok"]) << right;
  ASSERT_EQ(right["warnings"].size(), 1U) << right;
  EXPECT_EQ(right["warnings"][0]["severity"], "warning") << right;
  EXPECT_EQ(server_.exchange("GET", "/v1/studies").json()["studies"].size(), 0U);
}

TEST_F(CheckRoute, WhatIsNotTomlHasNoJson) {
  const json broken = check({{"toml", kFile + "= 3"}});
  EXPECT_FALSE(broken["ok"]);
  EXPECT_EQ(broken["errors"][0]["line"], 5);
  EXPECT_EQ(broken["errors"][0]["field"], "");
  EXPECT_FALSE(broken.contains("given"));
  const json with_null = check({{"specification", {{"space", json::array({nullptr})}}}});
  EXPECT_FALSE(with_null["ok"]);
  EXPECT_FALSE(with_null.contains("toml"));
}

TEST_F(CheckRoute, ANameThatIsTakenOrCannotBeOneIsAMistakeOfTheName) {
  make("cache", kFile);
  const auto mistake = [&](const json& draft) {
    const json checked = check(draft);
    EXPECT_TRUE(checked.contains("specification")) << "the file is fine";
    return checked["ok"] == true ? ""
                                 : checked["errors"][0]["field"].get<std::string>() + ": " +
                                       checked["errors"][0]["message"].get<std::string>();
  };
  EXPECT_EQ(mistake({{"toml", kFile}, {"name", "free"}}), "");
  EXPECT_EQ(mistake({{"toml", kFile}, {"name", "cache"}}), "name: there already is a study cache");
  EXPECT_EQ(mistake({{"toml", "name = 'cache'\n" + kFile}}),
            "name: there already is a study cache");
  EXPECT_EQ(mistake({{"toml", "name = 'cache'\n" + kFile}, {"name", "free"}}), "");
  EXPECT_EQ(mistake({{"toml", kFile}, {"name", "a/b"}}),
            "name: \"a/b\" cannot name a study: a name is printable text of at most 200 bytes "
            "without a slash");
}

TEST_F(CheckRoute, AForkBeginsWithTheFileOfItsStudyAndSaysWhatItTakesOver) {
  make("cache", "name = 'cache'\n" + kFile);
  const json draft = check({{"fork_of", "cache"}, {"name", "cache-2"}});
  EXPECT_TRUE(draft["ok"]) << draft;
  EXPECT_FALSE(draft["given"].contains("name") || draft["given"].contains("format"));
  EXPECT_FALSE(draft["given"]["optimizer"].contains("revision"));
  EXPECT_EQ(draft["given"]["optimizer"]["name"], "adaptive");
  EXPECT_EQ(draft["fork"]["begins_with"], "journal");

  const auto begins_with = [&](const json& patch) {
    json changed = draft["given"];
    changed.merge_patch(patch);
    return check({{"fork_of", "cache"}, {"specification", changed}})["fork"]["begins_with"];
  };
  EXPECT_EQ(begins_with({{"confidence", 0.9}}), "journal");
  EXPECT_EQ(begins_with({{"optimizer", nullptr}}), "journal") << "it has that of the study";
  EXPECT_EQ(begins_with({{"direction", "minimize"}}), "rewards");
  EXPECT_EQ(begins_with({{"optimizer", {{"settle", 3}}}}), "rewards");
  json wider = draft["given"]["space"];
  wider[0]["high"] = 120.0;
  EXPECT_EQ(begins_with({{"space", wider}}), "rewards");
  wider[0]["name"] = "other";
  EXPECT_EQ(begins_with({{"space", wider}}), "nothing");
}

TEST_F(CheckRoute, OneOfFileAndJsonIsNeededUnlessItIsAFork) {
  for (const json& draft :
       {json{{"name", "x"}}, json{{"toml", kFile}, {"specification", json::object()}},
        json{{"specification", "text"}}}) {
    EXPECT_EQ(server_.exchange("POST", "/v1/checks", draft.dump()).status, 422) << draft;
  }
  EXPECT_EQ(server_.exchange("POST", "/v1/checks", R"({"fork_of":"none"})").status, 404);
}

}  // namespace
}  // namespace canopy::service
