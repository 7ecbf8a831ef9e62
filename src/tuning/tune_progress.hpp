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

/// The progress of a tuner.
struct TuneProgress {
  /// The current activity.
  enum class Phase {
    searching,
    baseline,
    holding,  ///< waiting until the setting may change
    down,
    paused,
    confirming,
    no_context,  ///< waiting until the context can be observed again
  };

  Phase phase = Phase::searching;
  double seconds = 0.0;  ///< tuning time, including earlier runs
  std::uint64_t pulls = 0;
  std::uint64_t changes = 0;                          ///< number of changes of the setting
  std::uint64_t failures = 0;                         ///< number of failed pulls
  std::string setting = {};                           ///< current setting
  std::vector<double> context = {};                   ///< the last context observed, if any
  std::string failure = {};                           ///< the last failure, if any
  std::optional<double> reward = std::nullopt;        ///< the last reward, if any
  std::optional<RunnerCommand> order = std::nullopt;  ///< the user's command in force
  std::string ordered_by = {};
};

template <>
struct EnumNames<TuneProgress::Phase> {
  static constexpr std::array<std::string_view, 7> names{
      "searching", "baseline", "holding", "down", "paused", "confirming", "no_context"};
};

/// Called about once a second, and whenever something has changed.
using OnProgress = std::function<void(const TuneProgress&)>;

/// Thrown if tuning cannot continue. The message describes the state of the system.
class TuneError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The reason why tuning ended.
struct TuneEnd {
  enum class Why { budget, interrupted, failure, floor };

  Why why = Why::budget;
  std::string text;              ///< the reason as text
  std::string setting = {};      ///< the setting that the system was left with; empty: unchanged
  std::string left_at = {};      ///< what that setting is, and why it was chosen
  std::string verdict = {};      ///< of the comparison with the baseline, if there was one
  std::string policy_file = {};  ///< the file with the policy; empty: none
  std::string errors = {};       ///< after a failure: standard error of the last command
  std::uint64_t pulls = 0;       ///< number of rewards, including those that are held back

  /// Whether tuning was ended by a failure or by the floor, so that the fallback setting is
  /// applied.
  [[nodiscard]] bool needs_fallback() const { return why == Why::failure || why == Why::floor; }
};

/// Flags that a tuner polls; both may be set by a signal handler.
struct TunerSignals {
  const std::atomic<bool>& stop;
  const std::atomic<bool>* pause = nullptr;  ///< waits at the best-known setting as long as it is
};

}  // namespace canopy
