#include "optimizers/catalogue.hpp"

namespace canopy {

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, const Space& space,
                                          SplitRule split, const Objective& objective) {
  return std::visit(
      [&](const auto& chosen) -> std::unique_ptr<Optimizer> {
        using Type = OptimizerOf<decltype(chosen)>;
        if constexpr (searches_a_tree<Type>) {
          return std::make_unique<Type>(std::make_shared<BoxPartition>(space, split), chosen,
                                        objective);
        } else {
          return std::make_unique<Type>(space, chosen, objective);
        }
      },
      options);
}

}  // namespace canopy
