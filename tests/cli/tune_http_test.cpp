// `canopy tune` for systems that are set over HTTP and measured by Prometheus, with a fake
// Prometheus server.

#include "support/fake_prometheus.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::FakePrometheus;
using testing::run_tool;
using testing::TemporaryFolder;
using Asked = FakePrometheus::Asked;
using Reply = FakePrometheus::Reply;

/// A service with a number of workers: 20 are best, and more than 30 violate its limit.
class TuneOverHttp : public ::testing::Test {
 protected:
  TuneOverHttp() {
    server_.set_request([this](const Asked& asked) {
      if (asked.target != "/config") return Reply{404, "no such page\n"};
      workers_ = nlohmann::json::parse(asked.body).at("workers").get<int>();
      return Reply{};
    });
    server_.set_query([this](const std::string& query) {
      const double workers = workers_;
      if (query.starts_with("p99")) return FakePrometheus::number(workers + 20.0);
      return FakePrometheus::number(100.0 - std::abs(workers - 20.0));
    });
  }

  [[nodiscard]] std::string file(const std::string& more = "",
                                 const std::string& query = "rate(hits[{over}])",
                                 const std::string& access = "") const {
    folder_.write("s.toml",
                  "name = \"s\"\n[[space]]\nname = \"workers\"\ntype = \"integer\"\nlow = 1\n"
                  "high = 64\n[system]\noutage_seconds = 1\napply = { put = \"" +
                      server_.url() + "/config\"" + access + " }\nmeasure = { prometheus = \"" +
                      server_.url() + "\", query = '" + query +
                      "', over = \"1ms\", metrics = { p99_ms = \"p99[{over}]\" } }\n"
                      "[baseline]\nsetting = { workers = 4 }\n[[limit]]\nmetric = \"p99_ms\"\n"
                      "max = 50\n[budget]\npulls = 12\n" +
                      more);
    return folder_.path("s.toml");
  }
  [[nodiscard]] std::string store() const { return " --store " + folder_.path("s.db"); }

  std::atomic<int> workers_{0};  // before the server, whose threads use it
  FakePrometheus server_;
  TemporaryFolder folder_;
};

TEST_F(TuneOverHttp, TunesAndKeepsWhatItIsTold) {
  const auto result = run_tool("tune " + file() + store());
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("the budget of 12 pulls is used"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("p99_ms"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("left at  {\"workers\":" + std::to_string(workers_) + "}"),
            std::string::npos)
      << result.out;
  const auto shown = nlohmann::json::parse(run_tool("studies show s --json" + store()).out);
  const auto& system = shown.at("specification").at("system");
  EXPECT_EQ(system.at("apply").at("put"), server_.url() + "/config");
  EXPECT_EQ(system.at("measure").at("over"), "1ms");
  EXPECT_EQ(system.at("measure").at("metrics").at("p99_ms"), "p99[{over}]");
  const std::string exported = run_tool("studies export s" + store()).out;
  EXPECT_NE(exported.find("p99_ms"), std::string::npos);
}

TEST_F(TuneOverHttp, ADryRunAsksTheQueriesAndSetsNothing) {
  workers_ = 7;
  server_.set_targets({200, R"({"data": {"activeTargets": [{"scrapeInterval": "15s"}]}})"});
  const auto result = run_tool("tune " + file() + " --dry-run");
  EXPECT_EQ(result.status, 0) << result.out;
  for (const std::string& part :
       {"dry run; only the queries are evaluated, nothing is stored\nbaseline: workers = 4\n  "
        "apply    "
        "PUT " +
            server_.url() + "/config {\"workers\":4}\n  measure  " + server_.url() +
            " asked after 1ms: rate(hits[1ms])\n           p99_ms: p99[1ms]\n",
        std::string("system.measure.query: now 87\nsystem.measure.metrics.p99_ms: now 27\n"),
        std::string("warning: system.measure.over: 0.001 s is too short: Prometheus scrapes every "
                    "15 s, and a rate needs two scrapes. Set it to 60s or more\n")}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << result.out << "\nlacks\n" << part;
  }
  EXPECT_EQ(workers_, 7);
  for (const Asked& asked : server_.asked()) EXPECT_EQ(asked.method, "GET") << asked.target;
}

TEST_F(TuneOverHttp, ADryRunSaysWhatCannotWork) {
  server_.set_query([](const std::string&) { return FakePrometheus::series("1", 2); });
  const auto result = run_tool("tune " + file() + " --dry-run");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.out.find("error: system.measure.query: the query returned 2 series"),
            std::string::npos)
      << result.out;
  const auto window = run_tool("tune " + file("", "rate(hits[5m])") + " --dry-run");
  EXPECT_NE(window.out.find("warning: system.measure.query: looks back 300 s, but a setting is in "
                            "force for 1ms when it is evaluated, so it includes earlier "
                            "settings: write [{over}]"),
            std::string::npos)
      << window.out;
  const auto unlimited =
      run_tool("tune " + file("[[limit]]\nmetric = \"errors\"\nmax = 0\n") + " --dry-run");
  EXPECT_NE(unlimited.out.find("error: limit.errors: system.measure.metrics has no query for it"),
            std::string::npos)
      << unlimited.out;
}

TEST_F(TuneOverHttp, WhatHasNeverWorkedEndsTheTuning) {
  server_.set_query(
      [](const std::string&) { return FakePrometheus::bad_query("parse error: no such thing"); });
  const auto result = run_tool("tune " + file() + store());
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.out.find("nothing has been measured yet, and {\"workers\":4} fails as well: "
                            "measure: " +
                            server_.url() + " refuses the query: parse error: no such thing"),
            std::string::npos)
      << result.out;
}

TEST_F(TuneOverHttp, AnOutageIsNotBlamedOnTheSetting) {
  std::atomic<int> answers{0};
  server_.set_query([&answers](const std::string&) {
    const int number = ++answers;
    return number > 12 && number < 22 ? Reply{503, "starting"} : FakePrometheus::number(5.0);
  });
  const auto result = run_tool("tune " + file() + store() + " --json");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out).at("failures"), 0) << result.out;
  EXPECT_NE(run_tool("studies export s" + store()).out.find("answers 503"), std::string::npos);
  server_.set_query([](const std::string&) { return FakePrometheus::number(5.0); });
}

TEST_F(TuneOverHttp, SecretsAreNotInTheStore) {
  ASSERT_EQ(setenv("CANOPY_TEST_SECRET", "hunter2hunter2", 1), 0);
  const std::string access = ", token = { env = \"CANOPY_TEST_SECRET\" }";
  EXPECT_EQ(run_tool("tune " + file("", "a", access) + store()).status, 0);
  const std::vector<Asked> asked = server_.asked();
  EXPECT_TRUE(std::any_of(asked.begin(), asked.end(), [](const Asked& each) {
    const auto sent = each.headers.find("Authorization");
    return sent != each.headers.end() && sent->second == "Bearer hunter2hunter2";
  }));
  for (const char* file : {"s.db", "s.db-wal"}) {
    EXPECT_EQ(folder_.content(file).find("hunter2"), std::string::npos) << file;
  }
  ASSERT_EQ(unsetenv("CANOPY_TEST_SECRET"), 0);
  const auto without = run_tool("tune " + file("", "a", access) + store());
  EXPECT_NE(without.status, 0);
  EXPECT_NE(without.err.find("system.apply: token: the environment variable CANOPY_TEST_SECRET is "
                             "not set"),
            std::string::npos)
      << without.err;
}

TEST_F(TuneOverHttp, AnotherQueryIsAnotherCommand) {
  ASSERT_EQ(run_tool("tune " + file() + store()).status, 0);
  const auto refused = run_tool("tune " + file("", "other") + store());
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.err.find("system.measure.query was \"rate(hits[{over}])\" and is \"other\""),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(run_tool("tune " + file("", "other") + store() + " --accept-changes").status, 0);
  EXPECT_NE(run_tool("studies export s" + store()).out.find("commands"), std::string::npos);
}

}  // namespace
}  // namespace canopy
