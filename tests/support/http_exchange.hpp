#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>

namespace canopy::testing {

/// A response of a server.
struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;
  std::string body;

  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(body); }
  [[nodiscard]] std::string code() const { return json().value("code", ""); }
};

/// A connection to a local server, on which tests can send arbitrary bytes.
class HttpConnection {
 public:
  /// Throws on reads that take longer than `patience_ms`; -1: no limit.
  explicit HttpConnection(std::uint16_t port, int patience_ms = -1)
      : patience_(patience_ms), socket_(io_) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
  }

  void send(std::string_view bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }

  /// Reads the available bytes, at most `most`; empty at the end.
  [[nodiscard]] std::string receive(std::size_t most = 65'536) {
    std::string bytes(most, '\0');
    pollfd ready{socket_.native_handle(), POLLIN, 0};
    if (poll(&ready, 1, patience_) == 0) throw std::runtime_error("the server says nothing");
    boost::system::error_code error;
    bytes.resize(socket_.read_some(boost::asio::buffer(bytes), error));
    return bytes;
  }

  /// Reads the next response. Throws if the server closes the connection before.
  [[nodiscard]] HttpAnswer answer() {
    while (rest_.find("\r\n\r\n") == std::string::npos) more();
    const std::size_t end = rest_.find("\r\n\r\n");
    HttpAnswer answer;
    answer.status = static_cast<int>(std::strtol(rest_.c_str() + 9, nullptr, 10));
    for (std::size_t at = rest_.find("\r\n") + 2; at < end + 2;) {
      const std::size_t line_end = rest_.find("\r\n", at);
      const std::size_t colon = rest_.find(':', at);
      answer.headers[rest_.substr(at, colon - at)] = rest_.substr(colon + 2, line_end - colon - 2);
      at = line_end + 2;
    }
    const auto length = answer.headers.find("Content-Length");
    const std::size_t size = length != answer.headers.end() ? std::stoul(length->second) : 0;
    while (rest_.size() < end + 4 + size) more();
    answer.body = rest_.substr(end + 4, size);
    rest_.erase(0, end + 4 + size);
    return answer;
  }

  HttpAnswer exchange(const std::string& method, const std::string& target,
                      const std::string& body = "", const std::string& headers = "") {
    std::string request = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
    if (!body.empty()) {
      request +=
          "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
          "\r\n";
    }
    send(request + "\r\n" + body);
    return answer();
  }

  /// Whether the server has closed the connection.
  [[nodiscard]] bool is_closed() {
    std::array<char, 1> byte{};
    boost::system::error_code error;
    return socket_.read_some(boost::asio::buffer(byte), error) == 0 && error;
  }

  boost::asio::ip::tcp::socket& socket() { return socket_; }

 private:
  void more() {
    const std::string bytes = receive();
    if (bytes.empty()) throw std::runtime_error("the server has ended the connection: " + rest_);
    rest_ += bytes;
  }

  int patience_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
  std::string rest_;
};

}  // namespace canopy::testing
