// Servers that share a database and are killed, stopped or cut off from it.

#include "support/http_exchange.hpp"
#include "support/postgres_server.hpp"
#include "support/retrying_clients.hpp"
#include "support/served_studies.hpp"
#include "support/server_process.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

using namespace std::chrono_literals;
using testing::free_port;
using testing::HttpAnswer;
using testing::HttpConnection;
using testing::PostgresServer;
using testing::RetryingClients;
using testing::ServerProcess;

class PostgresServersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = PostgresServer::shared().new_database();
  }

  [[nodiscard]] ServerProcess server() const {
    const std::uint16_t port = free_port();
    return {store_, port, {"--advertise", "http://127.0.0.1:" + std::to_string(port)}};
  }

  void expect_all_there(RetryingClients& clients) const {
    EXPECT_EQ(clients.surprise(), "");
    const auto acknowledged = clients.acknowledged();
    std::cout << acknowledged.size() << " answers were acknowledged, " << clients.retries()
              << " retries\n";
    EXPECT_GT(acknowledged.size(), 50U);
    testing::expect_all_there(store_, "a", acknowledged);
  }

  std::string store_;
};

TEST_F(PostgresServersTest, SendARequestToTheOneThatHasTheStudy) {
  ServerProcess first = server();
  ServerProcess second = server();
  first.start();
  second.start();
  testing::make_hct_study(first.port(), "a");
  EXPECT_EQ(HttpConnection(first.port()).exchange("POST", "/v1/studies/a/asks").status, 200);
  const HttpAnswer sent = HttpConnection(second.port()).exchange("POST", "/v1/studies/a/asks?");
  EXPECT_EQ(sent.status, 307) << sent.body;
  EXPECT_EQ(sent.headers.at("Location"),
            "http://127.0.0.1:" + std::to_string(first.port()) + "/v1/studies/a/asks?");
  const HttpAnswer seen = HttpConnection(second.port()).exchange("GET", "/v1/studies/a/asks");
  EXPECT_EQ(seen.json().at("tickets").size(), 1U) << "any server answers read-only requests";
  first.signal(SIGTERM);
  EXPECT_EQ(first.finish().status, 0);
  EXPECT_EQ(HttpConnection(second.port()).exchange("POST", "/v1/studies/a/asks").status, 200)
      << "a server that ends gives its studies back at once";
  second.signal(SIGTERM);
  EXPECT_EQ(second.finish().status, 0);
}

TEST_F(PostgresServersTest, TakeOverFromOneThatWasKilled) {
  ServerProcess first = server();
  ServerProcess second = server();
  first.start();
  second.start();
  testing::make_hct_study(first.port(), "a");
  std::atomic<std::uint16_t> port = first.port();
  RetryingClients clients(16, "a", [&] { return port.load(); });
  std::this_thread::sleep_for(500ms);
  first.signal(SIGKILL);
  (void)first.finish();
  port = second.port();
  const std::size_t before = clients.acknowledged().size();
  const auto start = std::chrono::steady_clock::now();
  while (clients.acknowledged().size() == before &&
         std::chrono::steady_clock::now() - start < 20s) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  std::this_thread::sleep_for(300ms);
  clients.stop();
  second.signal(SIGTERM);
  EXPECT_EQ(second.finish().status, 0);
  expect_all_there(clients);
}

TEST_F(PostgresServersTest, RefuseWhatOneWritesThatSleptTooLong) {
  ServerProcess first = server();
  ServerProcess second = server();
  first.start();
  second.start();
  testing::make_hct_study(first.port(), "a");
  std::atomic<std::uint16_t> port = first.port();
  RetryingClients clients(8, "a", [&] { return port.load(); });
  // These clients stay with the first server, which receives their requests when it wakes up.
  RetryingClients loyal(8, "a", [&] { return first.port(); });
  std::this_thread::sleep_for(500ms);
  first.signal(SIGSTOP);
  port = second.port();
  const std::size_t before = clients.acknowledged().size();
  const auto start = std::chrono::steady_clock::now();
  while (clients.acknowledged().size() < before + 100 &&
         std::chrono::steady_clock::now() - start < 20s) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s) << "another server has taken it over";
  first.signal(SIGCONT);
  std::this_thread::sleep_for(1s);
  loyal.stop();
  clients.stop();
  first.signal(SIGTERM);
  EXPECT_EQ(first.finish().status, 0);
  second.signal(SIGTERM);
  EXPECT_EQ(second.finish().status, 0);
  EXPECT_EQ(loyal.surprise(), "");
  EXPECT_EQ(clients.surprise(), "");
  expect_all_there(clients);
  testing::expect_all_there(store_, "a", loyal.acknowledged());
}

TEST_F(PostgresServersTest, DoNotRefuseATicketThatAnotherGaveOutWhileTheySlept) {
  ServerProcess first = server();
  ServerProcess second = server();
  first.start();
  second.start();
  testing::make_hct_study(first.port(), "a");
  EXPECT_EQ(HttpConnection(first.port()).exchange("POST", "/v1/studies/a/asks").status, 200);
  first.signal(SIGSTOP);
  HttpAnswer asked;
  const auto start = std::chrono::steady_clock::now();
  while (asked.status != 200 && std::chrono::steady_clock::now() - start < 20s) {
    asked = HttpConnection(second.port()).exchange("POST", "/v1/studies/a/asks");
    std::this_thread::sleep_for(10ms);
  }
  ASSERT_EQ(asked.status, 200) << asked.body;
  const nlohmann::json body{
      {"tells", {{{"ticket", asked.json().at("tickets").at(0).at("ticket")}, {"reward", 0.5}}}}};
  first.signal(SIGCONT);
  const HttpAnswer told =
      HttpConnection(first.port()).exchange("POST", "/v1/studies/a/tells", body.dump());
  EXPECT_TRUE(told.status == 503 || told.status == 307) << told.status << ' ' << told.body;
  first.signal(SIGTERM);
  EXPECT_EQ(first.finish().status, 0);
  second.signal(SIGTERM);
  EXPECT_EQ(second.finish().status, 0);
}

TEST_F(PostgresServersTest, GoOnWhenTheDatabaseIsBack) {
  ServerProcess one = server();
  one.start();
  testing::make_hct_study(one.port(), "a");
  RetryingClients clients(16, "a", [&] { return one.port(); });
  std::this_thread::sleep_for(300ms);
  PostgresServer::shared().stop(SIGINT);
  std::this_thread::sleep_for(300ms);
  const HttpAnswer refused = HttpConnection(one.port()).exchange("POST", "/v1/studies/a/asks");
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_TRUE(refused.headers.contains("Retry-After"));
  EXPECT_EQ(HttpConnection(one.port()).exchange("GET", "/healthz").status, 200);
  const auto ready = [&] { return HttpConnection(one.port()).exchange("GET", "/readyz").status; };
  for (int i = 0; i < 200 && ready() != 503; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(ready(), 503);
  std::this_thread::sleep_for(2s);
  PostgresServer::shared().start();
  const std::size_t before = clients.acknowledged().size();
  for (int i = 0; i < 1000 && clients.acknowledged().size() == before; ++i) {
    std::this_thread::sleep_for(10ms);
  }
  std::this_thread::sleep_for(300ms);
  clients.stop();
  one.signal(SIGTERM);
  EXPECT_EQ(one.finish().status, 0);
  expect_all_there(clients);
}

}  // namespace
}  // namespace canopy::service
