#include "service/server.hpp"

#include "canopy/clock.hpp"
#include "canopy/stores.hpp"

#include "core/text.hpp"
#include "files/json.hpp"
#include "service/openapi.hpp"
#include "service/shared_store.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <list>
#include <malloc.h>
#include <map>
#include <random>
#include <stdexcept>
#include <string_view>
#include <sys/resource.h>
#include <systemd/sd-daemon.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
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
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

namespace canopy::service {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using SteadyClock = std::chrono::steady_clock;
using TlsStream = asio::ssl::stream<tcp::socket>;

/// Errors as values.
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

constexpr std::chrono::milliseconds kBetweenTicks{1000};
constexpr std::chrono::milliseconds kBetweenTicksAtTheEnd{10};
constexpr std::chrono::seconds kStreamPause{1};       // unless something happens
constexpr std::chrono::seconds kStateAgain{5};        // it may change without an event
constexpr std::chrono::seconds kStreamHeartbeat{15};  // so that dead clients are noticed
constexpr std::uint64_t kStreamPage = 500;            // events at once
constexpr double kAnswersAreKept = 24.0 * 3600.0;     // seconds
constexpr std::size_t kLongestKey = 200;

std::string random_id() {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  return fmt::format("{:016x}", random());
}

bool is_printable(std::string_view text, std::size_t longest) {
  return !text.empty() && text.size() <= longest &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

/// The secret of `Authorization: Bearer SECRET`.
std::optional<std::string_view> bearer(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  if (header.size() <= kScheme.size()) return std::nullopt;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(header[i])) != kScheme[i]) return std::nullopt;
  }
  return header.substr(kScheme.size());
}

/// `localhost:8731` without the port.
std::string_view host_of(std::string_view header) {
  if (header.starts_with('[')) return header.substr(0, header.find(']') + 1);
  return header.substr(0, header.find(':'));
}

/// Workers come by turns: memory that one has freed should serve the next.
void share_memory_among_threads() {
  (void)mallopt(M_ARENA_MAX, 2);
}

void raise_limit_of_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

std::shared_ptr<AccessControl> guard_of(const ServerOptions& options) {
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
    if (error) throw std::runtime_error(file + ": cannot be used: " + error.message());
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

/// Everything happens on one thread but the work of the study host, which delivers its answers
/// here.
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
            },
            [this](const SharedStore::Commit& commit) { metrics_.count_commit(commit); })),
        acceptor_(io_) {
    auto access = guard_of(options_);
    listen(access != nullptr);
    StudyHost::Options host_options{.address = options_.advertise,
                                    .idle = options_.study_idle,
                                    .threads = options_.threads,
                                    .answers = store_.get()};
    StudyHost::Callbacks callbacks{
        .deliver =
            [this](std::vector<StudyHost::Finished> finished) { deliver(std::move(finished)); },
        .changed = [this](const std::string& study) { study_changed(study); },
        .failed =
            [this](const std::string& what) {
              log_.write(LogLevel::error, "failure", {{"what", what}});
            }};
    host_ = std::make_unique<StudyHost>(store_, host_options, std::move(callbacks));
    service_ = std::make_unique<Service>(
        store_, *host_, metrics_,
        Service::Options{openapi_document(), std::move(access), options_.read_only});
    has_guard_ = options_.tokens.has_value();
  }

  [[nodiscard]] const std::string& url() const { return url_; }

  void run();
  void stop() {
    asio::post(io_, [this] { begin_to_stop("asked to"); });
  }

 private:
  /// One client.
  struct Connection {
    tcp::socket* socket = nullptr;
    SteadyClock::time_point deadline = {};
    bool is_serving = false;
    std::string address = {};
  };
  using Connections = std::list<Connection>;

  void listen(bool has_guard);
  void deliver(std::vector<StudyHost::Finished> finished);
  void study_changed(const std::string& study);
  void begin_to_stop(const std::string& why);
  void reload();

  asio::awaitable<void> accept();
  asio::awaitable<void> tick();
  asio::awaitable<void> signals();
  asio::awaitable<void> welcome(tcp::socket socket);
  template <class Stream>
  asio::awaitable<void> converse(Stream& stream, Connection& connection);
  template <class Stream>
  asio::awaitable<bool> serve_one(Stream& stream, beast::flat_buffer& buffer,
                                  Connection& connection);
  template <class Stream>
  asio::awaitable<bool> send(Stream& stream, const Response& answer, unsigned version,
                             bool keep_alive, const std::string& id, std::string_view origin,
                             bool is_head);
  template <class Stream>
  asio::awaitable<void> follow(Stream& stream, const Request& request,
                               std::optional<std::string> secret, std::string last_event,
                               std::string origin, Connection& connection);
  [[nodiscard]] bool may_still(const Request& request,
                               const std::optional<std::string>& secret) const;
  struct Begin;
  asio::awaitable<Response> answer_to(const Service::Admitted& admitted, Request& request);

  [[nodiscard]] bool allows(std::string_view origin) const {
    return std::find(options_.origins.begin(), options_.origins.end(), origin) !=
           options_.origins.end();
  }
  [[nodiscard]] bool is_own_host(std::string_view host) const {
    return host == "localhost" || host == "127.0.0.1" || host == "[::1]" ||
           host == options_.address || host == "[" + options_.address + "]";
  }

  ServerOptions options_;
  Log& log_;
  Metrics metrics_;
  std::shared_ptr<asio::ssl::context> tls_;
  std::shared_ptr<SharedStore> store_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer ticks_{io_};
  std::string url_;
  std::unique_ptr<StudyHost> host_;
  std::unique_ptr<Service> service_;
  bool has_guard_ = false;
  bool stopping_ = false;
  SteadyClock::time_point stop_deadline_ = {};
  Connections connections_;
  std::atomic<std::size_t> streams_ = 0;
  std::multimap<std::string, asio::steady_timer*> followers_;  // who wait for news of a study
};

// --- listening -------------------------------------------------------------------------------

void Server::Parts::listen(bool has_guard) {
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(options_.address, error);
  if (error) {
    throw std::runtime_error("--listen " + options_.address +
                             ": must be an address such as 127.0.0.1 and a port");
  }
  if (!has_guard && !address.is_loopback()) {
    throw std::runtime_error("--listen " + options_.address +
                             ": anybody who reaches this address could do anything; make tokens "
                             "first (canopy token new) "
                             "and give --tokens FILE, or listen on 127.0.0.1");
  }
  const tcp::endpoint endpoint(address, options_.port);
  acceptor_.open(endpoint.protocol());
  acceptor_.set_option(asio::socket_base::reuse_address(true));
  acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    throw std::runtime_error(fmt::format("{}:{}: cannot listen there: {}", options_.address,
                                         options_.port, error.message()));
  }
  const std::string host = address.is_v6() ? "[" + options_.address + "]" : options_.address;
  url_ =
      fmt::format("{}://{}:{}", tls_ ? "https" : "http", host, acceptor_.local_endpoint().port());
  if (has_guard && !tls_ && !address.is_loopback()) {
    log_.write(LogLevel::warning, "no_tls",
               {{"what",
                 "tokens travel in the clear; give --certificate and --key, or put a proxy "
                 "with TLS in front"}});
  }
}

void Server::Parts::run() {
  raise_limit_of_open_files();
  share_memory_among_threads();
  asio::co_spawn(io_, accept(), asio::detached);
  asio::co_spawn(io_, tick(), asio::detached);
  asio::co_spawn(io_, signals(), asio::detached);
  log_.write(LogLevel::info, "listening",
             {{"url", url_}, {"store", store_->name()}, {"tokens", has_guard_}});
  (void)sd_notify(0, "READY=1");
  io_.run();
  host_->close();
  log_.write(LogLevel::info, "stopped");
}

asio::awaitable<void> Server::Parts::accept() {
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(kAwait);
    if (stopping_ || error == asio::error::operation_aborted) co_return;
    if (error) {  // too many open files, say
      log_.write(LogLevel::warning, "accept", {{"what", error.message()}});
      asio::steady_timer pause(io_, std::chrono::milliseconds(100));
      (void)co_await pause.async_wait(kAwait);
      continue;
    }
    if (connections_.size() >= options_.most_connections) continue;  // closes it
    asio::co_spawn(io_, welcome(std::move(socket)), asio::detached);
  }
}

/// Closes what takes too long, and lets the studies know that time passes.
asio::awaitable<void> Server::Parts::tick() {
  auto next_cleaning = SteadyClock::now();
  for (;;) {
    ticks_.expires_after(stopping_ ? kBetweenTicksAtTheEnd : kBetweenTicks);
    (void)co_await ticks_.async_wait(kAwait);
    const auto now = SteadyClock::now();
    for (Connection& connection : connections_) {
      if (now < connection.deadline) continue;
      boost::system::error_code ignored;
      connection.socket->close(ignored);
    }
    metrics_.set_connections(connections_.size());
    metrics_.set_streams(streams_);
    if (stopping_ && (connections_.empty() || now > stop_deadline_)) {
      io_.stop();
      co_return;
    }
    if (stopping_) continue;
    host_->tick();
    if (now >= next_cleaning && !options_.read_only) {
      next_cleaning = now + std::chrono::minutes(1);
      host_->run(
          {},
          [this](Store& /*store*/) {
            while (store_->forget_answers(machine_clock().wall_time() - kAnswersAreKept) > 0)
              continue;
            return Response{};
          },
          [](const Response& /*answer*/) {});
    }
  }
}

asio::awaitable<void> Server::Parts::signals() {
  asio::signal_set signals(io_, SIGTERM, SIGINT, SIGHUP);
  for (;;) {
    const auto [error, signal] = co_await signals.async_wait(kAwait);
    if (error) co_return;
    if (signal == SIGHUP) {
      reload();
    } else {
      begin_to_stop(signal == SIGTERM ? "SIGTERM" : "SIGINT");
    }
  }
}

void Server::Parts::begin_to_stop(const std::string& why) {
  if (std::exchange(stopping_, true)) return;
  log_.write(LogLevel::info, "stopping", {{"why", why}});
  (void)sd_notify(0, "STOPPING=1");
  service_->set_stopping();
  stop_deadline_ = SteadyClock::now() + options_.stop_patience;
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  for (Connection& connection : connections_) {
    if (!connection.is_serving) connection.socket->close(ignored);
  }
  for (auto& follower : followers_) follower.second->cancel();
  ticks_.cancel();
}

/// Reads tokens and certificates again; what cannot be used does not change anything.
void Server::Parts::reload() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  (void)sd_notify(0, fmt::format("RELOADING=1\nMONOTONIC_USEC={}", microseconds).c_str());
  try {
    auto access = guard_of(options_);
    auto tls = tls_of(options_);
    service_->set_access(std::move(access));
    tls_ = std::move(tls);
    log_.write(LogLevel::info, "reloaded");
  } catch (const std::exception& error) {
    log_.write(LogLevel::error, "not_reloaded", {{"what", error.what()}});
  }
  (void)sd_notify(0, "READY=1");
}

// --- one client ------------------------------------------------------------------------------

asio::awaitable<void> Server::Parts::welcome(tcp::socket socket) {
  const auto place = connections_.insert(connections_.end(), Connection{});
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  const tcp::endpoint client = socket.remote_endpoint(ignored);
  place->address = client.address().to_string();
  place->deadline = SteadyClock::now() + options_.request_patience;
  try {
    if (tls_) {
      const std::shared_ptr<asio::ssl::context> context = tls_;  // it may be replaced meanwhile
      TlsStream stream(std::move(socket), *context);
      place->socket = &stream.next_layer();
      const auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::server, kAwait);
      if (!error) {
        co_await converse(stream, *place);
        (void)co_await stream.async_shutdown(kAwait);
      }
    } else {
      place->socket = &socket;
      co_await converse(socket, *place);
      socket.shutdown(tcp::socket::shutdown_send, ignored);
    }
  } catch (const std::exception& error) {
    log_.write(LogLevel::error, "connection", {{"what", error.what()}});
  }
  connections_.erase(place);
}

template <class Stream>
asio::awaitable<void> Server::Parts::converse(Stream& stream, Connection& connection) {
  beast::flat_buffer buffer;
  for (;;) {
    if (stopping_) co_return;
    if (buffer.size() == 0) {
      connection.deadline = SteadyClock::now() + options_.idle_patience;
      if constexpr (std::is_same_v<Stream, tcp::socket>) {
        // Nothing is kept for a client that sends nothing.
        buffer.shrink_to_fit();
        const auto [error] = co_await stream.async_wait(tcp::socket::wait_read, kAwait);
        if (error) co_return;
      } else {
        const auto space = buffer.prepare(4096);
        const auto [error, bytes] = co_await stream.async_read_some(space, kAwait);
        if (error) co_return;
        buffer.commit(bytes);
      }
    }
    connection.deadline = SteadyClock::now() + options_.request_patience;
    connection.is_serving = true;
    const bool go_on = co_await serve_one(stream, buffer, connection);
    connection.is_serving = false;
    if (!go_on) co_return;
  }
}

template <class Stream>
asio::awaitable<bool> Server::Parts::serve_one(Stream& stream, beast::flat_buffer& buffer,
                                               Connection& connection) {
  const auto start = SteadyClock::now();
  http::request_parser<http::string_body> parser;
  parser.header_limit(options_.longest_header);
  parser.body_limit(options_.longest_body);
  std::string origin;
  Request request;
  request.id = random_id();
  Service::Admitted admitted;
  std::optional<Response> refusal;
  bool keep_alive = false;

  const auto [header_error, header_bytes] =
      co_await http::async_read_header(stream, buffer, parser, kAwait);
  if (header_error) {
    const bool is_gone =
        header_error == http::error::end_of_stream || header_bytes == 0 ||
        header_error.category() != http::make_error_code(http::error::bad_version).category();
    if (is_gone) co_return false;
    const bool too_long = header_error == http::error::header_limit;
    const bool body_too_long = header_error == http::error::body_limit;
    const Problem problem =
        too_long
            ? Problem(431, "header_too_long",
                      fmt::format("a header may have {} bytes at most", options_.longest_header))
        : body_too_long
            ? Problem(413, "body_too_long",
                      fmt::format("a body may have {} bytes at most", options_.longest_body))
            : Problem(400, "malformed_request", "this is not HTTP/1.1: " + header_error.message());
    const Response answer = problem.answer(request.id);
    metrics_.count_request("", "unknown", answer.status, 0.0);
    (void)co_await send(stream, answer, 11, false, request.id, "", false);
    co_return false;
  }

  const auto& head = parser.get();
  keep_alive = head.keep_alive();
  const unsigned version = head.version();
  const bool is_head = head.method() == http::verb::head;
  const std::string_view target(head.target().data(), head.target().size());
  const auto field = [&](auto name) {
    const auto value = head[name];
    return std::string_view(value.data(), value.size());
  };
  if (is_printable(field("X-Request-Id"), kLongestKey)) request.id = field("X-Request-Id");
  origin = field(http::field::origin);
  request.method = is_head ? "GET" : std::string(head.method_string());
  request.target = target;
  request.idempotency_key = field("Idempotency-Key");
  request.takes_gzip = field(http::field::accept_encoding).find("gzip") != std::string_view::npos;
  request.known_tag = field(http::field::if_none_match);
  try {
    const std::size_t mark = target.find('?');
    auto path = parts_of_path(target.substr(0, mark));
    auto query = parameters_of(mark == std::string_view::npos ? "" : target.substr(mark + 1));
    if (!path || !query) {
      throw Problem(400, "malformed_request", "the path or its parameters are badly encoded");
    }
    request.path = std::move(*path);
    request.query = std::move(*query);
    if (!has_guard_ && !is_own_host(host_of(field(http::field::host)))) {
      throw Problem(421, "wrong_host",
                    "without tokens this server answers requests to localhost only");
    }
    if (request.method == "OPTIONS" && !origin.empty() && allows(origin)) {
      refusal = Response{204,
                         "",
                         "",
                         {{"Access-Control-Allow-Methods", "GET, POST, PUT, DELETE"},
                          {"Access-Control-Allow-Headers",
                           "Authorization, Content-Type, Idempotency-Key, Last-Event-ID"},
                          {"Access-Control-Max-Age", "600"}}};
    } else {
      admitted = service_->admit(request, bearer(field(http::field::authorization)));
      const bool has_key = head.count("Idempotency-Key") > 0;
      if (has_key && !is_printable(request.idempotency_key, kLongestKey)) {
        throw Problem(400, "malformed_request",
                      "Idempotency-Key: must be 1 to 200 printable characters without blanks");
      }
      const std::string_view type = field(http::field::content_type);
      const bool has_body = head.chunked() || parser.content_length().value_or(0) > 0;
      if (has_body && !type.starts_with("application/json")) {
        throw Problem(415, "not_json", "the body must be application/json");
      }
    }
  } catch (...) {
    refusal = current_problem().answer(request.id);
  }

  if (!refusal) {
    if (head[http::field::expect] == "100-continue") {
      const std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      (void)co_await asio::async_write(stream, asio::buffer(go_on), kAwait);
    }
    const auto [error, bytes] = co_await http::async_read(stream, buffer, parser, kAwait);
    if (error == http::error::body_limit) {
      refusal = Problem(413, "body_too_long",
                        fmt::format("a body may have {} bytes at most", options_.longest_body))
                    .answer(request.id);
    } else if (error) {
      co_return false;
    }
  }
  if (refusal && !parser.is_done()) keep_alive = false;  // what follows is not worth reading
  const bool is_stream = !refusal && admitted.route->is_stream;
  Response answer;
  if (refusal) {
    answer = std::move(*refusal);
  } else {
    request.body = std::move(parser.get().body());
    connection.deadline = SteadyClock::time_point::max();  // the client waits for us
    answer = co_await answer_to(admitted, request);
    connection.deadline = SteadyClock::now() + options_.request_patience;
  }
  const double seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
  const std::string_view pattern = admitted.route != nullptr ? admitted.route->pattern : "unknown";
  metrics_.count_request(request.method, pattern, answer.status, seconds);
  const LogLevel level = answer.status >= 500 ? LogLevel::warning : LogLevel::debug;
  if (log_.shows(level)) {
    log_.write(level, "request",
               {{"id", request.id},
                {"method", request.method},
                {"target", request.target},
                {"status", answer.status},
                {"seconds", seconds},
                {"by", admitted.by},
                {"from", connection.address}});
  }
  if (is_stream && answer.status == 200 && !is_head) {
    std::string last_event(field("Last-Event-ID"));
    std::optional<std::string> secret(bearer(field(http::field::authorization)));
    co_await follow(stream, request, std::move(secret), std::move(last_event), origin, connection);
    co_return false;
  }
  if (stopping_) keep_alive = false;
  co_return co_await send(stream, answer, version, keep_alive, request.id, origin, is_head);
}

template <class Stream>
asio::awaitable<bool> Server::Parts::send(Stream& stream, const Response& answer, unsigned version,
                                          bool keep_alive, const std::string& id,
                                          std::string_view origin, bool is_head) {
  http::response<http::string_body> response(http::int_to_status(answer.status), version);
  response.keep_alive(keep_alive);
  response.set("X-Request-Id", id);
  response.set("X-Content-Type-Options", "nosniff");
  response.set(http::field::cache_control, "no-store");
  if (!answer.type.empty()) response.set(http::field::content_type, answer.type);
  for (const auto& header : answer.headers) response.set(header.first, header.second);
  if (!origin.empty() && allows(origin)) {
    response.set(http::field::access_control_allow_origin, origin);
    const std::string varies(response[http::field::vary]);
    response.set(http::field::vary, varies.empty() ? "Origin" : varies + ", Origin");
  }
  if (is_head) {
    response.content_length(answer.body.size());
  } else {
    response.body() = answer.body;
    if (answer.status != 204) response.prepare_payload();
  }
  http::response_serializer<http::string_body> serializer(response);
  serializer.split(is_head);
  if (is_head) {
    const auto [error, bytes] = co_await http::async_write_header(stream, serializer, kAwait);
    co_return !error && keep_alive;
  }
  const auto [error, bytes] = co_await http::async_write(stream, serializer, kAwait);
  co_return !error && keep_alive;
}

// --- answers of the studies ------------------------------------------------------------------

void Server::Parts::deliver(std::vector<StudyHost::Finished> finished) {
  asio::post(io_, [finished = std::move(finished)]() mutable {
    for (StudyHost::Finished& each : finished) each.done(std::move(each.answer));
  });
}

/// Has a request served, and resumes whoever waits for the answer.
struct Server::Parts::Begin {
  Parts* parts;
  const Service::Admitted* admitted;
  Request* request;

  template <class Handler>
  void operator()(Handler handler) const {
    struct Waiting {
      Handler handler;
      bool beginning = true;
    };
    auto waiting = std::make_shared<Waiting>(Waiting{std::move(handler)});
    parts->service_->serve(*admitted, *request, [io = &parts->io_, waiting](Response answer) {
      if (!waiting->beginning) {
        std::move(waiting->handler)(std::move(answer));
        return;
      }
      asio::post(*io, [waiting, answer = std::move(answer)]() mutable {
        std::move(waiting->handler)(std::move(answer));
      });
    });
    waiting->beginning = false;
  }
};

asio::awaitable<Response> Server::Parts::answer_to(const Service::Admitted& admitted,
                                                   Request& request) {
  const Begin begin{this, &admitted, &request};
  Response answer = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Response)>(
      begin, asio::use_awaitable);
  co_return answer;
}

// --- streams ---------------------------------------------------------------------------------

/// Called by workers.
void Server::Parts::study_changed(const std::string& study) {
  if (streams_ == 0) return;
  asio::post(io_, [this, study] {
    const auto range = followers_.equal_range(study);
    for (auto each = range.first; each != range.second; ++each) each->second->cancel();
  });
}

/// Whether whoever follows a study would still be let in: tokens expire and are taken back.
bool Server::Parts::may_still(const Request& request,
                              const std::optional<std::string>& secret) const {
  try {
    (void)service_->admit(request, secret);
    return true;
  } catch (const Problem& problem) {
    return problem.status() != 401 && problem.status() != 403;
  }
}

/// Sends the events of a study as they come, and what is known of it.
template <class Stream>
asio::awaitable<void> Server::Parts::follow(Stream& stream, const Request& request,
                                            std::optional<std::string> secret,
                                            std::string last_event, std::string origin,
                                            Connection& connection) {
  const std::string& study = request.path.at(2);
  asio::steady_timer timer(io_);
  struct Place {
    Parts& parts;
    decltype(followers_)::iterator in_list;
    Place(Parts& of, const std::string& name, asio::steady_timer* wakes)
        : parts(of), in_list(of.followers_.emplace(name, wakes)) {
      ++parts.streams_;
    }
    ~Place() {
      parts.followers_.erase(in_list);
      --parts.streams_;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
  };
  const Place place(*this, study, &timer);
  const auto ask = [&](std::string what, std::map<std::string, std::string> query) {
    Request asked;
    asked.method = "GET";
    asked.path = {"v1", "studies", study, std::move(what)};
    asked.query = std::move(query);
    asked.id = request.id;
    return asked;
  };
  // Whether they may was found out before.
  const auto route_of = [&](const Request& asked) {
    Service::Admitted admitted;
    for (const Route& route : routes()) {
      if (route.method == "GET" && route.pattern == "/v1/studies/{name}/" + asked.path[3]) {
        admitted.route = &route;
      }
    }
    return admitted;
  };

  const auto journal = request.query.find("journal");
  const bool sends_journal = journal == request.query.end() || journal->second != "false";
  std::uint64_t last = number_in<std::uint64_t>(last_event).value_or(UINT64_MAX);
  if (last > INT64_MAX) last = UINT64_MAX;
  if (last == UINT64_MAX && request.query.contains("after")) {
    last = number_in<std::uint64_t>(request.query.at("after")).value_or(0);
  }
  std::string text =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nConnection: close\r\n";
  if (!origin.empty() && allows(origin)) {
    text += fmt::format("Access-Control-Allow-Origin: {}\r\nVary: Origin\r\n", origin);
  }
  text += "\r\nretry: 2000\n\n";
  auto sent_at = SteadyClock::now();
  auto state_at = SteadyClock::time_point{};
  bool state_is_due = true;
  std::map<std::string, std::string> sent;  // what was said of the state
  while (!stopping_) {
    // A new follower gets what comes from here on.
    const std::string after = std::to_string(last == UINT64_MAX ? 0 : last);
    const bool only_last = last == UINT64_MAX || !sends_journal;
    Request events =
        ask("events", {{"after", after}, {"limit", std::to_string(only_last ? 1 : kStreamPage)}});
    const Service::Admitted events_route = route_of(events);
    const Response page = co_await answer_to(events_route, events);
    if (page.status >= 400 && page.status < 500) break;  // it was deleted
    bool is_more = false;
    if (page.status == 200) {
      const Document document = parse_json(page.body, "events");
      const auto newest = static_cast<std::uint64_t>(document.find("last")->as_whole().value_or(0));
      if (only_last) {
        state_is_due = state_is_due || newest != last;
        last = newest;
      } else {
        for (const Document& event : *document.find("events")->as_list()) {
          text += fmt::format("id: {}\nevent: journal\ndata: {}\n\n",
                              event.find("number")->as_whole().value_or(0), json_text(event));
          state_is_due = true;
        }
        last = static_cast<std::uint64_t>(document.find("next")->as_whole().value_or(0));
        is_more = last < newest;
      }
    }
    const auto since_state = SteadyClock::now() - state_at;
    if (since_state >= kStateAgain) {
      if (!may_still(request, secret)) break;
      state_is_due = true;
    }
    if (state_is_due && !is_more && since_state >= kStreamPause) {
      for (const char* what : {"summary", "best"}) {
        Request asked = ask(what, {});
        const Service::Admitted asked_route = route_of(asked);
        const Response state = co_await answer_to(asked_route, asked);
        if (state.status != 200 && state.status != 409) continue;
        const std::string body = state.status == 200 ? state.body : "null";  // no best arm yet
        Document said = parse_json(body, what);
        if (said.contains("now")) said.set("now", 0.0);
        std::string& before = sent[what];
        if (std::string now = json_text(said); now != before) {
          before = std::move(now);
          text += fmt::format("event: {}\ndata: {}\n\n", what, body);
        }
      }
      state_is_due = false;
      state_at = SteadyClock::now();
    }
    if (text.empty() && SteadyClock::now() - sent_at >= kStreamHeartbeat) text = ": alive\n\n";
    if (!text.empty()) {
      connection.deadline = SteadyClock::now() + options_.request_patience;
      const auto [error, bytes] = co_await asio::async_write(stream, asio::buffer(text), kAwait);
      if (error) break;
      text.clear();
      sent_at = SteadyClock::now();
    }
    connection.deadline = SteadyClock::time_point::max();
    if (is_more || stopping_) continue;
    timer.expires_after(kStreamPause);
    (void)co_await timer.async_wait(kAwait);
  }
}

// --- from outside ----------------------------------------------------------------------------

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
