#include "insight/possible_commands.hpp"

#include <gtest/gtest.h>

namespace canopy {
namespace {

using enum RunnerCommand;
using Commands = std::vector<RunnerCommand>;

constexpr CommandFacts kRunning{
    .phase = StudyPhase::running, .has_system = true, .has_baseline = true, .has_best = true};

Commands with(CommandFacts facts, std::optional<RunnerCommand> order, StudyPhase phase) {
  facts.order = order;
  facts.phase = phase;
  return possible_commands(facts);
}

TEST(PossibleCommands, AStudyThatRunsCanBePausedFirstOfAll) {
  EXPECT_EQ(possible_commands(kRunning), (Commands{pause, confirm, hold, baseline, end}));
  CommandFacts facts = kRunning;
  facts.has_best = false;
  EXPECT_EQ(possible_commands(facts), (Commands{pause, hold, baseline, end}));
  facts.has_baseline = false;
  EXPECT_EQ(possible_commands(facts), (Commands{pause, hold, end}));
  facts.has_system = false;
  EXPECT_EQ(possible_commands(facts), (Commands{pause, end}));
}

TEST(PossibleCommands, OneThatWaitsByCommandCanGoOnFirstOfAll) {
  EXPECT_EQ(with(kRunning, pause, StudyPhase::waiting), (Commands{resume, hold, baseline, end}));
  EXPECT_EQ(with(kRunning, baseline, StudyPhase::waiting), (Commands{resume, pause, end}));
}

TEST(PossibleCommands, OneThatWasEndedCanOnlyBeResumedAndOneThatIsOverTakesNone) {
  EXPECT_EQ(with(kRunning, end, StudyPhase::finished), Commands{resume});
  EXPECT_EQ(with(kRunning, std::nullopt, StudyPhase::finished), Commands{});
  EXPECT_EQ(with(kRunning, std::nullopt, StudyPhase::failed), Commands{});
}

}  // namespace
}  // namespace canopy
