#pragma once

#include "canopy/study.hpp"

#include "studies/system.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// Sets and measures a system as a study says, tries again what fails, and knows a way back to a
/// setting that works. Everything is in the journal before the next thing is begun.
class SystemKeeper {
 public:
  enum class Outcome {
    done,
    failed,   ///< as often as it may be tried; see `failure`
    stopped,  ///< we were asked to
  };

  /// `on_wait` is called now and then while nothing else happens; when it says false, whatever is
  /// waited for is given up, as if we were asked to stop.
  SystemKeeper(Study& study, const std::atomic<bool>& stop, std::function<bool()> on_wait);

  [[nodiscard]] System& system() { return system_; }

  /// The setting that the system has, as far as this keeper knows; empty: it does not.
  [[nodiscard]] const std::vector<double>& setting() const { return setting_; }

  /// Somebody else may have set it.
  void forget_setting() { setting_.clear(); }

  /// Gives the system a setting and measures it so often to let it settle.
  [[nodiscard]] Outcome set(Arm arm, Ticket ticket, std::uint64_t warmup_pulls);

  /// One pull of the setting that it has.
  [[nodiscard]] Outcome measure(Ticket ticket, Reading& into);

  /// What came of going back to a setting that is known to work.
  enum class Return {
    works,
    works_again,  ///< after a while
    down,         ///< for longer than the study allows
    stopped,
  };
  /// Applies it and measures it once. As long as that fails, it is the system that is down: tries
  /// again after growing pauses.
  [[nodiscard]] Return go_back(const std::vector<double>& arm);

  /// The same setting whatever has happened, even when we were asked to stop. The failure, if any.
  [[nodiscard]] std::optional<SystemFailure> set_at_the_end(const std::vector<double>& arm);

  /// Something else that makes an arm fail for good.
  void fail_for_good(Ticket ticket, const std::string& what) { note_failure(ticket, what, true); }

  /// What went wrong last.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  /// Sleeps so long. False if there was no reason to go on, at the end or before.
  [[nodiscard]] bool pause(double seconds) const;

 private:
  template <class Try>
  [[nodiscard]] Outcome attempt(Ticket ticket, int retries, Try&& try_once);
  [[nodiscard]] Outcome set_and_probe(const std::vector<double>& arm);
  void note_failure(Ticket ticket, const std::string& what, bool for_good);

  Study& study_;
  const SystemOptions& options_;
  const std::atomic<bool>& stop_;
  std::function<bool()> on_wait_;
  System system_;
  std::vector<double> setting_;
  std::string failure_;
};

}  // namespace canopy
