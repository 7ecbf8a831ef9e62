#include "net/network.hpp"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <fmt/format.h>

namespace canopy {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
using PlainStream = beast::tcp_stream;
using SecureStream = beast::ssl_stream<beast::tcp_stream>;

/// The deadline and the stop flag of a request.
struct Network::Patience {
  std::chrono::milliseconds timeout;
  std::chrono::steady_clock::time_point deadline;
  const std::atomic<bool>* stop;

  [[nodiscard]] bool is_stopped() const { return stop != nullptr && *stop; }
};

/// A connection to a server, plain or TLS.
class Network::Connection {
 public:
  using Request = http::request<http::string_body>;
  using Response = http::response<http::string_body>;

  Connection() = default;
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] virtual error_code exchange(const Request& request, Response& response,
                                            const Patience& patience) = 0;
};

struct Network::Io {
  asio::io_context context{1};
  ssl::context tls{ssl::context::tls_client};
};

namespace {

constexpr unsigned kHttpVersion = 11;
constexpr std::chrono::milliseconds kLookForStop{20};

PlainStream& lowest(PlainStream& stream) {
  return stream;
}
PlainStream& lowest(SecureStream& stream) {
  return stream.next_layer();
}

/// Starts an asynchronous operation on a stream and waits for its error code.
template <class Patience, class Start>
error_code wait_for(asio::io_context& context, PlainStream& stream, const Patience& patience,
                    Start&& start) {
  error_code result;
  bool is_done = false;
  stream.expires_at(patience.deadline);
  start([&](const error_code& error, const auto&... /*more*/) {
    result = error;
    is_done = true;
  });
  context.restart();
  while (!is_done && patience.stop != nullptr && !patience.is_stopped()) {
    (void)context.run_for(kLookForStop);
  }
  if (!is_done && patience.is_stopped()) stream.cancel();
  context.run();
  return result;
}

template <class Stream>
class ConnectionOver final : public Network::Connection {
 public:
  ConnectionOver(asio::io_context& context, std::unique_ptr<Stream> stream,
                 std::uint64_t longest_answer)
      : context_(context), stream_(std::move(stream)), longest_answer_(longest_answer) {}

  error_code exchange(const Request& request, Response& response,
                      const Network::Patience& patience) override {
    error_code error = wait_for(context_, lowest(*stream_), patience, [&](auto done) {
      http::async_write(*stream_, request, std::move(done));
    });
    if (error) return error;
    http::response_parser<http::string_body> parser;
    parser.body_limit(longest_answer_);
    error = wait_for(context_, lowest(*stream_), patience, [&](auto done) {
      http::async_read(*stream_, buffer_, parser, std::move(done));
    });
    if (!error) response = parser.release();
    return error;
  }

 private:
  asio::io_context& context_;
  std::unique_ptr<Stream> stream_;
  std::uint64_t longest_answer_;
  beast::flat_buffer buffer_;
};

bool is_number_of_host(const std::string& host) {
  error_code error;
  (void)asio::ip::make_address(host, error);
  return !error;
}

std::string reason_of(const error_code& error, std::chrono::milliseconds timeout) {
  if (error == beast::error::timeout) {
    return fmt::format("no answer within {:g} s", std::chrono::duration<double>(timeout).count());
  }
  if (error == http::error::end_of_stream || error == asio::error::eof) {
    return "the connection was closed";
  }
  if (error == http::error::body_limit) return "its answer is too long";
  return error.message();
}

Lost lost_by(const error_code& error, std::chrono::milliseconds timeout, bool for_good) {
  return {reason_of(error, timeout), for_good, error == beast::error::timeout};
}

Network::Connection::Request wire_request(const ServerAddress& server, const HttpRequest& given) {
  Network::Connection::Request request;
  request.method_string(given.method);
  request.target(given.target);
  request.version(kHttpVersion);
  request.set(http::field::host, server.authority());
  request.set(http::field::user_agent, "canopy");
  request.set(http::field::accept, "application/json");
  if (!given.token.empty()) request.set(http::field::authorization, "Bearer " + given.token);
  if (!given.key.empty()) request.set("Idempotency-Key", given.key);
  if (given.body) {
    request.set(http::field::content_type, given.content_type);
    request.body() = *given.body;
  }
  for (const auto& [name, value] : given.headers) request.set(name, value);
  request.prepare_payload();
  return request;
}

}  // namespace

Network::Network(Options options) : options_(std::move(options)), io_(std::make_unique<Io>()) {
  error_code error;
  if (options_.ca_file.empty()) {
    io_->tls.set_default_verify_paths(error);
  } else {
    io_->tls.load_verify_file(options_.ca_file, error);
  }
  if (error) {
    throw Lost{fmt::format("{}: cannot read certificates: {}", options_.ca_file, error.message()),
               true};
  }
  io_->tls.set_verify_mode(ssl::verify_peer);
}

Network::~Network() = default;

std::unique_ptr<Network::Connection> Network::connected(const ServerAddress& server,
                                                        const Patience& patience) {
  asio::io_context& context = io_->context;
  error_code error;
  const auto fail_if = [&](bool for_good = false) {
    if (patience.is_stopped()) throw Lost{"was stopped", true};
    if (error) throw lost_by(error, patience.timeout, for_good);
  };
  tcp::resolver resolver(context);
  const tcp::resolver::results_type found = resolver.resolve(server.host, server.port, error);
  fail_if();
  const auto reach = [&](PlainStream& stream) {
    error = wait_for(context, stream, patience,
                     [&](auto done) { stream.async_connect(found, std::move(done)); });
    fail_if();
    error_code ignored;
    stream.socket().set_option(tcp::no_delay(true), ignored);
  };
  if (!server.secure) {
    auto stream = std::make_unique<PlainStream>(context);
    reach(*stream);
    return std::make_unique<ConnectionOver<PlainStream>>(context, std::move(stream),
                                                         options_.longest_answer);
  }
  auto stream = std::make_unique<SecureStream>(context, io_->tls);
  stream->set_verify_callback(ssl::host_name_verification(server.host));
  if (!is_number_of_host(server.host)) {
    SSL_set_tlsext_host_name(stream->native_handle(), server.host.c_str());
  }
  reach(stream->next_layer());
  error = wait_for(context, stream->next_layer(), patience, [&](auto done) {
    stream->async_handshake(ssl::stream_base::client, std::move(done));
  });
  const auto verified = SSL_get_verify_result(stream->native_handle());
  if (error && verified != X509_V_OK) {
    throw Lost{
        fmt::format("its certificate is not trusted: {}", X509_verify_cert_error_string(verified)),
        true};
  }
  if (error.category() == asio::error::get_ssl_category()) {
    throw Lost{fmt::format("it does not answer with TLS ({}): is its address http://{}:{}?",
                           error.message(), server.host, server.port),
               true};
  }
  fail_if();
  return std::make_unique<ConnectionOver<SecureStream>>(context, std::move(stream),
                                                        options_.longest_answer);
}

HttpResponse Network::ask(const ServerAddress& server, const HttpRequest& given) {
  const Connection::Request request = wire_request(server, given);
  const std::chrono::milliseconds timeout = given.timeout.value_or(options_.timeout);
  const Patience patience{timeout, std::chrono::steady_clock::now() + timeout, given.stop};
  Connection::Response response;
  error_code error;
  if (connection_ && server == server_) {
    error = connection_->exchange(request, response, patience);
    // A server may close an idle connection; that is not a failure.
    const bool is_over = error == beast::error::timeout || patience.is_stopped();
    if (error && !is_over) connection_.reset();
  } else {
    connection_.reset();
  }
  if (!connection_) {
    connection_ = connected(server, patience);
    server_ = server;
    error = connection_->exchange(request, response, patience);
  }
  if (error || !response.keep_alive()) connection_.reset();
  if (error && patience.is_stopped()) throw Lost{"was stopped", true};
  if (error) throw lost_by(error, timeout, error == http::error::body_limit);
  return {response.result_int(), std::string(response.reason()), std::move(response.body()),
          std::string(response[http::field::location]),
          std::string(response[http::field::retry_after])};
}

}  // namespace canopy
