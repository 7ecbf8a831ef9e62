#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"

#include <cstddef>

namespace canopy {

/// The arms with rewards, those with most pulls first:
/// {"arms":[{"arm":{"ttl":5},"pulls":7,"mean":0.8,"lower":0.7,"upper":0.9}],"count":12}. `count` is
/// the number of all such arms, of which at most `most` are listed. An arm that is excluded has
/// `"barred":true`.
[[nodiscard]] Document arms_document(const Space& space, const Optimizer& optimizer,
                                     std::size_t most);

}  // namespace canopy
