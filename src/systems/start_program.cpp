#include "systems/start_program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <system_error>

#include <fmt/format.h>

namespace canopy {
namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category());
}

/// Out of the way of the standard descriptors, which the child replaces.
Descriptor above_standard(Descriptor descriptor) {
  if (!descriptor.is_open()) fail(errno);
  if (descriptor.number() > STDERR_FILENO) return descriptor;
  const int moved = fcntl(descriptor.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) fail(errno);
  return Descriptor(moved);
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno);
  Descriptor read(ends[0]);
  Descriptor write(ends[1]);
  return {above_standard(std::move(read)), above_standard(std::move(write))};
}

void keep_from_blocking(const Descriptor& ours) {
  if (fcntl(ours.number(), F_SETFL, O_NONBLOCK) != 0) fail(errno);
}

/// All that is needed to execute a program, made before there is a child that may make nothing.
class Program {
 public:
  Program(const std::vector<std::string>& words, const Environment& environment) {
    check(words, environment);
    for (const std::string& word : words) arguments_.push_back(const_cast<char*>(word.c_str()));
    arguments_.push_back(nullptr);
    merge(environment);
    find(words.front());
  }

  /// Does not return unless it fails, and then returns the reason.
  [[nodiscard]] int execute() const {
    int failure = ENOENT;
    for (const std::string& path : paths_) {
      (void)execve(path.c_str(), arguments_.data(), variables_.data());
      const int error = errno;
      if (is_absent(path, error)) continue;
      failure = error;
      if (error != EACCES) break;  // otherwise it is looked for further, as execvp does
    }
    return failure;
  }

 private:
  static void check(const std::vector<std::string>& words, const Environment& environment) {
    const auto holds = [](const std::string& text, char letter) {
      return text.find(letter) != std::string::npos;
    };
    bool valid = !words.empty();
    for (const std::string& word : words) valid = valid && !holds(word, '\0');
    for (const auto& [name, value] : environment) {
      valid =
          valid && !name.empty() && !holds(name, '=') && !holds(name, '\0') && !holds(value, '\0');
    }
    if (!valid) fail(EINVAL);
  }

  /// Not there or, on the search path, in a folder that we may not look into.
  [[nodiscard]] bool is_absent(const std::string& path, int error) const {
    if (error == EACCES && paths_.size() > 1) return access(path.c_str(), F_OK) != 0;
    return error == ENOENT || error == ENOTDIR;
  }

  void merge(const Environment& environment) {
    for (const auto& [name, value] : environment) {
      added_.push_back(fmt::format("{}={}", name, value));
    }
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
      const std::string_view text = *variable;
      const std::string_view name = text.substr(0, text.find('='));
      const bool replaced = std::any_of(environment.begin(), environment.end(),
                                        [&](const auto& other) { return other.first == name; });
      if (!replaced) variables_.push_back(*variable);
    }
    for (std::string& text : added_) variables_.push_back(text.data());
    variables_.push_back(nullptr);
  }

  void find(const std::string& name) {
    if (name.empty()) return;
    if (name.find('/') != std::string::npos) {
      paths_.push_back(name);
      return;
    }
    std::string_view folders = search_path();
    for (;;) {
      const std::size_t end = folders.find(':');
      const std::string folder(folders.substr(0, end));
      paths_.push_back((folder.empty() ? "." : folder) + "/" + name);
      if (end == std::string_view::npos) return;
      folders.remove_prefix(end + 1);
    }
  }

  [[nodiscard]] std::string_view search_path() const {
    for (const char* variable : variables_) {
      if (variable == nullptr) break;
      const std::string_view text = variable;
      if (text.starts_with("PATH=")) return text.substr(5);
    }
    return "/bin:/usr/bin";
  }

  std::vector<std::string> paths_;  ///< where the program may be
  std::vector<std::string> added_;  ///< variables that are not ours
  std::vector<char*> arguments_;
  std::vector<char*> variables_;
};

/// What the child gets as its standard input, output and error, and where it tells that it failed.
struct ChildEnds {
  Descriptor input;
  Descriptor output;
  Descriptor errors;
  Descriptor failure;
};

// From here on to become(): the child, in which nothing but async-signal-safe functions may be
// called.

void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD}) {
    (void)sigaction(signal, &standard, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, nullptr);
}

void close_others_on_exec() {
  if (close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  constexpr int kLikelyMost = 65'536;  // Linux before 5.11 can only be asked one by one
  for (int number = STDERR_FILENO + 1; number < kLikelyMost; ++number) {
    (void)fcntl(number, F_SETFD, FD_CLOEXEC);
  }
}

[[noreturn]] void become(const Program& program, const ChildEnds& ends, pid_t parent) {
  (void)setpgid(0, 0);
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before we asked to die with it
  (void)dup2(ends.input.number(), STDIN_FILENO);
  (void)dup2(ends.output.number(), STDOUT_FILENO);
  (void)dup2(ends.errors.number(), STDERR_FILENO);
  close_others_on_exec();
  reset_signals();
  const int failure = program.execute();
  const ssize_t told = write(ends.failure.number(), &failure, sizeof failure);
  _exit(told > 0 ? 127 : 126);
}

/// An ignored SIGCHLD, which canopy may have inherited, would keep us from learning how a program
/// ended.
void heed_ends_of_children() {
  struct sigaction now {};
  (void)sigaction(SIGCHLD, nullptr, &now);
  if (now.sa_handler == SIG_IGN) (void)std::signal(SIGCHLD, SIG_DFL);
}

pid_t fork_into(const Program& program, const ChildEnds& ends) {
  const pid_t parent = getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of ours runs in the child
  const pid_t id = fork();
  if (id == 0) become(program, ends, parent);
  const int error = errno;
  (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (id < 0) fail(error);
  (void)setpgid(id, id);  // whoever comes first: the group is there when we kill it
  return id;
}

}  // namespace

StartedProgram start_program(const std::vector<std::string>& words, const Environment& environment,
                             ProgramInput input) {
  heed_ends_of_children();
  const Program program(words, environment);
  Pipe output = make_pipe();
  Pipe errors = make_pipe();
  Pipe failure = make_pipe();
  Pipe in;
  if (input == ProgramInput::pipe) {
    in = make_pipe();
    keep_from_blocking(in.write);
  } else {
    in.read = above_standard(Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)));
  }
  for (const Pipe* pipe : {&output, &errors, &failure}) keep_from_blocking(pipe->read);
  const ChildEnds ends{std::move(in.read), std::move(output.write), std::move(errors.write),
                       std::move(failure.write)};
  const pid_t id = fork_into(program, ends);
  return {id, std::move(in.write), std::move(output.read), std::move(errors.read),
          std::move(failure.read)};
}

}  // namespace canopy
