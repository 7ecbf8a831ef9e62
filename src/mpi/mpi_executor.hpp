#pragma once

#include "experiments/executor.hpp"

#include <string>
#include <vector>

namespace canopy {

/// MPI for as long as it exists.
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

/// The processes of an MPI run. Rank 0 hands out the work, takes the results and works itself on a
/// thread of its own; the others call `serve`.
class MpiExecutor final : public Executor {
 public:
  explicit MpiExecutor(const MpiSession& session) : ranks_(session.ranks()) {}
  /// Sends the other ranks home.
  ~MpiExecutor() override;
  MpiExecutor(const MpiExecutor&) = delete;
  MpiExecutor& operator=(const MpiExecutor&) = delete;

  void run(const std::vector<std::string>& tasks, const Work& work, const Take& take) override;

  /// What the other ranks do: work on whatever comes, until sent home.
  static void serve(const Work& work);

 private:
  int ranks_;
};

}  // namespace canopy
