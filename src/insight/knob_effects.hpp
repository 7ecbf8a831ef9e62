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

/// Shares are those of the model, if the optimizer has one. Otherwise they are computed from the
/// differences between the parts of the cells of its tree, minus the contribution of noise; or,
/// without a tree, from the differences between the means of settings with different values of the
/// knob, minus what is expected by chance.
///
/// A knob is significant (`clear`) if settings that differ only in this knob have disjoint
/// intervals, or if a sum of one parabola per knob fits the means of all settings significantly
/// worse without it.
[[nodiscard]] KnobEffects knob_effects(const StudySpecification& specification,
                                       Optimizer& optimizer);

///   {"knobs":[{"name":"ttl","share":0.62,"is_significant":true}],"basis":".."}
[[nodiscard]] Document knobs_document(const StudySpecification& specification,
                                      Optimizer& optimizer);

}  // namespace canopy
