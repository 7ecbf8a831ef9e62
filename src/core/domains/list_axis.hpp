#pragma once

#include "canopy/cut_axis.hpp"

#include <cstdint>
#include <memory>

namespace canopy {

/// The numbers first, first + step, ..., last, cut into runs whose lengths differ by at most one
/// (of two runs, the left one gets the extra number) and represented by their middle number,
/// rounded down. The numbers are exact as doubles: within +-2^53.
[[nodiscard]] std::shared_ptr<const CutAxis> list_axis(std::int64_t first, std::int64_t last,
                                                       std::int64_t step = 1);

/// The whole numbers first to last, first >= 1, on a log scale, on which i takes the interval from
/// log i to log(i + 1). They are halved at the number nearest to sqrt(from (to + 1)), and
/// represented by that number, rounded down; the same applies to more parts.
[[nodiscard]] std::shared_ptr<const CutAxis> log_list_axis(std::int64_t first, std::int64_t last);

}  // namespace canopy
