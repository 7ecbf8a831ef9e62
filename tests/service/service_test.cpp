#include "service/service.hpp"

#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include "service/openapi.hpp"
#include "service/page_files.hpp"
#include "service/tokens.hpp"
#include "support/http_exchange.hpp"
#include "support/test_server.hpp"

#include <chrono>
#include <csignal>
#include <set>
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

const std::string kOfStudy = "/v1/studies/a";

// --- access control --------------------------------------------------------------------------

class TokenServer {
 public:
  TokenServer() {
    std::vector<Token> tokens;
    for (const Role role : {Role::read, Role::work, Role::admin}) {
      const std::string name(name_of(role));
      tokens.push_back({.name = name, .hash = hash_of(name), .role = role, .studies = {"a", "b*"}});
    }
    tokens.push_back({.name = "old", .hash = hash_of("old"), .role = Role::admin, .expires = 1e9});
    tokens.push_back(
        {.name = "foreign", .hash = hash_of("foreign"), .role = Role::admin, .studies = {"other"}});
    tokens.push_back(
        {.name = "slow", .hash = hash_of("slow"), .role = Role::read, .requests_per_second = 1.0});
    tokens.push_back({.name = "small",
                      .hash = hash_of("small"),
                      .role = Role::work,
                      .studies = {"small-*"},
                      .max_studies = 2.0,
                      .max_tickets = 3.0});
    folder_.write("tokens.toml", text_of(tokens));
    ServerOptions options;
    options.tokens = folder_.path("tokens.toml");
    server_ = std::make_unique<TestServer>(options);
    server_->make_study("a", "hct", header("admin"));
  }

  static std::string header(const std::string& token) {
    return "Authorization: Bearer " + token + "\r\n";
  }
  TestServer& operator*() { return *server_; }
  TestServer* operator->() { return server_.get(); }
  testing::TemporaryFolder& folder() { return folder_; }

 private:
  testing::TemporaryFolder folder_;
  std::unique_ptr<TestServer> server_;
};

TEST(ServerTokens, EveryRouteOfTheDocumentAsksForThem) {
  TokenServer server;
  const json document = json::parse(openapi_document());
  int routes_seen = 0;
  for (const auto& [pattern, methods] : document.at("paths").items()) {
    std::string path = pattern;
    if (const std::size_t at = path.find("{name}"); at != std::string::npos)
      path.replace(at, 6, path.starts_with("/page/") ? "icon.svg" : "a");
    for (const auto& [verb, operation] : methods.items()) {
      if (verb == "parameters") continue;
      ++routes_seen;
      std::string method = verb;
      for (char& letter : method) letter = static_cast<char>(std::toupper(letter));
      SCOPED_TRACE(method + " " + pattern);
      const auto status = [&](const std::string& headers) {
        const bool has_body = method == "POST" || method == "PUT";
        return server->exchange(method, path, has_body ? "{}" : "", headers).status;
      };
      if (!operation.contains("x-role")) {
        const bool is_there = !page_files().empty() || operation["operationId"] != "page";
        EXPECT_EQ(status(""), is_there ? 200 : 404);
        continue;
      }
      EXPECT_EQ(status(""), 401);
      EXPECT_EQ(status(TokenServer::header("nonsense")), 401);
      EXPECT_EQ(status("Authorization: Basic cmVhZA==\r\n"), 401);
      EXPECT_EQ(status("Authorization: Bearer\r\n"), 401);
      EXPECT_EQ(status(TokenServer::header("old")), 401);
      if (pattern.find("{name}") != std::string::npos) {
        EXPECT_EQ(status(TokenServer::header("foreign")), 403);
      }
      const auto needed = value_named<Role>(operation.at("x-role").get<std::string>());
      ASSERT_TRUE(needed);
      for (const Role role : {Role::read, Role::work}) {
        if (role < *needed) {
          EXPECT_EQ(status(TokenServer::header(std::string(name_of(role)))), 403);
        }
      }
    }
  }
  EXPECT_EQ(routes_seen, static_cast<int>(routes().size()));
}

TEST(ServerTokens, MayHaveSoManyStudiesAndTicketsAndNoMore) {
  TokenServer server;
  const std::string header = TokenServer::header("small");
  server->make_study("small-1", "hct", header);
  server->make_study("small-2", "hct", header);
  const json third{{"name", "small-3"}, {"toml", "[[space]]\nname='x'\nlow=0.0\nhigh=1.0"}};
  const HttpAnswer refused = server->exchange("POST", "/v1/studies", third.dump(), header);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.code(), "too_many_studies");
  const auto ask = [&](int count) {
    return server->exchange("POST", "/v1/studies/small-1/asks", json{{"count", count}}.dump(),
                            header);
  };
  EXPECT_EQ(ask(4).code(), "too_many_tickets");
  EXPECT_EQ(ask(3).status, 200);
  EXPECT_EQ(ask(1).code(), "too_many_tickets");
}

TEST(ServerTokens, WhatATokenIsNotForIsNotListedNorMade) {
  TokenServer server;
  const auto make = [&](const std::string& name, const std::string& token) {
    return server->exchange(
        "POST", "/v1/studies",
        json{{"name", name}, {"toml", "[[space]]\nname='x'\nlow=0.0\nhigh=1.0"}}.dump(),
        TokenServer::header(token));
  };
  EXPECT_EQ(make("other", "foreign").status, 201);
  EXPECT_EQ(make("other2", "work").status, 403);
  const auto names = [&](const std::string& token) {
    std::string all;
    const HttpAnswer answer =
        server->exchange("GET", "/v1/studies", "", TokenServer::header(token));
    const json page = answer.json();
    for (const json& study : page.at("studies")) {
      all += study.at("name").get<std::string>() + " ";
    }
    return all;
  };
  EXPECT_EQ(names("read"), "a ");
  EXPECT_EQ(names("foreign"), "other ");
}

TEST(ServerTokens, WhoAsksForAStudyThatIsNotThereIsToldOfNoOther) {
  TokenServer server;
  for (const char* more : {"", "/best", "/events", "/commands", "/snapshot"}) {
    const HttpAnswer answer = server->exchange("GET", std::string("/v1/studies/b-none") + more, "",
                                               TokenServer::header("read"));
    EXPECT_EQ(answer.status, 404) << more;
    EXPECT_EQ(answer.json().at("detail"), "there is no study \"b-none\"");
  }
}

TEST(ServerTokens, AStreamEndsWhenItsTokenIsTakenBack) {
  TokenServer server;
  HttpConnection stream(server->port(), 20'000);
  stream.send("GET /v1/studies/a/stream HTTP/1.1\r\nHost: localhost\r\n" +
              TokenServer::header("read") + "\r\n");
  EXPECT_NE(stream.receive().find("200 OK"), std::string::npos);
  server.folder().write("tokens.toml",
                        text_of({{.name = "other", .hash = hash_of("other"), .role = Role::read}}));
  ASSERT_EQ(std::raise(SIGHUP), 0);
  while (!stream.receive().empty()) continue;  // throws if the stream does not end
}

TEST(ServerTokens, TooManyRequestsAreToldWhenToComeAgain) {
  TokenServer server;
  EXPECT_EQ(server->exchange("GET", kOfStudy, "", TokenServer::header("slow")).status, 200);
  const HttpAnswer answer = server->exchange("GET", kOfStudy, "", TokenServer::header("slow"));
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.headers.at("Retry-After"), "1");
}

TEST(ServerTokens, AreNeverInAnAnswer) {
  TokenServer server;
  const std::string secret = "a-secret-that-must-not-be-seen";
  const HttpAnswer answer = server->exchange("GET", kOfStudy, "", TokenServer::header(secret));
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.body.find(secret), std::string::npos);
}

TEST(ServerTokens, WithoutThemOnlyALoopbackAddressIsListenedOn) {
  const testing::TemporaryFolder folder;
  Log log(LogFormat::text, LogLevel::error);
  for (const char* address : {"0.0.0.0", "::"}) {
    ServerOptions options;
    options.store = folder.path("a.db");
    options.address = address;
    options.port = 0;
    try {
      const Server server(options, log);
      FAIL() << address;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("--tokens"), std::string::npos) << error.what();
    }
  }
}

TEST(ServerTokens, WithoutThemPagesOfOtherSitesGetNothing) {
  TestServer server;
  HttpConnection connection(server.port());
  connection.send("GET /v1/studies HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(connection.answer().status, 421);
  // Content that a page may send to another site without a preflight request is not JSON.
  connection.send(
      "POST /v1/studies HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: "
      "2\r\n\r\n{}");
  EXPECT_EQ(connection.answer().status, 415);
  const HttpAnswer answer =
      server.exchange("GET", "/healthz", "", "Origin: http://evil.example\r\n");
  EXPECT_EQ(answer.headers.count("Access-Control-Allow-Origin"), 0U);
}

}  // namespace
}  // namespace canopy::service
