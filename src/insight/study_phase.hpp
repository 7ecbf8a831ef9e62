#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/event.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace canopy {

/// The status of a study at a glance.
enum class StudyPhase : std::uint8_t {
  running,   ///< A tuner or clients are working on it.
  waiting,   ///< No work is in progress; it can be continued.
  finished,  ///< It has used its budget, or was ended by a user.
  failed,    ///< It stopped unexpectedly.
};

template <>
struct EnumNames<StudyPhase> {
  static constexpr std::array<std::string_view, 4> names{"running", "waiting", "finished",
                                                         "failed"};
};

/// Whether the study does not continue without a user's action.
[[nodiscard]] constexpr bool is_over(StudyPhase phase) {
  return phase == StudyPhase::finished || phase == StudyPhase::failed;
}

/// The facts that determine the phase of a study.
struct PhaseFacts {
  std::optional<JournalEntry> last = {};    ///< of the journal; none: it is empty
  bool is_open = false;                     ///< a process owns the right to write to it
  bool is_at_work = false;                  ///< there are tickets in flight
  bool tuner_began = false;                 ///< a tuner is running according to the journal
  bool tuner_lives = false;                 ///< a tuner is actually running
  std::optional<RunnerCommand> order = {};  ///< the command in force
  std::string ordered_by = {};
  double created = 0.0;  ///< time when the study was created; the journal of a fork may be older
  double now = 0.0;      ///< seconds since 1970
};

/// Seconds after an event during which the owner of a study is considered active.
inline constexpr double kActiveSeconds = 60.0;

struct PhaseReport {
  StudyPhase phase = StudyPhase::waiting;
  std::string why = {};  ///< part of a sentence; may be empty

  friend bool operator==(const PhaseReport&, const PhaseReport&) = default;
};

[[nodiscard]] PhaseReport phase_of(const PhaseFacts& facts);

}  // namespace canopy
