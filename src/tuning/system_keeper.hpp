#pragma once

#include "canopy/study.hpp"

#include "systems/live_system.hpp"
#include "tuning/lookout.hpp"

#include <cstdint>
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
    failed,   ///< as often as it may be tried; see Lookout::failure
    stopped,  ///< there is no reason to go on: see Lookout
  };

  /// All must outlive it.
  SystemKeeper(Study& study, LiveSystem& system, Lookout& lookout);

  [[nodiscard]] bool can_be_set() const { return system_.can_be_set(); }

  /// The setting that the system has, as far as this keeper knows; empty: it does not.
  [[nodiscard]] const std::vector<double>& setting() const { return setting_; }

  /// Somebody else may have set it.
  void forget_setting() { setting_.clear(); }

  /// What is observed before a setting is chosen. As long as that fails, it is tried again after
  /// growing pauses, up to the time that a system may be down; then that ends the tuning.
  [[nodiscard]] Outcome observe(std::vector<double>& into);

  /// Settings are given and measured in this context from now on.
  void enter(Context context);
  /// In the one that was observed last, by this tuner or an earlier one, if any was.
  void return_to_context();

  /// Waits as long as `max_changes_per_hour` forbids to change to a setting.
  void wait_until_it_may_change_to(Arm arm);

  /// Gives the system a setting and lets it settle.
  [[nodiscard]] Outcome set(Arm arm, Ticket ticket);

  /// One pull of the setting that it has, with its metrics in the journal.
  [[nodiscard]] Outcome measure(Ticket ticket, Reading& into);

  /// Both, where no ticket is answered: of the baseline, say.
  [[nodiscard]] Outcome measure_at(const std::vector<double>& arm, Reading& into);

  /// What came of going back to a setting that is known to work.
  enum class Return {
    works,
    works_again,  ///< after a while
    down,         ///< for longer than the study allows: that ends the tuning
    stopped,
  };
  /// Applies it and measures it once. As long as that fails, it is the system that is down: tries
  /// again after growing pauses.
  [[nodiscard]] Return go_back_to(const std::vector<double>& arm);
  /// To the first of these that works.
  [[nodiscard]] Return go_back_to(const std::vector<std::vector<double>>& arms);

  /// The same setting whatever has happened, even when we were asked to stop. The failure, if any.
  [[nodiscard]] std::optional<SystemFailure> leave_at(const std::vector<double>& arm);

  /// Something else that makes an arm fail for good.
  void fail_for_good(Ticket ticket, const std::string& what) {
    note_failure(ticket, {.what = what}, true);
  }

  /// Whether anything was ever measured.
  [[nodiscard]] bool has_ever_worked() const { return !state().good_settings().empty(); }

  /// That canopy was killed too many times in a row at the present setting; empty: it was not.
  [[nodiscard]] std::string deadly_text() const;

 private:
  template <class Try>
  [[nodiscard]] Outcome attempt(Ticket ticket, int retries, Try&& try_once);
  [[nodiscard]] Outcome set_and_probe(const std::vector<double>& arm);
  [[nodiscard]] Outcome set_and_probe(const std::vector<std::vector<double>>& arms);
  [[nodiscard]] Outcome measure_quietly(Ticket ticket, Reading& into);
  [[nodiscard]] std::uint64_t warmup_to(Ticket ticket) const;
  void has_setting(Arm arm, Ticket ticket);
  void note_failure(Ticket ticket, const SystemFailure& failure, bool for_good);
  [[nodiscard]] int retries() const;
  [[nodiscard]] const TunerState& state() const { return tuner_state_of(study_); }

  Study& study_;
  const SystemSpecification& specification_;
  const SystemOptions& options_;
  std::uint64_t settle_;  // pulls that the optimizer was told the system takes to settle
  bool settles_by_distance_;
  LiveSystem& system_;
  Lookout& lookout_;
  std::vector<double> setting_;
};

}  // namespace canopy
