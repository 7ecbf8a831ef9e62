// Systems that are set over HTTP and measured by Prometheus, with a fake Prometheus server.

#include "support/fake_prometheus.hpp"
#include "support/shell.hpp"
#include "support/temporary_folder.hpp"
#include "support/values.hpp"
#include "systems/command_system.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::FakePrometheus;
using testing::TemporaryFolder;
using Reply = FakePrometheus::Reply;
using Asked = FakePrometheus::Asked;

class HttpSystem : public ::testing::Test {
 protected:
  [[nodiscard]] PrometheusSource source(const std::string& query = "rate(hits[{over}])") const {
    return {.prometheus = server_.url(), .query = query, .over = "1m"};
  }
  [[nodiscard]] CommandSystem measured_by(PrometheusSource source,
                                          std::optional<ApplyAction> apply = std::nullopt,
                                          const std::atomic<bool>* stop = nullptr) {
    return {{.apply = std::move(apply), .measure = std::move(source), .folder = folder_.path("")},
            Names(space_, contexts_),
            stop,
            clock_};
  }
  [[nodiscard]] CommandSystem set_by(HttpApply apply, double timeout_seconds = 30.0,
                                     const std::atomic<bool>* stop = nullptr) {
    return {{.apply = std::move(apply),
             .measure = "echo 1",
             .timeout_seconds = timeout_seconds,
             .folder = folder_.path("")},
            Names(space_, contexts_),
            stop,
            clock_};
  }

  static std::string text_of(const std::optional<SystemFailure>& failure) {
    return failure ? failure->what : "";
  }
  static std::string text_of(const std::variant<Reading, SystemFailure>& result) {
    const auto* failure = std::get_if<SystemFailure>(&result);
    return failure != nullptr ? failure->what : "";
  }

  /// The error message for an answer of Prometheus, and whether the measurement waited for it.
  [[nodiscard]] std::string complaint(const Reply& reply, bool is_waited_for) {
    server_.set_query([reply](const std::string&) { return reply; });
    CommandSystem system = measured_by(source());
    const double before = clock_.steady_time();
    const std::string text = text_of(system.measure(arm_));
    EXPECT_EQ(clock_.steady_time() > before, is_waited_for) << text;
    return text;
  }

  /// An address on which no server listens.
  [[nodiscard]] static std::string nowhere() { return FakePrometheus().url(); }

  std::atomic<bool> stop_{false};  // declared before the server, whose threads use it
  std::atomic<bool> is_over_{false};
  FakePrometheus server_;
  TemporaryFolder folder_;
  VirtualClock clock_;
  const Space space_{{"workers", Integer{1, 64}}, {"mode", Choice{{"fast", "a \"b\"/c"}}}};
  const ContextSpace contexts_{};
  const std::vector<double> arm_{4.0, 1.0};
};

// --- setting ----------------------------------------------------------------------------------

TEST_F(HttpSystem, IsSetByARequestWithTheWholeSetting) {
  CommandSystem system = set_by({.put = server_.url() + "/config"});
  EXPECT_TRUE(system.can_be_set());
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  const std::vector<Asked> asked = server_.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].method, "PUT");
  EXPECT_EQ(asked[0].target, "/config");
  EXPECT_EQ(asked[0].headers.at("Content-Type"), "application/json");
  EXPECT_EQ(nlohmann::json::parse(asked[0].body),
            (nlohmann::json{{"workers", 4}, {"mode", "a \"b\"/c"}}));
}

TEST_F(HttpSystem, PutsValuesIntoTheAddressAndTheBody) {
  CommandSystem system = set_by({.post = server_.url() + "/workers/{workers}?mode={mode}",
                                 .body = R"({"pool": {"size": {workers}, "mode": "{mode}"}})"});
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  const Asked asked = server_.asked().at(0);
  EXPECT_EQ(asked.method, "POST");
  EXPECT_EQ(asked.target, "/workers/4?mode=a%20%22b%22%2Fc");
  EXPECT_EQ(nlohmann::json::parse(asked.body),
            (nlohmann::json{{"pool", {{"size", 4}, {"mode", "a \"b\"/c"}}}}));
  EXPECT_EQ(system.apply_text(arm_), "POST " + server_.url() +
                                         "/workers/4?mode=a%20%22b%22%2Fc {\"pool\": {\"size\": 4, "
                                         "\"mode\": \"a \\\"b\\\"/c\"}}");
}

TEST_F(HttpSystem, BodiesAreOfTheTypeThatIsSaid) {
  CommandSystem form = set_by({.patch = server_.url(),
                               .body = "workers={workers}&mode={mode}",
                               .content_type = "application/x-www-form-urlencoded"});
  EXPECT_EQ(text_of(form.apply(arm_)), "");
  CommandSystem plain =
      set_by({.put = server_.url(), .body = "mode {mode}\n", .content_type = "text/plain"});
  EXPECT_EQ(text_of(plain.apply(arm_)), "");
  CommandSystem empty = set_by({.post = server_.url() + "/workers/{workers}", .body = ""});
  EXPECT_EQ(text_of(empty.apply(arm_)), "");
  const std::vector<Asked> asked = server_.asked();
  EXPECT_EQ(asked.at(0).method, "PATCH");
  EXPECT_EQ(asked.at(0).target, "/");
  EXPECT_EQ(asked.at(0).body, "workers=4&mode=a%20%22b%22%2Fc");
  EXPECT_EQ(asked.at(1).headers.at("Content-Type"), "text/plain");
  EXPECT_EQ(asked.at(1).body, "mode a \"b\"/c\n");
  EXPECT_EQ(asked.at(2).body, "");
}

TEST_F(HttpSystem, AnythingButSuccessIsAFailureThatShowsTheAnswer) {
  CommandSystem system = set_by({.put = server_.url() + "/config"});
  for (const unsigned status : {200U, 201U, 204U}) {
    server_.set_request([status](const Asked&) { return Reply{status}; });
    EXPECT_EQ(text_of(system.apply(arm_)), "") << status;
  }
  const std::map<unsigned, std::string> reasons{
      {302U, "Found"}, {400U, "Bad Request"}, {500U, "Internal Server Error"}};
  for (const auto& [status, reason] : reasons) {
    server_.set_request([status = status](const Asked&) {
      return Reply{status, "workers is too large\nat most 3\nask the operator\nsecret line\n"};
    });
    EXPECT_EQ(text_of(system.apply(arm_)), "apply: " + server_.url() + "/config answers " +
                                               std::to_string(status) + " " + reason +
                                               ": workers is too large at most 3 ask the operator");
  }
  EXPECT_NE(text_of(system.leave_at(arm_)).find("answers 500"), std::string::npos);
}

TEST_F(HttpSystem, AServerThatCannotBeReachedIsAFailure) {
  const std::string url = nowhere();
  CommandSystem system = set_by({.put = url + "/config"});
  EXPECT_EQ(text_of(system.apply(arm_)),
            "apply: " + url + " cannot be reached: Connection refused");
}

TEST_F(HttpSystem, AServerThatDoesNotAnswerTakesItsTimeoutAndNotMore) {
  server_.set_request([this](const Asked&) {
    while (!is_over_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Reply{};
  });
  CommandSystem system = set_by({.put = server_.url()}, 0.05);
  const auto failure = system.apply(arm_);
  EXPECT_EQ(text_of(failure),
            "apply: " + server_.url() + " cannot be reached: no answer within 0.05 s");
  EXPECT_TRUE(failure && failure->has_timed_out);
  is_over_ = true;
}

TEST_F(HttpSystem, AStopBreaksARequestOffButNotTheLastOne) {
  server_.set_request([this](const Asked&) {
    stop_ = true;
    while (!is_over_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Reply{};
  });
  CommandSystem system = set_by({.put = server_.url()}, 1000.0, &stop_);
  EXPECT_EQ(text_of(system.apply(arm_)),
            "apply: " + server_.url() + " cannot be reached: was stopped");
  is_over_ = true;
  EXPECT_EQ(text_of(system.leave_at(arm_)), "");
}

// --- secrets ----------------------------------------------------------------------------------

TEST_F(HttpSystem, SecretsAreReadWhenTheyAreNeeded) {
  ASSERT_EQ(setenv("CANOPY_TEST_TOKEN", "open sesame", 1), 0);
  folder_.write("key.txt", "first\nmore\n");
  CommandSystem system = set_by(
      {.put = server_.url(),
       .access = {.token = Secret{.env = "CANOPY_TEST_TOKEN"},
                  .headers = {{"X-Key", Secret{.file = "key.txt"}}, {"X-Scope-OrgID", "team"}}}});
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  folder_.write("key.txt", "second");
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  const std::vector<Asked> asked = server_.asked();
  EXPECT_EQ(asked.at(0).headers.at("Authorization"), "Bearer open sesame");
  EXPECT_EQ(asked.at(0).headers.at("X-Scope-OrgID"), "team");
  EXPECT_EQ(asked.at(0).headers.at("X-Key"), "first");
  EXPECT_EQ(asked.at(1).headers.at("X-Key"), "second");
  ASSERT_EQ(unsetenv("CANOPY_TEST_TOKEN"), 0);
  EXPECT_EQ(text_of(system.apply(arm_)),
            "apply: token: the environment variable CANOPY_TEST_TOKEN is not set");
  EXPECT_EQ(server_.asked().size(), 2U);
}

TEST_F(HttpSystem, SaysWhichSecretIsMissing) {
  const auto complaint_about = [&](HttpAccess access) {
    CommandSystem system = measured_by(
        {.prometheus = server_.url(), .query = "up", .over = "1s", .access = std::move(access)});
    return text_of(system.measure(arm_));
  };
  EXPECT_EQ(complaint_about({.token = Secret{.file = "none"}}),
            "measure: token: the file " + folder_.path("none") + " cannot be read, or is empty");
  folder_.write("blank", "  \n");
  EXPECT_EQ(complaint_about({.headers = {{"X-Key", Secret{.file = "blank"}}}}),
            "measure: headers.X-Key: the file " + folder_.path("blank") + " is empty");
  EXPECT_TRUE(server_.asked().empty());
}

// --- measuring --------------------------------------------------------------------------------

TEST_F(HttpSystem, IsMeasuredByAQueryOfTheTimeSinceTheSetting) {
  server_.set_query([](const std::string&) { return FakePrometheus::number(812.5); });
  CommandSystem system = measured_by(source("sum(rate(hits{mode=\"{mode}\"}[{over}]))"));
  ASSERT_EQ(text_of(system.measure(arm_)), "");
  server_.forget();
  const double before = clock_.steady_time();
  const auto result = system.measure(arm_);
  ASSERT_EQ(text_of(result), "");
  EXPECT_EQ(std::get<Reading>(result).reward, 812.5);
  EXPECT_NEAR(clock_.steady_time() - before, 60.0, 1e-6);
  const std::vector<Asked> asked = server_.asked();
  ASSERT_EQ(asked.size(), 1U) << "what works is not asked before";
  EXPECT_EQ(asked[0].query, R"(sum(rate(hits{mode="a \"b\"/c"}[1m])))");
  EXPECT_EQ(asked[0].time, "") << "now, by the clock of the server";
  EXPECT_EQ(system.measure_texts(arm_).front(),
            server_.url() + R"( asked after 1m: sum(rate(hits{mode="a \"b\"/c"}[1m])))");
}

TEST_F(HttpSystem, AllMetricsAreOfTheSameMoment) {
  server_.set_query([](const std::string& query) {
    if (query == "p99") return FakePrometheus::scalar("0.25");
    if (query == "nan") return FakePrometheus::series("NaN");
    if (query == "inf") return FakePrometheus::series("+Inf");
    if (query == "none") return FakePrometheus::series("1", 0);
    return FakePrometheus::number(1.0);
  });
  PrometheusSource asked_for = source();
  asked_for.metrics = {{"p99_s", "p99"}, {"a", "nan"}, {"b", "inf"}, {"c", "none"}};
  CommandSystem system = measured_by(asked_for);
  const auto result = system.measure(arm_);
  ASSERT_EQ(text_of(result), "");
  EXPECT_EQ(std::get<Reading>(result).metrics, (std::map<std::string, double>{{"p99_s", 0.25}}))
      << "what is no number is left out, as of a program";
  const std::vector<Asked> asked = server_.asked();
  ASSERT_EQ(asked.size(), 10U) << "a look before, and the measurement";
  EXPECT_EQ(asked[5].time, "");
  for (std::size_t i = 6; i < 10; ++i) EXPECT_EQ(asked[i].time, "1700000000.125") << i;
}

TEST_F(HttpSystem, ATryAfterAFailureDoesNotWaitAgainUnlessTheSettingHasChanged) {
  int answers = 0;
  server_.set_query([&](const std::string&) {
    return ++answers == 2 ? FakePrometheus::series("1", 0) : FakePrometheus::number(1.0);
  });
  CommandSystem system = measured_by(source());
  EXPECT_NE(text_of(system.measure(arm_)).find("returned no series"), std::string::npos);
  double before = clock_.steady_time();
  EXPECT_EQ(text_of(system.measure(arm_)), "");
  EXPECT_EQ(clock_.steady_time(), before);
  before = clock_.steady_time();
  EXPECT_EQ(text_of(system.measure(arm_)), "");
  EXPECT_NEAR(clock_.steady_time() - before, 60.0, 1e-6) << "the next pull has a time of its own";
  answers = 0;
  CommandSystem other = measured_by(source());
  EXPECT_NE(text_of(other.measure(arm_)), "");
  EXPECT_EQ(text_of(other.apply(arm_)), "");
  before = clock_.steady_time();
  EXPECT_EQ(text_of(other.measure(arm_)), "");
  EXPECT_NEAR(clock_.steady_time() - before, 60.0, 1e-6);
}

TEST_F(HttpSystem, SaysWhatIsWrongWithAQueryAndWhatToDo) {
  EXPECT_EQ(complaint(FakePrometheus::series("1", 3), false),
            "measure: the query returned 3 series ({instance=\"host:0\"}, ...): aggregate them, "
            "for example sum(...): rate(hits[1m])");
  EXPECT_EQ(complaint(FakePrometheus::series("1", 0), true),
            "measure: the query returned no series: check its names and labels, whether the target "
            "is scraped, and whether the window contains two scrapes, which a rate needs: "
            "rate(hits[1m])");
  EXPECT_EQ(complaint(FakePrometheus::series("NaN"), true),
            "measure: the query returned NaN, which is not a finite number (was 0 divided by "
            "0, or was nothing counted in the window?): rate(hits[1m])");
  EXPECT_EQ(complaint(FakePrometheus::scalar("-Inf"), true),
            "measure: the query returned -Inf, which is not a finite number (was 0 divided by "
            "0, or was nothing counted in the window?): rate(hits[1m])");
  EXPECT_EQ(complaint(FakePrometheus::data("string", {FakePrometheus::kNow, "a"}), false),
            "measure: the query returned a string; it must return a number: rate(hits[1m])");
  EXPECT_EQ(complaint(FakePrometheus::data("matrix", nlohmann::json::array()), false),
            "measure: the query returned a range of samples: apply rate(...), avg_over_time(...) "
            "or a similar function to it: rate(hits[1m])");
  EXPECT_EQ(complaint(FakePrometheus::data("vector", {{{"histogram", {1, 2}}}}), false),
            "measure: the query returned a histogram: apply histogram_quantile(...) to it: "
            "rate(hits[1m])");
  EXPECT_EQ(complaint(FakePrometheus::bad_query("parse error: unclosed left parenthesis"), false),
            "measure: " + server_.url() +
                " refuses the query: parse error: unclosed left parenthesis: rate(hits[1m])");
}

TEST_F(HttpSystem, SaysThatAServerIsNotPrometheus) {
  EXPECT_EQ(complaint({404, "<h1>no such page</h1>"}, false),
            "measure: " + server_.url() +
                " answers 404 Not Found: <h1>no such page</h1>; is it the address of Prometheus, "
                "without /api/v1?");
  EXPECT_EQ(complaint({200, "<h1>hello</h1>"}, false),
            "measure: " + server_.url() +
                " does not answer with JSON: is it the address of Prometheus? \"<h1>hello</h1>\"");
  EXPECT_EQ(complaint({200, "{}"}, false),
            "measure: the server does not answer like Prometheus: is this the address of "
            "another program?");
  EXPECT_EQ(complaint({503, "try later"}, false),
            "measure: " + server_.url() + " answers 503 Service Unavailable: try later");
  PrometheusSource gone = source();
  gone.prometheus = nowhere();
  CommandSystem system = measured_by(gone);
  EXPECT_EQ(text_of(system.measure(arm_)),
            "measure: " + gone.prometheus + " cannot be reached: Connection refused");
}

TEST_F(HttpSystem, AnAnswerWithoutEndIsNotRead) {
  EXPECT_EQ(complaint({200, std::string(std::size_t{9} << 20U, ' ')}, false),
            "measure: " + server_.url() + " cannot be reached: its answer is too long");
}

TEST_F(HttpSystem, AnyAnswerIsUnderstoodOrRefused) {
  for (const char* body : {"", "null", "[]", "1", "{\"data\": 1}", "{\"data\": {\"result\": 1}}",
                           R"({"data": {"resultType": "vector", "result": [1]}})",
                           R"({"data": {"resultType": "vector", "result": [{"value": []}]}})",
                           R"({"data": {"resultType": "vector", "result": [{"value": [1, 2]}]}})",
                           R"({"data": {"resultType": "scalar", "result": []}})",
                           R"({"data": {"resultType": "other", "result": [{}]}})",
                           R"({"data": {"resultType": "scalar", "result": ["x", "y"]}})"}) {
    server_.set_query([body](const std::string&) { return Reply{200, body}; });
    CommandSystem system = measured_by(source());
    EXPECT_NE(text_of(system.measure(arm_)), "") << body;
  }
}

TEST_F(HttpSystem, AMetricThatCannotBeAskedForIsAFailure) {
  server_.set_query([](const std::string& query) {
    return query == "bad" ? FakePrometheus::series("1", 2) : FakePrometheus::number(1.0);
  });
  PrometheusSource asked_for = source();
  asked_for.metrics = {{"p99_s", "bad"}};
  CommandSystem system = measured_by(asked_for);
  EXPECT_TRUE(text_of(system.measure(arm_))
                  .starts_with("measure: metrics.p99_s: the query returned 2 series"));
}

TEST_F(HttpSystem, AStopEndsTheWaiting) {
  server_.set_query([this](const std::string&) {
    stop_ = true;
    return FakePrometheus::number(1.0);
  });
  CommandSystem system = measured_by(source(), std::nullopt, &stop_);
  EXPECT_NE(text_of(system.measure(arm_)).find("was stopped"), std::string::npos);
  EXPECT_LT(clock_.steady_time(), 60.0);
}

TEST_F(HttpSystem, AProgramMaySetWhatPrometheusMeasures) {
  CommandSystem system = measured_by(source(), "sh -c 'echo {workers} > applied'");
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  EXPECT_EQ(folder_.content("applied"), "4\n");
  EXPECT_EQ(text_of(system.measure(arm_)), "");
}

TEST_F(HttpSystem, APathBeforeTheInterfaceIsKept) {
  PrometheusSource behind = source("up");
  behind.prometheus += "/prometheus/";
  FakePrometheus& server = server_;
  server.set_request([](const Asked& asked) {
    return asked.target.starts_with("/prometheus/api/v1/query?") ? FakePrometheus::number(2.0)
                                                                 : Reply{404};
  });
  CommandSystem system = measured_by(behind);
  const auto result = system.measure(arm_);
  ASSERT_EQ(text_of(result), "");
  EXPECT_EQ(std::get<Reading>(result).reward, 2.0);
}

TEST_F(HttpSystem, KnowsHowOftenTargetsAreScraped) {
  CommandSystem system = measured_by(source());
  EXPECT_EQ(system.scrape_interval(), std::nullopt);
  server_.set_targets({200, R"({"data": {"activeTargets": [{"scrapeInterval": "1m"},
                                                          {"scrapeInterval": "15s"}, {}]}})"});
  EXPECT_EQ(system.scrape_interval(), 15.0);
  server_.set_targets({200, "{\"data\": []}"});
  EXPECT_EQ(system.scrape_interval(), std::nullopt);
}

TEST_F(HttpSystem, SpeaksHttpsWithServersThatItTrusts) {
  const auto made = testing::shell(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
      "/CN=localhost -addext subjectAltName=DNS:localhost -keyout " +
      folder_.path("key.pem") + " -out " + folder_.path("certificate.pem") + " 2>&1");
  ASSERT_EQ(made.status, 0) << made.out;
  FakePrometheus secure(
      {.certificate = folder_.path("certificate.pem"), .key = folder_.path("key.pem")});
  PrometheusSource asked_for = source();
  asked_for.prometheus = secure.url();
  const HttpAccess access{.ca_file = "certificate.pem"};
  EXPECT_NE(text_of(measured_by(asked_for).measure(arm_)).find("its certificate is not trusted"),
            std::string::npos);
  asked_for.access = access;
  CommandSystem system =
      measured_by(asked_for, HttpApply{.put = secure.url() + "/config", .access = access});
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  EXPECT_EQ(text_of(system.measure(arm_)), "");
  EXPECT_EQ(secure.asked().at(0).method, "PUT");
}

// --- contexts ---------------------------------------------------------------------------------

class HttpSystemInContexts : public HttpSystem {
 protected:
  [[nodiscard]] CommandSystem system_of(std::optional<ApplyAction> apply,
                                        const std::string& query = "load") {
    const ContextInput input{.kind = ContextInput::Kind::query,
                             .prometheus = {.prometheus = server_.url(), .query = query}};
    return {{.apply = std::move(apply),
             .measure = source("a{load=\"{load}\"}"),
             .contexts = {input, {.kind = ContextInput::Kind::command, .command = "echo night"}}},
            Names(space_, observed_),
            nullptr,
            clock_};
  }

  const ContextSpace observed_{{{"load", Real{0.0, 1.0}}, {"part", Choice{{"day", "night"}}}}};
};

TEST_F(HttpSystemInContexts, ContextsAreReadByQueriesAndGoIntoRequests) {
  server_.set_query([](const std::string&) { return FakePrometheus::number(0.75); });
  CommandSystem system =
      system_of(HttpApply{.put = server_.url() + "/{part}", .body = "[{workers}, {load}]"});
  const auto observed = system.observe();
  ASSERT_TRUE(std::holds_alternative<std::vector<double>>(observed));
  EXPECT_EQ(std::get<std::vector<double>>(observed), (std::vector{0.75, 1.0}));
  EXPECT_TRUE(system.enter(std::get<std::vector<double>>(observed)));
  EXPECT_FALSE(system.enter(std::vector{0.75, 1.0})) << "nothing has changed";
  EXPECT_TRUE(system.enter(std::vector{0.5, 1.0})) << "the body has the load";
  server_.forget();
  EXPECT_EQ(text_of(system.apply(arm_)), "");
  EXPECT_EQ(server_.asked().at(0).target, "/night");
  EXPECT_EQ(server_.asked().at(0).body, "[4, 0.5]");
  EXPECT_EQ(text_of(system.measure(arm_)), "");
  EXPECT_EQ(server_.asked().back().query, "a{load=\"0.5\"}");
}

TEST_F(HttpSystemInContexts, ARequestThatUsesNoContextIsNotSentAgain) {
  CommandSystem system = system_of(HttpApply{.put = server_.url()});
  EXPECT_FALSE(system.enter(std::vector{0.75, 1.0}));
  EXPECT_FALSE(system.enter(std::vector{0.25, 0.0}));
}

TEST_F(HttpSystemInContexts, SaysWhichContextCannotBeRead) {
  server_.set_query([](const std::string&) { return FakePrometheus::series("1", 2); });
  CommandSystem system = system_of(std::nullopt);
  const auto observed = system.observe();
  const auto* failure = std::get_if<SystemFailure>(&observed);
  ASSERT_NE(failure, nullptr);
  EXPECT_TRUE(failure->what.starts_with("context.load: the query returned 2 series"))
      << failure->what;
}

}  // namespace
}  // namespace canopy
