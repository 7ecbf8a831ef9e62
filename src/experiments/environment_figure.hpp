#pragma once

#include "canopy/environment.hpp"

#include <cstdint>
#include <string>

namespace canopy {

/// Draws f of an environment of one or two real parameters, with its optimum: with one parameter
/// and a moving f, for steps 1 to `steps`; with two parameters, at the first step; with contexts,
/// for the first parameter over the first context variable. Throws FigureError.
void draw_environment(const KnownEnvironment& environment, const std::string& title,
                      std::uint64_t steps, const std::string& file);

}  // namespace canopy
