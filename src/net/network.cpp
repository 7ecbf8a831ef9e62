#include "net/network.hpp"

#include <cstdint>
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
                                            std::chrono::milliseconds timeout) = 0;
};

struct Network::Io {
  asio::io_context context{1};
  ssl::context tls{ssl::context::tls_client};
};

namespace {

constexpr std::uint64_t kLongestAnswer = std::uint64_t{1} << 30U;
constexpr unsigned kHttpVersion = 11;

/// Starts an asynchronous operation and waits until it calls back with an error code.
template <class Start>
error_code wait_for(asio::io_context& context, Start&& start) {
  error_code result;
  start([&result](const error_code& error, const auto&... /*more*/) { result = error; });
  context.restart();
  context.run();
  return result;
}

PlainStream& lowest(PlainStream& stream) {
  return stream;
}
PlainStream& lowest(SecureStream& stream) {
  return stream.next_layer();
}

template <class Stream>
class ConnectionOver final : public Network::Connection {
 public:
  ConnectionOver(asio::io_context& context, std::unique_ptr<Stream> stream)
      : context_(context), stream_(std::move(stream)) {}

  error_code exchange(const Request& request, Response& response,
                      std::chrono::milliseconds timeout) override {
    lowest(*stream_).expires_after(timeout);
    error_code error = wait_for(
        context_, [&](auto done) { http::async_write(*stream_, request, std::move(done)); });
    if (error) return error;
    http::response_parser<http::string_body> parser;
    parser.body_limit(kLongestAnswer);
    error = wait_for(
        context_, [&](auto done) { http::async_read(*stream_, buffer_, parser, std::move(done)); });
    if (!error) response = parser.release();
    return error;
  }

 private:
  asio::io_context& context_;
  std::unique_ptr<Stream> stream_;
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
  return error.message();
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
    request.set(http::field::content_type, "application/json");
    request.body() = *given.body;
  }
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

std::unique_ptr<Network::Connection> Network::connected(const ServerAddress& server) {
  asio::io_context& context = io_->context;
  error_code error;
  const auto fail_if = [&](bool for_good = false) {
    if (error) throw Lost{reason_of(error, options_.timeout), for_good};
  };
  tcp::resolver resolver(context);
  const tcp::resolver::results_type found = resolver.resolve(server.host, server.port, error);
  fail_if();
  const auto reach = [&](PlainStream& stream) {
    stream.expires_after(options_.timeout);
    error = wait_for(context, [&](auto done) { stream.async_connect(found, std::move(done)); });
    fail_if();
    error_code ignored;
    stream.socket().set_option(tcp::no_delay(true), ignored);
  };
  if (!server.secure) {
    auto stream = std::make_unique<PlainStream>(context);
    reach(*stream);
    return std::make_unique<ConnectionOver<PlainStream>>(context, std::move(stream));
  }
  auto stream = std::make_unique<SecureStream>(context, io_->tls);
  stream->set_verify_callback(ssl::host_name_verification(server.host));
  if (!is_number_of_host(server.host)) {
    SSL_set_tlsext_host_name(stream->native_handle(), server.host.c_str());
  }
  reach(stream->next_layer());
  error = wait_for(context, [&](auto done) {
    stream->async_handshake(ssl::stream_base::client, std::move(done));
  });
  const auto verified = SSL_get_verify_result(stream->native_handle());
  if (error && verified != X509_V_OK) {
    throw Lost{
        fmt::format("its certificate is not trusted: {}", X509_verify_cert_error_string(verified)),
        true};
  }
  if (error.category() == asio::error::get_ssl_category()) {
    throw Lost{fmt::format("it answers, but not with TLS ({}): is its address http://{}:{}?",
                           error.message(), server.host, server.port),
               true};
  }
  fail_if();
  return std::make_unique<ConnectionOver<SecureStream>>(context, std::move(stream));
}

HttpResponse Network::ask(const ServerAddress& server, const HttpRequest& given) {
  const Connection::Request request = wire_request(server, given);
  const std::chrono::milliseconds timeout = given.timeout.value_or(options_.timeout);
  Connection::Response response;
  error_code error;
  if (connection_ && server == server_) {
    error = connection_->exchange(request, response, timeout);
    // A server may close an idle connection; that is not a failure.
    if (error && error != beast::error::timeout) connection_.reset();
  } else {
    connection_.reset();
  }
  if (!connection_) {
    connection_ = connected(server);
    server_ = server;
    error = connection_->exchange(request, response, timeout);
  }
  if (error || !response.keep_alive()) connection_.reset();
  if (error) throw Lost{reason_of(error, timeout)};
  return {response.result_int(), std::string(response.reason()), std::move(response.body()),
          std::string(response[http::field::location]),
          std::string(response[http::field::retry_after])};
}

}  // namespace canopy
