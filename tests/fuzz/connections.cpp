// Bytes of any kind on a connection to a real server.

#include "support/test_server.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace canopy::testing;
  static TestServer server;
  static const bool is_ready = [] {
    server.make_study("a");
    return true;
  }();
  if (!is_ready) return 0;
  HttpConnection connection(server.port());
  boost::system::error_code ignored;
  boost::asio::write(connection.socket(), boost::asio::buffer(data, size), ignored);
  connection.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("/stream") != std::string_view::npos) return 0;  // it goes on
  while (!connection.receive().empty()) continue;
  return 0;
}
