// Tests the server as a process that receives signals.

#include "support/http_exchange.hpp"
#include "support/process.hpp"
#include "support/retrying_clients.hpp"
#include "support/served_studies.hpp"
#include "support/server_process.hpp"
#include "support/temporary_folder.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

using testing::free_port;
using testing::HttpConnection;
using testing::make_hct_study;
using testing::Process;
using testing::ServerProcess;

TEST(ServerSignals, SigtermAnswersWhatHasArrivedAndEndsSoon) {
  const testing::TemporaryFolder folder;
  const std::string store = folder.path("a.db");
  ServerProcess server(store, free_port());
  server.start();
  make_hct_study(server.port(), "a");
  std::atomic<std::uint16_t> port = server.port();
  testing::RetryingClients clients(16, "a", [&] { return port.load(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  HttpConnection idle(server.port());  // must not delay the server
  const auto start = std::chrono::steady_clock::now();
  server.signal(SIGTERM);
  const Process::Result result = server.finish();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  server.start();
  clients.stop();
  EXPECT_EQ(clients.surprise(), "");
  server.signal(SIGTERM);
  EXPECT_EQ(server.finish().status, 0);
  testing::expect_all_there(store, "a", clients.acknowledged());
}

TEST(ServerSignals, SighupReadsTokensAgain) {
  const testing::TemporaryFolder folder;
  folder.write("tokens.toml", "");
  ServerProcess server(folder.path("a.db"), free_port(), {"--tokens", folder.path("tokens.toml")});
  server.start();
  const auto status = [&] {
    return HttpConnection(server.port())
        .exchange("GET", "/v1/studies", "", "Authorization: Bearer abc\r\n")
        .status;
  };
  EXPECT_EQ(status(), 401);
  // SHA-256 of abc
  folder.write("tokens.toml",
               "[[token]]\nname = 'a'\nrole = 'read'\nhash = "
               "'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'\n");
  server.signal(SIGHUP);
  for (int i = 0; i < 200 && status() != 200; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(status(), 200);
  folder.write("tokens.toml", "nonsense");
  server.signal(SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(status(), 200) << "what cannot be read changes nothing";
  server.signal(SIGINT);
  const Process::Result result = server.finish();
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("not_reloaded"), std::string::npos);
}

}  // namespace
}  // namespace canopy::service
