#pragma once

#include "service/gathered.hpp"
#include "service/log.hpp"
#include "service/metrics.hpp"
#include "service/server.hpp"
#include "service/service.hpp"
#include "service/transport.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>

namespace canopy::service {

class Streams;

/// The state that all connections share. Only the thread of `io` uses it, except that workers fill
/// the queues.
class Exchanges {
 public:
  Exchanges(const ServerOptions& options, asio::io_context& io, Log& log, Metrics& metrics,
            StudyHost& host, Service& service);

  /// Passes a request to the workers and waits for their answer.
  asio::awaitable<Response> answer_to(const Service::Admitted& admitted, Request& request);

  const ServerOptions& options;
  asio::io_context& io;
  Log& log;
  Metrics& metrics;
  Service& service;
  bool is_stopping = false;
  std::size_t bytes_in_flight = 0;  ///< of bodies being read or served

 private:
  struct Arrival {
    Service::Admitted admitted = {};
    Request request = {};
    Done done = {};
  };
  struct Departure {
    std::function<void(Response)> resume;
    Response response;
  };
  struct Begin;

  void serve(Arrival& arrival);

  StudyHost& host_;
  Gathered<Arrival> arrivals_;
  Gathered<Departure> departures_;
};

/// A client's connection: reads its requests one after the other and answers them.
class Connection {
 public:
  using SteadyClock = std::chrono::steady_clock;

  Connection(Exchanges& exchanges, Streams& streams, std::unique_ptr<Transport> transport);

  asio::awaitable<void> run();

  /// Closes the connection if its deadline has passed.
  void close_if_late(SteadyClock::time_point now);
  /// Closes the connection unless a request is being served.
  void close_if_idle();

 private:
  struct Exchange;

  asio::awaitable<bool> serve_one();
  asio::awaitable<bool> read_head(Exchange& exchange);
  asio::awaitable<bool> read_body(Exchange& exchange);
  void admit(Exchange& exchange);
  void refuse_foreign_pages(const Exchange& exchange) const;
  asio::awaitable<bool> send(const Exchange& exchange, const Response& answer);
  void note(const Exchange& exchange, unsigned status);
  void close();
  [[nodiscard]] bool allows(std::string_view origin) const;

  Exchanges& exchanges_;
  Streams& streams_;
  std::unique_ptr<Transport> transport_;
  boost::beast::flat_buffer buffer_;
  SteadyClock::time_point deadline_;
  bool is_serving_ = false;
  std::string address_;
};

}  // namespace canopy::service
