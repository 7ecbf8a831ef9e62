#include "studies/fork.hpp"

#include "canopy/journal.hpp"
#include "canopy/study.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace canopy {
namespace {

/// Whether coordinates have the same meaning in both.
bool have_same_meaning(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  const auto alike = [](const Parameter& left, const Parameter& right) {
    return left.name == right.name && left.domain.measures_like(right.domain);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), alike);
}

bool have_same_meaning(const ContextSpace& a, const ContextSpace& b) {
  const auto have_same_period = [](const ContextVariable& left, const ContextVariable& right) {
    return left.period == right.period;
  };
  return have_same_meaning(a.parameters(), b.parameters()) &&
         std::equal(a.variables().begin(), a.variables().end(), b.variables().begin(),
                    have_same_period);
}

}  // namespace

ForkStart fork_start(const StudySpecification& before, StudySpecification fork,
                     bool accept_changes) {
  if (fork.optimizer == Selection{}) fork.optimizer = inherited_optimizer(before, fork);
  if (!have_same_meaning(before.space.parameters(), fork.space.parameters()))
    return ForkStart::nothing;
  // If the fork has contexts, it can only use rewards with contexts of the same meaning; if it has
  // none, the contexts of rewards can be dropped.
  if (!fork.contexts.empty() && !have_same_meaning(before.contexts, fork.contexts)) {
    return ForkStart::nothing;
  }
  if (!accept_changes && !command_differences(before, fork).empty()) return ForkStart::nothing;
  const bool learns_alike = learning_differences(before, fork).empty();
  return learns_alike ? ForkStart::journal : ForkStart::rewards;
}

std::string_view text_of(ForkStart start) {
  switch (start) {
    case ForkStart::journal:
      return "The fork begins with the whole journal: nothing that learning depends on differs.";
    case ForkStart::rewards:
      return "The fork begins with the rewards of every setting that is still in the search space: "
             "the optimizer, the direction, the limits, the baseline, or the bounds or scale of a "
             "parameter or of a context differ.";
    case ForkStart::nothing:
      break;
  }
  return "The fork begins with nothing: the names, the types or the choices of the parameters or "
         "of the contexts differ, or the commands that measure.";
}

StudySpecification specification_of_fork(Store& store, const StudyRecord& record) {
  StudySpecification fork = specification_of(record);
  fork.revision = 0;
  read_journal(store, record, [&](const JournalEntry& entry, std::optional<Arm> /*arm*/) {
    if (const auto* set = std::get_if<RangeSet>(&entry.event)) {
      fork.objective.reward_range = set->range;
    }
  });
  return fork;
}

}  // namespace canopy
