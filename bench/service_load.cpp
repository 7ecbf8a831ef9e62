// Clients of `canopy serve` on kept connections: each asks for tickets and tells their rewards, one
// request after the other, and waits for every answer. Prints answers a second and how long they
// took.
//
//   service_load PORT STUDY CONNECTIONS SECONDS [RATE]
//
// RATE: tells a second of all connections together; without it, as many as there are answers.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio.hpp>
#include <fmt/format.h>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using SteadyClock = std::chrono::steady_clock;

constexpr int kTicketsAtOnce = 4;

struct Load {
  std::string study;
  SteadyClock::time_point end;
  double rate = 0.0;  // of one connection; 0: no limit
  std::uint64_t tells = 0;
  std::uint64_t failures = 0;
  std::vector<float> milliseconds = {};
};

/// One client.
class Client {
 public:
  Client(asio::io_context& io, Load& load, std::uint16_t port, std::size_t number)
      : socket_(io), load_(load), number_(number) {
    socket_.connect({asio::ip::make_address("127.0.0.1"), port});
    socket_.set_option(tcp::no_delay(true));
  }

  asio::awaitable<void> run() {
    asio::steady_timer timer(socket_.get_executor());
    auto next = SteadyClock::now();
    while (SteadyClock::now() < load_.end) {
      if (tickets_.empty()) co_await ask();
      if (load_.rate > 0.0) {
        next += std::chrono::duration_cast<SteadyClock::duration>(
            std::chrono::duration<double>(1.0 / load_.rate));
        timer.expires_at(next);
        co_await timer.async_wait(asio::use_awaitable);
      }
      const auto start = load_.rate > 0.0 ? next : SteadyClock::now();
      co_await tell();
      const std::chrono::duration<float, std::milli> took = SteadyClock::now() - start;
      load_.milliseconds.push_back(took.count());
    }
  }

 private:
  asio::awaitable<void> ask() {
    co_await exchange("asks", fmt::format(R"({{"pulls":1,"count":{}}})", kTicketsAtOnce));
    constexpr std::string_view kKey = R"("ticket":")";
    for (std::size_t at = body_.find(kKey); at != std::string::npos; at = body_.find(kKey, at)) {
      at += kKey.size();
      tickets_.push_back(body_.substr(at, body_.find('"', at) - at));
    }
    if (tickets_.empty()) throw std::runtime_error("no tickets: " + body_);
  }

  asio::awaitable<void> tell() {
    const std::string ticket = tickets_.front();
    tickets_.pop_front();
    const std::uint64_t number = std::strtoull(ticket.c_str(), nullptr, 10);
    const double reward = static_cast<double>((number * 2654435761U) % 1000U) / 1000.0;
    co_await exchange(
        "tells", fmt::format(R"({{"tells":[{{"ticket":"{}","reward":{}}}]}})", ticket, reward));
    ++load_.tells;
    if (status_ != 200) ++load_.failures;
  }

  asio::awaitable<void> exchange(std::string_view what, const std::string& body) {
    const std::string request = fmt::format(
        "POST /v1/studies/{}/{} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Idempotency-Key: {}-{}-{}\r\nContent-Length: {}\r\n\r\n{}",
        load_.study, what, static_cast<long>(getpid()), number_, ++key_, body.size(), body);
    co_await asio::async_write(socket_, asio::buffer(request), asio::use_awaitable);
    std::size_t end = std::string::npos;
    received_.clear();
    std::size_t length = 0;
    std::array<char, 65536> buffer{};
    while (end == std::string::npos || received_.size() < end + 4 + length) {
      const std::size_t got =
          co_await socket_.async_read_some(asio::buffer(buffer), asio::use_awaitable);
      received_.append(buffer.data(), got);
      if (end == std::string::npos) {
        end = received_.find("\r\n\r\n");
        if (end == std::string::npos) continue;
        const std::size_t at = received_.find("Content-Length: ");
        length = std::strtoull(received_.c_str() + at + 16, nullptr, 10);
      }
    }
    status_ = std::strtol(received_.c_str() + 9, nullptr, 10);
    body_ = received_.substr(end + 4);
  }

  tcp::socket socket_;
  Load& load_;
  std::size_t number_;
  std::uint64_t key_ = 0;
  long status_ = 0;
  std::string received_, body_;
  std::deque<std::string> tickets_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    (void)std::fputs("usage: service_load PORT STUDY CONNECTIONS SECONDS [RATE]\n", stderr);
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::strtoul(argv[1], nullptr, 10));
  const long connections = std::strtol(argv[3], nullptr, 10);
  const double seconds = std::strtod(argv[4], nullptr);
  asio::io_context io{1};
  Load load{.study = argv[2], .end = {}};
  if (argc > 5) load.rate = std::strtod(argv[5], nullptr) / static_cast<double>(connections);
  std::vector<std::unique_ptr<Client>> clients(static_cast<std::size_t>(connections));
  for (std::size_t i = 0; i < clients.size(); ++i) {
    clients[i] = std::make_unique<Client>(io, load, port, i);
  }
  const auto start = SteadyClock::now();
  load.end = start + std::chrono::duration_cast<SteadyClock::duration>(
                         std::chrono::duration<double>(seconds));
  for (auto& client : clients) {
    asio::co_spawn(io, client->run(), [](const std::exception_ptr& error) {
      if (error) std::rethrow_exception(error);
    });
  }
  io.run();
  const double took = std::chrono::duration<double>(SteadyClock::now() - start).count();
  std::sort(load.milliseconds.begin(), load.milliseconds.end());
  const auto quantile = [&](double q) {
    return load.milliseconds.empty() ? 0.0F
                                     : load.milliseconds[static_cast<std::size_t>(
                                           q * static_cast<double>(load.milliseconds.size() - 1))];
  };
  fmt::print("{:.0f} {:.3f} {:.3f} {}\n", static_cast<double>(load.tells) / took, quantile(0.5),
             quantile(0.99), load.failures);
}
