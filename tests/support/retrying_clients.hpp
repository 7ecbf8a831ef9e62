#pragma once

#include "support/http_exchange.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace canopy::testing {

/// Clients of a server that is killed at random. Each request has an idempotency key and is retried
/// until it is answered.
class RetryingClients {
 public:
  /// `port` is that of the first server. A client leaves a server that does not respond for a
  /// while, and follows redirects.
  RetryingClients(int clients, std::string study, std::function<std::uint16_t()> port)
      : study_(std::move(study)), port_(std::move(port)) {
    for (int i = 0; i < clients; ++i) {
      threads_.emplace_back([this, i] { run(i); });
    }
  }
  ~RetryingClients() { stop(); }
  RetryingClients(const RetryingClients&) = delete;
  RetryingClients& operator=(const RetryingClients&) = delete;

  /// Lets every client finish its current work.
  void stop() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  /// The acknowledged rewards, by ticket.
  [[nodiscard]] std::map<std::uint64_t, double> acknowledged() const {
    const std::lock_guard lock(mutex_);
    return acknowledged_;
  }
  [[nodiscard]] std::uint64_t retries() const { return retries_; }
  /// Unexpected responses.
  [[nodiscard]] std::string surprise() const {
    const std::lock_guard lock(mutex_);
    return surprise_;
  }

 private:
  static constexpr int kPatience = 2000;  // ms

  void run(int number) {
    std::mt19937_64 random(static_cast<std::uint64_t>(number));
    std::unique_ptr<HttpConnection> connection;
    for (int i = 0; !stop_; ++i) {
      const std::string key =
          std::to_string(group_) + "-" + std::to_string(number) + "-" + std::to_string(i);
      const HttpAnswer asked = insist(connection, "asks", R"({"pulls":1})", "ask-" + key);
      if (asked.status != 200) return;
      const std::string name = asked.json().at("tickets").at(0).at("ticket");
      const std::uint64_t ticket = std::stoull(name);
      const double reward = static_cast<double>(random() % 1000) / 1000.0;
      const nlohmann::json body{{"tells", {{{"ticket", name}, {"reward", reward}}}}};
      const HttpAnswer told = insist(connection, "tells", body.dump(), "tell-" + key);
      if (told.status != 200) return;
      const std::lock_guard lock(mutex_);
      if (!acknowledged_.emplace(ticket, reward).second) surprise_ = "a ticket was given out twice";
    }
  }

  HttpAnswer insist(std::unique_ptr<HttpConnection>& connection, const std::string& what,
                    const std::string& body, const std::string& key) {
    for (int tries = 0;; ++tries) {
      try {
        if (!connection) connection = std::make_unique<HttpConnection>(port_(), kPatience);
        HttpAnswer answer = connection->exchange("POST", "/v1/studies/" + study_ + "/" + what, body,
                                                 "Idempotency-Key: " + key + "\r\n");
        if (answer.status == 200) return answer;
        if (answer.status == 307) {
          const std::string& place = answer.headers.at("Location");
          const std::size_t colon = place.find(':', place.find("//"));
          const auto port =
              static_cast<std::uint16_t>(std::strtoul(place.c_str() + colon + 1, nullptr, 10));
          connection = std::make_unique<HttpConnection>(port, kPatience);
        }
        if (answer.status != 503 && answer.status != 307 && answer.code() != "open_elsewhere") {
          const std::lock_guard lock(mutex_);
          surprise_ = answer.body;
          return answer;
        }
      } catch (const std::exception&) {
        connection.reset();
      }
      ++retries_;
      if (tries > 6000) {
        const std::lock_guard lock(mutex_);
        surprise_ = "no answer for a minute";
        return {};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  static inline std::atomic<int> groups = 0;

  const int group_ = ++groups;  // clients of a test must not share keys
  std::string study_;
  std::function<std::uint16_t()> port_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> retries_ = 0;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, double> acknowledged_;
  std::string surprise_;
  std::vector<std::thread> threads_;
};

}  // namespace canopy::testing
