#include "service/streams.hpp"

#include "core/text.hpp"
#include "files/json.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

namespace canopy::service {
namespace {

constexpr std::chrono::milliseconds kBetweenReads{250};
constexpr std::chrono::milliseconds kBetweenStates{500};
constexpr std::chrono::seconds kReadAnyway{1};  // other servers may write to the store
constexpr std::chrono::seconds kStateAgain{5};  // the state may change without an event
constexpr std::chrono::seconds kHeartbeat{15};  // detects dead clients
constexpr std::uint64_t kPage = 500;            // events per read
constexpr std::size_t kMostWaiting = 262'144;   // bytes queued for one client

std::string frame(std::string_view kind, std::string_view data) {
  return fmt::format("event: {}\ndata: {}\n\n", kind, data);
}

/// Removes the time stamp from an answer, to compare it with an earlier one.
std::string without_time(std::string body) {
  constexpr std::string_view kNow = "\"now\":";
  const std::size_t begin = body.find(kNow);
  if (begin == std::string::npos) return body;
  const std::size_t end = body.find_first_of(",}", begin);
  return body.erase(begin, end - begin);
}

/// Outside of the coroutines because of a bug of gcc 12: it destroys the strings of a braced list
/// twice there.
Request request_for(const std::string& study) {
  Request request;
  request.path = {"v1", "studies", study};
  return request;
}

/// An internal route that returns the next events of a journal, formatted for the stream.
constexpr std::array kFramesQuery{
    QueryField{.name = "after", .help = "", .kind = QueryField::Kind::whole, .usual = "0"},
    QueryField{.name = "limit", .help = "", .kind = QueryField::Kind::whole, .usual = "1"}};
const Route kFrames{
    .method = "GET", .pattern = "", .serve = &Service::frames, .query = kFramesQuery};

/// Internal routes that return the state of a study. Access was checked when the stream began.
const std::array kStateRoutes{
    Route{.method = "GET", .pattern = "summary", .serve = &Service::summary},
    Route{.method = "GET", .pattern = "best", .serve = &Service::best}};

}  // namespace

/// A client that follows a study.
struct Streams::Follower {
  explicit Follower(asio::io_context& io) : wakes(io) {}

  void send(const Text& text) {
    if (text->empty()) return;
    bytes += text->size();
    is_left_behind = is_left_behind || bytes > kMostWaiting;
    if (!is_left_behind) waiting.push_back(text);
    wakes.cancel();
  }

  asio::steady_timer wakes;
  std::deque<Text> waiting;
  std::size_t bytes = 0;  // queued for the client
  std::uint64_t last = 0;
  bool wants_journal = true;
  bool has_joined = false;  // has caught up and receives all new events
  bool is_left_behind = false;
  bool is_over = false;
};

/// The stream of a study and its followers.
struct Streams::Channel {
  Channel(std::string its_study, asio::io_context& io) : study(std::move(its_study)), wakes(io) {}

  std::string study;
  asio::steady_timer wakes;
  bool has_news = false;
  bool is_known = false;                                  // `last` is known
  std::uint64_t last = 0;                                 // number of the last event sent
  std::list<Follower*> followers;                         // the reader ends when there are none
  std::map<std::string, std::string, std::less<>> state;  // the latest frame of each kind
  SteadyClock::time_point state_at = {};
  bool state_is_due = true;

  void send(const Text& text, bool is_journal) {
    for (Follower* each : followers) {
      if (each->has_joined && (each->wants_journal || !is_journal)) each->send(text);
    }
  }
};

/// Adds a follower to a channel during the lifetime of this object.
struct Streams::Place {
  Place(Streams& its_streams, ChannelPointer its_channel, Follower& follower)
      : streams(its_streams),
        channel(std::move(its_channel)),
        place(channel->followers.insert(channel->followers.end(), &follower)) {
    ++streams.size_;
  }
  ~Place() {
    channel->followers.erase(place);
    if (channel->followers.empty()) channel->wakes.cancel();
    --streams.size_;
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  Streams& streams;
  ChannelPointer channel;
  std::list<Follower*>::iterator place;
};

// --- followers -------------------------------------------------------------------------------

asio::awaitable<void> Streams::follow(Transport& transport, SteadyClock::time_point& deadline,
                                      const Wish& wish) {
  const std::string study = study_of(wish.request);
  const bool is_first = !channels_.contains(study);
  if (is_first) channels_.emplace(study, std::make_shared<Channel>(study, exchanges_.io));
  const ChannelPointer channel = channels_.at(study);
  Follower follower(exchanges_.io);
  const Place place(*this, channel, follower);
  if (is_first) asio::co_spawn(exchanges_.io, read(channel), asio::detached);

  const auto& query = wish.request.query;
  follower.wants_journal = !query.contains("journal") || query.at("journal") != "false";
  std::optional<std::uint64_t> after = number_in<std::uint64_t>(wish.last_event);
  if (!after && query.contains("after")) after = number_in<std::uint64_t>(query.at("after"));

  std::string head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nConnection: close\r\n";
  if (!wish.origin.empty()) {
    head += fmt::format("Access-Control-Allow-Origin: {}\r\nVary: Origin\r\n", wish.origin);
  }
  head += "\r\nretry: 2000\n\n";
  if (!co_await write(transport, deadline, head)) co_return;
  if (after && follower.wants_journal) {
    follower.last = *after;
    if (!co_await catch_up(*channel, follower, transport, deadline)) co_return;
  }
  // A new follower first gets the current state.
  std::string begins;
  for (const auto& [kind, data] : channel->state) begins += frame(kind, data);
  follower.has_joined = true;
  if (!begins.empty()) follower.send(std::make_shared<const std::string>(std::move(begins)));

  auto checked_at = SteadyClock::now();
  auto sent_at = SteadyClock::now();
  while (!exchanges_.is_stopping && !follower.is_over && !follower.is_left_behind) {
    const auto now = SteadyClock::now();
    if (now - checked_at >= kStateAgain) {
      if (!may_still(wish)) break;
      checked_at = now;
    }
    if (follower.waiting.empty()) {
      if (now - sent_at >= kHeartbeat) {
        if (!co_await write(transport, deadline, ": alive\n\n")) break;
        sent_at = SteadyClock::now();
      }
      follower.wakes.expires_after(kStateAgain);
      (void)co_await follower.wakes.async_wait(kAwait);
      continue;
    }
    const Text text = follower.waiting.front();
    follower.waiting.pop_front();
    if (!co_await write(transport, deadline, *text)) break;
    follower.bytes -= text->size();
    sent_at = SteadyClock::now();
  }
}

asio::awaitable<bool> Streams::write(Transport& transport, SteadyClock::time_point& deadline,
                                     std::string_view text) {
  deadline = SteadyClock::now() + exchanges_.options.request_patience;
  const bool was_sent = co_await transport.write(text, "");
  deadline = SteadyClock::time_point::max();
  co_return was_sent;
}

/// Sends the events that a client has missed, until it has caught up with the other followers.
asio::awaitable<bool> Streams::catch_up(Channel& channel, Follower& follower, Transport& transport,
                                        SteadyClock::time_point& deadline) {
  while (!exchanges_.is_stopping) {
    if (channel.is_known && follower.last >= channel.last) co_return true;
    const Page page = co_await next_page(channel.study, follower.last, kPage);
    if (!page.exists) co_return false;
    if (!co_await write(transport, deadline, page.text)) co_return false;
    follower.last = page.next;
    if (page.next >= page.newest && !channel.is_known) {
      channel.is_known = true;
      channel.last = page.next;
    }
  }
  co_return false;
}

/// Checks access again, because tokens expire and are revoked.
bool Streams::may_still(const Wish& wish) const {
  try {
    (void)exchanges_.service.admit(wish.request, wish.secret);
    return true;
  } catch (const Problem& problem) {
    return problem.status() != 401 && problem.status() != 403;
  }
}

// --- the reader of a study -------------------------------------------------------------------

void Streams::wake(const std::string& study) {
  const auto found = channels_.find(study);
  if (found == channels_.end()) return;
  if (!std::exchange(found->second->has_news, true)) found->second->wakes.cancel();
}

void Streams::stop() {
  for (const auto& each : channels_) {
    each.second->wakes.cancel();
    for (Follower* follower : each.second->followers) follower->wakes.cancel();
  }
}

/// Reads a study while it has followers.
asio::awaitable<void> Streams::read(ChannelPointer channel) {
  bool exists = true;
  while (exists && !exchanges_.is_stopping && !channel->followers.empty()) {
    channel->has_news = false;
    const auto begin = SteadyClock::now();
    exists = co_await read_journal(*channel);
    const auto since_state = SteadyClock::now() - channel->state_at;
    if (since_state >= kStateAgain) channel->state_is_due = true;
    if (exists && channel->state_is_due && since_state >= kBetweenStates) {
      co_await read_state(*channel);
    }
    if (!exists || exchanges_.is_stopping || channel->followers.empty()) break;
    // Events are collected for a short time; without new events the interval is longer.
    channel->wakes.expires_at(begin + kBetweenReads);
    (void)co_await channel->wakes.async_wait(kAwait);
    while (SteadyClock::now() < begin + kBetweenReads && !exchanges_.is_stopping &&
           !channel->followers.empty()) {
      channel->wakes.expires_at(begin + kBetweenReads);
      (void)co_await channel->wakes.async_wait(kAwait);
    }
    const bool may_wait = !channel->has_news && !channel->state_is_due;
    if (may_wait && !exchanges_.is_stopping && !channel->followers.empty()) {
      channel->wakes.expires_at(begin + kReadAnyway);
      (void)co_await channel->wakes.async_wait(kAwait);
    }
  }
  for (Follower* each : channel->followers) {
    each->is_over = true;
    each->wakes.cancel();
  }
  channels_.erase(channel->study);
}

/// Returns false if the study was deleted.
asio::awaitable<bool> Streams::read_journal(Channel& channel) {
  if (!channel.is_known) {  // start at the end of the journal
    const Page page = co_await next_page(channel.study, INT64_MAX, 1);
    if (channel.is_known) co_return true;  // another follower has set it meanwhile
    channel.is_known = page.exists;
    channel.last = page.newest;
    co_return page.exists;
  }
  Page page = co_await next_page(channel.study, channel.last, kPage);
  if (!page.exists || page.next == channel.last) co_return page.exists;
  if (page.next < page.newest) {
    // There are too many events for one page: the stream skips the rest; clients can read it from
    // the journal.
    page.text +=
        fmt::format("id: {}\n", page.newest) +
        frame("skipped", fmt::format(R"({{"after":{},"last":{}}})", page.next, page.newest));
  }
  channel.last = page.newest;
  channel.state_is_due = true;
  channel.send(std::make_shared<const std::string>(std::move(page.text)), true);
  co_return true;
}

/// Sends the state of the study if it has changed.
asio::awaitable<void> Streams::read_state(Channel& channel) {
  std::string text;
  for (const Route& route : kStateRoutes) {
    const std::string what(route.pattern);
    Request request = request_for(channel.study);
    Service::Admitted admitted;
    admitted.route = &route;
    const Response state = co_await exchanges_.answer_to(admitted, request);
    if (state.status != 200 && state.status != 409) continue;
    const std::string body = state.status == 200 ? state.body : "null";  // 409: no best arm yet
    std::string& before = channel.state[what];
    if (without_time(body) == without_time(before)) continue;
    before = body;
    text += frame(what, body);
  }
  channel.state_is_due = false;
  channel.state_at = SteadyClock::now();
  channel.send(std::make_shared<const std::string>(std::move(text)), false);
}

/// Reads the next events of a study. If the store cannot be read, the page is empty.
asio::awaitable<Streams::Page> Streams::next_page(const std::string& study, std::uint64_t after,
                                                  std::uint64_t limit) {
  Request request = request_for(study);
  request.query.emplace("after", std::to_string(after));
  request.query.emplace("limit", std::to_string(limit));
  Service::Admitted admitted;
  admitted.route = &kFrames;
  const Response answer = co_await exchanges_.answer_to(admitted, request);
  Page page;
  page.next = page.newest = after;
  if (answer.status >= 400 && answer.status < 500) page.exists = false;
  if (answer.status != 200) co_return page;
  page.text = answer.body;
  for (const auto& [name, value] : answer.headers) {
    (name == "Next" ? page.next : page.newest) = number_in<std::uint64_t>(value).value_or(after);
  }
  co_return page;
}

}  // namespace canopy::service
