#pragma once

#include "canopy/environment.hpp"

#include <cstdint>
#include <string>

namespace canopy {

/// Draws f of an environment of one or two real parameters, with its optimum: of one parameter that
/// moves, at steps 1 to `steps`; of two, at the first step; where contexts are observed, of the
/// first parameter over the first context. Throws FigureError.
void draw_environment(const KnownEnvironment& environment, const std::string& title,
                      std::uint64_t steps, const std::string& file);

}  // namespace canopy
