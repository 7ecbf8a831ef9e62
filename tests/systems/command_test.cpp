#include "systems/command.hpp"

#include "core/excerpt.hpp"
#include "systems/processes.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Outcome = CommandResult::Outcome;

/// Increases the time limit of a command until it has printed a line.
CommandResult time_out_after_a_line(const Words& words) {
  CommandResult result;
  for (double seconds = 0.1; seconds < 60.0; seconds *= 4.0) {
    result = run_command(words, {.timeout_seconds = seconds});
    if (result.output.find('\n') != std::string::npos) break;
  }
  return result;
}

class CommandInFolder : public WithFolder {};

TEST(Command, ReadsItsInputToTheEnd) {
  const std::string input(1'000'000, 'x');
  EXPECT_EQ(run_command({"wc", "-c"}, {.input = input}).output, "1000000\n");
  EXPECT_TRUE(run_command({"true"}, {.input = input}).succeeded()) << "it need not read it";
}

TEST(Command, ReturnsWhatItPrinted) {
  const CommandResult result = run_command({"printf", "%s\n", "a b", "c"}, {});
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.output, "a b\nc\n");
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.describe(), "succeeded");
}

TEST(Command, TellsItsStatusAndTheLastLineOfItsErrors) {
  const CommandResult result = run_command(shell("echo first >&2; echo 'no way' >&2; exit 3"), {});
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(result.outcome, Outcome::exited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.errors, "first\nno way\n");
  EXPECT_EQ(result.describe(), "ended with status 3: no way");
  EXPECT_EQ(run_command({"false"}, {}).describe(), "ended with status 1");
}

TEST(Command, TellsTheSignalThatEndedIt) {
  const CommandResult result = run_command(shell("kill -SEGV $$"), {});
  EXPECT_EQ(result.outcome, Outcome::killed_by_signal);
  EXPECT_EQ(result.code, SIGSEGV);
  EXPECT_EQ(result.describe(), "was killed by signal 11 (Segmentation fault)");
}

TEST(Command, AProgramThatIsNotThereCannotBeStarted) {
  const std::vector<std::pair<std::string, std::string>> descriptions = {
      {"no-such-program", "no-such-program cannot be started: there is no such program in PATH"},
      {"/nowhere/program", "/nowhere/program cannot be started: there is no such program"},
      {"./no/such", "./no/such cannot be started: there is no such program"},
      {"/etc/passwd/such", "/etc/passwd/such cannot be started: there is no such program"},
      {"a\nb\033[2J", "a b?[2J cannot be started: there is no such program in PATH"},
      {"", "cannot be started: there is no such program in PATH"}};
  for (const auto& [name, description] : descriptions) {
    const CommandResult result = run_command({name}, {});
    EXPECT_EQ(result.outcome, Outcome::not_started) << name;
    EXPECT_EQ(result.code, ENOENT) << name;
    EXPECT_EQ(result.describe(), description);
  }
}

TEST_F(CommandInFolder, AFileThatIsNoProgramCannotBeStarted) {
  std::ofstream(path("text")) << "text";
  const std::string text = path("text");
  EXPECT_EQ(run_command({text}, {}).describe(),
            text + " cannot be started: it is not executable (chmod +x " + text + ")");
  EXPECT_EQ(run_command({path("")}, {}).describe(),
            path("") + " cannot be started: it is a folder");
}

TEST_F(CommandInFolder, ACommandRunsInTheFolderThatItIsGiven) {
  const std::string folder = std::filesystem::canonical(path("")).string();
  EXPECT_EQ(run_command({"/bin/pwd"}, {.folder = folder}).output, folder + "\n");
  const CommandResult lost = run_command({"/bin/pwd"}, {.folder = path("nowhere")});
  EXPECT_EQ(lost.describe(),
            "/bin/pwd cannot be started: cannot enter its working directory: No such "
            "file or directory");
}

TEST_F(CommandInFolder, AScriptWhoseInterpreterIsMissingCannotBeStarted) {
  std::ofstream(path("canopy-script")) << "#!/nowhere/interpreter\n";
  std::filesystem::permissions(path("canopy-script"), std::filesystem::perms::owner_all);
  const CommandResult result = run_command({path("canopy-script")}, {});
  EXPECT_EQ(result.code, ENOENT);
  EXPECT_EQ(result.describe(),
            excerpt(path("canopy-script")) +
                " cannot be started: the interpreter in its first line (#!) does not exist");
  const RunLimits in_path{.environment = {{"PATH", path("") + ":/bin"}}};
  EXPECT_EQ(
      run_command({"canopy-script"}, in_path).describe(),
      "canopy-script cannot be started: the interpreter in its first line (#!) does not exist");
}

TEST(Command, WordsThatNoProgramCanGetAreRefused) {
  EXPECT_EQ(run_command({}, {}).code, EINVAL);
  EXPECT_EQ(run_command({"echo", std::string("a\0b", 3)}, {}).code, EINVAL);
  EXPECT_EQ(run_command({"echo"}, {.environment = {{"a=b", "c"}}}).code, EINVAL);
  EXPECT_EQ(run_command({"echo", std::string(1'000'000, 'x')}, {}).describe(),
            "echo cannot be started: Argument list too long");
}

TEST(Command, ReadsNothing) {
  EXPECT_EQ(run_command({"cat"}, {}).output, "");
}

TEST(Command, IsKilledWhenItTakesTooLong) {
  const CommandResult result = run_command({"sleep", "1000"}, {.timeout_seconds = 0.1});
  EXPECT_EQ(result.outcome, Outcome::timed_out);
  EXPECT_EQ(result.describe(), "took longer than 0.1 s");
}

TEST(Command, WhatItPrintedBeforeItWasKilledIsKept) {
  const CommandResult result = time_out_after_a_line(shell("echo why >&2; echo a; sleep 1000"));
  EXPECT_EQ(result.outcome, Outcome::timed_out);
  EXPECT_EQ(result.output, "a\n");
  EXPECT_EQ(result.errors, "why\n");
}

TEST(Command, OddTimeoutsAreShortOrLong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double seconds : {nan, infinity, 1e300}) {
    EXPECT_TRUE(run_command({"true"}, {.timeout_seconds = seconds}).succeeded()) << seconds;
  }
  for (const double seconds : {0.0, -1.0, -infinity, 1e-300}) {
    EXPECT_EQ(run_command({"sleep", "1000"}, {.timeout_seconds = seconds}).outcome,
              Outcome::timed_out)
        << seconds;
  }
}

TEST(Command, KillsTheWholeGroupWhenItTakesTooLong) {
  const CommandResult result =
      time_out_after_a_line(shell("sleep 1000 & echo $!; trap '' TERM INT HUP; sleep 1000"));
  ASSERT_EQ(result.outcome, Outcome::timed_out);
  const auto grandchild = static_cast<pid_t>(std::stol(result.output));
  EXPECT_TRUE(eventually([&] { return !is_running(grandchild); }));
}

TEST(Command, AStoppedProgramIsKilledAsWell) {
  EXPECT_EQ(run_command(shell("kill -STOP $$"), {.timeout_seconds = 0.2}).outcome,
            Outcome::timed_out);
}

TEST(Command, IsKilledWhenItPrintsTooMuch) {
  const CommandResult result = run_command({"yes"}, {});
  EXPECT_EQ(result.outcome, Outcome::too_much_output);
  EXPECT_EQ(result.output.size(), 65'536U);
  EXPECT_EQ(result.describe(), "printed more than 65536 bytes");
}

TEST(Command, AGigabyteCostsNoMemory) {
  const CommandResult result =
      run_command(shell("head -c 1000000000 /dev/zero"), {.most_output = 1000});
  EXPECT_EQ(result.outcome, Outcome::too_much_output);
  EXPECT_LE(result.output.capacity(), 1'000'000U);
}

TEST(Command, MayPrintAsMuchAsIsAllowed) {
  const Words words = shell("head -c 100000 /dev/zero");
  const CommandResult result = run_command(words, {.most_output = 100'000});
  EXPECT_TRUE(result.succeeded()) << result.describe();
  EXPECT_EQ(result.output, std::string(100'000, '\0'));
  EXPECT_EQ(run_command(words, {.most_output = 99'999}).outcome, Outcome::too_much_output);
  EXPECT_EQ(run_command({"echo"}, {.most_output = 0}).outcome, Outcome::too_much_output);
  EXPECT_TRUE(run_command({"true"}, {.most_output = 0}).succeeded());
}

TEST(Command, TheLastOfItsErrorsIsKeptHoweverMuchItPrints) {
  const CommandResult result =
      run_command(shell("head -c 5000000 /dev/zero >&2; echo last >&2; echo 5"), {});
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.output, "5\n");
  EXPECT_EQ(result.errors, std::string(4091, '\0') + "last\n");
}

TEST(Command, ADescriptionIsOneShortLineWithoutControlCharacters) {
  const CommandResult result = run_command(shell(R"(printf '\033[2Jred\n\n \n' >&2; exit 1)"), {});
  EXPECT_EQ(result.describe(), "ended with status 1: ?[2Jred");
  const CommandResult chatty =
      run_command(shell("yes | tr -d '\\n' | head -c 5000 >&2; exit 1"), {});
  EXPECT_LT(chatty.describe().size(), 300U);
  EXPECT_TRUE(chatty.describe().ends_with("yyy...")) << chatty.describe();
}

TEST(Command, IsKilledWhenWeAreAskedToStop) {
  std::atomic<bool> stop = false;
  std::jthread asking([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop = true;
  });
  const CommandResult result =
      run_command({"sleep", "1000"}, {.timeout_seconds = 500.0, .stop = &stop});
  EXPECT_EQ(result.outcome, Outcome::stopped);
  EXPECT_EQ(result.describe(), "was stopped");
}

TEST_F(CommandInFolder, IsNotEvenStartedWhenWeWereAskedToStopBefore) {
  const std::atomic<bool> stop = true;
  EXPECT_EQ(run_command({"touch", path("file")}, {.stop = &stop}).outcome, Outcome::stopped);
  EXPECT_FALSE(std::filesystem::exists(path("file")));
}

TEST(Command, HasOurEnvironmentAndMore) {
  ASSERT_EQ(setenv("CANOPY_OURS", "ours", 1), 0);
  ASSERT_EQ(setenv("CANOPY_REPLACED", "ours", 1), 0);
  const CommandResult result =
      run_command(shell("echo \"$CANOPY_OURS $CANOPY_REPLACED $CANOPY_ADDED\"; env"),
                  {.environment = {{"CANOPY_REPLACED", "a=b"}, {"CANOPY_ADDED", "c d"}}});
  EXPECT_TRUE(result.output.starts_with("ours a=b c d\n")) << result.output;
  EXPECT_EQ(result.output.find("CANOPY_REPLACED=ours"), std::string::npos);
}

TEST_F(CommandInFolder, IsLookedForInThePathThatItGets) {
  std::ofstream(path("canopy-own-program")) << "#!/bin/sh\necho mine\n";
  std::filesystem::permissions(path("canopy-own-program"), std::filesystem::perms::owner_all);
  EXPECT_EQ(run_command({"canopy-own-program"}, {}).outcome, Outcome::not_started);
  const RunLimits limits{.environment = {{"PATH", "/nowhere:" + path("") + ":/bin"}}};
  EXPECT_EQ(run_command({"canopy-own-program"}, limits).output, "mine\n");
}

TEST_F(CommandInFolder, GetsNoDescriptorOfOurs) {
  const int leaky = open(path("leaky").c_str(), O_CREAT | O_RDWR, 0600);  // not closed on exec
  ASSERT_GE(leaky, 0);
  const CommandResult result = run_command({"ls", "-l", "/proc/self/fd"}, {});
  close(leaky);
  EXPECT_EQ(result.output.find("leaky"), std::string::npos) << result.output;
  const auto pipes = [&] {
    std::size_t count = 0;
    std::size_t at = result.output.find("pipe:");
    for (; at != std::string::npos; at = result.output.find("pipe:", at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(pipes(), 2U) << result.output;
  EXPECT_NE(result.output.find("0 -> /dev/null"), std::string::npos) << result.output;
}

TEST(Command, LeavesNoDescriptorOpenAndNoChildBehind) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = descriptors();
  for (int i = 0; i < 50; ++i) {
    (void)run_command({"true"}, {});
    (void)run_command({"no-such-program"}, {});
    (void)run_command({"sleep", "1000"}, {.timeout_seconds = 0.0});
    (void)run_command({"true"}, {.keep_background = true});
    (void)run_command({"true"}, {.use_cgroup = false});
  }
  EXPECT_EQ(descriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Command, SignalsAreAsInAnyNewProgram) {
  EXPECT_TRUE(is_true_in_own_process([] {
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGCHLD}) (void)std::signal(signal, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, nullptr);
    const CommandResult result = run_command({"grep", "^Sig", "/proc/self/status"}, {});
    const auto mask = [&](const std::string& name) {
      const std::size_t at = result.output.find(name + ":\t");
      return std::stoull(result.output.substr(at + name.size() + 2, 16), nullptr, 16);
    };
    std::uint64_t reset = 0;
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGCHLD}) reset |= 1ULL << (signal - 1);
    return result.succeeded() && mask("SigBlk") == 0 && (mask("SigIgn") & reset) == 0;
  }));
}

TEST(Command, ItsStatusIsKnownThoughOurParentIgnoredItsChildren) {
  EXPECT_TRUE(is_true_in_own_process([] {
    (void)std::signal(SIGCHLD, SIG_IGN);
    return run_command(shell("exit 3"), {}).code == 3;
  }));
}

TEST(Command, RunsInAGroupOfItsOwn) {
  const CommandResult result = run_command(shell("echo $$; cut -d ' ' -f 5 /proc/$$/stat"), {});
  const std::size_t half = result.output.size() / 2;
  EXPECT_EQ(result.output.substr(0, half), result.output.substr(half));
}

TEST(Command, AGrandchildThatKeepsItsOutputOpenDoesNotHoldUsUp) {
  const auto begin = std::chrono::steady_clock::now();
  const CommandResult result =
      run_command(shell("sleep 1000 & echo $!"), {.timeout_seconds = 300.0});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(100));
  EXPECT_TRUE(result.succeeded()) << result.describe();
  const auto grandchild = static_cast<pid_t>(std::stol(result.output));
  EXPECT_TRUE(eventually([&] { return !is_running(grandchild); }));
}

TEST_F(CommandInFolder, NeitherDoesOneThatLeftTheGroup) {
  const std::string script = "setsid sh -c 'echo $$ > " + path("id") +
                             "; exec yes >&2' & while ! [ -s " + path("id") +
                             " ]; do sleep 0.01; done; echo 5";
  const auto begin = std::chrono::steady_clock::now();
  const CommandResult result = run_command(shell(script), {.timeout_seconds = 300.0});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(100));
  EXPECT_TRUE(result.succeeded()) << result.describe();
  EXPECT_EQ(result.output, "5\n");
  const std::optional<pid_t> daemon = id_in(path("id"));
  ASSERT_TRUE(daemon);
  EXPECT_TRUE(eventually([&] { return !is_running(*daemon); })) << "its output is not read";
}

TEST(Command, AProgramThatClosesItsOutputIsWaitedFor) {
  const CommandResult result =
      run_command(shell("echo 5; exec >&- 2>&-; sleep 0.2; exit 4"), {.timeout_seconds = 300.0});
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(result.output, "5\n");
}

TEST_F(CommandInFolder, DiesWithUs) {
  const pid_t helper = fork();
  if (helper == 0) {
    (void)run_command(shell("echo $$ > " + path("id") + "; exec sleep 1000"),
                      {.timeout_seconds = 500.0});
    _exit(0);
  }
  std::optional<pid_t> grandchild;
  EXPECT_TRUE(eventually([&] { return (grandchild = id_in(path("id"))).has_value(); }));
  ASSERT_EQ(kill(helper, SIGKILL), 0);
  ASSERT_EQ(waitpid(helper, nullptr, 0), helper);
  ASSERT_TRUE(grandchild);
  EXPECT_TRUE(eventually([&] { return !is_running(*grandchild); }));
}

TEST(Command, RunsThoughOurStandardDescriptorsAreClosed) {
  for (const Words& closed : {Words{"0"}, Words{"1"}, Words{"2"}, Words{"0", "1", "2"}}) {
    EXPECT_TRUE(is_true_in_own_process([&] {
      for (const std::string& number : closed) close(std::stoi(number));
      const CommandResult result = run_command(shell("cat; echo out; echo err >&2"), {});
      return result.succeeded() && result.output == "out\n" && result.errors == "err\n";
    })) << closed.size();
  }
}

TEST(Command, WithoutFreeDescriptorsItCannotBeStarted) {
  EXPECT_TRUE(is_true_in_own_process([] {
    const rlimit few{10, 10};
    (void)setrlimit(RLIMIT_NOFILE, &few);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    return run_command({"true"}, {}).describe() == "true cannot be started: Too many open files";
  }));
}

TEST(Command, SignalsThatArriveMeanwhileDoNoHarm) {
  EXPECT_TRUE(is_true_in_own_process([] {
    (void)std::signal(SIGALRM, [](int) {});
    const itimerval often{{0, 500}, {0, 500}};
    (void)setitimer(ITIMER_REAL, &often, nullptr);
    for (int i = 0; i < 20; ++i) {
      const CommandResult result = run_command(shell("echo 1; sleep 0.01; echo 2"), {});
      if (!result.succeeded() || result.output != "1\n2\n") return false;
    }
    return true;
  }));
}

TEST(Command, ManyThreadsRunTheirOwn) {
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&right, thread] {
        for (int i = 0; i < 20; ++i) {
          const std::string text = std::to_string(thread) + " " + std::to_string(i);
          const CommandResult result = run_command({"printf", "%s", text}, {});
          if (result.succeeded() && result.output == text) ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, 8 * 20);
}

/// Simulates an older kernel without the system calls that report the end of a process, close
/// descriptors, and fork into control groups.
bool forget_newer_calls() {
  const auto missing = [](unsigned call) {
    return std::array{sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call},
                      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS}};
  };
  const auto first = missing(SYS_pidfd_open);
  const auto second = missing(SYS_close_range);
  const auto third = missing(SYS_clone3);
  std::array filter{sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                    first[0],
                    first[1],
                    second[0],
                    second[1],
                    third[0],
                    third[1],
                    sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(Command, RunsOnOlderKernels) {
  EXPECT_TRUE(is_true_in_own_process([] {
    if (!forget_newer_calls()) return true;  // cannot be tested here
    if (syscall(SYS_pidfd_open, getpid(), 0) != -1) return false;
    if (dup2(STDOUT_FILENO, 77) != 77) return false;
    const CommandResult result =
        run_command(shell("ls /proc/self/fd | grep 77; echo 1; sleep 0.05; exit 3"), {});
    return result.code == 3 && result.output == "1\n" &&
           run_command({"sleep", "1000"}, {.timeout_seconds = 0.05}).outcome == Outcome::timed_out;
  }));
}

}  // namespace
}  // namespace canopy
