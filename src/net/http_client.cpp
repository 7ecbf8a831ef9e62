#include "net/http_client.hpp"

#include "canopy/specification_error.hpp"

#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "files/json.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <thread>

#include <fmt/format.h>

namespace canopy {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kMostRedirections = 3;
constexpr milliseconds kFirstWait{100};  // doubled after each failed attempt
constexpr milliseconds kLongestWait{5'000};
constexpr milliseconds kSleepSlice{20};
constexpr unsigned kTooManyRequests = 429;
constexpr unsigned kUnavailable = 503;
constexpr unsigned kTemporaryRedirect = 307;

milliseconds seconds_of(std::string_view text) {
  const auto seconds = number_in<std::uint32_t>(text);
  return seconds ? std::chrono::seconds(*seconds) : milliseconds(0);
}

/// Converts an error response to an exception.
ServerProblem problem_in(const HttpResponse& response, const std::string& server) {
  std::string code;
  std::string detail;
  try {
    const Document body = parse_json(response.body, server);
    const Document* given = body.find("code");
    if (given != nullptr && given->as_text() != nullptr) code = *given->as_text();
    given = body.find("detail");
    if (given != nullptr && given->as_text() != nullptr) detail = *given->as_text();
  } catch (const SpecificationError&) {
    detail.clear();  // the response is probably from a proxy
  }
  if (detail.empty()) {
    detail = fmt::format("the server responded with {} {}", response.status, response.reason);
  }
  return {response.status, code, excerpt(detail, 1000)};
}

}  // namespace

/// A response, and the address of the server that sent it.
struct HttpClient::Reply {
  HttpResponse response;
  ServerAddress from;
};

HttpClient::HttpClient(Options options) : options_(std::move(options)) {
  try {
    network_ = std::make_unique<Network>(
        Network::Options{.ca_file = options_.ca_file, .timeout = options_.timeout});
  } catch (const Lost& lost) {
    throw ServerUnreachable(lost.why);
  }
}

HttpClient::~HttpClient() = default;

/// Returns false if the stop flag was set.
bool HttpClient::sleep(milliseconds time) const {
  const auto end = SteadyClock::now() + time;
  const auto stopped = [this] { return options_.stop != nullptr && *options_.stop; };
  while (!stopped() && SteadyClock::now() < end) std::this_thread::sleep_for(kSleepSlice);
  return !stopped();
}

/// Sends the request once, to the server of the last redirect or else the configured one. Throws
/// Lost.
HttpClient::Reply HttpClient::try_once(const Request& request) {
  HttpRequest sent{.method = request.method, .target = {}, .token = options_.token};
  sent.key = request.key;
  sent.timeout = request.timeout;
  if (request.body) sent.body = json_text(*request.body);
  ServerAddress server = moved_.value_or(options_.server);
  for (int redirections = 0;; ++redirections) {
    sent.target = server.base + request.target;
    HttpResponse response;
    try {
      response = network_->ask(server, sent);
    } catch (Lost& lost) {
      lost.why = server.text() + " cannot be reached: " + lost.why;
      if (server == options_.server) throw;
      moved_.reset();  // another server may have taken over meanwhile
      lost.for_good = false;
      throw;
    }
    if (response.status != kTemporaryRedirect) {
      if (server != options_.server) moved_ = server;
      return {std::move(response), server};
    }
    const std::string& location = response.location;
    const auto other = ServerAddress::parse(location.substr(0, location.find("/v1/")));
    if (!other || redirections == kMostRedirections || (server.secure && !other->secure)) {
      throw Lost{server.text() + " redirects to " + excerpt(location) + ", which is not followed"};
    }
    server = *other;
  }
}

Document HttpClient::send(const Request& request) {
  const auto end = SteadyClock::now() + request.patience.value_or(options_.patience);
  milliseconds wait = kFirstWait;
  for (bool in_trouble = false;; in_trouble = true, wait = std::min(2 * wait, kLongestWait)) {
    std::string trouble;
    milliseconds pause = wait;
    try {
      const Reply answer = try_once(request);
      const HttpResponse& response = answer.response;
      const unsigned status = response.status;
      if (status >= 200 && status < 300) {
        if (in_trouble && options_.on_recovery) options_.on_recovery();
        return response.body.empty() ? Document() : parse_json(response.body, answer.from.text());
      }
      ServerProblem problem = problem_in(response, answer.from.text());
      if (status != kUnavailable && status != kTooManyRequests) throw ServerProblem(problem);
      if (SteadyClock::now() >= end) throw ServerProblem(problem);
      trouble = answer.from.text() + ": " + problem.what();
      pause = std::max(pause, seconds_of(response.retry_after));
    } catch (const Lost& lost) {
      if (lost.for_good || SteadyClock::now() >= end) throw ServerUnreachable(lost.why);
      trouble = lost.why;
    } catch (const SpecificationError& error) {
      throw ServerUnreachable("invalid response: " + std::string(error.what()));
    }
    if (!in_trouble && options_.on_trouble) options_.on_trouble(trouble);
    const auto left = std::chrono::ceil<milliseconds>(end - SteadyClock::now());
    if (!sleep(std::clamp(pause, milliseconds(0), std::max(left, milliseconds(0))))) {
      throw ServerUnreachable(trouble);
    }
  }
}

}  // namespace canopy
