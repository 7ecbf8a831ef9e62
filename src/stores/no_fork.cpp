#include "stores/no_fork.hpp"

#include <atomic>
#include <mutex>
#include <pthread.h>

namespace canopy {
namespace {

constinit std::mutex gate;  // locked during a fork
constinit std::atomic<int> inside{0};

void wait_for_all() {
  gate.lock();
  for (int now = inside; now > 0; now = inside) inside.wait(now);
}

void open_gate() {
  gate.unlock();
}

[[maybe_unused]] const int kIgnored = pthread_atfork(wait_for_all, open_gate, open_gate);

}  // namespace

NoFork::NoFork() {
  const std::lock_guard lock(gate);
  ++inside;
}

NoFork::~NoFork() {
  --inside;
  inside.notify_all();
}

}  // namespace canopy
