#pragma once

#include "canopy/specification_error.hpp"

#include <string>

namespace canopy {

/// Returns the content of a file. Throws SpecificationError.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace canopy
