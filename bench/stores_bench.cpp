// Throughput of stores: durable events in groups, for one study and for many.

#include "canopy/stores.hpp"

#include "support/postgres_server.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

std::vector<JournalEntry> some_entries(std::uint64_t first, std::uint64_t count) {
  std::vector<JournalEntry> entries;
  for (std::uint64_t i = first; i < first + count; ++i) {
    const double at = 1.7e9 + static_cast<double>(i);
    entries.push_back({i, at, i % 2 == 0 ? Event(Told{i, 0.1}) : Event(Asked{i, 1, 1, {1.0 / 3}})});
  }
  return entries;
}

/// Writes groups of `each` entries for each of `studies` studies.
void bench_writes(Store& store, const std::string& kind, std::uint64_t studies,
                  std::uint64_t each) {
  std::vector<StudyId> ids;
  std::vector<std::unique_ptr<StudyLock>> locks;
  for (std::uint64_t i = 0; i < studies; ++i) {
    ids.push_back(store.create({fmt::format("{} {} {}", studies, each, i), "{}", 0.0})->id);
    locks.push_back(store.try_lock(ids.back(), Store::kPatience));
  }
  std::vector<double> times;
  const auto start = SteadyClock::now();
  for (std::uint64_t next = 1; seconds_since(start) < 3.0; next += each) {
    const std::vector<JournalEntry> entries = some_entries(next, each);
    std::vector<StudyWrite> writes;
    writes.reserve(ids.size());
    for (const StudyId id : ids) writes.push_back({.study = id, .entries = entries, .pulls = next});
    const auto begin = SteadyClock::now();
    (void)store.write(writes);
    times.push_back(seconds_since(begin));
  }
  const double events = static_cast<double>(studies * each * times.size()) / seconds_since(start);
  std::sort(times.begin(), times.end());
  fmt::print(
      "{:<10} {:>4} studies, {:>4} events each  {:>10.0f} events/s   a write: {:.2f} ms, "
      "99 of 100 below {:.2f} ms\n",
      kind, studies, each, events, 1e3 * times[times.size() / 2],
      1e3 * times[times.size() * 99 / 100]);
}

void bench_reading(Store& store, const std::string& kind) {
  const StudyId id = store.create({"long", "{}", 0.0})->id;
  const std::vector<JournalEntry> entries = some_entries(1, 200'000);
  store.append({id, entries, 0});
  const auto start = SteadyClock::now();
  std::uint64_t got = 0;
  store.read(id, {}, [&](const JournalEntry&) { ++got; });
  fmt::print("{:<10} reading                        {:>10.0f} events/s\n", kind,
             static_cast<double>(got) / seconds_since(start));
}

void bench(const std::string& kind, const std::string& name) {
  const std::unique_ptr<Store> store = open_store(name, Store::Mode::create);
  bench_writes(*store, kind, 1, 1);
  bench_writes(*store, kind, 1, 100);
  bench_writes(*store, kind, 20, 10);
  bench_writes(*store, kind, 100, 1);
  bench_reading(*store, kind);
}

}  // namespace
}  // namespace canopy

int main() {
  const canopy::testing::TemporaryFolder folder;
  canopy::bench("SQLite", folder.path("store.db"));
  if (!canopy::testing::PostgresServer::is_installed()) {
    fmt::print("PostgreSQL is not installed\n");
    return 0;
  }
  canopy::bench("PostgreSQL", canopy::testing::PostgresServer::shared().new_database());
}
