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
  /// As in GridOptions; unless it is set, at least 2 and at most the number that allows a pull of
  /// every arm in every round: with the horizon 1000 these are 32 for one parameter, 11 for two, 5
  /// for three.
  std::optional<std::uint64_t> points = std::nullopt;

  /// The total number of pulls, at least 1, required because it determines the pulls per arm and
  /// round. Pulls beyond it play the winner.
  std::uint64_t horizon = 1000;
};

template <class Visit>
void visit_fields(SuccessiveHalvingOptions& options, Visit&& visit) {
  visit(Field{"points", "arms along each parameter; unless set, as many as the horizon allows",
              kMillion},
        options.points);
  visit(Field{"horizon", "the total number of pulls", kAtLeastOne}, options.horizon);
}

/// The pulls of each of `left` arms in a round of sequential halving with `arms` arms:
/// floor(horizon / (left ceil(log2 arms))), at least one. For arms >= 2.
[[nodiscard]] std::uint64_t halving_round_pulls(std::uint64_t horizon, std::size_t left,
                                                std::size_t arms);

/// Sequential halving on a fixed grid of K arms (Karnin, Koren, Somekh, "Almost Optimal Exploration
/// in Multi-Armed Bandits", ICML 2013, Algorithm 3), which optimizes the final recommendation, not
/// the rewards on the way. ceil(log2 K) rounds share the horizon equally. A round plays each of the
/// remaining arms equally often, `halving_round_pulls` times, and keeps the better half of them,
/// rounded up. After the last round one arm remains, which is recommended and played from then on.
///
/// Details not specified by the paper: an arm is judged by all its rewards, including those of
/// earlier rounds and observed rewards. Arms with equal means stay in the order of the grid. Within
/// a round all pulls of an arm are consecutive. A horizon below K ceil(log2 K) is too short for a
/// pull of each arm in each round, which only happens if `points` is set or there are many
/// parameters; each arm is then played once per round, and the rounds exceed the horizon. A failure
/// ends the turn of its arm for this round. A barred arm is skipped and eliminated first; if the
/// winner is barred, the arm eliminated last replaces it.
///
/// A step costs O(1) during the turn of an arm; a round of S arms ends with a sort, S ln S.
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

  /// The remaining arm with the best mean.
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;

  std::uint64_t horizon_;
  std::vector<NodeIndex> left_;  // remaining arms, in the order of the grid
  std::vector<NodeIndex> gone_;  // eliminated arms, the last one at the end
  std::uint64_t next_ = 0;       // number of remaining arms played in this round
};

}  // namespace canopy
