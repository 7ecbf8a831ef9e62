#pragma once

#include "canopy/study.hpp"

#include "tuning/lookout.hpp"
#include "tuning/system_keeper.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// The search of a tuner: asks the study for an arm, gives the system that setting, measures it and
/// tells the study, one pull after the other. Now and then the study asks for pairs of its best arm
/// and the baseline: see WithBaseline.
///
/// An arm that fails is penalized and the system goes back to a setting that works. If that fails
/// as well, it is the system that is down: nothing is learnt until it is back.
class Search {
 public:
  /// All must outlive it.
  Search(Study& study, SystemKeeper& keeper, Lookout& lookout);

  /// Finds the pull that an earlier tuner, or this one, was at.
  void resume();
  /// An arm that takes us down with it would do so for ever.
  void blame_deadly_arm();

  /// One pull, or what must be done before it.
  void step();

  /// What is left to tell once the search is over. Rewards that are held back stay so as long as
  /// the arm must not change: the next tuner has them from the journal.
  void finish();

 private:
  using Outcome = SystemKeeper::Outcome;

  [[nodiscard]] bool ask();
  [[nodiscard]] Outcome review_left_over();
  [[nodiscard]] bool is_in_visit() const;

  void compare();
  void lead_in();
  void comparison_failed();
  void penalize_challenger();
  void end_if_too_many_failed();

  void learn(const Reading& reading);
  [[nodiscard]] bool must_hold(std::uint64_t pulls_here) const;
  void release();
  void tell(Ticket ticket, double reward);
  void check_floor();

  void attempt_failed();
  void find_out_who_is_to_blame();
  [[nodiscard]] std::optional<std::vector<double>> setting_that_works() const;
  [[nodiscard]] std::vector<std::vector<double>> refuges() const;
  [[nodiscard]] bool has_worked(const std::vector<double>& arm) const;
  [[nodiscard]] std::optional<double> failure_reward() const;
  void penalize();
  void penalize_deferred();

  [[nodiscard]] const TunerState& state() const { return tuner_state_of(study_); }

  Study& study_;
  const StudySpecification& specification_;
  const SystemOptions& options_;
  SystemKeeper& keeper_;
  Lookout& lookout_;
  bool is_new_ = true;             // nothing was done yet
  std::optional<OwnedPull> pull_;  // the ticket that is being answered
  Ticket suspect_ = 0;             // whose arm failed when the system went down
  Ticket forgiven_ = 0;            // whose arm failed and gets another try
  Ticket led_in_ = 0;              // the duel that was led in last
  std::vector<double> suspected_;  // the challenger with which the system went down
};

}  // namespace canopy
