#include "canopy/family/stosoo.hpp"

#include "canopy/confidence.hpp"

#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

StosooOptions resolved(StosooOptions options) {
  const auto n = static_cast<double>(options.horizon);
  const auto at_least_one = [](double x) { return static_cast<std::uint64_t>(std::max(1.0, x)); };
  if (!options.cell_pulls) {
    const double log = std::max(1.0, std::log(n));  // for n = 1 and 2
    options.cell_pulls = at_least_one(std::ceil(n / (log * log * log)));
  }
  if (!options.depth_limit) {
    const double depth = std::ceil(std::sqrt(n / static_cast<double>(*options.cell_pulls)));
    options.depth_limit = at_least_one(std::min(depth, 1e6));
  }
  if (!options.delta) options.delta = std::min(0.5, 1.0 / std::sqrt(n));
  return options;
}

Stosoo::Stosoo(const Space& space, const StosooOptions& options, const Objective& objective)
    : Stosoo(std::make_shared<BoxPartition>(space, PartitionRule(SplitRule::cyclic, kParts)),
             options, objective) {}

Stosoo::Stosoo(const std::shared_ptr<const Partition>& partition, const StosooOptions& options,
               const Objective& objective)
    : OpeningTree(partition, checked(options, objective), SameArm::starts_afresh) {
  const StosooOptions all = resolved(options);
  horizon_ = all.horizon;
  cell_pulls_ = static_cast<double>(*all.cell_pulls);
  depth_limit_ = static_cast<std::uint32_t>(*all.depth_limit);
  log_ = 0.5 * std::log(static_cast<double>(horizon_) * cell_pulls_ / *all.delta);
  update_all();
}

double Stosoo::value_of(const Node& node) const {
  if (node.pulls == 0.0) return kInfinity;
  return node.mean() + confidence_width(scale(), log_, node.pulls);
}

std::optional<TurnOptimizer::Choice> Stosoo::explore() {
  if (t_ > horizon_) return std::nullopt;
  bool from_the_root = false;
  for (;;) {
    if (depth_ > std::min(cells().depth(), depth_limit_)) {
      if (from_the_root) return std::nullopt;
      from_the_root = true;
      depth_ = 0;
      b_max_ = -kInfinity;
    }
    const auto best = best_leaf(depth_);
    const double value = best ? best_value(depth_) : -kInfinity;
    const std::uint32_t deepest = cells().depth();
    if (!best || value < b_max_) {
      ++depth_;
    } else if (cells()[*best].pulls < cell_pulls_) {
      ++depth_;
      return Choice{.node = *best};
    } else if (open(*best)) {                       // else try the next best one
      if (cells().depth() > deepest) update_all();  // changes which nodes may be recommended
      ++depth_;
      b_max_ = value;
      from_the_root = false;
    }
  }
}

bool Stosoo::may_recommend(const Node& node) const {
  const std::uint32_t deepest =
      cells().depth();  // depth of the deepest leaves; cut cells are one level above
  return node.pulls > 0.0 && (deepest == 0 || (!node.is_leaf() && node.depth + 1 == deepest));
}

void Stosoo::transfer(State& state) {
  state.mark("stosoo");
  OpeningTree::transfer(state);
  state(depth_, b_max_);
  state.require_restored(depth_ <= cells().depth() + 1);
}

std::unique_ptr<Optimizer> Stosoo::clone() const {
  return std::make_unique<Stosoo>(*this);
}

OptimizerEntry stosoo_entry() {
  OptimizerEntry entry = optimizer_entry<Stosoo, StosooOptions>(
      "stosoo", "SOO for noisy rewards: a known horizon, for the final recommendation");
  entry.resolve = [](const OptionValues& values, std::size_t /*dimension*/) {
    return values_of(resolved(options_from<StosooOptions>(values, "optimizer.")));
  };
  return entry;
}

}  // namespace canopy
