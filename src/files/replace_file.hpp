#pragma once

#include "canopy/output_error.hpp"

#include <string>

namespace canopy {

/// Replaces a file atomically and durably: readers see the old text or the new one, even after the
/// machine crashes. Throws OutputError.
void replace_file(const std::string& path, const std::string& text);

}  // namespace canopy
