#include "optimizers/list.hpp"

namespace canopy {

Catalogue<OptimizerEntry>& optimizers() {
#define CANOPY_ENTRY(name) name##_entry(),
  static Catalogue<OptimizerEntry> all("optimizer", {CANOPY_OPTIMIZERS(CANOPY_ENTRY)});
#undef CANOPY_ENTRY
  return all;
}

Selection resolved(const Selection& optimizer, std::size_t dimension) {
  Selection all = optimizers().completed(optimizer);
  const OptimizerEntry& entry = optimizers().at(all.name);
  if (entry.resolve) all.options = entry.resolve(all.options, dimension);
  return all;
}

std::unique_ptr<Optimizer> make_optimizer(const Selection& optimizer, const Space& space,
                                          const PartitionRule& partition,
                                          const Objective& objective) {
  return optimizers().at(optimizer.name).make(optimizer.options, space, partition, objective);
}

BoxPartition partition_of(const std::string& optimizer, const Space& space, PartitionRule rule) {
  const OptimizerEntry* entry = optimizers().find(optimizer);
  return BoxPartition(space, with_parts(rule, entry != nullptr ? entry->parts : 2));
}

}  // namespace canopy
