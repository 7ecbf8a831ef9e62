#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#ifdef __SANITIZE_THREAD__  // ThreadSanitizer cannot analyse oneTBB
#define CANOPY_PLAIN_THREADS
#endif
#ifndef CANOPY_PLAIN_THREADS
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace canopy {

/// Calls worker() on each of `threads` threads.
template <class Worker>
void run_on_threads(int threads, const Worker& worker) {
#ifdef CANOPY_PLAIN_THREADS
  std::vector<std::jthread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back([&] { worker(); });
#else
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  tbb::task_arena(threads).execute([&] {
    tbb::parallel_for(
        0, threads, [&](int /*number*/) { worker(); }, tbb::simple_partitioner());
  });
#endif
}

/// Calls work(0), ..., work(count - 1) on `threads` threads (0: one per core), in this order, each
/// as soon as a thread is free. After the first exception no further calls start, and it is
/// rethrown here.
template <class Work>
void for_each_in_parallel(std::uint64_t count, int threads, const Work& work) {
  std::atomic<std::uint64_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  run_on_threads(threads > 0 ? threads : std::max(1, cores), [&] {
    try {
      for (std::uint64_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace canopy
