#pragma once

#include "service/connection.hpp"
#include "service/transport.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/steady_timer.hpp>

namespace canopy::service {

/// The event streams of studies. Each study has one reader, which sends the same bytes to all
/// clients that follow the study; a client that reads too slowly skips events. Runs on one thread.
class Streams {
 public:
  using SteadyClock = std::chrono::steady_clock;

  explicit Streams(Exchanges& exchanges) : exchanges_(exchanges) {}

  struct Wish {
    Request request = {};                    ///< the request for the stream
    std::optional<std::string> secret = {};  ///< the token that came with it
    std::string last_event = {};             ///< number of the last event that the client has
    std::string origin = {};                 ///< origin of the web page that asks; empty: none
  };
  /// Sends events until the client disconnects, the study is deleted or the server stops.
  asio::awaitable<void> follow(Transport& transport, SteadyClock::time_point& deadline,
                               const Wish& wish);

  /// Tells the streams of a study that it has new events.
  void wake(const std::string& study);
  /// Ends all streams when the server stops.
  void stop();

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  using Text = std::shared_ptr<const std::string>;
  struct Follower;
  struct Channel;
  struct Place;
  using ChannelPointer = std::shared_ptr<Channel>;

  /// A part of a journal, formatted for the stream.
  struct Page {
    bool exists = true;
    std::string text = {};
    std::uint64_t next = 0;    // number of its last event
    std::uint64_t newest = 0;  // number of the newest event of the journal
  };

  asio::awaitable<void> read(ChannelPointer channel);
  asio::awaitable<bool> read_journal(Channel& channel);
  asio::awaitable<void> read_state(Channel& channel);
  asio::awaitable<bool> catch_up(Channel& channel, Follower& follower, Transport& transport,
                                 SteadyClock::time_point& deadline);
  asio::awaitable<Page> next_page(const std::string& study, std::uint64_t after,
                                  std::uint64_t limit);
  asio::awaitable<bool> write(Transport& transport, SteadyClock::time_point& deadline,
                              std::string_view text);
  [[nodiscard]] bool may_still(const Wish& wish) const;

  Exchanges& exchanges_;
  std::map<std::string, ChannelPointer> channels_;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace canopy::service
