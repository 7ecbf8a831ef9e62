#pragma once

#include "canopy/catalogue.hpp"
#include "canopy/context.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/options.hpp"
#include "canopy/partition.hpp"
#include "canopy/space.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace canopy {

/// Upper bounds on the size of an algorithm's tree.
struct TreeLimits {
  double nodes = 0.0;
  double depth = 0.0;
};

/// Description of an algorithm, available without creating one.
struct OptimizerEntry {
  std::string name;  ///< in study files, experiment files, on the command line and in Python
  std::string line;  ///< a one-line description
  std::vector<OptionField> fields = {};

  /// Must be raised whenever the algorithm would decide differently for the same rewards. A study
  /// can only be continued with the revision that created it.
  std::uint32_t revision = 1;

  bool has_tree = false;                   ///< searches a tree, and takes a partition
  std::uint32_t parts = 2;                 ///< default number of parts of a cell
  bool takes_correlated_feedback = false;  ///< has an option `feedback = "correlated"`

  /// Creates one. Throws ConfigurationError.
  std::function<std::unique_ptr<Optimizer>(const OptionValues& options, const Space& space,
                                           const PartitionRule& partition,
                                           const Objective& objective)>
      make = {};

  /// Creates one over any partition. Empty: it searches no tree.
  std::function<std::unique_ptr<Optimizer>(const OptionValues& options,
                                           const std::shared_ptr<const Partition>& partition,
                                           const Objective& objective)>
      make_over = {};

  /// Creates one with contexts. Empty: it does not support them.
  std::function<std::unique_ptr<Optimizer>(
      const OptionValues& options, const Space& space, const PartitionRule& partition,
      const Objective& objective, const ContextSpace& contexts)>
      make_in_contexts = {};

  /// Fills in options whose defaults depend on the dimension of the space. Empty: no such options.
  std::function<OptionValues(const OptionValues& options, std::size_t dimension)> resolve = {};

  /// The number of pulls after which it can explore cells smaller than the first parts of the
  /// space. Empty: it does so from the start.
  std::function<double(const OptionValues& resolved)> least_pulls = {};

  /// The largest size of the tree within this many steps. Empty: not known.
  std::function<TreeLimits(const OptionValues& resolved, double steps)> limits = {};
};

/// All known optimizers. To add one:
/// `optimizers().add(optimizer_entry<Mine, MyOptions>("mine", "what it does"))`.
[[nodiscard]] Catalogue<OptimizerEntry>& optimizers();

/// The optimizer used if none is named.
inline constexpr std::string_view kDefaultOptimizer = "adaptive";

/// The selected optimizer with a value for every option, including those that depend on the
/// dimension. Throws ConfigurationError.
[[nodiscard]] Selection resolved(const Selection& optimizer, std::size_t dimension);

/// Whether the optimizer requires the number of pulls: it has an option `horizon` without a
/// default.
[[nodiscard]] bool needs_horizon(const OptimizerEntry& entry);

/// The selected optimizer with this number of pulls as its horizon, if it needs one and none is
/// given. Throws ConfigurationError.
[[nodiscard]] Selection with_horizon(Selection optimizer, std::uint64_t pulls);

/// Creates an optimizer. Throws ConfigurationError, also if there are contexts and it does not
/// support them.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const Selection& optimizer,
                                                        const Space& space,
                                                        const PartitionRule& partition = {},
                                                        const Objective& objective = {},
                                                        const ContextSpace& contexts = {});

/// The partition that this optimizer searches.
[[nodiscard]] BoxPartition partition_of(const std::string& optimizer, const Space& space,
                                        PartitionRule rule = {});

/// The default number of parts of a cell: `static constexpr std::uint32_t kParts` of the class if
/// it has one, else 2.
template <class AnOptimizer>
[[nodiscard]] constexpr std::uint32_t wanted_parts() {
  if constexpr (requires { AnOptimizer::kParts; }) return AnOptimizer::kParts;
  return 2;
}

/// The rule with this number of parts, unless it specifies one.
[[nodiscard]] inline PartitionRule with_parts(PartitionRule rule, std::uint32_t parts) {
  if (!rule.parts && rule.split != SplitRule::every_side) rule.parts = parts;
  return rule;
}

/// The entry of an algorithm: a class constructed from (Space, Options, Objective) or, if it
/// searches a tree of cells, from (std::shared_ptr<const Partition>, Options, Objective). Options
/// is a struct with a visit_fields.
template <class AnOptimizer, class Options>
[[nodiscard]] OptimizerEntry optimizer_entry(std::string name, std::string line,
                                             std::uint32_t revision = 1) {
  using Cells = std::shared_ptr<const Partition>;
  constexpr bool kTree = std::is_constructible_v<AnOptimizer, Cells, Options, Objective>;
  OptimizerEntry entry{.name = std::move(name), .line = std::move(line)};
  entry.fields = fields_of<Options>();
  entry.revision = revision;
  entry.has_tree = kTree;
  entry.parts = wanted_parts<AnOptimizer>();
  entry.make = [](const OptionValues& values, const Space& space,
                  [[maybe_unused]] const PartitionRule& partition,
                  const Objective& objective) -> std::unique_ptr<Optimizer> {
    const auto options = options_from<Options>(values, "optimizer.");
    if constexpr (kTree) {
      const Cells cells =
          std::make_shared<BoxPartition>(space, with_parts(partition, wanted_parts<AnOptimizer>()));
      return std::make_unique<AnOptimizer>(cells, options, objective);
    } else {
      return std::make_unique<AnOptimizer>(space, options, objective);
    }
  };
  if constexpr (kTree) {
    entry.make_over = [](const OptionValues& values, const Cells& cells,
                         const Objective& objective) -> std::unique_ptr<Optimizer> {
      return std::make_unique<AnOptimizer>(cells, options_from<Options>(values, "optimizer."),
                                           objective);
    };
  }
  return entry;
}

}  // namespace canopy
