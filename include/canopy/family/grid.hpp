#pragma once

#include "canopy/family/detail/grid_bandit.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace canopy {

struct GridOptions {
  /// 1 to 1e6: arms along each parameter, in the middle of as many equal parts; an integer or a
  /// choice has at most as many as it has values, and an integer on a log scale fewer if several
  /// parts have the same middle. At most 100 000 in total. Unless it is set: 32, or fewer, so that
  /// there are about a thousand in total: 10 for three parameters, 3 for six.
  std::optional<std::uint64_t> points = std::nullopt;

  /// > 0: multiplies the confidence term; 1 is UCB1. Raising it explores more.
  double confidence_scale = 0.1;

  /// >= 1: number of the latest rewards that count; unless set, all. Raising it forgets later.
  std::optional<std::uint64_t> recent = std::nullopt;

  /// In (0, 1]: factor by which the weight of a reward falls with each later reward. Raising it
  /// forgets later; at 1 nothing is forgotten. Must be 1 if `recent` is set.
  double discount = 1.0;

  /// 1 to 1e6: with contexts, the number of equal parts of each variable. See ContextGrid.
  std::uint64_t context_parts = 8;
};

template <class Visit>
void visit_fields(GridOptions& options, Visit&& visit) {
  visit(kPointsField, options.points);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
  visit(Field{"recent", "number of the latest rewards that count", kAtLeastOne, "all"},
        options.recent);
  visit(Field{"discount", "factor by which a reward's weight falls with each later reward",
              kHalfOpenUnit},
        options.discount);
  visit(Field{"context_parts", "equal parts of each context variable", kMillion},
        options.context_parts);
}

/// A fixed grid of arms under UCB1 (Auer, Cesa-Bianchi, Fischer, "Finite-time Analysis of the
/// Multiarmed Bandit Problem", Machine Learning 47, 2002): play the arm with the largest mean + R
/// confidence_scale sqrt(2 ln n / pulls), n the pulls so far, R the scale as in HCT, after every
/// arm has been played once. The standard approach without a tree. A step compares all arms.
/// Observed rewards count if their arm is on the grid.
///
/// For systems that change (Garivier, Moulines, "On Upper-Confidence Bound Policies for Switching
/// Bandit Problems", ALT 2011):
///
/// - Sliding-window UCB: with `recent` = tau, mean and pulls are those of an arm among the last tau
///   rewards, and n is at most tau. The paper's confidence term is B sqrt(xi ln n / pulls), so
///   confidence_scale is sqrt(xi / 2).
/// - Discounted UCB: with `discount` = gamma, a reward weighs gamma^(rewards since then), pulls are
///   the sum of the weights of an arm's rewards, and n that of all. The paper's term is
///   2 B sqrt(xi ln n / pulls), so confidence_scale is sqrt(2 xi).
///
/// An arm whose rewards were all forgotten is tried again; a barred arm is not, unless all are
/// barred. Rewards told together are forgotten together once the later ones fill the window, and
/// under a discount each of them counts as their mean.
class Grid final : public GridBandit {
 public:
  /// Throws ConfigurationError.
  explicit Grid(const Space& space, const GridOptions& options = {},
                const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  void transfer(State& state) override;
  [[nodiscard]] Choice choose() override;
  void learn(NodeIndex node, const Rewards& mapped) override;
  void accept_bar(Arm arm, double mapped, std::uint64_t weight) override;

  /// Rewards told together, in the window.
  struct Entry {
    std::uint64_t node = 0;
    double pulls = 0.0;
    double sum = 0.0;

    void transfer(State& state) {
      state(node, pulls, sum);
      state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
    }
  };

  [[nodiscard]] bool forgets() const { return options_.recent || options_.discount < 1.0; }
  [[nodiscard]] double pulls_that_count() const;
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  void slide();

  GridOptions options_;
  std::vector<Entry> window_;  // all rewards told; the window begins at first_
  std::uint64_t first_ = 0;
  double in_window_ = 0.0;  // pulls in the window
};

}  // namespace canopy
