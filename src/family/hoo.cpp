#include "canopy/family/hoo.hpp"

#include "family/hoo_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace canopy {

Hoo::Hoo(const Space& space, const HooOptions& options, const Objective& objective)
    : Hoo(std::make_shared<BoxPartition>(space), options, objective) {}

Hoo::Hoo(const std::shared_ptr<const Partition>& partition, const HooOptions& options,
         const Objective& objective)
    : HooTree(partition, hoo_constants(options, partition->dimension()), options.seed,
              checked(options, objective)) {
  expand(root());
}

void Hoo::learn_here(NodeIndex node, const Rewards& mapped) {
  set_log(std::log(static_cast<double>(std::max<std::uint64_t>(1, t_ - 1))));
  update_path(node, mapped);
  expand(node);
  update_all();
}

std::unique_ptr<Optimizer> Hoo::clone() const {
  return std::make_unique<Hoo>(*this);
}

void Hoo::transfer(State& state) {
  state.mark("hoo");
  HooTree::transfer(state);
}

OptimizerEntry hoo_entry() {
  OptimizerEntry entry = optimizer_entry<Hoo, HooOptions>(
      "hoo", "hierarchical optimistic optimization: a step costs O(nodes)", 2);
  entry.resolve = resolve_rho<HooOptions>;
  return entry;
}

}  // namespace canopy
