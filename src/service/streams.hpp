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

/// Those who follow the journals of studies. One reader a study asks what is new and sends the same
/// bytes to all of its followers; one who does not take them is left behind. Of one thread.
class Streams {
 public:
  using SteadyClock = std::chrono::steady_clock;

  explicit Streams(Exchanges& exchanges) : exchanges_(exchanges) {}

  struct Wish {
    Request request = {};                    ///< for the stream
    std::optional<std::string> secret = {};  ///< the token that came with it
    std::string last_event = {};             ///< that the client has
    std::string origin = {};                 ///< a page that may ask; empty: none
  };
  /// Sends events until the client is gone, the study is deleted or the server stops.
  asio::awaitable<void> follow(Transport& transport, SteadyClock::time_point& deadline,
                               const Wish& wish);

  /// There are new events.
  void wake(const std::string& study);
  /// Ends all of them, once the server stops.
  void stop();

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  using Text = std::shared_ptr<const std::string>;
  struct Follower;
  struct Channel;
  struct Place;
  using ChannelPointer = std::shared_ptr<Channel>;

  /// A piece of a journal, as it is sent.
  struct Page {
    bool exists = true;
    std::string text = {};
    std::uint64_t next = 0;    // the last event that it has
    std::uint64_t newest = 0;  // the last that there is
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
