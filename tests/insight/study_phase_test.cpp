#include "insight/study_phase.hpp"

#include "tuning/tuner_state.hpp"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace canopy {

std::ostream& operator<<(std::ostream& stream, const PhaseReport& report) {
  return stream << name_of(report.phase) << ": " << report.why;
}

namespace {

PhaseFacts after(Event event) {
  return {.last = JournalEntry{7, 1000.0, std::move(event)}, .now = 1000.0};
}

TEST(StudyPhase, OfAStudyWithoutEventsIsWaiting) {
  EXPECT_EQ(phase_of({.is_open = true}), (PhaseReport{StudyPhase::waiting, "no events yet"}));
}

TEST(StudyPhase, FollowsFromWhyATunerHasStopped) {
  const auto stopped = [](std::string why, bool at_limit = false) {
    return phase_of(after(TunerStopped{std::move(why), at_limit}));
  };
  EXPECT_EQ(stopped("the budget of 500 pulls is used"),
            (PhaseReport{StudyPhase::finished, "the budget of 500 pulls is used"}));
  EXPECT_EQ(stopped("30 of the last 50 pulls failed", true),
            (PhaseReport{StudyPhase::failed, "30 of the last 50 pulls failed"}));
  EXPECT_EQ(stopped(std::string(kPaused)).phase, StudyPhase::waiting);
  EXPECT_EQ(stopped(std::string(kWasInterrupted)).phase, StudyPhase::waiting);
}

TEST(StudyPhase, ATunerThatIsGoneWithoutAWordHasFailed) {
  PhaseFacts facts = after(Applied{1, {0.5}});
  facts.tuner_began = true;
  EXPECT_EQ(phase_of(facts), (PhaseReport{StudyPhase::failed, "the tuner ended unexpectedly"}));
  facts.tuner_lives = true;
  facts.now += 1e6;
  EXPECT_EQ(phase_of(facts), (PhaseReport{StudyPhase::running}));
}

TEST(StudyPhase, AForkOfAStudyWhoseTunerWasKilledHasNotFailed) {
  PhaseFacts facts = after(Applied{1, {0.5}});
  facts.tuner_began = true;
  facts.created = 1001.0;
  EXPECT_EQ(phase_of(facts), (PhaseReport{StudyPhase::waiting, "no events since it was created"}));
}

TEST(StudyPhase, APausedStudyWhoseTunerIsGoneSaysSo) {
  PhaseFacts facts = after(Told{1, 0.5});
  facts.tuner_began = true;
  facts.order = RunnerCommand::pause;
  facts.ordered_by = "bob";
  EXPECT_EQ(phase_of(facts).why, "paused by bob; no tuner is running");
  facts.tuner_lives = true;
  EXPECT_EQ(phase_of(facts).why, "paused by bob");
}

TEST(StudyPhase, WorkersRunItWhileTicketsAreInFlightOrTheLastEventIsNew) {
  PhaseFacts facts = after(Told{1, 0.5});
  EXPECT_EQ(phase_of(facts), (PhaseReport{StudyPhase::waiting, "no client is active"}));
  facts.is_open = true;
  EXPECT_EQ(phase_of(facts).phase, StudyPhase::running);
  facts.now += 61.0;
  EXPECT_EQ(phase_of(facts).phase, StudyPhase::waiting);
  facts.is_at_work = true;
  EXPECT_EQ(phase_of(facts).phase, StudyPhase::running);
}

TEST(StudyPhase, WhatPeopleWantGoesBeforeAllElse) {
  PhaseFacts facts = after(Told{1, 0.5});
  facts.is_at_work = true;
  facts.ordered_by = "alice";
  facts.order = RunnerCommand::pause;
  EXPECT_EQ(phase_of(facts), (PhaseReport{StudyPhase::waiting, "paused by alice"}));
  facts.order = RunnerCommand::hold;
  EXPECT_EQ(phase_of(facts), (PhaseReport{StudyPhase::waiting, "held by alice"}));
  facts.order = RunnerCommand::baseline;
  EXPECT_EQ(phase_of(facts).phase, StudyPhase::waiting);
  facts.order = RunnerCommand::end;
  EXPECT_EQ(phase_of(facts), (PhaseReport{StudyPhase::finished, "ended by alice"}));
}

TEST(StudyPhase, AStudyThatWasFinishedIs) {
  EXPECT_EQ(phase_of(after(Finished{})).phase, StudyPhase::finished);
}

}  // namespace
}  // namespace canopy
