#include "tuning/contexts.hpp"

#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "systems/command_line.hpp"
#include "systems/find_program.hpp"
#include "systems/utc_offset.hpp"
#include "tuning/system.hpp"

#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Returns what is wrong with a source; empty if it can be used.
std::string fault_of(const ContextInput& input, const SystemSpecification& system) {
  if (input.kind == ContextInput::Kind::nothing) {
    return "has no source, so canopy tune cannot get its value: give a source, or let a client ask "
           "with a context (canopy pipe, HTTP, Python)";
  }
  if (input.kind == ContextInput::Kind::query) {
    return access_fault(input.prometheus.access, system.folder.value_or(""));
  }
  if (input.kind != ContextInput::Kind::command) {
    try {
      (void)utc_offset(input.time_zone, 0.0);
    } catch (const TimeZoneError& error) {
      return error.what();
    }
    return "";
  }
  if (system.shell) return "";
  return program_fault(CommandLine(input.command, false).words({}), system.folder.value_or(""));
}

}  // namespace

std::string context_text(const ContextSpace& contexts, Context observed) {
  bool is_moved = false;
  return contexts.describe(contexts.within(observed, is_moved));
}

std::vector<Warning> warnings_about_sources(const StudySpecification& study) {
  std::vector<Warning> warnings;
  for (std::size_t i = 0; i < study.contexts.size(); ++i) {
    const ContextSource source =
        i < study.context_sources.size() ? study.context_sources[i] : ContextSource{};
    const std::string fault = fault_of(context_input(source), *study.system);
    if (!fault.empty()) {
      warnings.push_back({true, fmt::format("context.{}: {}", study.contexts[i].name, fault)});
    }
  }
  if (!study.system->policy_file) return warnings;
  const std::string file = seen_from(study.system->folder.value_or(""), *study.system->policy_file);
  const std::string folder = std::filesystem::path(file).parent_path();
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder.empty() ? "." : folder, ignored)) {
    warnings.push_back(
        {true, fmt::format("system.policy_file: the folder {} does not exist", excerpt(folder))});
  } else if (std::filesystem::is_directory(file, ignored)) {
    warnings.push_back({true, fmt::format("system.policy_file: {} is a folder", excerpt(file))});
  } else if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) {
    warnings.push_back({true, fmt::format("system.policy_file: the folder {} is not writable",
                                          excerpt(folder.empty() ? "." : folder))});
  }
  return warnings;
}

std::vector<Warning> warnings_about_context(const ContextSpace& contexts, Context observed) {
  std::vector<Warning> warnings;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const auto& [name, domain, period] = contexts[i];
    const auto [low, high] = domain.ends();
    if (period != 0.0 || (observed[i] >= low && observed[i] <= high)) continue;
    warnings.push_back(
        {false,
         fmt::format("context.{}: the current value {} is outside the range and treated as {}; set "
                     "low and high to the range of possible values",
                     name, to_text(observed[i]), domain.text(observed[i] < low ? low : high))});
  }
  return warnings;
}

}  // namespace canopy
