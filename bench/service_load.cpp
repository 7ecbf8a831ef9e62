// Clients of `canopy serve` on persistent connections: each repeatedly asks for tickets and tells
// their rewards, one request at a time, waiting for every response. Prints responses per second and
// latencies.
//
//   service_load PORT STUDY CONNECTIONS SECONDS [RATE]
//
// RATE: tells per second over all connections; without it, as many as the server answers.
//
// It shares the machine with the server and therefore uses few resources: one thread, one epoll
// instance, and reused memory.

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <netinet/tcp.h>
#include <queue>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kTicketsAtOnce = 4;

int checked(int result) {
  if (result < 0) throw std::system_error(errno, std::generic_category());
  return result;
}

struct Load {
  std::string study;
  std::uint64_t tells = 0;
  std::uint64_t failures = 0;
  std::vector<float> milliseconds = {};
};

/// One client: either a request is in flight, or it waits for its next turn.
class Client {
 public:
  Client(Load& load, std::uint16_t port, std::size_t number)
      : load_(load), number_(number), socket_(checked(socket(AF_INET, SOCK_STREAM, 0))) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): required by the sockets API
    checked(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    const int on = 1;
    checked(setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] int socket_number() const { return socket_; }
  [[nodiscard]] bool needs_tickets() const { return tickets_.empty(); }

  void ask() {
    is_telling_ = false;
    body_.clear();
    fmt::format_to(std::back_inserter(body_), R"({{"pulls":1,"count":{}}})", kTicketsAtOnce);
    send("asks");
  }

  void tell(SteadyClock::time_point start) {
    is_telling_ = true;
    start_ = start;
    const std::string& ticket = tickets_.back();
    const std::uint64_t number = std::strtoull(ticket.c_str(), nullptr, 10);
    const double reward = static_cast<double>((number * 2654435761U) % 1000U) / 1000.0;
    body_.clear();
    fmt::format_to(std::back_inserter(body_), R"({{"tells":[{{"ticket":"{}","reward":{}}}]}})",
                   ticket, reward);
    tickets_.pop_back();
    send("tells");
  }

  /// Receives data; returns whether the response is complete.
  bool receive() {
    static std::array<char, 65536> buffer;
    const auto got = recv(socket_, buffer.data(), buffer.size(), 0);
    if (checked(static_cast<int>(got)) == 0)
      throw std::runtime_error("the server closed the connection");
    received_.append(buffer.data(), static_cast<std::size_t>(got));
    const std::size_t end = received_.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    const std::size_t at = received_.find("Content-Length: ");
    const std::size_t length = std::strtoull(received_.c_str() + at + 16, nullptr, 10);
    if (received_.size() < end + 4 + length) return false;
    take_answer(std::string_view(received_).substr(end + 4));
    return true;
  }

 private:
  void send(std::string_view what) {
    received_.clear();
    request_.clear();
    fmt::format_to(std::back_inserter(request_),
                   "POST /v1/studies/{}/{} HTTP/1.1\r\nHost: localhost\r\n"
                   "Content-Type: application/json\r\nIdempotency-Key: {}-{}-{}\r\n"
                   "Content-Length: {}\r\n\r\n{}",
                   load_.study, what, static_cast<long>(getpid()), number_, ++key_, body_.size(),
                   body_);
    const auto sent = ::send(socket_, request_.data(), request_.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(request_.size()))
      throw std::runtime_error("the request could not be sent completely");
  }

  void take_answer(std::string_view body) {
    if (is_telling_) {
      const std::chrono::duration<float, std::milli> took = SteadyClock::now() - start_;
      load_.milliseconds.push_back(took.count());
      ++load_.tells;
      if (!received_.starts_with("HTTP/1.1 200")) ++load_.failures;
      return;
    }
    constexpr std::string_view kKey = R"("ticket":")";
    for (std::size_t at = body.find(kKey); at != std::string_view::npos; at = body.find(kKey, at)) {
      at += kKey.size();
      tickets_.emplace_back(body.substr(at, body.find('"', at) - at));
    }
    if (tickets_.empty()) throw std::runtime_error("no tickets: " + std::string(body));
  }

  Load& load_;
  std::size_t number_;
  int socket_;
  std::uint64_t key_ = 0;
  bool is_telling_ = false;
  SteadyClock::time_point start_;
  std::string body_, request_, received_;
  std::vector<std::string> tickets_;
};

/// All clients, until the time is over.
class Clients {
 public:
  Clients(Load& load, std::uint16_t port, std::size_t count, double rate)
      : epoll_(checked(epoll_create1(0))) {
    if (rate > 0.0) {
      pause_ = std::chrono::duration_cast<SteadyClock::duration>(
          std::chrono::duration<double>(static_cast<double>(count) / rate));
    }
    for (std::size_t i = 0; i < count; ++i) {
      clients_.push_back(std::make_unique<Client>(load, port, i));
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      checked(epoll_ctl(epoll_, EPOLL_CTL_ADD, clients_.back()->socket_number(), &event));
    }
    turns_.resize(count);
  }
  ~Clients() { close(epoll_); }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  void run(SteadyClock::time_point end) {
    // Starts are spread over one interval, as those of independent clients are.
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      turns_[i] =
          SteadyClock::now() + pause_ * static_cast<long>(i) / static_cast<long>(clients_.size());
      clients_[i]->ask();
    }
    std::array<epoll_event, 256> events{};
    for (;;) {
      const auto now = SteadyClock::now();
      if (now >= end) return;
      while (!waiting_.empty() && waiting_.top().first <= now) {
        const auto [turn, number] = waiting_.top();
        waiting_.pop();
        clients_[number]->tell(turn);
      }
      const auto until = waiting_.empty() ? end : std::min(end, waiting_.top().first);
      const auto patience = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
      const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(patience));
      for (int i = 0; i < count; ++i) {
        const std::size_t number = events[static_cast<std::size_t>(i)].data.u64;
        if (clients_[number]->receive()) go_on(number);
      }
    }
  }

 private:
  void go_on(std::size_t number) {
    Client& client = *clients_[number];
    if (client.needs_tickets()) {
      client.ask();
    } else if (pause_ == SteadyClock::duration::zero()) {
      client.tell(SteadyClock::now());
    } else {
      turns_[number] += pause_;
      waiting_.emplace(turns_[number], number);
    }
  }

  using Turn = std::pair<SteadyClock::time_point, std::size_t>;

  int epoll_;
  SteadyClock::duration pause_{};
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<SteadyClock::time_point> turns_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> waiting_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 5) {
    (void)std::fputs("usage: service_load PORT STUDY CONNECTIONS SECONDS [RATE]\n", stderr);
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::strtoul(argv[1], nullptr, 10));
  const std::size_t connections = std::strtoul(argv[3], nullptr, 10);
  const std::chrono::duration<double> seconds(std::strtod(argv[4], nullptr));
  Load load{.study = argv[2]};
  Clients clients(load, port, connections, argc > 5 ? std::strtod(argv[5], nullptr) : 0.0);
  const auto start = SteadyClock::now();
  clients.run(start + std::chrono::duration_cast<SteadyClock::duration>(seconds));
  const double took = std::chrono::duration<double>(SteadyClock::now() - start).count();
  std::sort(load.milliseconds.begin(), load.milliseconds.end());
  const auto quantile = [&](double q) {
    return load.milliseconds.empty() ? 0.0F
                                     : load.milliseconds[static_cast<std::size_t>(
                                           q * static_cast<double>(load.milliseconds.size() - 1))];
  };
  fmt::print("{:.0f} {:.3f} {:.3f} {}\n", static_cast<double>(load.tells) / took, quantile(0.5),
             quantile(0.99), load.failures);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "service_load: {}\n", error.what());
  return 1;
}
