#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"

#include <cstddef>

namespace canopy {

/// The arms that have rewards, the most pulled first: {"arms":[{"arm":{"ttl":5},"pulls":7,"mean":
/// 0.8,"lower":0.7,"upper":0.9}],"count":12}; there are `count` of them, and at most so many are
/// named. One that is out of the question has `"failed":true`.
[[nodiscard]] Document arms_document(const Space& space, const Optimizer& optimizer,
                                     std::size_t most);

}  // namespace canopy
