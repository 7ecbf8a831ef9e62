#pragma once

#include <functional>
#include <string>
#include <vector>

namespace canopy {

/// Gets pieces of work done, no matter where. A piece and its result are lines of text, so that
/// they can go to another machine and come back.
class Executor {
 public:
  using Work = std::function<std::string(const std::string& task)>;
  using Take = std::function<void(const std::string& result)>;

  virtual ~Executor() = default;

  /// Hands out the tasks, each as soon as somebody is free, and takes the results, one at a time
  /// but in any order. The first exception, of work or take, ends it and is thrown here.
  virtual void run(const std::vector<std::string>& tasks, const Work& work, const Take& take) = 0;
};

/// Threads of this process.
class ThreadExecutor final : public Executor {
 public:
  /// 0: one per core.
  explicit ThreadExecutor(int threads = 0) : threads_(threads) {}

  void run(const std::vector<std::string>& tasks, const Work& work, const Take& take) override;

 private:
  int threads_;
};

}  // namespace canopy
