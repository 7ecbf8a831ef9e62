#include "canopy/successive_halving.hpp"

#include "optimizers/checked.hpp"
#include "optimizers/grid_options.hpp"
#include "optimizers/list.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace canopy {

std::uint64_t halving_round_pulls(std::uint64_t horizon, std::size_t left, std::size_t arms) {
  const auto rounds = static_cast<std::uint64_t>(std::bit_width(arms - 1));  // ceil(log2 arms)
  return std::max<std::uint64_t>(1, horizon / (left * rounds));
}

SuccessiveHalving::SuccessiveHalving(const Space& space, const SuccessiveHalvingOptions& options,
                                     const Objective& objective)
    : GridBandit(space, points_of(options, space.dimension()), checked(options, objective)),
      horizon_(options.horizon),
      left_(size()) {
  std::iota(left_.begin(), left_.end(), NodeIndex{0});
}

TurnOptimizer::Choice SuccessiveHalving::choose() {
  if (left_.size() > 1 && next_ == left_.size()) halve();
  if (left_.size() == 1) return {.node = left_.front()};
  return {.node = left_[next_++], .length = halving_round_pulls(horizon_, left_.size(), size())};
}

void SuccessiveHalving::halve() {
  const auto mean = [this](NodeIndex arm) {
    return statistics()[arm].pulls == 0.0 ? -kInfinity : statistics()[arm].mean();
  };
  std::stable_sort(left_.begin(), left_.end(),
                   [&](NodeIndex a, NodeIndex b) { return mean(a) > mean(b); });
  left_.resize((left_.size() + 1) / 2);
  std::sort(left_.begin(), left_.end());
  next_ = 0;
}

std::optional<TicketedOptimizer::Recommendation> SuccessiveHalving::recommendation() const {
  std::optional<Recommendation> best;
  for (const NodeIndex node : left_) {
    const Statistics& arm = statistics()[node];
    if (arm.pulls == 0.0 || (best && best->mean >= arm.mean())) continue;
    best = Recommendation{arm_of(node), arm.mean(), arm.pulls};
  }
  return best;
}

void SuccessiveHalving::transfer(State& state) {
  state.mark("successive-halving");
  GridBandit::transfer(state);
  state(left_, next_);
  if (!state.restoring()) return;
  State::require(!left_.empty() && next_ <= left_.size() && left_.back() < size());
  const auto disorder = std::adjacent_find(left_.begin(), left_.end(), std::greater_equal<>());
  State::require(disorder == left_.end());
}

std::unique_ptr<Optimizer> SuccessiveHalving::clone() const {
  return std::make_unique<SuccessiveHalving>(*this);
}

OptimizerEntry successive_halving_entry() {
  OptimizerEntry entry = optimizer_entry<SuccessiveHalving, SuccessiveHalvingOptions>(
      "successive-halving", "a fixed grid of arms, half of which go in each round");
  entry.resolve = resolve_points<SuccessiveHalvingOptions>;
  return entry;
}

}  // namespace canopy
