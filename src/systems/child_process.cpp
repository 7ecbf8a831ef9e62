#include "systems/child_process.hpp"

#include "systems/guardian.hpp"

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
using SteadyClock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr std::chrono::milliseconds kLookAtStop{50};
constexpr std::chrono::milliseconds kLookAtCgroup{2};
constexpr std::chrono::seconds kTimeToDie{10};  ///< the guardian itself takes at most 2 s
constexpr std::size_t kErrorsKept = 4096;
constexpr std::size_t kReadSize = 16'384;
constexpr double kLongestTimeout = 1e8;  ///< three years

timespec to_timespec(nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

/// Appends available data, at most `most` bytes. Closes the descriptor at the end of the data.
void read_some(Descriptor& from, std::size_t most, std::string& text) {
  std::array<char, kReadSize> buffer;
  const ssize_t got = read(from.number(), buffer.data(), std::min(most, buffer.size()));
  if (got > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    from.close();
  }
}

/// Reads one value from a pipe; none if it was not written completely.
template <class Value>
std::optional<Value> read_value(const Descriptor& from) {
  Value value{};
  if (read(from.number(), &value, sizeof value) != sizeof value) return std::nullopt;
  return value;
}

/// Waits up to `most` for events of a descriptor, by poll().
short events_of(const Descriptor& descriptor, nanoseconds most) {
  pollfd watched{descriptor.number(), POLLIN, 0};
  const timespec time = to_timespec(most);
  return ppoll(&watched, 1, &time, nullptr) > 0 ? watched.revents : short{0};
}

std::size_t bytes_waiting(const Descriptor& in) {
  int bytes = 0;
  return in.is_open() && ioctl(in.number(), FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes)
                                                                   : 0;
}

/// Like write(), but a closed pipe is an error instead of SIGPIPE.
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

Patience::Patience(const RunLimits& limits) : deadline_(SteadyClock::now()), stop_(limits.stop) {
  const double seconds = limits.timeout_seconds;
  if (seconds <= 0.0) return;
  deadline_ += std::chrono::duration_cast<nanoseconds>(
      std::chrono::duration<double>(seconds < kLongestTimeout ? seconds : kLongestTimeout));
}

void Patience::shorten(nanoseconds most) {
  deadline_ = std::min(deadline_, SteadyClock::now() + most);
}

bool Patience::is_stopped() const {
  return stop_ != nullptr && stop_->load();
}

std::optional<Outcome> Patience::end() const {
  if (is_stopped()) return Outcome::stopped;
  if (SteadyClock::now() >= deadline_) return Outcome::timed_out;
  return std::nullopt;
}

nanoseconds Patience::slice() const {
  const nanoseconds left = std::max<nanoseconds>(deadline_ - SteadyClock::now(), nanoseconds(0));
  return std::min<nanoseconds>(left, kLookAtStop);
}

void break_off(CommandResult& result, Outcome outcome, const RunLimits& limits) {
  result.outcome = outcome;
  result.code = 0;
  if (outcome == Outcome::timed_out) result.limit = limits.timeout_seconds;
  if (outcome == Outcome::too_much_output) result.limit = static_cast<double>(limits.most_output);
  if (result.output.size() > limits.most_output) result.output.resize(limits.most_output);
}

CommandResult not_started(const std::vector<std::string>& words, const std::system_error& error) {
  return {.outcome = Outcome::not_started,
          .code = error.code().value(),
          .program = words.empty() ? "" : words.front()};
}

ChildProcess::ChildProcess(const std::vector<std::string>& words, const RunLimits& limits,
                           bool has_input)
    : program_(start_program(words, limits.environment,
                             {.has_input = has_input,
                              .keep_background = limits.keep_background,
                              .use_cgroup = limits.use_cgroup,
                              .folder = limits.folder})),
      name_(words.front()) {}

ChildProcess::~ChildProcess() {
  if (!finished_) kill_and_reap();
}

void ChildProcess::wait(nanoseconds most) {
  enum { at_end, at_state, at_output, at_errors, at_input };
  std::array<pollfd, 5> watched{{{end_.number(), POLLIN, 0},
                                 {program_.state.number(), POLLIN, 0},
                                 {program_.output.number(), POLLIN, 0},
                                 {program_.errors.number(), POLLIN, 0},
                                 {unsent_.empty() ? -1 : program_.input.number(), POLLOUT, 0}}};
  const timespec time = to_timespec(most);
  if (ppoll(watched.data(), watched.size(), &time, nullptr) <= 0) return;
  if (watched[at_output].revents != 0) read_some(program_.output, kReadSize, output_);
  if (watched[at_errors].revents != 0) read_some(program_.errors, kReadSize, errors_);
  if (watched[at_input].revents != 0) write_unsent();
  keep_last_errors();
}

void ChildProcess::gather() {
  // Reads only what is available now, since processes left in the background may print forever.
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

void ChildProcess::read_messages() {
  while (const auto state = read_value<ProgramState>(program_.state)) {
    if (state->has_ended) {
      status_ = state->status;
    } else {
      end_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, state->id, 0)));
    }
  }
}

bool ChildProcess::has_ended() {
  read_messages();
  return status_ || events_of(end_, nanoseconds(0)) != 0 ||
         events_of(program_.state, nanoseconds(0)) == POLLHUP;
}

void ChildProcess::kill_and_reap() {
  finished_ = true;
  program_.lifeline.close();
  (void)kill(program_.guardian, SIGCONT);  // in case it was stopped
  const auto deadline = SteadyClock::now() + kTimeToDie;
  for (read_messages(); !status_ && events_of(program_.state, kLookAtStop) != POLLHUP;
       read_messages()) {
    if (SteadyClock::now() >= deadline) return;
  }
  while (waitpid(program_.guardian, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!status_) end_cgroup();
}

void ChildProcess::end_cgroup() const {
  if (!program_.cgroup) return;
  program_.cgroup->kill_all();
  const auto deadline = SteadyClock::now() + kTimeToDie;
  while (!program_.cgroup->remove() && SteadyClock::now() < deadline) {
    const timespec time = to_timespec(kLookAtCgroup);
    (void)ppoll(nullptr, 0, &time, nullptr);
  }
}

CommandResult ChildProcess::finish() {
  kill_and_reap();
  gather();
  CommandResult result{.outcome = Outcome::exited,
                       .code = -1,  // if its end is unknown
                       .output = std::move(output_),
                       .errors = std::move(errors_)};
  if (const auto failure = read_value<StartFailure>(program_.failure)) {
    result.outcome = Outcome::not_started;
    result.code = failure->error;
    result.program = name_;
    result.lacks_folder = failure->lacks_folder;
    result.lacks_interpreter = failure->error == ENOENT && failure->file_is_there;
  } else if (status_ && WIFEXITED(*status_)) {
    result.code = WEXITSTATUS(*status_);
    if (result.code == 0) result.outcome = Outcome::done;
  } else if (status_ && WIFSIGNALED(*status_)) {
    result.outcome = Outcome::killed_by_signal;
    result.code = WTERMSIG(*status_);
  }
  return result;
}

}  // namespace canopy
