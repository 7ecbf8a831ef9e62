#pragma once

#include "canopy/family/poo.hpp"
#include "canopy/optimizers.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace canopy {

/// The selection of a base algorithm with this nu1 and rho.
[[nodiscard]] inline Selection instance_of(Base base, double nu1, double rho,
                                           const std::optional<double>& confidence_scale,
                                           std::uint64_t seed) {
  Selection instance{std::string(name_of(base)), {{"nu1", nu1}, {"rho", rho}}};
  if (confidence_scale) instance.options.set("confidence_scale", *confidence_scale);
  if (base == Base::hoo || base == Base::thoo) instance.options.set("seed", seed);
  return instance;
}

/// The entry of an optimizer that runs others, constructed from (Space, Options, Objective,
/// PartitionRule) or, over a partition, from (std::shared_ptr<const Partition>, Options,
/// Objective).
template <class Made, class Options>
[[nodiscard]] OptimizerEntry composite_entry(std::string name, std::string line) {
  OptimizerEntry entry{.name = std::move(name), .line = std::move(line)};
  entry.fields = fields_of<Options>();
  entry.has_tree = true;
  entry.make = [](const OptionValues& values, const Space& space, const PartitionRule& partition,
                  const Objective& objective) -> std::unique_ptr<Optimizer> {
    return std::make_unique<Made>(space, options_from<Options>(values, "optimizer."), objective,
                                  partition);
  };
  entry.make_over = [](const OptionValues& values, const std::shared_ptr<const Partition>& cells,
                       const Objective& objective) -> std::unique_ptr<Optimizer> {
    return std::make_unique<Made>(cells, options_from<Options>(values, "optimizer."), objective);
  };
  return entry;
}

}  // namespace canopy
