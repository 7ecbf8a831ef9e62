#include "systems/command.hpp"

#include "core/excerpt.hpp"
#include "systems/child_process.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace canopy {
namespace {

using Outcome = CommandResult::Outcome;

constexpr std::size_t kLongestComplaint = 200;

/// The last line that is not blank.
std::string_view last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

std::string why_not_started(const CommandResult& result) {
  if (result.lacks_folder) {
    return "cannot enter its working directory: " + std::generic_category().message(result.code);
  }
  if (result.lacks_interpreter) return "the interpreter in its first line (#!) does not exist";
  std::error_code ignored;
  if (std::filesystem::is_directory(result.program, ignored)) return "it is a folder";
  if (result.code == EACCES) {
    return "it is not executable (chmod +x " + excerpt(result.program) + ")";
  }
  if (result.code != ENOENT) return std::generic_category().message(result.code);
  const bool is_path = result.program.find('/') != std::string::npos;
  return is_path ? "there is no such program" : "there is no such program in PATH";
}

std::string outcome_text(const CommandResult& result) {
  switch (result.outcome) {
    case Outcome::done:
      return "succeeded";
    case Outcome::exited:
      return fmt::format("ended with status {}{}", result.code,
                         result.code == 0 ? " before it answered" : "");
    case Outcome::killed_by_signal:
      return fmt::format("was killed by signal {} ({})", result.code, strsignal(result.code));
    case Outcome::timed_out:
      return fmt::format("took longer than {} s", result.limit);
    case Outcome::too_much_output:
      return fmt::format("printed more than {} bytes", result.limit);
    case Outcome::hung_up:
      return "closed its input or output before it answered";
    case Outcome::not_started:
      return fmt::format("{}{}cannot be started: {}", excerpt(result.program),
                         result.program.empty() ? "" : " ", why_not_started(result));
    case Outcome::stopped:
      return "was stopped";
  }
  return {};
}

/// Waits until the program has ended, or returns why to stop waiting.
std::optional<Outcome> wait_for(ChildProcess& child, const Patience& patience,
                                std::size_t most_output) {
  while (!child.has_ended()) {
    if (child.output().size() > most_output) return Outcome::too_much_output;
    if (const std::optional<Outcome> end = patience.end()) return end;
    child.wait(patience.slice());
  }
  return std::nullopt;
}

}  // namespace

std::string CommandResult::describe() const {
  std::string text = outcome_text(*this);
  if (succeeded() || outcome == Outcome::stopped) return text;
  const std::string complaint = excerpt(last_line(errors), kLongestComplaint);
  return complaint.empty() ? text : text + ": " + complaint;
}

CommandResult run_command(const std::vector<std::string>& words, const RunLimits& limits) {
  const Patience patience(limits);
  if (patience.is_stopped()) return {.outcome = Outcome::stopped};
  try {
    ChildProcess child(words, limits, !limits.input.empty());
    child.send_all(limits.input);
    std::optional<Outcome> broken = wait_for(child, patience, limits.most_output);
    CommandResult result = child.finish();
    if (!broken && result.output.size() > limits.most_output) broken = Outcome::too_much_output;
    if (broken) break_off(result, *broken, limits);
    return result;
  } catch (const std::system_error& error) {
    return not_started(words, error);
  }
}

}  // namespace canopy
