#include "insight/possible_commands.hpp"

namespace canopy {

std::vector<RunnerCommand> possible_commands(const CommandFacts& facts) {
  using enum RunnerCommand;
  const bool is_stopped = facts.order.has_value();
  if (facts.order == end) return {resume};
  if (is_over(facts.phase) && !is_stopped) return {};
  std::vector<RunnerCommand> commands;
  if (is_stopped) commands.push_back(resume);
  if (facts.order != pause) commands.push_back(pause);
  if (!is_stopped && facts.has_baseline && facts.has_best) commands.push_back(confirm);
  if (facts.has_system && facts.order != hold && facts.order != baseline) commands.push_back(hold);
  if (facts.has_baseline && facts.order != baseline) commands.push_back(baseline);
  commands.push_back(end);
  return commands;
}

Document stopped_by(std::optional<RunnerCommand> command, const std::string& user) {
  if (!command) return {};
  return Document::Table{{"command", name_of(*command)}, {"by", user}};
}

}  // namespace canopy
