#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/partition.hpp"
#include "canopy/space.hpp"

#include "optimizers/catalogue.hpp"

#include <memory>
#include <stdexcept>
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

/// A study file that cannot be read as one. The message is a single line that names the file, the
/// line in it, the key, its value and what was expected; every mistake, unless the text is no TOML.
class SpecificationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a study from TOML text. `source` names it in messages.
[[nodiscard]] StudySpecification parse_study(std::string_view toml, const std::string& source);

/// Reads a study file.
[[nodiscard]] StudySpecification load_study(const std::string& path);

/// The optimizer of a study, at its very beginning.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const StudySpecification& study);

}  // namespace canopy
