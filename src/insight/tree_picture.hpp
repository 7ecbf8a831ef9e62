#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "files/document.hpp"

#include <cstddef>
#include <cstdint>

namespace canopy {

/// What of a tree is to be seen.
struct TreeChoice {
  std::size_t most =
      SIZE_MAX;        ///< nodes at most: where pulls went, each with its parent and sibling
  bool cells = false;  ///< also what each of them is a cell of
};

/// {"nodes":[..],"left_out":0}: nodes as `tree_document` has them, and if cells are wanted each
/// with its `depth`, its `share` of the volume of the box, and `cell`, which is {"ttl":[1,60]}: the
/// two ends, or all values of a choice.
[[nodiscard]] Document tree_picture(const StudySpecification& specification, Optimizer& optimizer,
                                    const TreeChoice& choice);

}  // namespace canopy
