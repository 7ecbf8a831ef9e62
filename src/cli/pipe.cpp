#include "canopy/stores.hpp"
#include "canopy/study_session.hpp"

#include "cli/any_store.hpp"
#include "cli/commands.hpp"
#include "cli/study_flags.hpp"
#include "studies/requests.hpp"
#include "terminal/failure.hpp"
#include "tuning/tuner_state.hpp"

#include <cerrno>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

constexpr std::size_t kReadSize = 65'536;

/// Splits input into lines. The rest of a line that is too long is dropped.
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

  /// Ends a line, at a newline or at the end of the input.
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
    too_long_ = too_long_ || line_.size() + bytes.size() > kLongestRequest;
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

/// Answers a batch of lines.
using AnswerLines = std::function<std::vector<std::string>(const std::vector<std::string>& lines)>;

/// Answers the lines that have arrived and reads again, until the input ends.
void converse(const AnswerLines& answer) {
  LineCutter cutter;
  std::vector<std::string> lines;
  const auto on_line = [&](std::string_view line) { lines.emplace_back(line); };
  // A line that is too long is answered with an error, so its content does not matter.
  const auto on_long_line = [&] { lines.emplace_back(kLongestRequest + 1, ' '); };
  const auto send_answers = [&] {
    std::string text;
    for (const std::string& each : answer(lines)) text += each + '\n';
    lines.clear();
    write_all(text);
  };
  std::string buffer(kReadSize, '\0');
  for (;;) {
    const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category(), "standard input");
    if (got == 0) break;
    cutter.feed({buffer.data(), static_cast<std::size_t>(got)}, on_line, on_long_line);
    send_answers();
  }
  if (cutter.has_rest()) cutter.finish(on_line, on_long_line);
  send_answers();
}

std::vector<std::string> answers_to(const std::vector<std::string>& lines, const Space& space,
                                    Optimizer& optimizer) {
  std::vector<std::string> answers;
  answers.reserve(lines.size());
  for (const std::string& line : lines) {
    answers.push_back(line.size() > kLongestRequest ? answer_to_long_request()
                                                    : answer_request(line, space, optimizer));
  }
  return answers;
}

struct PipeArguments {
  std::string file;
  std::optional<std::string> study;
  StoreFlags store;
  std::optional<std::string> fork;
};

/// Serves a study in memory; nothing is stored.
void serve_in_memory(const std::string& file) {
  const StudySpecification study = load_study(file);
  const auto optimizer = make_optimizer(study, std::random_device{}());
  converse([&](const std::vector<std::string>& lines) {
    return answers_to(lines, study.space, *optimizer);
  });
}

/// Serves a study in a store. Answers are sent after their effects are on disk. If that fails,
/// nothing has changed, and every line gets an error.
void serve_from_store(const PipeArguments& arguments) {
  const OpenOptions which{.name = *arguments.study, .fork = arguments.fork, .fold = tuner_fold};
  const bool known = arguments.file.empty();  // the study must exist
  const auto mode = known ? Store::Mode::open : Store::Mode::create;
  AnyStore any = open_any_store(arguments.store, mode, "pipe");
  StudySession session(std::move(any.store), [&](Store& store) {
    return known ? Study::reopen(store, which)
                 : Study::open(store, load_study(arguments.file), which);
  });
  converse([&](const std::vector<std::string>& lines) {
    try {
      return session.perform(
          [&](Study& study) { return answers_to(lines, study.specification().space, study); });
    } catch (const StoreError& error) {
      return std::vector<std::string>(lines.size(), answer_to_lost_request(error.what()));
    }
  });
  session.close();
}

int serve(const PipeArguments& arguments) {
  if (arguments.file.empty() && !arguments.study) {
    throw WrongUse("STUDY.toml: is missing; see --help for an example");
  }
  if (arguments.store.server && !arguments.study) throw WrongUse("--server: needs --study as well");
  if (arguments.fork && !arguments.study) throw WrongUse("--fork: needs --study as well");
  (void)std::signal(SIGPIPE, SIG_IGN);  // write() reports a closed pipe
  return with_study_errors(arguments.file, [&] {
    if (arguments.study) {
      serve_from_store(arguments);
    } else {
      serve_in_memory(arguments.file);
    }
    return kSuccess;
  });
}

}  // namespace

Command add_pipe(ArgumentParser app) {
  const auto arguments = std::make_shared<PipeArguments>();
  ArgumentParser command = app.command(
      "pipe", "Serve one study on standard input and output, one JSON object per line.");
  command.option("STUDY.toml", arguments->file, "the study file: what to tune, and how");
  command.option("--study", arguments->study,
                 "store it under this name; a request is answered after its effect is on disk");
  arguments->store.add_to(command);
  add_fork_flag(command, arguments->fork);
  command.footer(
      "Requests:  {\"op\":\"ask\"}  {\"op\":\"ask\",\"pulls\":1}  {\"op\":\"best\"}  "
      "{\"op\":\"summary\"}  {\"op\":\"tree\"}\n"
      "           {\"op\":\"ask\",\"context\":{\"load\":0.7}}  {\"op\":\"policy\"}   # with "
      "[[context]]\n"
      "           {\"op\":\"tell\",\"ticket\":1,\"reward\":0.3}  {\"op\":\"drop\",\"ticket\":1}\n"
      "           {\"op\":\"tell\",\"ticket\":1,\"rewards\":[0.3,0.4]}  {\"op\":\"in_flight\"}\n"
      "           {\"op\":\"observe\",\"arm\":{\"x\":0.5},\"reward\":0.3}   # a setting that no "
      "ask returned\n"
      "           {\"op\":\"tell\",\"ticket\":1,\"count\":2,\"sum\":0.7,\"sum_squares\":0.25}\n"
      "An invalid request is answered with {\"error\":{\"code\":..,\"message\":..}} and changes "
      "nothing.\n"
      "Example:\n"
      "  printf '[[space]]\\nname = \"x\"\\nlow = 0.0\\nhigh = 1.0\\n' > study.toml\n"
      "  echo '{\"op\":\"ask\"}' | canopy pipe study.toml\n"
      "  echo '{\"op\":\"ask\"}' | canopy pipe study.toml --study mine   # and again: ticket 2");
  return [arguments] { return serve(*arguments); };
}

}  // namespace canopy::cli
