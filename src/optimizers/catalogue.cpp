#include "optimizers/list.hpp"

#include <algorithm>

namespace canopy {

Catalogue<OptimizerEntry>& optimizers() {
  static Catalogue<OptimizerEntry> all("optimizer", {adaptive_entry(), hct_entry()});
  return all;
}

Selection resolved(const Selection& optimizer, std::size_t dimension) {
  Selection all = optimizers().completed(optimizer);
  const OptimizerEntry& entry = optimizers().at(all.name);
  if (entry.resolve) all.options = entry.resolve(all.options, dimension);
  return all;
}

bool needs_horizon(const OptimizerEntry& entry) {
  return std::any_of(entry.fields.begin(), entry.fields.end(), [](const OptionField& field) {
    return field.name == "horizon" && !field.optional;
  });
}

Selection with_horizon(Selection optimizer, std::uint64_t pulls) {
  const bool is_given = optimizer.options.find("horizon") != nullptr;
  if (!is_given && needs_horizon(optimizers().at(optimizer.name))) {
    optimizer.options.set("horizon", pulls);
  }
  return optimizer;
}

std::unique_ptr<Optimizer> make_optimizer(const Selection& optimizer, const Space& space,
                                          const PartitionRule& partition,
                                          const Objective& objective,
                                          const ContextSpace& contexts) {
  const OptimizerEntry& entry = optimizers().at(optimizer.name);
  if (contexts.empty()) return entry.make(optimizer.options, space, partition, objective);
  if (!entry.make_in_contexts) {
    throw ConfigurationError({{"optimizer.name", optimizer.name,
                               "does not support contexts: use \"adaptive\", or remove them"}});
  }
  return entry.make_in_contexts(optimizer.options, space, partition, objective, contexts);
}

BoxPartition partition_of(const std::string& optimizer, const Space& space, PartitionRule rule) {
  const OptimizerEntry* entry = optimizers().find(optimizer);
  return BoxPartition(space, with_parts(rule, entry != nullptr ? entry->parts : 2));
}

}  // namespace canopy
