#pragma once

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace canopy::testing {

/// Runs the tool in a child process.
class Process {
 public:
  struct Result {
    int status = 0;
    std::string out;
    std::string err;
  };

  explicit Process(const std::vector<std::string>& arguments) {
    if (pipe(to_child_.data()) != 0 || pipe(from_child_.data()) != 0)
      throw std::runtime_error("no pipe");
    errors_ = std::tmpfile();
    child_ = fork();
    if (child_ == 0) run_child(arguments);
    close(to_child_[0]);
    close(from_child_[1]);
  }

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  ~Process() {
    if (child_ > 0) (void)finish();
  }

  void write(const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t written = ::write(to_child_[1], text.data() + done, text.size() - done);
      if (written <= 0) throw std::runtime_error("the process does not read");
      done += static_cast<std::size_t>(written);
    }
  }

  /// Waits for the next line of output.
  std::string read_line() {
    std::string line;
    char letter = 0;
    while (::read(from_child_[0], &letter, 1) == 1 && letter != '\n') line += letter;
    return line;
  }

  /// Waits for output and returns what is available; empty if the process has ended.
  std::string read_some() {
    std::array<char, 65'536> buffer;
    const ssize_t got = ::read(from_child_[0], buffer.data(), buffer.size());
    return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

  void signal(int number) const { kill(child_, number); }

  /// Closes its input and waits for its end.
  Result finish() {
    close(to_child_[1]);
    Result result;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::read(from_child_[0], buffer.data(), buffer.size())) > 0;) {
      result.out.append(buffer.data(), static_cast<std::size_t>(got));
    }
    close(from_child_[0]);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    std::rewind(errors_);
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), errors_)) > 0;) {
      result.err.append(buffer.data(), got);
    }
    (void)std::fclose(errors_);
    return result;
  }

 private:
  [[noreturn]] void run_child(const std::vector<std::string>& arguments) {
    dup2(to_child_[0], STDIN_FILENO);
    dup2(from_child_[1], STDOUT_FILENO);
    dup2(fileno(errors_), STDERR_FILENO);
    for (const int end : {to_child_[0], to_child_[1], from_child_[0], from_child_[1]}) close(end);
    std::vector<std::string> words{CANOPY_BINARY_DIR "/canopy"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    _exit(127);
  }

  std::array<int, 2> to_child_{-1, -1};
  std::array<int, 2> from_child_{-1, -1};
  std::FILE* errors_ = nullptr;
  pid_t child_ = -1;
};

/// Runs the tool with these arguments, separated by spaces.
inline Process::Result run_tool(const std::string& words) {
  std::istringstream stream(words);
  std::vector<std::string> arguments;
  for (std::string word; stream >> word;) arguments.push_back(word);
  return Process(arguments).finish();
}

/// A file that exists during the lifetime of this object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("canopy-" + std::to_string(getpid()) + "-" + name)) {
    std::ofstream(path_) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace canopy::testing
