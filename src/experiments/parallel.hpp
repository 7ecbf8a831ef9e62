#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace canopy {

/// Calls work(0), ..., work(count - 1) on so many threads, each as soon as one is free. The first
/// exception keeps further calls from being made and is thrown here.
template <class Work>
void for_each_in_parallel(std::uint64_t count, int threads, const Work& work) {
  std::atomic<std::uint64_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  const auto worker = [&] {
    try {
      for (std::uint64_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const std::uint64_t wanted =
      threads > 0 ? static_cast<std::uint64_t>(threads) : std::thread::hardware_concurrency();
  {
    std::vector<std::jthread> others;
    for (std::uint64_t i = 1; i < std::min(wanted, count); ++i) others.emplace_back(worker);
    worker();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace canopy
