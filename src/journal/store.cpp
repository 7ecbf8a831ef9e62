#include "canopy/store.hpp"

#include <chrono>
#include <thread>

namespace canopy {

void Journals::append(const StudyWrite& one) {
  if (one.entries.empty() && one.answers.empty()) return;
  constexpr std::chrono::seconds kPatienceWithLocks{30};
  constexpr std::chrono::milliseconds kBetweenTries{5};
  const auto deadline = std::chrono::steady_clock::now() + kPatienceWithLocks;
  for (;;) {
    const std::optional<StoreError> error = write({&one, 1}).front();
    if (!error) return;
    const bool is_locked = error->fault() == StoreError::Fault::locked;
    if (!is_locked || std::chrono::steady_clock::now() > deadline) throw StoreError(*error);
    std::this_thread::sleep_for(kBetweenTries);
  }
}

}  // namespace canopy
