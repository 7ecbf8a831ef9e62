#pragma once

#include "support/http_exchange.hpp"
#include "support/process.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace canopy::testing {

/// A port that is free at the moment.
inline std::uint16_t free_port() {
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
  return acceptor.local_endpoint().port();
}

/// Runs `canopy serve` in a child process.
class ServerProcess {
 public:
  ServerProcess(std::string store, std::uint16_t port, std::vector<std::string> more = {})
      : port_(port),
        words_{"serve", "--store", std::move(store), "--listen",
               "127.0.0.1:" + std::to_string(port)} {
    words_.insert(words_.end(), more.begin(), more.end());
  }

  void start() {
    process_ = std::make_unique<Process>(words_);
    for (int i = 0; i < 1000; ++i) {
      try {
        if (HttpConnection(port_).exchange("GET", "/healthz").status == 200) return;
      } catch (const std::exception&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
    FAIL() << "the server does not start: " << process_->finish().err;
  }

  void signal(int number) const { process_->signal(number); }

  Process::Result finish() {
    Process::Result result = process_->finish();
    process_.reset();
    return result;
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  std::uint16_t port_;
  std::vector<std::string> words_;
  std::unique_ptr<Process> process_;
};

inline void make_hct_study(std::uint16_t port, const std::string& name) {
  const nlohmann::json body{
      {"name", name}, {"toml", "[optimizer]\nname='hct'\n[[space]]\nname='x'\nlow=0.0\nhigh=1.0"}};
  const auto answer = HttpConnection(port).exchange("POST", "/v1/studies", body.dump());
  ASSERT_EQ(answer.status, 201) << answer.body;
}

}  // namespace canopy::testing
