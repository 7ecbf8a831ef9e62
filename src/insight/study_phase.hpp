#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/event.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace canopy {

/// What people want to know of a study at one glance.
enum class StudyPhase : std::uint8_t {
  running,   ///< Somebody works on it.
  waiting,   ///< Nobody does, and somebody may.
  finished,  ///< It has done what it was to do, or people have ended it.
  failed,    ///< It has stopped and was not meant to.
};

template <>
struct EnumNames<StudyPhase> {
  static constexpr std::array<std::string_view, 4> names{"running", "waiting", "finished",
                                                         "failed"};
};

/// Whether nothing more will happen by itself.
[[nodiscard]] constexpr bool is_over(StudyPhase phase) {
  return phase == StudyPhase::finished || phase == StudyPhase::failed;
}

/// What the phase of a study follows from.
struct PhaseFacts {
  std::optional<JournalEntry> last = {};    ///< of the journal; none: it is empty
  bool is_open = false;                     ///< somebody has the right to write to it
  bool is_at_work = false;                  ///< tickets are in flight
  bool tuner_began = false;                 ///< a tuner runs it, as far as the journal tells,
  bool tuner_lives = false;                 ///< and in fact
  std::optional<RunnerCommand> order = {};  ///< that people gave and did not take back,
  std::string ordered_by = {};
  double created = 0.0;  ///< when the study was made; its journal may be older if it is a fork
  double now = 0.0;      ///< seconds since 1970
};

/// For so long after an event, seconds, whoever has the study open is taken to work on it.
inline constexpr double kWorksOn = 60.0;

struct PhaseReport {
  StudyPhase phase = StudyPhase::waiting;
  std::string why = {};  ///< a part of a sentence; empty: it goes without saying

  friend bool operator==(const PhaseReport&, const PhaseReport&) = default;
};

[[nodiscard]] PhaseReport phase_of(const PhaseFacts& facts);

}  // namespace canopy
