#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace canopy::service {

namespace asio = boost::asio;

/// Awaits with errors returned as values.
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

/// The byte stream of a client connection, with or without TLS.
class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] virtual asio::ip::tcp::socket& socket() = 0;

  /// Performs the TLS handshake. Returns false if that fails.
  virtual asio::awaitable<bool> begin() = 0;
  /// Whether `wait` can wait for bytes without a buffer.
  [[nodiscard]] virtual bool can_wait() const = 0;
  virtual asio::awaitable<bool> wait() = 0;
  /// Returns 0 if the client has disconnected.
  virtual asio::awaitable<std::size_t> read(asio::mutable_buffer room) = 0;
  /// Returns false if the client has disconnected.
  virtual asio::awaitable<bool> write(std::string_view head, std::string_view body) = 0;
  virtual asio::awaitable<void> end() = 0;
};

/// Makes a transport with TLS if `tls` is not null; the context must outlive it.
[[nodiscard]] std::unique_ptr<Transport> make_transport(asio::ip::tcp::socket socket,
                                                        std::shared_ptr<asio::ssl::context> tls);

}  // namespace canopy::service
