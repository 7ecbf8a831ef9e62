#pragma once

#include "environments/catalogue.hpp"
#include "files/toml_reader.hpp"
#include "optimizers/catalogue.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Which regret is compared: of the arms, or of the rewards that were earned.
enum class RegretKind { pseudo, realised };

template <>
struct EnumNames<RegretKind> {
  static constexpr std::array<std::string_view, 2> names{"pseudo", "realised"};
};

/// One algorithm of a comparison, and the options to choose among.
struct AlgorithmSpecification {
  std::string label;                         ///< In tables and legends.
  std::vector<OptimizerOptions> candidates;  ///< At least one; the points of a grid.
};

/// Some algorithms on one environment.
struct ComparisonSpecification {
  std::string name;   ///< In file names: letters, digits, - and _.
  std::string title;  ///< For people.
  RegretKind regret = RegretKind::pseudo;
  EnvironmentOptions environment;
  std::vector<AlgorithmSpecification> algorithms;
};

/// What an experiment file says.
struct ExperimentSpecification {
  std::string name;                ///< Of the folder with the results: letters, digits, - and _.
  std::string title;               ///< For people.
  std::uint64_t steps = 100'000;   ///< n of every run
  std::uint64_t runs = 10;         ///< that are measured
  std::uint64_t tuning_runs = 10;  ///< that choose among candidates
  std::uint64_t seed = 1;
  std::uint64_t checkpoints = 30;  ///< points of a curve, evenly spaced in log n
  std::vector<ComparisonSpecification> comparisons;
};

/// Reads an experiment from TOML text; `source` names it in messages. Throws SpecificationError
/// with every mistake.
[[nodiscard]] ExperimentSpecification parse_experiment(std::string_view toml,
                                                       const std::string& source);

/// Reads an experiment file.
[[nodiscard]] ExperimentSpecification load_experiment(const std::string& path);

/// A text that is the same for two specifications exactly when their results are.
[[nodiscard]] std::string fingerprint(const ExperimentSpecification& experiment);

/// The steps at which curves have points: whole, increasing, the last one `steps`.
[[nodiscard]] std::vector<std::uint64_t> checkpoint_steps(std::uint64_t steps,
                                                          std::uint64_t checkpoints);

}  // namespace canopy
