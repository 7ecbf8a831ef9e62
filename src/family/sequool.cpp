#include "canopy/family/sequool.hpp"

#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace canopy {
namespace {

/// 1 + 1/2 + ... + 1/n; for large n by the first terms of the Euler-Maclaurin series, which are
/// exact to the last bits there.
double sum_of_inverses(std::uint64_t n) {
  const auto real = static_cast<double>(n);
  if (n > 100'000) {
    return std::log(real) + std::numbers::egamma + 0.5 / real - 1.0 / (12.0 * real * real);
  }
  double sum = 0.0;
  for (std::uint64_t i = n; i > 0; --i) sum += 1.0 / static_cast<double>(i);
  return sum;
}

}  // namespace

std::uint64_t sequool_depth_limit(std::uint64_t cuts) {
  if (cuts == 0) return 1;
  const double depth = std::floor(static_cast<double>(cuts) / sum_of_inverses(cuts));
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(depth));
}

Sequool::Sequool(const Space& space, const SequoolOptions& options, const Objective& objective)
    : Sequool(std::make_shared<BoxPartition>(space, PartitionRule(SplitRule::cyclic, kParts)),
              options, objective) {}

Sequool::Sequool(const std::shared_ptr<const Partition>& partition, const SequoolOptions& options,
                 const Objective& objective)
    : OpeningTree(partition, checked(options, objective), SameArm::keeps_rewards),
      horizon_(options.horizon) {
  const std::uint64_t cuts = (horizon_ - 1) / new_arms_of_a_cut();
  depth_limit_ = sequool_depth_limit(cuts - std::min<std::uint64_t>(1, cuts));
}

bool Sequool::open_next() {
  for (; depth_ <= depth_limit_ && depth_ <= cells().depth(); ++depth_, cuts_ = 0) {
    const std::uint64_t quota = depth_ == 0 ? 1 : depth_limit_ / depth_;
    while (cuts_ < quota) {
      const auto best = best_leaf(depth_);
      if (!best) break;
      if (!open(*best)) continue;  // try the next best one
      ++cuts_;
      return true;
    }
  }
  return false;
}

std::optional<TurnOptimizer::Choice> Sequool::explore() {
  while (t_ <= horizon_) {
    if (const auto choice = next_unplayed()) return choice;
    if (!open_next()) return std::nullopt;
  }
  return std::nullopt;
}

void Sequool::transfer(State& state) {
  state.mark("sequool");
  OpeningTree::transfer(state);
  state(depth_, cuts_);
  state.require_restored(depth_ <= cells().depth() + 1);
}

std::unique_ptr<Optimizer> Sequool::clone() const {
  return std::make_unique<Sequool>(*this);
}

OptimizerEntry sequool_entry() {
  return optimizer_entry<Sequool, SequoolOptions>(
      "sequool",
      "one pass down the tree, fewer cells at each depth: a known horizon, for rewards without "
      "noise");
}

}  // namespace canopy
