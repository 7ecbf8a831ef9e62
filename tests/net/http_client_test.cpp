#include "net/http_client.hpp"

#include "support/fake_service.hpp"
#include "support/shell.hpp"
#include "support/temporary_folder.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using namespace std::chrono_literals;
using testing::FakeService;
using Fault = FakeService::Fault;

HttpClient::Options options_for(const std::string& url) {
  return {.server = ServerAddress::parse(url).value(), .timeout = 2s, .patience = 5s};
}

/// The first requests fail in this way.
FakeService::Faults first(int count, Fault fault) {
  return [left = count, fault](const std::string&, const std::string&) mutable {
    return left-- > 0 ? fault : Fault::none;
  };
}

std::uint64_t studies_in(const Document& answer) {
  return answer.find("studies")->as_list()->size();
}

constexpr const char* kList = "/v1/studies?limit=10&after=";

TEST(HttpClient, KeepsItsConnection) {
  FakeService service;
  HttpClient client(options_for(service.url()));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(studies_in(client.get(kList)), 0U);
  EXPECT_EQ(service.connections(), 1U);
}

TEST(HttpClient, AConnectionThatWasClosedMeanwhileIsNoFailure) {
  FakeService service;
  service.set_faults(first(1, Fault::closes));
  HttpClient::Options options = options_for(service.url());
  options.patience = 0ms;
  HttpClient client(options);
  EXPECT_EQ(studies_in(client.get(kList)), 0U);
  EXPECT_EQ(studies_in(client.get(kList)), 0U);
  EXPECT_EQ(service.connections(), 2U);
}

TEST(HttpClient, AsksAgainAfterLossesAndSaysSoOnce) {
  for (const Fault fault : {Fault::lost, Fault::answer_lost, Fault::unavailable}) {
    FakeService service;
    service.set_faults(first(3, fault));
    int troubles = 0;
    int recoveries = 0;
    HttpClient::Options options = options_for(service.url());
    options.on_trouble = [&](const std::string& what) {
      ++troubles;
      EXPECT_NE(what.find(service.url()), std::string::npos) << what;
    };
    options.on_recovery = [&] { ++recoveries; };
    HttpClient client(options);
    EXPECT_EQ(studies_in(client.get(kList)), 0U);
    EXPECT_EQ(troubles, 1);
    EXPECT_EQ(recoveries, 1);
    EXPECT_EQ(service.requests(), 4U);
  }
}

TEST(HttpClient, HasPatienceOnlyForAWhile) {
  unsigned short port = 0;
  { port = FakeService().port(); }  // no server listens there now
  HttpClient::Options options = options_for("http://127.0.0.1:" + std::to_string(port));
  options.patience = 250ms;
  HttpClient client(options);
  const auto begun = std::chrono::steady_clock::now();
  try {
    (void)client.get(kList);
    FAIL();
  } catch (const ServerUnreachable& error) {
    EXPECT_EQ(std::string(error.what()), "http://127.0.0.1:" + std::to_string(port) +
                                             " cannot be reached: Connection refused");
  }
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_GE(took, 200ms);
  EXPECT_LT(took, 2s);
}

TEST(HttpClient, AStopEndsItsPatience) {
  FakeService service;
  service.set_faults(first(1'000'000, Fault::lost));
  std::atomic<bool> stop{false};
  HttpClient::Options options = options_for(service.url());
  options.patience = 10min;
  options.stop = &stop;
  options.on_trouble = [&](const std::string&) { stop = true; };
  HttpClient client(options);
  EXPECT_THROW((void)client.get(kList), ServerUnreachable);
}

TEST(HttpClient, DoesNotWaitForeverForAnAnswer) {
  FakeService service;
  service.set_other([](const std::string&) {
    std::this_thread::sleep_for(500ms);
    return std::optional(FakeService::Reply{});
  });
  HttpClient::Options options = options_for(service.url());
  options.timeout = 100ms;
  options.patience = 0ms;
  HttpClient client(options);
  try {
    (void)client.get(kList);
    FAIL();
  } catch (const ServerUnreachable& error) {
    EXPECT_EQ(std::string(error.what()),
              service.url() + " cannot be reached: no answer within 0.1 s");
  }
}

TEST(HttpClient, SaysWhatTheServerSays) {
  FakeService service({.token = "secret"});
  HttpClient::Options options = options_for(service.url());
  try {
    (void)HttpClient(options).get(kList);
    FAIL();
  } catch (const ServerProblem& problem) {
    EXPECT_EQ(problem.status(), 401U);
    EXPECT_EQ(problem.code(), "unknown_token");
    EXPECT_STREQ(problem.what(), "there is no such token");
  }
  options.token = "secret";
  EXPECT_EQ(studies_in(HttpClient(options).get(kList)), 0U);
}

TEST(HttpClient, WhatIsNoAnswerOfOursIsReportedAsItIs) {
  FakeService service;
  service.set_other([](const std::string& target) {
    return target == "/page" ? std::optional(FakeService::Reply{200, "<html>"})
                             : std::optional(FakeService::Reply{502, "<html>"});
  });
  HttpClient client(options_for(service.url()));
  EXPECT_THROW((void)client.get("/page"), ServerUnreachable);
  try {
    (void)client.get("/other");
    FAIL();
  } catch (const ServerProblem& problem) {
    EXPECT_EQ(problem.status(), 502U);
    EXPECT_STREQ(problem.what(), "the server responded with 502 Bad Gateway");
  }
}

TEST(HttpClient, FollowsARedirectAndReturnsWhenTheTargetIsUnreachable) {
  FakeService home;
  auto other = std::make_unique<FakeService>();
  const std::string url = other->url();
  bool sends_away = true;
  home.set_other([&](const std::string& target) {
    return sends_away ? std::optional(FakeService::Reply{307, "", {{"Location", url + target}}})
                      : std::nullopt;
  });
  HttpClient client(options_for(home.url()));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(studies_in(client.get(kList)), 0U);
  EXPECT_EQ(home.requests(), 1U) << "it remembers where the other one is";
  EXPECT_EQ(other->requests(), 3U);
  other.reset();
  sends_away = false;
  EXPECT_EQ(studies_in(client.get(kList)), 0U);
  EXPECT_EQ(home.requests(), 2U);
}

TEST(HttpClient, IsNotSentInCirclesForEver) {
  FakeService home;
  home.set_other([&](const std::string& target) {
    return std::optional(FakeService::Reply{307, "", {{"Location", home.url() + target}}});
  });
  HttpClient::Options options = options_for(home.url());
  options.patience = 0ms;
  EXPECT_THROW((void)HttpClient(options).get(kList), ServerUnreachable);
  EXPECT_EQ(home.requests(), 4U);
}

TEST(HttpClient, TalksToServersThatItTrusts) {
  const testing::TemporaryFolder folder;
  const auto made = testing::shell(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
      "/CN=localhost -addext subjectAltName=DNS:localhost -keyout " +
      folder.path("key.pem") + " -out " + folder.path("certificate.pem") + " 2>&1");
  ASSERT_EQ(made.status, 0) << made.out;
  FakeService service(
      {.certificate = folder.path("certificate.pem"), .key = folder.path("key.pem")});
  HttpClient::Options options = options_for(service.url());
  options.ca_file = folder.path("certificate.pem");
  HttpClient client(options);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(studies_in(client.get(kList)), 0U);

  const std::string port = std::to_string(service.port());
  for (const auto& [url, ca_file] : {std::pair(service.url(), std::string()),
                                     std::pair("https://127.0.0.1:" + port, options.ca_file)}) {
    HttpClient::Options others = options_for(url);
    others.ca_file = ca_file;
    try {
      (void)HttpClient(others).get(kList);
      FAIL() << url;
    } catch (const ServerUnreachable& error) {
      EXPECT_EQ(std::string(error.what())
                    .find(url + " cannot be reached: its certificate is not trusted: "),
                0U)
          << error.what();
    }
  }
  options.ca_file = folder.path("key.pem");
  EXPECT_THROW(HttpClient{options}, ServerUnreachable);
}

}  // namespace
}  // namespace canopy
