#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/pipe_session.hpp"
#include "studies/specification.hpp"

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

constexpr std::size_t kReadSize = 65'536;

/// Cuts what is read into lines and drops the rest of a line that is too long.
class LineCutter {
 public:
  template <class OnLine, class OnLongLine>
  void feed(std::string_view bytes, OnLine&& on_line, OnLongLine&& on_long_line) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      append(bytes.substr(0, end));
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      finish(on_line, on_long_line);
    }
  }

  /// The end of the line, or of the input behind a line that has no end.
  template <class OnLine, class OnLongLine>
  void finish(OnLine&& on_line, OnLongLine&& on_long_line) {
    if (too_long_) {
      on_long_line();
    } else {
      on_line(std::string_view(line_));
    }
    line_.clear();
    too_long_ = false;
  }

  [[nodiscard]] bool has_rest() const { return too_long_ || !line_.empty(); }

 private:
  void append(std::string_view bytes) {
    too_long_ = too_long_ || line_.size() + bytes.size() > PipeSession::kLongestLine;
    if (!too_long_) line_ += bytes;
  }

  std::string line_;
  bool too_long_ = false;
};

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category(), "standard output");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Answers every line that has arrived, writes the answers at once, and reads on.
void converse(PipeSession& session) {
  LineCutter cutter;
  std::string answers;
  const auto on_line = [&](std::string_view line) { answers += session.answer(line) + '\n'; };
  const auto on_long_line = [&] { answers += PipeSession::answer_to_long_line() + '\n'; };
  std::string buffer(kReadSize, '\0');
  for (;;) {
    const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category(), "standard input");
    if (got == 0) break;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    cutter.feed(bytes, on_line, on_long_line);
    write_all(answers);
    answers.clear();
  }
  if (cutter.has_rest()) cutter.finish(on_line, on_long_line);
  write_all(answers);
}

int run(const std::string& file) {
  try {
    PipeSession session(load_study(file));
    (void)std::signal(SIGPIPE, SIG_IGN);  // a reader that left is seen by write()
    converse(session);
    return kSuccess;
  } catch (const SpecificationError& error) {
    throw WrongUse(error.what());
  } catch (const ConfigurationError& error) {
    throw WrongUse(file + ": " + error.what());
  }
}

}  // namespace

Command add_pipe(CLI::App& app) {
  const auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "pipe", "Serve one study on standard input and output, a JSON object a line.");
  command->add_option("STUDY.toml", *file, "the study: what is tuned, and how");
  command->footer(
      "Requests:  {\"op\":\"ask\"}  {\"op\":\"ask\",\"pulls\":1}  {\"op\":\"best\"}  "
      "{\"op\":\"summary\"}  {\"op\":\"tree\"}\n"
      "           {\"op\":\"tell\",\"ticket\":1,\"reward\":0.3}  {\"op\":\"drop\",\"ticket\":1}\n"
      "           {\"op\":\"tell\",\"ticket\":1,\"rewards\":[0.3,0.4]}\n"
      "           "
      "{\"op\":\"tell\",\"ticket\":1,\"count\":2,\"sum\":0.7,\"sum_squares\":0.25}\n"
      "A wrong request is answered by {\"error\":{\"code\":..,\"message\":..}} and changes "
      "nothing.\n"
      "Example:\n"
      "  printf '[[space]]\\nname = \"x\"\\nlow = 0.0\\nhigh = 1.0\\n' > study.toml\n"
      "  echo '{\"op\":\"ask\"}' | canopy pipe study.toml");
  return [file] {
    if (file->empty()) throw WrongUse("STUDY.toml: is missing; see --help for an example");
    return run(*file);
  };
}

}  // namespace canopy::cli
