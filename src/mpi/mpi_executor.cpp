#include "mpi/mpi_executor.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mpi.h>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace canopy {
namespace {

enum Tag : int { kTask = 1, kResult, kFailure, kGoHome };

void send(const std::string& text, int rank, Tag tag) {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, tag, MPI_COMM_WORLD);
}

struct Message {
  int rank = 0;
  int tag = 0;
  std::string text;
};

/// Receives the message found by a probe.
Message receive(MPI_Status status) {
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  Message message{status.MPI_SOURCE, status.MPI_TAG,
                  std::string(static_cast<std::size_t>(size), ' ')};
  MPI_Recv(message.text.data(), size, MPI_CHAR, message.rank, message.tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return message;
}

/// A thread that does one task at a time, so that rank 0 can answer messages in the meantime.
class OwnWorker {
 public:
  explicit OwnWorker(const Executor::Work& work) : work_(work), thread_([this] { loop(); }) {}
  ~OwnWorker() {
    {
      const std::lock_guard lock(mutex_);
      leaves_ = true;
    }
    changed_.notify_one();
  }
  OwnWorker(const OwnWorker&) = delete;
  OwnWorker& operator=(const OwnWorker&) = delete;

  void give(std::string task) {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
    changed_.notify_one();
  }

  /// The result of a task finished since the last call; none otherwise. Rethrows exceptions of the
  /// task.
  std::optional<std::string> result() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    return std::exchange(result_, std::nullopt);
  }

 private:
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return leaves_ || task_.has_value(); });
      if (leaves_) return;
      const std::string task = std::move(*task_);
      task_.reset();
      lock.unlock();
      std::optional<std::string> result;
      std::exception_ptr failure;
      try {
        result = work_(task);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      result_ = std::move(result);
      failure_ = failure;
    }
  }

  const Executor::Work& work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> task_;
  std::optional<std::string> result_;
  std::exception_ptr failure_;
  bool leaves_ = false;
  std::jthread thread_;  // last member, so that it starts after the others are initialized
};

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

MpiSession::~MpiSession() {
  MPI_Finalize();
}

void MpiSession::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

MpiExecutor::~MpiExecutor() {
  for (int rank = 1; rank < ranks_; ++rank) send("", rank, kGoHome);
}

void MpiExecutor::run(const std::vector<std::string>& tasks, const Work& work, const Take& take) {
  std::size_t given = 0;
  std::size_t taken = 0;
  OwnWorker own(work);
  for (int rank = 1; rank < ranks_ && given < tasks.size(); ++rank)
    send(tasks[given++], rank, kTask);
  if (given < tasks.size()) own.give(tasks[given++]);
  while (taken < tasks.size()) {
    bool idle = true;
    if (const auto result = own.result()) {
      idle = false;
      if (given < tasks.size()) own.give(tasks[given++]);
      take(*result);
      ++taken;
    }
    int arrived = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, &status);
    if (arrived != 0) {
      idle = false;
      const Message message = receive(status);
      if (message.tag == kFailure) throw std::runtime_error(message.text);
      if (given < tasks.size()) send(tasks[given++], message.rank, kTask);
      take(message.text);
      ++taken;
    }
    if (idle) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void MpiExecutor::serve(const Work& work) {
  for (;;) {
    int arrived = 0;
    MPI_Status status;
    MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, &status);
    if (arrived == 0) {  // a blocking MPI wait would keep a core busy
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    const Message message = receive(status);
    if (message.tag == kGoHome) return;
    try {
      send(work(message.text), 0, kResult);
    } catch (const std::exception& error) {
      send(error.what(), 0, kFailure);
    }
  }
}

}  // namespace canopy
