#include "python/beside_interpreter.hpp"

#include "python/without_interpreter.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace canopy::python {

void run_beside_interpreter(const std::function<void()>& work, std::atomic<bool>& stop,
                            const std::atomic<std::uint64_t>& done,
                            const nanobind::object& progress) {
  using namespace std::chrono_literals;
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  std::exception_ptr failure;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    finished = true;
    changed.notify_one();
  });
  std::exception_ptr interruption;
  for (bool waiting = true; waiting;) {
    {
      const WithoutInterpreter release;
      std::unique_lock lock(mutex);
      waiting = !changed.wait_for(lock, 50ms, [&] { return finished; });
    }
    if (stop.load()) continue;
    try {
      if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
      if (!progress.is_none()) progress(done.load());
    } catch (...) {
      interruption = std::current_exception();
      stop.store(true);
    }
  }
  worker.join();
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace canopy::python
