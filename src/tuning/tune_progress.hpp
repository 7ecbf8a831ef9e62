#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/event.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Where the tuning is.
struct TuneProgress {
  /// What the tuner is doing.
  enum class Phase {
    searching,
    baseline,
    waiting,
    down,
    paused,
    confirming,
    no_context,  ///< waiting until it can be observed again
  };

  Phase phase = Phase::searching;
  double seconds = 0.0;  ///< of tuning, earlier runs included
  std::uint64_t pulls = 0;
  std::uint64_t changes = 0;                          ///< of the setting
  std::uint64_t failures = 0;                         ///< pulls that failed
  std::string setting = {};                           ///< that the system has now
  std::vector<double> context = {};                   ///< that was observed last, if any
  std::string failure = {};                           ///< the last one, if any
  std::optional<double> reward = std::nullopt;        ///< the last one that was measured
  std::optional<RunnerCommand> order = std::nullopt;  ///< that people gave and that is being obeyed
  std::string ordered_by = {};
};

template <>
struct EnumNames<TuneProgress::Phase> {
  static constexpr std::array<std::string_view, 7> names{
      "searching", "baseline", "waiting", "down", "paused", "confirming", "no_context"};
};

/// Called about once a second, and whenever there is something new.
using OnProgress = std::function<void(const TuneProgress&)>;

/// Thrown when tuning cannot continue; the message says what state the system is in.
class TuneError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Why the tuning ended.
struct TuneEnd {
  enum class Why { budget, interrupted, failure, floor };

  Why why = Why::budget;
  std::string text;              ///< for people
  std::string setting = {};      ///< that the system was left with; empty: the one it had
  std::string left_at = {};      ///< what that is, and why it was chosen
  std::string verdict = {};      ///< of the comparison with the baseline, if there was one
  std::string policy_file = {};  ///< that has the policy; empty: none has
  std::string errors = {};       ///< after a failure: what the last command wrote to standard error
  std::uint64_t pulls = 0;       ///< rewards, those that are held back included

  /// Whether something is wrong with the system.
  [[nodiscard]] bool in_need() const { return why == Why::failure || why == Why::floor; }
};

/// What a tuner looks at while it works; a signal may raise both.
struct TunerSignals {
  const std::atomic<bool>& stop;
  const std::atomic<bool>* pause = nullptr;  ///< waits at the best-known setting as long as it is
};

}  // namespace canopy
