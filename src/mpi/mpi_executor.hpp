#pragma once

#include "experiments/executor.hpp"

#include <string>
#include <vector>

namespace canopy {

/// Initializes MPI, and finalizes it on destruction.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  /// Ends all ranks at once.
  [[noreturn]] static void abort(int status);

 private:
  int rank_ = 0;
  int ranks_ = 1;
};

/// Executes tasks on the processes of an MPI run. Rank 0 hands out the tasks, takes the results and
/// works on a separate thread; the other ranks call `serve`.
class MpiExecutor final : public Executor {
 public:
  explicit MpiExecutor(const MpiSession& session) : ranks_(session.ranks()) {}
  /// Tells the other ranks to stop.
  ~MpiExecutor() override;
  MpiExecutor(const MpiExecutor&) = delete;
  MpiExecutor& operator=(const MpiExecutor&) = delete;

  void run(const std::vector<std::string>& tasks, const Work& work, const Take& take) override;

  /// The loop of the other ranks: executes tasks until told to stop.
  static void serve(const Work& work);

 private:
  int ranks_;
};

}  // namespace canopy
