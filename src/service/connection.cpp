#include "service/connection.hpp"

#include "service/streams.hpp"

#include <algorithm>
#include <cctype>
#include <random>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

namespace canopy::service {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

constexpr std::size_t kLongestKey = 200;
constexpr std::size_t kReadAtOnce = 16'384;
constexpr std::size_t kLongBody = 65'536;  // longer bodies get a worker of their own

std::string random_id() {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  return fmt::format("{:012x}", random() >> 16);  // short enough for the small string optimization
}

bool is_printable(std::string_view text, std::size_t longest) {
  return !text.empty() && text.size() <= longest &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

/// The secret of `Authorization: Bearer SECRET`.
std::optional<std::string_view> bearer(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  if (header.size() <= kScheme.size()) return std::nullopt;
  if (!beast::iequals(header.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  return header.substr(kScheme.size());
}

/// `localhost:8731` without the port.
std::string_view host_of(std::string_view header) {
  if (header.starts_with('[')) return header.substr(0, header.find(']') + 1);
  return header.substr(0, header.find(':'));
}

/// `http://localhost:8731` without the scheme.
std::string_view authority_of(std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  return scheme == std::string_view::npos ? origin : origin.substr(scheme + 3);
}

void add_header(std::string& head, std::string_view name, std::string_view value) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  if (std::any_of(value.begin(), value.end(), is_control)) return;  // would split the log line
  head.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

// --- what all connections share --------------------------------------------------------------

Exchanges::Exchanges(const ServerOptions& its_options, asio::io_context& its_io, Log& its_log,
                     Metrics& its_metrics, StudyHost& host, Service& its_service)
    : options(its_options),
      io(its_io),
      log(its_log),
      metrics(its_metrics),
      service(its_service),
      host_(host),
      arrivals_([this](std::function<void()> work) { host_.post(std::move(work)); },
                [this](std::vector<Arrival> all) {
                  for (Arrival& each : all) serve(each);
                }),
      departures_([this](std::function<void()> work) { asio::post(io, std::move(work)); },
                  [](std::vector<Departure> all) {
                    for (Departure& each : all) each.resume(std::move(each.response));
                  }) {}

/// Runs on a worker thread.
void Exchanges::serve(Arrival& arrival) {
  service.serve(arrival.admitted, arrival.request, arrival.done);
}

struct Exchanges::Begin {
  Exchanges* exchanges;
  Arrival* arrival;

  template <class Handler>
  void operator()(Handler handler) const {
    auto waiting = std::make_shared<Handler>(std::move(handler));
    arrival->done = [to = &exchanges->departures_, waiting](Response response) {
      to->add(
          {[waiting](Response its) { std::move (*waiting)(std::move(its)); }, std::move(response)});
    };
    if (arrival->admitted.route->is_immediate) {
      exchanges->serve(*arrival);
    } else if (arrival->request.body.size() < kLongBody) {
      exchanges->arrivals_.add(std::move(*arrival));
    } else {
      exchanges->host_.post([exchanges = exchanges, its = std::make_shared<Arrival>(std::move(
                                                        *arrival))] { exchanges->serve(*its); });
    }
  }
};

asio::awaitable<Response> Exchanges::answer_to(const Service::Admitted& admitted,
                                               Request& request) {
  Arrival arrival;
  arrival.admitted = admitted;
  arrival.request = std::move(request);
  const Begin begin{this, &arrival};
  Response answer = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Response)>(
      begin, asio::use_awaitable);
  co_return answer;
}

// --- one client ------------------------------------------------------------------------------

Connection::Connection(Exchanges& exchanges, Streams& streams, std::unique_ptr<Transport> transport)
    : exchanges_(exchanges),
      streams_(streams),
      transport_(std::move(transport)),
      deadline_(SteadyClock::now() + exchanges.options.request_patience) {
  boost::system::error_code ignored;
  tcp::socket& socket = transport_->socket();
  socket.set_option(tcp::no_delay(true), ignored);
  address_ = socket.remote_endpoint(ignored).address().to_string();
}

void Connection::close() {
  boost::system::error_code ignored;
  transport_->socket().close(ignored);
}

void Connection::close_if_late(SteadyClock::time_point now) {
  if (now >= deadline_) close();
}

void Connection::close_if_idle() {
  if (!is_serving_) close();
}

asio::awaitable<void> Connection::run() {
  if (!co_await transport_->begin()) co_return;
  while (!exchanges_.is_stopping) {
    if (buffer_.size() == 0) {
      deadline_ = SteadyClock::now() + exchanges_.options.idle_patience;
      if (transport_->can_wait()) {
        buffer_.shrink_to_fit();  // an idle connection keeps no buffer
        if (!co_await transport_->wait()) break;
      } else {
        const std::size_t bytes = co_await transport_->read(buffer_.prepare(kReadAtOnce));
        if (bytes == 0) break;
        buffer_.commit(bytes);
      }
    }
    deadline_ = SteadyClock::now() + exchanges_.options.request_patience;
    is_serving_ = true;
    const bool goes_on = co_await serve_one();
    is_serving_ = false;
    if (!goes_on) break;
  }
  co_await transport_->end();
}

// --- one request -----------------------------------------------------------------------------

/// The state of one request and its answer.
struct Connection::Exchange {
  explicit Exchange(Exchanges& all) : exchanges(all) {
    parser.header_limit(all.options.longest_header);
    parser.body_limit(all.options.longest_body);
  }
  ~Exchange() { exchanges.bytes_in_flight -= reserved; }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  template <class Name>
  [[nodiscard]] std::string_view field(Name name) const {
    const auto value = parser.get()[name];
    return {value.data(), value.size()};
  }
  [[nodiscard]] std::string_view method() const {
    if (is_head) return "GET";
    const auto method = parser.get().method_string();
    return {method.data(), method.size()};
  }
  [[nodiscard]] std::string_view target() const {
    const auto target = parser.get().target();
    return {target.data(), target.size()};
  }

  Exchanges& exchanges;
  SteadyClock::time_point start = SteadyClock::now();
  http::request_parser<http::string_body> parser = {};
  Request request = {};
  Service::Admitted admitted = {};
  std::optional<Response> refusal = {};
  std::string id = random_id();
  bool is_head = false;
  bool keeps_alive = false;
  std::size_t reserved = 0;  // bytes reserved for the body
};

asio::awaitable<bool> Connection::serve_one() {
  Exchange exchange(exchanges_);
  if (!co_await read_head(exchange)) co_return false;
  if (!exchange.refusal) admit(exchange);
  if (!exchange.refusal && !co_await read_body(exchange)) co_return false;
  if (exchange.refusal) {
    if (!exchange.parser.is_done())
      exchange.keeps_alive = false;  // do not read the rest of the request
    note(exchange, exchange.refusal->status);
    co_return co_await send(exchange, *exchange.refusal);
  }
  const bool is_stream = exchange.admitted.route->is_stream;
  exchange.request.body = std::move(exchange.parser.get().body());
  Request followed = is_stream ? exchange.request : Request{};
  deadline_ = SteadyClock::time_point::max();  // no timeout while we work
  const Response answer = co_await exchanges_.answer_to(exchange.admitted, exchange.request);
  deadline_ = SteadyClock::now() + exchanges_.options.request_patience;
  note(exchange, answer.status);
  exchanges_.service.count_bytes(exchange.admitted, exchange.reserved + answer.body.size());
  if (is_stream && answer.status == 200 && !exchange.is_head) {
    const std::string_view origin = exchange.field(http::field::origin);
    Streams::Wish wish;
    wish.request = std::move(followed);
    wish.secret = bearer(exchange.field(http::field::authorization));
    wish.last_event = exchange.field("Last-Event-ID");
    if (allows(origin)) wish.origin = origin;
    co_await streams_.follow(*transport_, deadline_, wish);
    co_return false;
  }
  if (exchanges_.is_stopping) exchange.keeps_alive = false;
  co_return co_await send(exchange, answer);
}

/// Returns false if there is nothing to answer.
asio::awaitable<bool> Connection::read_head(Exchange& exchange) {
  auto& parser = exchange.parser;
  boost::system::error_code error;
  while (!parser.is_header_done()) {
    if (buffer_.size() > 0) {
      buffer_.consume(parser.put(buffer_.data(), error));
      if (error == http::error::need_more) error = {};
      if (error) break;
      if (parser.is_header_done()) co_return true;
    }
    const std::size_t bytes = co_await transport_->read(buffer_.prepare(kReadAtOnce));
    if (bytes == 0) co_return false;
    buffer_.commit(bytes);
  }
  if (error == http::error::header_limit) {
    exchange.refusal = Problem(431, "header_too_long",
                               fmt::format("the header must have at most {} bytes",
                                           exchanges_.options.longest_header))
                           .answer(exchange.id);
  } else if (error == http::error::body_limit) {
    exchange.refusal =
        Problem(413, "body_too_long",
                fmt::format("the body must have at most {} bytes", exchanges_.options.longest_body))
            .answer(exchange.id);
  } else {
    exchange.refusal = Problem(400, "malformed_request", "invalid HTTP/1.1: " + error.message())
                           .answer(exchange.id);
  }
  co_return true;
}

/// Finds the route and checks access before the body is read, so that a refused client gets its
/// answer at once.
void Connection::admit(Exchange& exchange) {
  const auto& head = exchange.parser.get();
  Request& request = exchange.request;
  exchange.keeps_alive = head.keep_alive();
  exchange.is_head = head.method() == http::verb::head;
  if (const auto id = exchange.field("X-Request-Id"); is_printable(id, kLongestKey)) {
    exchange.id = id;
  }
  request.id = exchange.id;
  request.method = exchange.method();
  request.target = exchange.target();
  request.idempotency_key = exchange.field("Idempotency-Key");
  request.takes_gzip =
      exchange.field(http::field::accept_encoding).find("gzip") != std::string_view::npos;
  request.known_tag = exchange.field(http::field::if_none_match);
  try {
    const std::size_t codings = head.count(http::field::transfer_encoding);
    const bool is_chunked =
        beast::iequals(exchange.field(http::field::transfer_encoding), "chunked");
    if (codings > 1 || (codings == 1 && !is_chunked)) {
      exchange.keeps_alive = false;  // the end of the body is unknown
      throw Problem(501, "unknown_coding",
                    "unsupported Transfer-Encoding: only chunked is supported");
    }
    const std::string_view target = exchange.target();
    const std::size_t mark = target.find('?');
    auto path = parts_of_path(target.substr(0, mark));
    auto query = parameters_of(mark == std::string_view::npos ? "" : target.substr(mark + 1));
    if (!path || !query) {
      throw Problem(400, "malformed_request",
                    "the encoding of the path or of its parameters is invalid");
    }
    request.path = std::move(*path);
    request.query = std::move(*query);
    const std::string_view origin = exchange.field(http::field::origin);
    if (!exchanges_.options.tokens) refuse_foreign_pages(exchange);
    if (request.method == "OPTIONS" && allows(origin)) {
      exchange.refusal = Response{204,
                                  "",
                                  "",
                                  {{"Access-Control-Allow-Methods", "GET, POST, PUT, DELETE"},
                                   {"Access-Control-Allow-Headers",
                                    "Authorization, Content-Type, Idempotency-Key, Last-Event-ID"},
                                   {"Access-Control-Max-Age", "600"}}};
      return;
    }
    exchange.admitted =
        exchanges_.service.admit(request, bearer(exchange.field(http::field::authorization)));
    const bool has_key = head.count("Idempotency-Key") > 0;
    if (has_key && !is_printable(request.idempotency_key, kLongestKey)) {
      throw Problem(400, "malformed_request",
                    "Idempotency-Key: must be 1 to 200 printable characters without spaces");
    }
    const std::string_view type = exchange.field(http::field::content_type);
    const bool has_body = head.chunked() || exchange.parser.content_length().value_or(0) > 0;
    if (has_body && !type.starts_with("application/json")) {
      throw Problem(415, "not_json", "the body must be application/json");
    }
    const std::size_t bytes = exchange.parser.content_length().value_or(
        head.chunked() ? exchanges_.options.longest_body : 0);
    if (exchanges_.bytes_in_flight + bytes > exchanges_.options.most_bytes_in_flight) {
      throw Problem(429, "too_busy", "the server has too many bytes of requests in progress")
          .retry_after(1);
    }
    exchange.reserved = bytes;
    exchanges_.bytes_in_flight += bytes;
  } catch (...) {
    exchange.refusal = current_problem().answer(exchange.id);
  }
}

/// Without tokens, any web page in a browser on this machine could send requests. Therefore only
/// this server's own page and the origins of --allow-origin are accepted.
void Connection::refuse_foreign_pages(const Exchange& exchange) const {
  const std::string& own = exchanges_.options.address;
  const std::string_view host = exchange.field(http::field::host);
  const std::string_view name = host_of(host);
  if (name != "localhost" && name != "127.0.0.1" && name != "[::1]" && name != own &&
      name != "[" + own + "]") {
    throw Problem(421, "wrong_host",
                  "without tokens this server only accepts requests to localhost");
  }
  const std::string_view origin = exchange.field(http::field::origin);
  if (allows(origin)) return;
  const bool is_visit =
      exchange.method() == "GET" && exchange.field("Sec-Fetch-Mode") == "navigate";
  const bool is_foreign = (!origin.empty() && authority_of(origin) != host) ||
                          (exchange.field("Sec-Fetch-Site") == "cross-site" && !is_visit);
  if (!is_foreign) return;
  throw Problem(
      403, "foreign_page",
      "without tokens this server only accepts requests from its own page; --allow-origin allows "
      "other origins");
}

bool Connection::allows(std::string_view origin) const {
  const std::vector<std::string>& known = exchanges_.options.origins;
  return !origin.empty() && std::find(known.begin(), known.end(), origin) != known.end();
}

/// Returns false if the client has disconnected.
asio::awaitable<bool> Connection::read_body(Exchange& exchange) {
  auto& parser = exchange.parser;
  parser.eager(true);
  if (!parser.is_done() && exchange.field(http::field::expect) == "100-continue") {
    if (!co_await transport_->write("HTTP/1.1 100 Continue\r\n\r\n", "")) co_return false;
  }
  boost::system::error_code error;
  while (!parser.is_done()) {
    if (buffer_.size() > 0) {
      buffer_.consume(parser.put(buffer_.data(), error));
      if (error == http::error::body_limit) {
        exchange.refusal = Problem(413, "body_too_long",
                                   fmt::format("the body must have at most {} bytes",
                                               exchanges_.options.longest_body))
                               .answer(exchange.id);
        co_return true;
      }
      if (error && error != http::error::need_more) co_return false;
      if (parser.is_done()) break;
    }
    const std::size_t bytes = co_await transport_->read(buffer_.prepare(kReadAtOnce));
    if (bytes == 0) co_return false;
    buffer_.commit(bytes);
  }
  co_return true;
}

asio::awaitable<bool> Connection::send(const Exchange& exchange, const Response& answer) {
  const bool keeps_alive = exchange.keeps_alive;
  const bool is_old = exchange.parser.is_header_done() && exchange.parser.get().version() < 11;
  const auto reason = http::obsolete_reason(http::int_to_status(answer.status));
  std::string head = fmt::format("HTTP/1.{} {} {}\r\n", is_old ? 0 : 1, answer.status,
                                 std::string_view(reason.data(), reason.size()));
  add_header(head, "X-Request-Id", exchange.id);
  add_header(head, "X-Content-Type-Options", "nosniff");
  if (!answer.type.empty()) add_header(head, "Content-Type", answer.type);
  bool is_cached = false;
  std::string varies;
  for (const auto& [name, value] : answer.headers) {
    is_cached = is_cached || name == "Cache-Control";
    if (name == "Vary") {
      varies = value;
    } else {
      add_header(head, name, value);
    }
  }
  if (!is_cached) add_header(head, "Cache-Control", "no-store");
  const std::string_view origin = exchange.field(http::field::origin);
  if (allows(origin)) {
    add_header(head, "Access-Control-Allow-Origin", origin);
    varies += varies.empty() ? "Origin" : ", Origin";
  }
  if (!varies.empty()) add_header(head, "Vary", varies);
  const bool has_length = answer.status != 204 && answer.status != 304;
  if (has_length) add_header(head, "Content-Length", std::to_string(answer.body.size()));
  if (!keeps_alive) {
    add_header(head, "Connection", "close");
  } else if (is_old) {
    add_header(head, "Connection", "keep-alive");
  }
  head += "\r\n";
  const bool was_sent =
      co_await transport_->write(head, exchange.is_head ? std::string_view() : answer.body);
  co_return was_sent&& keeps_alive;
}

void Connection::note(const Exchange& exchange, unsigned status) {
  const double seconds = std::chrono::duration<double>(SteadyClock::now() - exchange.start).count();
  const Route* route = exchange.admitted.route;
  exchanges_.metrics.count_request(route != nullptr ? route->method : std::string_view(),
                                   route != nullptr ? route->pattern : "unknown", status, seconds);
  const LogLevel level = status >= 500 ? LogLevel::warning : LogLevel::debug;
  if (!exchanges_.log.shows(level)) return;
  exchanges_.log.write(level, "request",
                       {{"id", exchange.id},
                        {"method", exchange.method()},
                        {"target", exchange.target()},
                        {"status", status},
                        {"seconds", seconds},
                        {"by", exchange.admitted.by},
                        {"from", address_}});
}

}  // namespace canopy::service
