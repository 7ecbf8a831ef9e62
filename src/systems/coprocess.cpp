#include "systems/coprocess.hpp"

#include "systems/child_process.hpp"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace canopy {
namespace {

using Outcome = CommandResult::Outcome;

/// How long a program that has closed its input or output may take to end.
constexpr std::chrono::seconds kTimeToEnd{1};

/// How long a program may run after we have closed its input.
constexpr double kSecondsToLeave = 0.2;

}  // namespace

/// Reads lines from the output of a program.
class Coprocess::LineReader {
 public:
  /// Ignores output that is already there.
  explicit LineReader(std::string& printed)
      : printed_(printed), skips_line_(!printed.empty() && printed.back() != '\n') {
    printed_.clear();
  }

  /// The next line, if it is complete.
  std::optional<std::string> next() {
    if (skips_line_ && !take_line()) return std::nullopt;
    skips_line_ = false;
    return take_line();
  }

 private:
  std::optional<std::string> take_line() {
    const std::size_t end = printed_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = printed_.substr(0, end);
    printed_.erase(0, end + 1);
    return line;
  }

  std::string& printed_;
  bool skips_line_;
};

namespace {

/// Returns the reason to stop waiting for a line, if there is one.
std::optional<Outcome> reason_to_give_up(ChildProcess& child, Patience& patience,
                                         std::size_t longest_line) {
  if (child.output().size() > longest_line) return Outcome::too_much_output;
  if (child.has_hung_up()) patience.shorten(kTimeToEnd);
  const std::optional<Outcome> end = patience.end();
  return end == Outcome::timed_out && child.has_hung_up() ? Outcome::hung_up : end;
}

}  // namespace

Coprocess::Coprocess(std::vector<std::string> words) : words_(std::move(words)) {}

Coprocess::~Coprocess() {
  if (!child_) return;
  const Patience patience({.timeout_seconds = kSecondsToLeave});
  child_->close_input();
  while (!child_->has_ended() && !patience.end()) {
    child_->wait(patience.slice());
    child_->output().clear();
  }
}

CommandResult Coprocess::exchange(const std::string& line, const RunLimits& limits) {
  if (line.find('\n') != std::string::npos) {
    throw std::invalid_argument("there is a newline inside a line");
  }
  Patience patience(limits);
  if (patience.is_stopped()) return {.outcome = Outcome::stopped};
  try {
    start_if_needed(limits);
  } catch (const std::system_error& error) {
    return not_started(words_, error);
  }
  child_->gather();
  LineReader lines(child_->output());
  child_->send(line + '\n');
  return wait_for_answer(lines, patience, limits);
}

void Coprocess::start_if_needed(const RunLimits& limits) {
  if (child_ && !child_->has_ended()) return;
  child_.reset();
  child_ = std::make_unique<ChildProcess>(words_, limits, true);
}

CommandResult Coprocess::wait_for_answer(LineReader& lines, Patience& patience,
                                         const RunLimits& limits) {
  for (;;) {
    const bool ended = child_->has_ended();
    if (ended) child_->gather();
    std::optional<std::string> answer = lines.next();
    if (answer && answer->size() > limits.most_output) {
      return give_up(Outcome::too_much_output, limits);
    }
    if (answer) return {.output = std::move(*answer)};
    if (ended) return give_up(std::nullopt, limits);
    if (const auto reason = reason_to_give_up(*child_, patience, limits.most_output)) {
      return give_up(reason, limits);
    }
    child_->wait(patience.slice());
  }
}

CommandResult Coprocess::give_up(std::optional<Outcome> reason, const RunLimits& limits) {
  CommandResult result = child_->finish();
  child_.reset();
  if (reason) {
    break_off(result, *reason, limits);
  } else if (result.outcome == Outcome::done) {
    result.outcome = Outcome::exited;  // with status 0, but without an answer
  }
  return result;
}

}  // namespace canopy
