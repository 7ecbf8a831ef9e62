#include "canopy/family/soo.hpp"

#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

Soo::Soo(const Space& space, const SooOptions& options, const Objective& objective)
    : Soo(std::make_shared<BoxPartition>(space, PartitionRule(SplitRule::cyclic, kParts)), options,
          objective) {}

Soo::Soo(const std::shared_ptr<const Partition>& partition, const SooOptions& options,
         const Objective& objective)
    : OpeningTree(partition, checked(options, objective), SameArm::keeps_rewards),
      depth_power_(options.depth_power) {}

std::uint32_t Soo::deepest() {
  const std::uint32_t depth = cells().depth();
  while (shallowest_ < depth && !best_leaf(shallowest_)) ++shallowest_;
  const double limit = std::pow(static_cast<double>(cuts_ + 1), depth_power_);
  return limit >= depth ? depth : std::max(static_cast<std::uint32_t>(limit), shallowest_);
}

bool Soo::open_next() {
  bool from_the_root = false;
  for (;;) {
    if (depth_ > deepest()) {
      if (from_the_root) return false;
      from_the_root = true;
      depth_ = 0;
      v_max_ = -kInfinity;
    }
    const auto best = best_leaf(depth_);
    const double value = best ? best_value(depth_) : -kInfinity;
    if (!best || value < v_max_) {
      ++depth_;
    } else if (open(*best)) {  // else try the next best one
      ++depth_;
      v_max_ = value;
      ++cuts_;
      return true;
    }
  }
}

std::optional<TurnOptimizer::Choice> Soo::explore() {
  for (;;) {
    if (const auto choice = next_unplayed()) return choice;
    if (!open_next()) return std::nullopt;
  }
}

void Soo::transfer(State& state) {
  state.mark("soo");
  OpeningTree::transfer(state);
  state(depth_, v_max_, cuts_);
  if (!state.restoring()) return;
  State::require(depth_ <= cells().depth() + 1 && cuts_ < cells().size());
  shallowest_ = 0;
}

std::unique_ptr<Optimizer> Soo::clone() const {
  return std::make_unique<Soo>(*this);
}

OptimizerEntry soo_entry() {
  return optimizer_entry<Soo, SooOptions>(
      "soo", "simultaneous optimistic optimization: for rewards without noise");
}

}  // namespace canopy
