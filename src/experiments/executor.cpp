#include "experiments/executor.hpp"

#include "experiments/parallel.hpp"

#include <mutex>

namespace canopy {

void ThreadExecutor::run(const std::vector<std::string>& tasks, const Work& work,
                         const Take& take) {
  std::mutex taking;
  for_each_in_parallel(tasks.size(), threads_, [&](std::uint64_t i) {
    const std::string result = work(tasks[i]);
    const std::lock_guard lock(taking);
    take(result);
  });
}

}  // namespace canopy
