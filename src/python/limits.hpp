#pragma once

#include "canopy/limits.hpp"

#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// Returns (metric, limit, state, probability, level, pulls) for each limit: the fields of
/// LimitCheck in Python.
[[nodiscard]] nanobind::list checks_list(const std::vector<LimitCheck>& checks);

}  // namespace canopy::python
