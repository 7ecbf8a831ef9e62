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

/// Errors as values.
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

/// The bytes of one client, in the clear or through TLS.
class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] virtual asio::ip::tcp::socket& socket() = 0;

  /// False if the client and we have no common language.
  virtual asio::awaitable<bool> begin() = 0;
  /// Whether it is possible to wait for bytes without room for them.
  [[nodiscard]] virtual bool can_wait() const = 0;
  virtual asio::awaitable<bool> wait() = 0;
  /// 0: the client is gone.
  virtual asio::awaitable<std::size_t> read(asio::mutable_buffer room) = 0;
  /// False: the client is gone.
  virtual asio::awaitable<bool> write(std::string_view head, std::string_view body) = 0;
  virtual asio::awaitable<void> end() = 0;
};

/// With TLS if there is a context, which must live as long.
[[nodiscard]] std::unique_ptr<Transport> make_transport(asio::ip::tcp::socket socket,
                                                        std::shared_ptr<asio::ssl::context> tls);

}  // namespace canopy::service
