#include "canopy/hoo.hpp"

#include "optimizers/fields.hpp"

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

void Hoo::learn(NodeIndex node, double pulls, double sum) {
  set_log(std::log(static_cast<double>(t_ - 1)));
  update_path(node, pulls, sum);
  expand(node);
  update_all();
}

void Hoo::transfer(State& state) {
  state.mark("hoo");
  HooTree::transfer(state);
}

}  // namespace canopy
