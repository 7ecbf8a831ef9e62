#pragma once

#include "canopy/partition.hpp"

#include "optimizers/fields.hpp"

#include <memory>
#include <string_view>
#include <variant>

namespace canopy {

/// The class that options are for, its name everywhere, and a line about it.
template <class Options>
struct OptimizerEntry;

template <>
struct OptimizerEntry<HctOptions> {
  using Type = Hct;
  static constexpr std::string_view name = "hct";
  static constexpr std::string_view line = "High Confidence Tree: anytime, correlated feedback too";
};
template <>
struct OptimizerEntry<ThooOptions> {
  using Type = Thoo;
  static constexpr std::string_view name = "thoo";
  static constexpr std::string_view line = "truncated HOO: a known horizon, or doubling periods";
};
template <>
struct OptimizerEntry<HooOptions> {
  using Type = Hoo;
  static constexpr std::string_view name = "hoo";
  static constexpr std::string_view line =
      "hierarchical optimistic optimization: a step costs O(tree)";
};
template <>
struct OptimizerEntry<PowerOptions> {
  using Type = Power;
  static constexpr std::string_view name = "power";
  static constexpr std::string_view line = "PoWER: local policy search by weighted exploration";
};
template <>
struct OptimizerEntry<GridOptions> {
  using Type = Grid;
  static constexpr std::string_view name = "grid";
  static constexpr std::string_view line = "a fixed grid of arms under UCB1";
};
template <>
struct OptimizerEntry<RandomSearchOptions> {
  using Type = RandomSearch;
  static constexpr std::string_view name = "random";
  static constexpr std::string_view line = "arms drawn uniformly: the floor";
};

/// The class behind the options.
template <class Options>
using OptimizerOf = typename OptimizerEntry<std::remove_cvref_t<Options>>::Type;

/// Whether an optimizer searches a tree of cells, and so takes any partition.
template <class AnOptimizer>
inline constexpr bool searches_a_tree =
    std::is_constructible_v<AnOptimizer, std::shared_ptr<const Partition>>;

/// Throws ConfigurationError.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        const Space& space, SplitRule split,
                                                        const Objective& objective);

}  // namespace canopy
