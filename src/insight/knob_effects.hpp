#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "files/document.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace canopy {

/// How much one knob matters.
struct KnobEffect {
  std::size_t parameter = 0;
  double share = 0.0;  ///< of how f varies, in [0, 1]
  bool clear = false;  ///< two settings that differ in this knob alone differ beyond doubt
};

struct KnobEffects {
  std::vector<KnobEffect> knobs = {};  ///< what matters most first
  std::string basis = {};              ///< what the shares rest on, for people
};

/// Shares are those of the model, where the optimizer has one; else, with a tree, of the
/// differences between the parts of its cells, less what noise gives; else of the differences
/// between the means of settings with other values of the knob, less what chance gives.
///
/// A knob is clear when settings that differ in it alone have intervals without a common value, or
/// when a sum of one parabola for each knob, fitted to the means of all settings, needs it.
[[nodiscard]] KnobEffects knob_effects(const StudySpecification& specification,
                                       Optimizer& optimizer);

///   {"knobs":[{"name":"ttl","share":0.62,"clear":true}],"basis":".."}
[[nodiscard]] Document knobs_document(const StudySpecification& specification,
                                      Optimizer& optimizer);

}  // namespace canopy
