#pragma once

#include "files/document.hpp"

namespace canopy {

/// The JSON schemas of what a study answers about itself, by name: what their structs list.
[[nodiscard]] Document answer_schemas();

}  // namespace canopy
