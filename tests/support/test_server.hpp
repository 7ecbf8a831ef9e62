#pragma once

#include "service/log.hpp"
#include "service/server.hpp"
#include "support/http_exchange.hpp"
#include "support/temporary_folder.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace canopy::testing {

/// A server in this process, with a store in a folder of its own.
class TestServer {
 public:
  explicit TestServer(service::ServerOptions options = {}) : options_(std::move(options)) {
    if (options_.store.empty()) options_.store = folder_.path("studies.db");
    options_.port = 0;
    start();
  }
  ~TestServer() { stop(); }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  void start() {
    server_ = std::make_unique<service::Server>(options_, log_);
    port_ = static_cast<std::uint16_t>(
        std::stoul(server_->url().substr(server_->url().rfind(':') + 1)));
    thread_ = std::thread([this] { server_->run(); });
  }

  void stop() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
    server_.reset();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const std::string& store() const { return options_.store; }
  [[nodiscard]] service::ServerOptions& options() { return options_; }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }

  /// Sends one request on a new connection.
  [[nodiscard]] HttpAnswer exchange(const std::string& method, const std::string& target,
                                    const std::string& body = "",
                                    const std::string& headers = "") const {
    return HttpConnection(port_).exchange(method, target, body, headers);
  }

  /// Creates a study of one parameter.
  void make_study(const std::string& name, const std::string& optimizer = "hct",
                  const std::string& headers = "") const {
    const nlohmann::json body{
        {"name", name},
        {"specification",
         {{"optimizer", {{"name", optimizer}}},
          {"space", {{{"name", "x"}, {"type", "real"}, {"low", 0.0}, {"high", 1.0}}}}}}};
    const HttpAnswer answer = exchange("POST", "/v1/studies", body.dump(), headers);
    if (answer.status != 201) throw std::runtime_error(answer.body);
  }

 private:
  TemporaryFolder folder_;
  service::ServerOptions options_;
  service::Log log_{service::LogFormat::text, service::LogLevel::error};
  std::unique_ptr<service::Server> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace canopy::testing
