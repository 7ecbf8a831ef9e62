#pragma once

#include "files/document.hpp"

namespace canopy {

/// The JSON schemas of responses about a study, by name, generated from the field lists of their
/// structs.
[[nodiscard]] Document answer_schemas();

}  // namespace canopy
