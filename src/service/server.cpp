#include "service/server.hpp"

#include "canopy/clock.hpp"
#include "canopy/stores.hpp"

#include "service/connection.hpp"
#include "service/openapi.hpp"
#include "service/service_manager.hpp"
#include "service/shared_store.hpp"
#include "service/streams.hpp"
#include "service/transport.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <list>
#include <malloc.h>
#include <stdexcept>
#include <sys/resource.h>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace canopy::service {
namespace {

using tcp = asio::ip::tcp;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenTicks{1000};
constexpr std::chrono::milliseconds kBetweenTicksAtTheEnd{10};
constexpr double kAnswersAreKept = 24.0 * 3600.0;  // seconds

/// Limits the arenas of malloc, so that memory freed by one worker is reused by the next. With
/// fewer arenas, threads wait for each other: two arenas took a quarter more time under load.
void share_memory_among_threads() {
  (void)mallopt(M_ARENA_MAX, 8);
}

void raise_limit_of_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

std::shared_ptr<AccessControl> access_of(const ServerOptions& options) {
  if (!options.tokens) return nullptr;
  std::vector<Token> tokens = load_tokens(*options.tokens);
  for (Token& token : tokens) {
    if (!token.requests_per_second) token.requests_per_second = options.requests_per_second;
  }
  return std::make_shared<AccessControl>(std::move(tokens));
}

std::shared_ptr<asio::ssl::context> tls_of(const ServerOptions& options) {
  if (!options.certificate) return nullptr;
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                       asio::ssl::context::no_tlsv1_1);
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  const auto use = [](const std::string& file, const auto& load) {
    boost::system::error_code error;
    load(error);
    if (error) throw std::runtime_error(file + ": cannot be loaded: " + error.message());
  };
  use(*options.certificate, [&](boost::system::error_code& error) {
    (void)context->use_certificate_chain_file(*options.certificate, error);
  });
  use(*options.key, [&](boost::system::error_code& error) {
    (void)context->use_private_key_file(*options.key, asio::ssl::context::pem, error);
  });
  return context;
}

}  // namespace

/// All members but the study host run on one thread; the host's workers post their answers to it.
class Server::Parts {
 public:
  Parts(ServerOptions options, Log& log)
      : options_(std::move(options)),
        log_(log),
        tls_(tls_of(options_)),
        store_(std::make_shared<SharedStore>(
            [name = options_.store,
             mode = options_.read_only ? Store::Mode::open : Store::Mode::create] {
              return open_store(name, mode);
            })),
        committer_(*store_,
                   [this](const Committer::Commit& commit) { metrics_.count_commit(commit); }),
        host_(store_, host_options()),
        service_(store_, host_, metrics_,
                 {openapi_document(), access_of(options_), options_.read_only}),
        exchanges_(options_, io_, log_, metrics_, host_, service_),
        streams_(exchanges_),
        acceptor_(io_) {
    listen();
  }

  [[nodiscard]] const std::string& url() const { return url_; }

  void run();
  void stop() {
    asio::post(io_, [this] { begin_to_stop("requested"); });
  }

 private:
  [[nodiscard]] StudyHost::Options host_options();
  void listen();
  void begin_to_stop(const std::string& why);
  void reload();

  asio::awaitable<void> accept();
  asio::awaitable<void> welcome(tcp::socket socket);
  asio::awaitable<void> tick();
  asio::awaitable<void> signals();
  void forget_old_answers();

  ServerOptions options_;
  Log& log_;
  Metrics metrics_;
  std::shared_ptr<asio::ssl::context> tls_;
  std::shared_ptr<SharedStore> store_;
  asio::io_context io_{1};
  Committer committer_;
  StudyHost host_;
  Service service_;
  Exchanges exchanges_;
  Streams streams_;
  tcp::acceptor acceptor_;
  asio::steady_timer ticks_{io_};
  std::string url_;
  SteadyClock::time_point stop_deadline_ = {};
  double started_at_ = machine_clock().wall_time();
  double started_steady_ = machine_clock().steady_time();
  std::list<Connection> connections_;
};

StudyHost::Options Server::Parts::host_options() {
  return {.address = options_.advertise,
          .idle = options_.study_idle,
          .threads = options_.threads,
          .committer = &committer_,
          .answers = store_.get(),
          .changed =
              [this](const std::string& study) {
                if (streams_.size() > 0) asio::post(io_, [this, study] { streams_.wake(study); });
              },
          .failed =
              [this](const std::string& what) {
                log_.write(LogLevel::error, "failure", {{"what", what}});
              }};
}

// --- listening -------------------------------------------------------------------------------

void Server::Parts::listen() {
  const bool has_tokens = options_.tokens.has_value();
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(options_.address, error);
  if (error) {
    throw std::runtime_error("--listen " + options_.address +
                             ": must be an address such as 127.0.0.1 and a port");
  }
  if (!has_tokens && !address.is_loopback()) {
    throw std::runtime_error("--listen " + options_.address +
                             ": without tokens, every client that reaches this address would have "
                             "all rights; create tokens (canopy token new) and give --tokens "
                             "FILE, or listen on 127.0.0.1");
  }
  const tcp::endpoint endpoint(address, options_.port);
  acceptor_.open(endpoint.protocol());
  acceptor_.set_option(asio::socket_base::reuse_address(true));
  acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    throw std::runtime_error(fmt::format("{}:{}: cannot listen on this address: {}",
                                         options_.address, options_.port, error.message()));
  }
  const std::string host = address.is_v6() ? "[" + options_.address + "]" : options_.address;
  url_ =
      fmt::format("{}://{}:{}", tls_ ? "https" : "http", host, acceptor_.local_endpoint().port());
  if (has_tokens && !tls_ && !address.is_loopback()) {
    log_.write(LogLevel::warning, "no_tls",
               {{"what",
                 "tokens are sent unencrypted; give --certificate and --key, or use a proxy "
                 "with TLS"}});
  }
}

void Server::Parts::run() {
  raise_limit_of_open_files();
  share_memory_among_threads();
  asio::co_spawn(io_, accept(), asio::detached);
  asio::co_spawn(io_, tick(), asio::detached);
  asio::co_spawn(io_, signals(), asio::detached);
  log_.write(LogLevel::info, "listening",
             {{"url", url_}, {"store", store_->name()}, {"tokens", options_.tokens.has_value()}});
  notify_service_manager("READY=1");
  io_.run();
  host_.close();
  log_.write(LogLevel::info, "stopped");
}

asio::awaitable<void> Server::Parts::accept() {
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(kAwait);
    if (exchanges_.is_stopping || error == asio::error::operation_aborted) co_return;
    if (error) {  // for example, too many open files
      log_.write(LogLevel::warning, "accept", {{"what", error.message()}});
      asio::steady_timer pause(io_, std::chrono::milliseconds(100));
      (void)co_await pause.async_wait(kAwait);
      continue;
    }
    if (connections_.size() >= options_.most_connections) continue;  // closes the new connection
    asio::co_spawn(io_, welcome(std::move(socket)), asio::detached);
  }
}

asio::awaitable<void> Server::Parts::welcome(tcp::socket socket) {
  const auto place = connections_.emplace(connections_.end(), exchanges_, streams_,
                                          make_transport(std::move(socket), tls_));
  try {
    co_await place->run();
  } catch (const std::exception& error) {
    log_.write(LogLevel::error, "connection", {{"what", error.what()}});
  }
  connections_.erase(place);
}

/// Closes connections whose deadline has passed and calls the ticks of the studies.
asio::awaitable<void> Server::Parts::tick() {
  auto next_cleaning = SteadyClock::now();
  for (;;) {
    ticks_.expires_after(exchanges_.is_stopping ? kBetweenTicksAtTheEnd : kBetweenTicks);
    (void)co_await ticks_.async_wait(kAwait);
    const auto now = SteadyClock::now();
    for (Connection& connection : connections_) connection.close_if_late(now);
    metrics_.set_connections(connections_.size());
    metrics_.set_streams(streams_.size());
    if (exchanges_.is_stopping && (connections_.empty() || now > stop_deadline_)) {
      io_.stop();
      co_return;
    }
    if (exchanges_.is_stopping) continue;
    host_.tick();
    service_.look_for_store();
    if (now >= next_cleaning && !options_.read_only) {
      next_cleaning = now + std::chrono::minutes(1);
      host_.post([this] { forget_old_answers(); });
    }
  }
}

/// Runs on a worker. Also checks the time since the start by the steady clock, so that setting the
/// wall clock forward does not expire answers.
void Server::Parts::forget_old_answers() {
  const double passed = machine_clock().steady_time() - started_steady_;
  const double now = std::min(machine_clock().wall_time(), started_at_ + passed);
  try {
    while (store_->forget_answers(now - kAnswersAreKept) > 0) continue;
  } catch (const StoreError& error) {
    log_.write(LogLevel::warning, "answers", {{"what", error.what()}});
  }
}

asio::awaitable<void> Server::Parts::signals() {
  // All signals that would end the process stop the server in order; a closed log is ignored.
  for (const int number : {SIGPIPE, SIGXFSZ}) (void)std::signal(number, SIG_IGN);
  asio::signal_set signals(io_, SIGTERM, SIGINT, SIGHUP);
  for (const int number : {SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU}) signals.add(number);
  for (;;) {
    const auto [error, signal] = co_await signals.async_wait(kAwait);
    if (error) co_return;
    if (signal == SIGHUP) {
      reload();
    } else {
      begin_to_stop(strsignal(signal));
    }
  }
}

void Server::Parts::begin_to_stop(const std::string& why) {
  if (std::exchange(exchanges_.is_stopping, true)) return;
  log_.write(LogLevel::info, "stopping", {{"why", why}});
  notify_service_manager("STOPPING=1");
  service_.set_stopping();
  stop_deadline_ = SteadyClock::now() + options_.stop_patience;
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  for (Connection& connection : connections_) connection.close_if_idle();
  streams_.stop();
  ticks_.cancel();
}

/// Reads tokens and certificates again. If that fails, the old ones stay in use.
void Server::Parts::reload() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  notify_service_manager(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", microseconds));
  try {
    auto access = access_of(options_);
    auto tls = tls_of(options_);
    service_.set_access(std::move(access));
    tls_ = std::move(tls);
    log_.write(LogLevel::info, "reloaded");
  } catch (const std::exception& error) {
    log_.write(LogLevel::error, "not_reloaded", {{"what", error.what()}});
  }
  notify_service_manager("READY=1");
}

// --- public interface ------------------------------------------------------------------------

Server::Server(ServerOptions options, Log& log)
    : parts_(std::make_unique<Parts>(std::move(options), log)) {}
Server::~Server() = default;

const std::string& Server::url() const {
  return parts_->url();
}

void Server::run() {
  parts_->run();
}

void Server::stop() {
  parts_->stop();
}

}  // namespace canopy::service
