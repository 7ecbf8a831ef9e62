#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "files/document.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace canopy {

/// The importance of one knob.
struct KnobEffect {
  std::size_t parameter = 0;
  double share = 0.0;  ///< of the variation of f, in [0, 1]
  bool clear = false;  ///< settings that differ only in this knob differ significantly
};

struct KnobEffects {
  std::vector<KnobEffect> knobs = {};  ///< most important first
  std::string basis = {};              ///< how the shares were computed, for users
};

/// Shares are those of the model, if the optimizer has one; else, with a tree, from the differences
/// between the parts of its cells, minus what noise contributes; else from the differences between
/// the means of settings with different values of the knob, minus what is expected by chance.
///
/// A knob is clear if settings that differ only in it have disjoint intervals, or if a sum of one
/// parabola per knob, fitted to the means of all settings, needs it.
[[nodiscard]] KnobEffects knob_effects(const StudySpecification& specification,
                                       Optimizer& optimizer);

///   {"knobs":[{"name":"ttl","share":0.62,"is_significant":true}],"basis":".."}
[[nodiscard]] Document knobs_document(const StudySpecification& specification,
                                      Optimizer& optimizer);

}  // namespace canopy
