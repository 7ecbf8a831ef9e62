#include "service/transport.hpp"

#include <utility>

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

namespace canopy::service {
namespace {

using tcp = asio::ip::tcp;

template <class Stream>
asio::awaitable<std::size_t> read_from(Stream& stream, asio::mutable_buffer room) {
  const auto [error, bytes] = co_await stream.async_read_some(room, kAwait);
  co_return error ? 0 : bytes;
}

template <class Stream>
asio::awaitable<bool> write_to(Stream& stream, std::string_view head, std::string_view body) {
  const std::array parts{asio::buffer(head), asio::buffer(body)};
  const auto [error, bytes] = co_await asio::async_write(stream, parts, kAwait);
  co_return !error;
}

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(tcp::socket socket) : socket_(std::move(socket)) {}

  [[nodiscard]] tcp::socket& socket() override { return socket_; }
  asio::awaitable<bool> begin() override { co_return true; }
  [[nodiscard]] bool can_wait() const override { return true; }
  asio::awaitable<bool> wait() override {
    const auto [error] = co_await socket_.async_wait(tcp::socket::wait_read, kAwait);
    co_return !error;
  }
  asio::awaitable<std::size_t> read(asio::mutable_buffer room) override {
    return read_from(socket_, room);
  }
  asio::awaitable<bool> write(std::string_view head, std::string_view body) override {
    return write_to(socket_, head, body);
  }
  asio::awaitable<void> end() override {
    boost::system::error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    co_return;
  }

 private:
  tcp::socket socket_;
};

class TlsTransport final : public Transport {
 public:
  TlsTransport(tcp::socket socket, std::shared_ptr<asio::ssl::context> context)
      : context_(std::move(context)), stream_(std::move(socket), *context_) {}

  [[nodiscard]] tcp::socket& socket() override { return stream_.next_layer(); }
  asio::awaitable<bool> begin() override {
    const auto [error] = co_await stream_.async_handshake(asio::ssl::stream_base::server, kAwait);
    co_return !error;
  }
  [[nodiscard]] bool can_wait() const override { return false; }
  asio::awaitable<bool> wait() override { co_return true; }
  asio::awaitable<std::size_t> read(asio::mutable_buffer room) override {
    return read_from(stream_, room);
  }
  asio::awaitable<bool> write(std::string_view head, std::string_view body) override {
    return write_to(stream_, head, body);
  }
  asio::awaitable<void> end() override {
    const auto [error] = co_await stream_.async_shutdown(kAwait);
    (void)error;  // the connection ends in any case
  }

 private:
  std::shared_ptr<asio::ssl::context>
      context_;  // kept alive, because the server may replace its own
  asio::ssl::stream<tcp::socket> stream_;
};

}  // namespace

std::unique_ptr<Transport> make_transport(tcp::socket socket,
                                          std::shared_ptr<asio::ssl::context> tls) {
  if (tls) return std::make_unique<TlsTransport>(std::move(socket), std::move(tls));
  return std::make_unique<PlainTransport>(std::move(socket));
}

}  // namespace canopy::service
