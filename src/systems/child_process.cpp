#include "systems/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace canopy {
namespace {

using Outcome = CommandResult::Outcome;
using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr std::chrono::milliseconds kLookAtStop{50};
constexpr std::chrono::milliseconds kLookAtChild{2};  ///< where the kernel does not tell its end
constexpr std::chrono::seconds kTimeToDie{2};         ///< after SIGKILL
constexpr std::size_t kErrorsKept = 4096;
constexpr std::size_t kReadSize = 16'384;
constexpr double kLongestTimeout = 1e8;  ///< three years

timespec to_timespec(nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

/// Adds what can be read at once, at most so many bytes. Closes the descriptor at the end.
void read_some(Descriptor& from, std::size_t most, std::string& text) {
  std::array<char, kReadSize> buffer;
  const ssize_t got = read(from.number(), buffer.data(), std::min(most, buffer.size()));
  if (got > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    from.close();
  }
}

std::size_t bytes_waiting(const Descriptor& in) {
  int bytes = 0;
  return in.is_open() && ioctl(in.number(), FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes)
                                                                   : 0;
}

/// write(), but that nobody reads any more is an error and no signal.
ssize_t write_without_signal(const Descriptor& to, std::string_view text) {
  sigset_t pipe_signal;
  sigset_t before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  (void)pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = write(to.number(), text.data(), text.size());
  const int error = errno;
  if (written < 0 && error == EPIPE && sigismember(&before, SIGPIPE) == 0) {
    const timespec at_once{};
    (void)sigtimedwait(&pipe_signal, nullptr, &at_once);
  }
  (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

}  // namespace

Patience::Patience(const RunLimits& limits) : deadline_(Clock::now()), stop_(limits.stop) {
  const double seconds = limits.timeout_seconds;
  if (seconds <= 0.0) return;
  deadline_ += std::chrono::duration_cast<nanoseconds>(
      std::chrono::duration<double>(seconds < kLongestTimeout ? seconds : kLongestTimeout));
}

void Patience::shorten(nanoseconds most) {
  deadline_ = std::min(deadline_, Clock::now() + most);
}

bool Patience::is_stopped() const {
  return stop_ != nullptr && stop_->load();
}

std::optional<Outcome> Patience::end() const {
  if (is_stopped()) return Outcome::stopped;
  if (Clock::now() >= deadline_) return Outcome::timed_out;
  return std::nullopt;
}

nanoseconds Patience::slice() const {
  const nanoseconds left = std::max<nanoseconds>(deadline_ - Clock::now(), nanoseconds(0));
  return std::min<nanoseconds>(left, kLookAtStop);
}

void break_off(CommandResult& result, Outcome outcome, const RunLimits& limits) {
  result.outcome = outcome;
  result.code = 0;
  if (outcome == Outcome::timed_out) result.limit = limits.timeout_seconds;
  if (outcome == Outcome::too_much_output) result.limit = static_cast<double>(limits.most_output);
  if (result.output.size() > limits.most_output) result.output.resize(limits.most_output);
}

ChildProcess::ChildProcess(const std::vector<std::string>& words,
                           const std::vector<std::pair<std::string, std::string>>& environment,
                           ProgramInput input)
    : program_(start_program(words, environment, input)),
      end_(static_cast<int>(syscall(SYS_pidfd_open, program_.id, 0))) {}

ChildProcess::~ChildProcess() {
  if (!finished_) (void)kill_and_reap();
}

void ChildProcess::wait(nanoseconds most) {
  enum { at_end, at_output, at_errors, at_input };
  std::array<pollfd, 4> watched{{{end_.number(), POLLIN, 0},
                                 {program_.output.number(), POLLIN, 0},
                                 {program_.errors.number(), POLLIN, 0},
                                 {unsent_.empty() ? -1 : program_.input.number(), POLLOUT, 0}}};
  if (!end_.is_open()) most = std::min<nanoseconds>(most, kLookAtChild);
  const timespec time = to_timespec(most);
  if (ppoll(watched.data(), watched.size(), &time, nullptr) <= 0) return;
  if (watched[at_output].revents != 0) read_some(program_.output, kReadSize, output_);
  if (watched[at_errors].revents != 0) read_some(program_.errors, kReadSize, errors_);
  if (watched[at_input].revents != 0) write_unsent();
  keep_last_errors();
}

void ChildProcess::gather() {
  // No more than is there now: what the program left running may print for ever.
  const auto read_all = [](Descriptor& from, std::string& text) {
    const std::size_t whole = text.size() + bytes_waiting(from);
    while (from.is_open() && text.size() < whole) read_some(from, whole - text.size(), text);
  };
  read_all(program_.output, output_);
  read_all(program_.errors, errors_);
  keep_last_errors();
}

void ChildProcess::send(std::string_view text) {
  unsent_ += text;
  write_unsent();
}

void ChildProcess::send_all(std::string_view text) {
  is_all_ = true;
  send(text);
}

void ChildProcess::write_unsent() {
  while (!unsent_.empty()) {
    const ssize_t written = write_without_signal(program_.input, unsent_);
    if (written >= 0) {
      unsent_.erase(0, static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      unsent_.clear();
      program_.input.close();
    }
  }
  if (is_all_) program_.input.close();
}

void ChildProcess::keep_last_errors() {
  if (errors_.size() > kErrorsKept) errors_.erase(0, errors_.size() - kErrorsKept);
}

bool ChildProcess::has_ended() const {
  siginfo_t state{};
  const auto id = static_cast<id_t>(program_.id);
  // It is not reaped here: as long as it is not, no other group can get its number.
  if (waitid(P_PID, id, &state, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != EINTR;
  return state.si_pid != 0;
}

std::optional<int> ChildProcess::kill_and_reap() {
  finished_ = true;
  (void)kill(program_.id, SIGKILL);
  (void)kill(-program_.id, SIGKILL);
  const auto deadline = Clock::now() + kTimeToDie;
  while (!has_ended()) {
    if (Clock::now() >= deadline) return std::nullopt;
    pollfd watched{end_.number(), POLLIN, 0};
    const timespec time = to_timespec(end_.is_open() ? kLookAtStop : kLookAtChild);
    (void)ppoll(&watched, 1, &time, nullptr);
  }
  int status = 0;
  if (waitpid(program_.id, &status, 0) != program_.id) return std::nullopt;
  return status;
}

std::optional<int> ChildProcess::start_failure() const {
  int error = 0;
  if (read(program_.failure.number(), &error, sizeof error) != sizeof error) return std::nullopt;
  return error;
}

CommandResult ChildProcess::finish() {
  const std::optional<int> status = kill_and_reap();
  gather();
  CommandResult result{.outcome = Outcome::exited,
                       .code = -1,  // should its end be unknown
                       .output = std::move(output_),
                       .errors = std::move(errors_)};
  if (const std::optional<int> failure = start_failure()) {
    result.outcome = Outcome::not_started;
    result.code = *failure;
  } else if (status && WIFEXITED(*status)) {
    result.code = WEXITSTATUS(*status);
    if (result.code == 0) result.outcome = Outcome::done;
  } else if (status && WIFSIGNALED(*status)) {
    result.outcome = Outcome::killed_by_signal;
    result.code = WTERMSIG(*status);
  }
  return result;
}

}  // namespace canopy
