#include "canopy/family/doo.hpp"

#include "canopy/confidence.hpp"

#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <cmath>

namespace canopy {
namespace {

double doo_rho(const DooOptions& options, std::size_t dimension) {
  return options.rho.value_or(std::pow(3.0, -1.0 / static_cast<double>(dimension)));
}

}  // namespace

Doo::Doo(const Space& space, const DooOptions& options, const Objective& objective)
    : Doo(std::make_shared<BoxPartition>(space, PartitionRule(SplitRule::cyclic, kParts)), options,
          objective) {}

Doo::Doo(const std::shared_ptr<const Partition>& partition, const DooOptions& options,
         const Objective& objective)
    : OpeningTree(partition, checked(options, objective), SameArm::keeps_rewards),
      nu1_(options.nu1),
      rho_(doo_rho(options, partition->dimension())) {}

double Doo::value_of(const Node& node) const {
  if (node.pulls == 0.0) return Tournament::kNone;
  if (node.extent == Extent::one_arm) return node.mean();
  const std::uint32_t depth = node.extent == Extent::shrinks ? node.depth : 0;
  return node.mean() + scale() * resolution(nu1_, rho_, depth);
}

std::optional<NodeIndex> Doo::best_of_all() const {
  std::uint32_t best = 0;
  for (std::uint32_t depth = 1; depth <= cells().depth(); ++depth) {
    if (best_value(depth) > best_value(best)) best = depth;
  }
  return best_leaf(best);
}

std::optional<TurnOptimizer::Choice> Doo::explore() {
  for (;;) {
    if (const auto choice = next_unplayed()) return choice;
    const auto best = best_of_all();
    if (!best) return std::nullopt;
    open(*best);
  }
}

void Doo::transfer(State& state) {
  state.mark("doo");
  OpeningTree::transfer(state);
}

std::unique_ptr<Optimizer> Doo::clone() const {
  return std::make_unique<Doo>(*this);
}

OptimizerEntry doo_entry() {
  OptimizerEntry entry = optimizer_entry<Doo, DooOptions>(
      "doo", "deterministic optimistic optimization: known smoothness, for rewards without noise");
  entry.resolve = [](const OptionValues& values, std::size_t dimension) {
    auto options = options_from<DooOptions>(values, "optimizer.");
    options.rho = doo_rho(options, dimension);
    return values_of(options);
  };
  return entry;
}

}  // namespace canopy
