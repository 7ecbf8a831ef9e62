#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "files/document.hpp"

#include <cstddef>
#include <cstdint>

namespace canopy {

/// The part of a tree to show.
struct TreeChoice {
  /// Maximum number of nodes: those with the most pulls, each with its parent and siblings.
  std::size_t most = SIZE_MAX;
  bool cells = false;  ///< also describe the cell of each node
};

/// {"nodes":[..],"left_out":0}: nodes as in `tree_document`. If cells are requested, each node also
/// has its `depth`, its `share` of the volume of the space, and its `cell`, such as {"ttl":[1,60]}:
/// both ends, or all values of a choice.
[[nodiscard]] Document tree_picture(const StudySpecification& specification, Optimizer& optimizer,
                                    const TreeChoice& choice);

}  // namespace canopy
