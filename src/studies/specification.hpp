#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/partition.hpp"
#include "canopy/space.hpp"

#include "files/toml_reader.hpp"
#include "optimizers/catalogue.hpp"
#include "studies/system_specification.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace canopy {

/// What a study file says: what is tuned, by what, what a reward means, and how the system is set
/// and measured.
struct StudySpecification {
  std::string name;  ///< empty unless the file has one
  Space space;
  OptimizerOptions optimizer;
  SplitRule partition = SplitRule::cyclic;
  Objective objective;
  std::optional<SystemSpecification> system;
  Budget budget;
};

/// A study file, read.
struct StudyFile {
  StudySpecification study;
  std::string source;  ///< its text
};

/// Reads a study from TOML text. `source` names it in messages. Throws SpecificationError.
[[nodiscard]] StudySpecification parse_study(std::string_view toml, const std::string& source);

/// Reads a study file.
[[nodiscard]] StudyFile load_study_file(const std::string& path);
[[nodiscard]] StudySpecification load_study(const std::string& path);

/// What a journal depends on, by name: the space, the optimizer with all defaults filled in, and
/// the objective. Two specifications with the same fields give the same tree for the same rewards.
[[nodiscard]] std::map<std::string, std::string> learning_fields(const StudySpecification& study);

/// The optimizer of a study, at its very beginning.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const StudySpecification& study);

}  // namespace canopy
