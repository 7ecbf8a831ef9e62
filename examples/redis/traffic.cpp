// Traffic for a cache: get, and set on a miss, at a steady rate until it is stopped. There are
// three kinds of keys:
//   lasting   a fixed set of keys, all equally popular, for as long as the program runs;
//   news      a new key every now and then, the most popular at first; it fades as newer ones come
//             (a power law of its age), and is never requested again when it is old;
//   once      requested once and never again, as by a crawler.

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <hiredis/hiredis.h>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Options {
  int port = 0;
  std::uint64_t seed = 1;
  double rate = 150'000;  // requests a second
  double once = 0.1;      // share of the requests
  double lasting = 0.45;  // share of the requests; the rest is news
  std::uint64_t lasting_keys = 450;
  std::uint64_t news_every = 20;    // requests from one new key to the next
  std::uint64_t news_keys = 1'000;  // a key is old after this number of newer ones
  double news_skew = 0.6;           // the a-th newest key comes a^-skew times as often; not 1
  std::uint64_t value_bytes = 1'000;
};

/// The keys, one request after the other.
class Keys {
 public:
  explicit Keys(const Options& options)
      : options_(options), random_(options.seed), newest_(options.news_keys) {}

  std::string next() {
    if (++requests_ % options_.news_every == 0) ++newest_;
    const double kind = uniform();
    if (kind < options_.once) return "once:" + std::to_string(requests_);
    if (kind < options_.once + options_.lasting) return "lasting:" + std::to_string(lasting());
    return "news:" + std::to_string(newest_ - age());
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>()(random_); }

  std::uint64_t lasting() {
    return std::uniform_int_distribution<std::uint64_t>(1, options_.lasting_keys)(random_);
  }

  /// The power law's quantile, cut to a whole number: 0 is the newest key.
  std::uint64_t age() {
    const double power = 1.0 - options_.news_skew;
    const double all = std::pow(static_cast<double>(options_.news_keys), power) - 1.0;
    return static_cast<std::uint64_t>(std::pow(1.0 + uniform() * all, 1.0 / power) - 1.0);
  }

  Options options_;
  std::mt19937_64 random_;
  std::uint64_t requests_ = 0;
  std::uint64_t newest_;
};

class Server {
 public:
  explicit Server(int port) : context_(redisConnect("127.0.0.1", port), redisFree) {
    if (!context_ || context_->err != 0) throw std::runtime_error("cannot connect to the server");
  }

  void send_get(const std::string& key) {
    redisAppendCommand(context_.get(), "GET %s", key.c_str());
  }

  void send_set(const std::string& key, const std::string& value) {
    redisAppendCommand(context_.get(), "SET %s %s", key.c_str(), value.c_str());
  }

  /// The type of the next reply (REDIS_REPLY_NIL for a get that missed).
  int reply() {
    void* raw = nullptr;
    if (redisGetReply(context_.get(), &raw) != REDIS_OK) {
      throw std::runtime_error("the server has closed the connection");
    }
    const int type = static_cast<redisReply*>(raw)->type;
    freeReplyObject(raw);
    return type;
  }

 private:
  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
};

void run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kBatch = 100;  // requests in flight at once
  const std::chrono::duration<double> period(kBatch / options.rate);
  const std::string value(options.value_bytes, 'x');
  Keys keys(options);
  Server server(options.port);
  std::array<std::string, kBatch> batch;
  std::vector<std::string> missed;
  for (auto due = Clock::now();;) {
    for (auto& key : batch) server.send_get(key = keys.next());
    missed.clear();
    for (const auto& key : batch) {
      if (server.reply() == REDIS_REPLY_NIL) missed.push_back(key);
    }
    for (const auto& key : missed) server.send_set(key, value);
    for (std::size_t i = 0; i < missed.size(); ++i) server.reply();

    due += std::chrono::duration_cast<Clock::duration>(period);
    const auto now = Clock::now();
    if (now > due + std::chrono::milliseconds(10)) due = now;  // late: do not catch up in a burst
    std::this_thread::sleep_until(due);
  }
}

int main(int count, char** words) try {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i];
    if (i + 1 == count) throw std::runtime_error(name + " needs a value");
    const std::string value = words[i + 1];
    if (name == "--port") {
      options.port = std::stoi(value);
    } else if (name == "--seed") {
      options.seed = std::stoull(value);
    } else if (name == "--rate") {
      options.rate = std::stod(value);
    } else {
      throw std::runtime_error("unknown option " + name + "; use --port, --seed or --rate");
    }
  }
  run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "traffic: %s\n", error.what());
  return EXIT_FAILURE;
}
