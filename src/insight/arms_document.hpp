#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"

#include <cstddef>

namespace canopy {

/// The arms that have rewards, by descending number of pulls:
/// {"arms":[{"arm":{"ttl":5},"pulls":7,"mean":0.8,"lower":0.7,"upper":0.9}],"count":12}. `count` is
/// their total number; at most `most` of them are listed. An excluded arm has `"barred":true`.
[[nodiscard]] Document arms_document(const Space& space, const Optimizer& optimizer,
                                     std::size_t most);

}  // namespace canopy
