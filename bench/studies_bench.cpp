// Durable studies: answers per second through `canopy pipe`, opening and listing a large store.

#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include "support/process.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

constexpr const char* kAsk = "{\"op\":\"ask\",\"pulls\":1}\n";

/// The next request: a tell after a ticket, an ask after a reward.
std::string next_request(std::string_view answer) {
  constexpr std::string_view kTicket = "{\"ticket\":";
  if (!answer.starts_with(kTicket)) return kAsk;
  const std::string_view number = answer.substr(kTicket.size(), answer.find(',') - kTicket.size());
  return fmt::format("{{\"op\":\"tell\",\"ticket\":{},\"reward\":0.5}}\n", number);
}

/// Responses per second of `canopy` with these arguments, for a client that keeps `in_flight`
/// requests in flight.
double pipe_rate(const std::vector<std::string>& words, int in_flight, double seconds) {
  testing::Process process(words);
  std::string requests;
  for (int i = 0; i < in_flight; ++i) requests += kAsk;
  const auto start = SteadyClock::now();
  std::uint64_t answers = 0;
  std::string rest;
  while (seconds_since(start) < seconds) {
    process.write(requests);
    requests.clear();
    const std::string got = process.read_some();
    if (got.empty()) throw std::runtime_error("canopy pipe has ended");
    rest += got;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = rest.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      ++answers;
      requests += next_request(std::string_view(rest).substr(begin, end - begin));
    }
    rest.erase(0, begin);
  }
  return static_cast<double>(answers) / seconds_since(start);
}

void bench_pipe(const std::string& folder, const std::string& file) {
  const std::vector<std::string> plain{"pipe", file};
  const std::vector<std::string> durable{"pipe",  file,      "--study",
                                         "bench", "--store", folder + "/pipe.db"};
  const double memory = pipe_rate(plain, 64, 2.0);
  const double grouped = pipe_rate(durable, 64, 4.0);
  const double single = pipe_rate(durable, 1, 3.0);
  fmt::print("canopy pipe, 64 requests in flight        {:>10.0f} answers/s   goal: 200000\n",
             memory);
  fmt::print("canopy pipe --study, 64 in flight         {:>10.0f} answers/s   goal: 20000\n",
             grouped);
  fmt::print("canopy pipe --study, one commit an answer {:>10.0f} answers/s\n", single);
  fmt::print("  group commit / one by one               {:>10.1f}             goal: at least 10\n",
             grouped / single);
}

void bench_recovery(const std::string& folder, const StudySpecification& specification) {
  const std::string path = folder + "/large.db";
  constexpr std::uint64_t kEvents = 1'009'000;  // 9000 of them after the last snapshot
  {
    const auto store = open_store(path, Store::Mode::create);
    Study study = Study::open(*store, specification, {"large", {}});
    for (std::uint64_t i = 0; i < kEvents / 2; ++i) {
      const Pull pull = study.ask(1);
      const double x = pull.arm[0] - 0.3;
      (void)study.tell(pull.ticket, 1.0 - x * x);
      if (i % 500 == 499) study.commit();
    }
    study.commit();
  }
  const auto start = SteadyClock::now();
  const auto store = open_store(path, Store::Mode::open);
  const Study study = Study::open(*store, specification, {"large", {}});
  fmt::print("opening a study of {} events          {:>10.3f} s           goal: 0.1\n", kEvents,
             seconds_since(start));
  const auto from_journal = SteadyClock::now();
  std::uint64_t events = 0;
  store->read(study.record().id, {}, [&](const JournalEntry&) { ++events; });
  fmt::print("  reading its whole journal               {:>10.2f} s\n",
             seconds_since(from_journal));
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  fmt::print("size of the store                         {:>10.1f} B/event     goal: at most 68\n",
             bytes / static_cast<double>(kEvents));
}

void bench_listing(const std::string& folder, const StudySpecification& specification) {
  const std::string path = folder + "/many.db";
  constexpr int kStudies = 10'000;
  {
    const auto store = open_store(path, Store::Mode::create);
    const std::string text = json_of(resolved(specification));
    for (int i = 0; i < kStudies; ++i) {
      (void)store->create({.name = fmt::format("study {}", i), .specification = text});
    }
  }
  const auto start = SteadyClock::now();
  const std::size_t listed = open_store(path, Store::Mode::open)->list({}).size();
  fmt::print("opening and listing {} studies         {:>10.2f} s           goal: 1\n", listed,
             seconds_since(start));
}

}  // namespace
}  // namespace canopy

int main() {
  using namespace canopy;
  const std::string folder = CANOPY_BINARY_DIR "/studies_bench";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/study.toml";
  std::ofstream(file) << "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n";
  bench_pipe(folder, file);
  bench_recovery(folder, load_study(file));
  bench_listing(folder, load_study(file));
  std::filesystem::remove_all(folder);
  return 0;
}
