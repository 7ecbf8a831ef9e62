#pragma once

#include <functional>
#include <string>
#include <vector>

namespace canopy {

/// Executes tasks, on this machine or elsewhere. A task and its result are lines of text, so that
/// they can be sent to other machines.
class Executor {
 public:
  using Work = std::function<std::string(const std::string& task)>;
  using Take = std::function<void(const std::string& result)>;

  virtual ~Executor() = default;

  /// Gives each task to the next free worker, and passes the results to `take`, one at a time but
  /// in any order. The first exception of `work` or `take` ends the run and is rethrown here.
  virtual void run(const std::vector<std::string>& tasks, const Work& work, const Take& take) = 0;
};

/// Runs tasks on threads of this process.
class ThreadExecutor final : public Executor {
 public:
  /// Uses this number of threads; 0: one per core.
  explicit ThreadExecutor(int threads = 0) : threads_(threads) {}

  void run(const std::vector<std::string>& tasks, const Work& work, const Take& take) override;

 private:
  int threads_;
};

}  // namespace canopy
