#include "canopy/study_specification.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

namespace canopy {
namespace {

const std::string kSpace =
    "[[space]]\nname = \"workers\"\ntype = \"integer\"\nlow = 1\nhigh = 64\n"
    "[[space]]\nname = \"mode\"\ntype = \"choice\"\nchoices = [\"true\", \"slow\"]\n";
const std::string kMeasure =
    "measure = { prometheus = \"http://p:9090\", query = \"rate(a[{over}])\", over = \"60s\" }\n";

StudySpecification study_with(const std::string& system) {
  return parse_study(kSpace + "[system]\n" + system, "s.toml");
}

/// The error message for an invalid [system] section.
std::string refused(const std::string& system) {
  try {
    (void)study_with(system);
    return "";
  } catch (const SpecificationError& error) {
    return error.what();
  }
}

std::string refused_apply(const std::string& table) {
  return refused("apply = { " + table + " }\n" + kMeasure);
}
std::string refused_measure(const std::string& more) {
  return refused("apply = \"set {workers} {mode}\"\nmeasure = { prometheus = \"http://p:9090\", " +
                 more + " }\n");
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
}

const std::string kFull = R"(
[system.apply]
put = "http://svc:8080/config/{workers}"
body = '{"mode": "{mode}"}'
content_type = "application/merge-patch+json"
token = { env = "SVC_TOKEN" }
ca_file = "ca.pem"
[system.apply.headers]
X-Team = "cache"
X-Key = { file = "key.txt" }
[system.measure]
prometheus = "https://p.example/prometheus"
query = 'sum(rate(hits{job="svc"}[{over}]))'
over = "1m30s"
[system.measure.metrics]
p99_ms = '1000 * histogram_quantile(0.99, sum by (le) (rate(d_bucket[{over}])))'
)";

TEST(HttpDocument, IsReadAndWrittenBack) {
  const StudySpecification study = study_with(kFull);
  const auto& apply = std::get<HttpApply>(*study.system->apply);
  EXPECT_EQ(apply.put, "http://svc:8080/config/{workers}");
  EXPECT_EQ(apply.method(), "PUT");
  EXPECT_EQ(apply.body, "{\"mode\": \"{mode}\"}");
  EXPECT_EQ(apply.access.token, Secret{.env = "SVC_TOKEN"});
  EXPECT_EQ(apply.access.headers.at("X-Team"), HeaderValue("cache"));
  EXPECT_EQ(apply.access.headers.at("X-Key"), HeaderValue(Secret{.file = "key.txt"}));
  const auto& source = std::get<PrometheusSource>(*study.system->measure);
  EXPECT_EQ(source.prometheus, "https://p.example/prometheus");
  EXPECT_EQ(source.over, "1m30s");
  EXPECT_EQ(source.metrics.size(), 1U);
  EXPECT_EQ(parse_study(toml_of(study), "toml"), study) << toml_of(study);
  EXPECT_EQ(parse_study_json(json_of(study), "json"), study) << json_of(study);
  const StudySpecification complete = resolved(study);
  EXPECT_EQ(parse_study_json(json_of(complete), "json"), complete);
}

TEST(HttpDocument, CommandsAndRequestsMayBeMixed) {
  const StudySpecification set = study_with("apply = { post = \"http://a\" }\nmeasure = \"m\"\n");
  EXPECT_TRUE(std::holds_alternative<HttpApply>(*set.system->apply));
  EXPECT_EQ(std::get<std::string>(*set.system->measure), "m");
  const StudySpecification measured = study_with("apply = \"a {mode}\"\n" + kMeasure);
  EXPECT_EQ(std::get<std::string>(*measured.system->apply), "a {mode}");
  EXPECT_EQ(refused("apply = { patch = \"http://a\" }\nprocess = \"p\"\n"), "");
}

TEST(HttpDocument, SaysWhatIsWrongWithARequest) {
  expect_part(refused("apply = 5\n" + kMeasure),
              ":11: system.apply = 5: must be a command or a table");
  expect_part(refused_apply("body = \"\""), "system.apply");
  expect_part(refused_apply("body = \"\""), "must have one of put, post and patch: an address");
  expect_part(refused_apply("put = \"http://a\", post = \"http://b\""), "must have one of put");
  expect_part(refused_apply("put = \"localhost:80/config\""),
              "system.apply.put = 'localhost:80/config': must be an address such as");
  expect_part(refused_apply("put = \"http://me:pw@a/\""), "must not contain a user or a password");
  expect_part(refused_apply("put = \"\""), "system.apply.put = '': must not be empty");
  expect_part(refused_apply("put = \"http://a/{worker}\""),
              "{worker} is not a parameter of the space; write {{worker}} for literal braces");
  expect_part(refused_apply("put = \"http://a\", timeout = 3"), "system.apply.timeout");
  expect_part(refused_apply("put = \"http://a\", body = '{\"m\": {mode}}'"),
              "is not JSON if mode is slow: put quotes around the braces");
  expect_part(refused_apply("put = \"http://a\", body = 'workers={workers}'"),
              "is not JSON with values filled in (workers=0): put quotes around the braces of a "
              "choice; if the body is not JSON, set content_type");
  EXPECT_EQ(refused_apply("put = \"http://a\", body = 'workers={workers}', content_type = "
                          "\"text/plain\""),
            "");
  EXPECT_EQ(refused_apply("put = \"http://a/{workers}\", body = ''"), "");
}

TEST(HttpDocument, SaysWhatIsWrongWithQueries) {
  const std::string query = "query = \"up\", ";
  expect_part(refused_measure("over = \"1s\""), "system.measure.query: is missing");
  expect_part(refused_measure("query = \"up\""),
              "system.measure.over: is required: how long a setting is in force");
  expect_part(refused_measure("query = \" \", over = \"1s\""), "must not be empty");
  for (const char* over : {"60", "1.5m", "-1s", "0s", "12000000s"}) {
    expect_part(refused_measure(query + "over = \"" + over + "\""),
                "must be a duration as PromQL writes it");
  }
  expect_part(refused_measure(query + "over = 60"), "system.measure.over = 60");
  expect_part(refused_measure("query = \"a[{ofer}]\", over = \"1s\""), "{ofer} is not a parameter");
  EXPECT_EQ(refused_measure("query = 'a{b=\"{mode}\"}', over = \"1s\""), "");
  expect_part(refused_measure(query + "over = \"1s\", metrics = { reward = \"a\" }"),
              "must have another name: `query` gives the reward");
  expect_part(refused_measure(query + "over = \"1s\", metrics = { \"a b\" = \"a\" }"),
              "is not a valid metric name");
  expect_part(refused_measure(query + "over = \"1s\", metrics = { a = 5 }"),
              "system.measure.metrics.a = 5");
  expect_part(refused_measure(query + "over = \"1s\", metrics = \"a\""),
              "must be a table of names and queries");
  std::string many = query + "over = \"1s\", metrics = { m0 = \"a\"";
  for (int i = 1; i <= 32; ++i) many += ", m" + std::to_string(i) + " = \"a\"";
  expect_part(refused_measure(many + " }"), "must have at most 32 metrics");
  expect_part(refused("apply = \"a\"\nmeasure = { prometheus = \"http://p/api/v1/query\", query = "
                      "\"up\", over = \"1s\" }\n"),
              "must be the address of the server alone");
}

TEST(HttpDocument, RefusesSecretsThatItWouldHaveToKeepAndDoesNotShowThem) {
  for (const char* access : {"token = \"hunter2\"", "headers = { Authorization = \"hunter2\" }",
                             "headers = { cookie = \"hunter2\" }"}) {
    const std::string text = refused_apply("put = \"http://a\", " + std::string(access));
    expect_part(text, "would be stored in the study: write { env = \"NAME\" }");
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  }
  expect_part(refused_apply("put = \"http://a\", token = {}"), "must have either env or file");
  expect_part(refused_apply("put = \"http://a\", token = { env = \"A\", file = \"b\" }"),
              "must have either env or file");
  expect_part(refused_apply("put = \"http://a\", token = { value = \"b\" }"),
              "system.apply.token.value");
  expect_part(refused_apply("put = \"http://a\", headers = { Host = \"b\" }"),
              "is set by canopy; for the type of the body use content_type");
  expect_part(refused_apply("put = \"http://a\", headers = { \"a b\" = \"b\" }"),
              "is not the name of a header");
  expect_part(refused_apply("put = \"http://a\", headers = { a = \"b\\nc\" }"),
              "must not have control characters");
  EXPECT_EQ(refused_apply("put = \"http://a\", headers = { Authorization = { env = \"A\" } }"), "");
}

TEST(HttpDocument, OtherRequestsAndQueriesAreOtherCommands) {
  const StudySpecification before = study_with(kFull);
  EXPECT_EQ(command_differences(before, before), "");
  StudySpecification after = before;
  auto& source = std::get<PrometheusSource>(*after.system->measure);
  source.over = "60s";
  source.metrics["errors"] = "e";
  auto& apply = std::get<HttpApply>(*after.system->apply);
  apply.body = "{}";
  apply.access.headers["X-Team"] = "web";
  apply.access.headers["X-Key"] = Secret{.file = "other.txt"};
  apply.access.token = Secret{.file = "t"};
  apply.access.ca_file = "";
  EXPECT_EQ(command_differences(before, after),
            "system.apply.body was \"{\"mode\": \"{mode}\"}\" and is \"{}\"; "
            "system.apply.headers.X-Team was \"cache\" and is \"web\"; "
            "system.measure.over was \"1m30s\" and is \"60s\"; "
            "system.measure.metrics.errors was absent and is \"e\"")
      << "how a secret is found does not matter";
  after.system->apply = "set {workers}";
  EXPECT_NE(command_differences(before, after).find("system.apply was absent and is \"set"),
            std::string::npos);
  EXPECT_EQ(learning_differences(before, after), "");
}

TEST(HttpDocument, ContextsMayBeQueries) {
  const std::string context = "[[context]]\nname = \"load\"\nlow = 0.0\nhigh = 1.0\nsource = { ";
  const auto study_in = [&](const std::string& source) {
    return parse_study(
        kSpace + context + source + " }\n[system]\nmeasure = \"m {workers} {mode}\"\n", "s.toml");
  };
  const StudySpecification study = study_in("prometheus = \"http://p:9090\", query = 'a{b=\"c\"}'");
  ASSERT_TRUE(study.context_sources.at(0).prometheus);
  EXPECT_EQ(study.context_sources[0].prometheus->query, "a{b=\"c\"}");
  EXPECT_EQ(parse_study(toml_of(study), "toml"), study) << toml_of(study);
  EXPECT_EQ(parse_study_json(json_of(study), "json"), study);
  const StudySpecification other = study_in("prometheus = \"http://p:9090\", query = \"d\"");
  EXPECT_EQ(command_differences(study, other),
            "context.load.source.query was \"a{b=\"c\"}\" and is \"d\"");
  const auto complaint = [&](const std::string& source) {
    try {
      (void)study_in(source);
      return std::string();
    } catch (const SpecificationError& error) {
      return std::string(error.what());
    }
  };
  expect_part(complaint("query = \"a\""), "context.load.source.prometheus: is missing");
  expect_part(complaint("prometheus = \"p\", query = \"a\""), "must be an address");
  expect_part(complaint("prometheus = \"http://p\", query = \"a[{over}]\""),
              "{over} is not a parameter");
  expect_part(complaint("prometheus = \"http://p\", query = \"a\", over = \"1m\""),
              "is only for system.measure; a context is read at once");
}

}  // namespace
}  // namespace canopy
