#pragma once

#include "canopy/family/detail/grid_bandit.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace canopy {

struct SuccessiveHalvingOptions {
  /// As in GridOptions; unless it is set, no more than leave every arm a pull in every round, but
  /// at least 2: with the horizon 1000 these are 32 for one parameter, 11 for two, 5 for three.
  std::optional<std::uint64_t> points = std::nullopt;

  /// The total number of pulls, at least 1. It cannot be left open: it says how often an arm is
  /// played before half of them go. A run may be longer; what is left is then for the winner.
  std::uint64_t horizon = 1000;
};

template <class Visit>
void visit_fields(SuccessiveHalvingOptions& options, Visit&& visit) {
  visit(Field{"points", "arms along each parameter; what the horizon is enough for unless set",
              kMillion},
        options.points);
  visit(Field{"horizon", "the total number of pulls", kAtLeastOne}, options.horizon);
}

/// How often each of `left` arms is played in a round of sequential halving with `arms` arms:
/// floor(horizon / (left ceil(log2 arms))), at least once. For arms >= 2.
[[nodiscard]] std::uint64_t halving_round_pulls(std::uint64_t horizon, std::size_t left,
                                                std::size_t arms);

/// Sequential halving on a fixed grid of K arms (Karnin, Koren, Somekh, "Almost Optimal
/// Exploration in Multi-Armed Bandits", ICML 2013, Algorithm 3), for a good recommendation at the
/// end rather than for good rewards on the way. ceil(log2 K) rounds share the horizon equally. A
/// round plays each of the arms that are left equally often, `halving_round_pulls` times,
/// and keeps the better half of them, rounded up. After the last round one arm is left, which is
/// the recommendation and is played from then on.
///
/// What the paper leaves open: an arm is judged by all its rewards, those of earlier rounds and
/// those that nobody asked for included. Arms of equal means stay in the order of the grid. Within
/// a round the arms are played one after the other, all pulls of an arm in a row. A horizon below
/// K ceil(log2 K) cannot give each arm a pull in each round, which only happens where `points` is
/// set or there are many parameters; the arms are played once nonetheless, and the rounds take
/// longer than the horizon. A failure ends the turn of its arm for this round. An arm that is
/// barred is passed over and goes first; for a winner that is barred the arm comes back that went
/// last.
///
/// A step costs nothing while an arm has its turn; a round of S arms ends with a sort, S ln S.
class SuccessiveHalving final : public GridBandit {
 public:
  /// Throws ConfigurationError.
  explicit SuccessiveHalving(const Space& space, const SuccessiveHalvingOptions& options = {},
                             const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  void transfer(State& state) override;
  [[nodiscard]] Choice choose() override;
  void halve();
  void replace_winner();

  /// The best mean of the arms that are left.
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;

  std::uint64_t horizon_;
  std::vector<NodeIndex> left_;  // in the order of the grid
  std::vector<NodeIndex> gone_;  // the others, the last one at the end
  std::uint64_t next_ = 0;       // of those, in this round
};

}  // namespace canopy
