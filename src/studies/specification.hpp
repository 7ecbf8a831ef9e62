#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/partition.hpp"
#include "canopy/space.hpp"

#include "files/toml_reader.hpp"
#include "optimizers/catalogue.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace canopy {

/// What a study file says: what is tuned, by what, and what a reward means.
struct StudySpecification {
  Space space;
  OptimizerOptions optimizer;
  SplitRule partition = SplitRule::cyclic;
  Objective objective;
};

/// Reads a study from TOML text. `source` names it in messages. Throws SpecificationError.
[[nodiscard]] StudySpecification parse_study(std::string_view toml, const std::string& source);

/// Reads a study file.
[[nodiscard]] StudySpecification load_study(const std::string& path);

/// The optimizer of a study, at its very beginning.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const StudySpecification& study);

}  // namespace canopy
