#include "insight/study_phase.hpp"

#include "core/excerpt.hpp"
#include "tuning/tuner_state.hpp"

namespace canopy {
namespace {

constexpr std::size_t kLongestWhy = 200;

std::optional<PhaseReport> as_ordered(const PhaseFacts& facts) {
  std::string by = " by " + excerpt(facts.ordered_by);
  if (facts.tuner_began && !facts.tuner_lives) by += "; no tuner is running";
  switch (facts.order.value_or(RunnerCommand::resume)) {
    case RunnerCommand::end:
      return PhaseReport{StudyPhase::finished, "ended by " + excerpt(facts.ordered_by)};
    case RunnerCommand::pause:
      return PhaseReport{StudyPhase::waiting, "paused" + by};
    case RunnerCommand::hold:
      return PhaseReport{StudyPhase::waiting, "held" + by};
    case RunnerCommand::baseline:
      return PhaseReport{StudyPhase::waiting, "set to the baseline" + by};
    default:
      return std::nullopt;
  }
}

PhaseReport after_stop(const TunerStopped& stop) {
  const bool will_go_on = stop.why == kPaused || stop.why == kWasInterrupted;
  const StudyPhase phase = stop.at_limit ? StudyPhase::failed
                           : will_go_on  ? StudyPhase::waiting
                                         : StudyPhase::finished;
  return {phase, excerpt(stop.why, kLongestWhy)};
}

}  // namespace

PhaseReport phase_of(const PhaseFacts& facts) {
  if (const auto ordered = as_ordered(facts)) return *ordered;
  if (!facts.last) return {StudyPhase::waiting, "no events yet"};
  if (facts.last->at < facts.created && !facts.tuner_lives) {
    return {StudyPhase::waiting, "no events since it was created"};
  }
  if (const auto* stop = std::get_if<TunerStopped>(&facts.last->event)) return after_stop(*stop);
  if (std::holds_alternative<Finished>(facts.last->event))
    return {StudyPhase::finished, "finished"};
  if (facts.tuner_lives) return {StudyPhase::running};
  if (facts.tuner_began) return {StudyPhase::failed, "the tuner ended unexpectedly"};
  if (facts.is_at_work) return {StudyPhase::running};
  if (facts.is_open && facts.now - facts.last->at < kActiveSeconds) return {StudyPhase::running};
  return {StudyPhase::waiting, "no client is active"};
}

}  // namespace canopy
