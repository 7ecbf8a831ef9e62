#pragma once

#include "canopy/family/detail/composite.hpp"
#include "canopy/family/poo.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace canopy {

/// Options of PCT and VPCT: GPO over HCT and over VHCT.
struct PctOptions {
  /// The total number of pulls, at least 1. Half of them search, half choose among the arms found;
  /// later pulls play the winner.
  std::uint64_t horizon = 1000;

  /// As in PooOptions.
  double nu_max = 1.0;
  double rho_max = 0.9;
  std::optional<double> confidence_scale = std::nullopt;
};

template <class Visit>
void visit_fields(PctOptions& options, Visit&& visit) {
  visit(Field{"horizon", "the total number of pulls", kAtLeastOne}, options.horizon);
  visit(Field{"nu_max", "nu1 of all instances", kPositive}, options.nu_max);
  visit(Field{"rho_max", "the largest rho of an instance", kOpenUnit}, options.rho_max);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
}

struct GpoOptions {
  /// As in PctOptions.
  std::uint64_t horizon = 1000;

  /// The algorithm of all instances; the other options as in PooOptions.
  Base base = Base::hct;
  double nu_max = 1.0;
  double rho_max = 0.9;
  std::optional<double> confidence_scale = std::nullopt;
  std::uint64_t seed = 1;
};

template <class Visit>
void visit_fields(GpoOptions& options, Visit&& visit) {
  visit(Field{"horizon", "the total number of pulls", kAtLeastOne}, options.horizon);
  visit(Field{"base", "the algorithm that is run with several values of rho"}, options.base);
  visit(Field{"nu_max", "nu1 of all instances", kPositive}, options.nu_max);
  visit(Field{"rho_max", "the largest rho of an instance", kOpenUnit}, options.rho_max);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
  visit(Field{"seed", "seed of the algorithm's random choices", kAnyWhole}, options.seed);
}

/// How GPO divides a horizon.
struct GpoPlan {
  std::uint64_t instances = 1;  ///< N
  std::uint64_t share = 1;      ///< floor(n / 2N): pulls of an instance, and of the arm it found
};
[[nodiscard]] GpoPlan gpo_plan(std::uint64_t horizon, double rho_max, std::uint32_t arity);

/// General parallel optimization (Shang, Kaufmann, Valko, "General parallel optimization without a
/// metric", ALT 2019): POO over any algorithm, for a known horizon n.
///
///     N = ceil((1/2) D_max ln((n/2) / ln(n/2)))                  D_max = ln K / ln(1 / rho_max)
///     for i = 1, ..., N:  run A(nu_max, rho_max^(2N / (2i + 1))) for floor(n / 2N) pulls
///     play the recommendation of each instance floor(n / 2N) times;  the best mean wins
///
/// The second half is called cross-validation: choosing by the instances' own mean rewards, as POO
/// does, is justified only for algorithms whose regret is bounded for any f. With HCT inside it is
/// the paper's PCT (`pct`), with VHCT it is VPCT (`vpct`).
///
/// Details not specified by the paper. The recommendation of an instance is its `best`, or the
/// algorithm's own choice if that is another arm. Below four pulls N is 1, and it is never more
/// than n/2. The remainder of the division, and all pulls beyond the horizon, play the winner,
/// which no longer changes unless it is barred. If every arm found is barred, the first instance
/// continues. T-HOO inside has floor(n / 2N) as its own horizon. With several pulls in flight an
/// arm may be played more often than planned, and all rewards count: pulls of an instance beyond
/// its share are deducted from later ones, which keep at least one pull each.
///
/// A step of the first half costs as much as a step of an instance, one of the second half almost
/// nothing: an arm is played in one turn.
class Gpo final : public Composite {
 public:
  /// Throws ConfigurationError.
  explicit Gpo(const Space& space, const GpoOptions& options = {}, const Objective& objective = {},
               const PartitionRule& partition = {});
  explicit Gpo(std::shared_ptr<const Partition> cells, const GpoOptions& options = {},
               const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

  [[nodiscard]] const GpoPlan& plan() const { return plan_; }

 private:
  /// The arm found by an instance.
  struct Found {
    std::vector<double> arm;  ///< empty: none
    double pulls = 0.0;       ///< pulls in the cross-validation
    double sum = 0.0;

    void transfer(State& state) {
      state(arm, pulls, sum);
      state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
    }
  };

  enum class Stage { search, validate, over };

  [[nodiscard]] Selection child_at(std::size_t number) const override;
  [[nodiscard]] Choice choose() override;
  void hear(std::size_t child, bool asked, const Rewards& mapped) override;
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  void transfer(State& state) override;

  void assign_share();
  void next_search();
  [[nodiscard]] bool next_validation();
  [[nodiscard]] std::optional<std::size_t> winner() const;

  GpoOptions options_;
  GpoPlan plan_;
  Stage stage_ = Stage::search;
  std::uint64_t left_ = 0;     // rewards left for the current instance or validated arm
  std::uint64_t beyond_ = 0;   // rewards beyond these
  std::vector<Found> found_;   // by the finished instances
  std::uint64_t checked_ = 0;  // number of arms cross-validated
  mutable std::vector<double> recommended_;  // arm that `recommendation` points to
};

}  // namespace canopy
