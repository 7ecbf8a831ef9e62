#pragma once

#include "canopy/limits.hpp"

#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// (metric, limit, state, probability, level, pulls) each, as LimitCheck in Python has them.
[[nodiscard]] nanobind::list checks_list(const std::vector<LimitCheck>& checks);

}  // namespace canopy::python
