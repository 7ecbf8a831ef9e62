#pragma once

#include "canopy/environment.hpp"

#include <string>

namespace canopy {

/// Draws f of an environment of one or two real parameters, with its optimum. Throws FigureError.
void draw_environment(const KnownEnvironment& environment, const std::string& title,
                      const std::string& file);

}  // namespace canopy
