#pragma once

#include "canopy/output_error.hpp"

#include <string>

namespace canopy {

/// Replaces a file as a whole and for good: whoever reads it finds the old text or the new one,
/// also after a crash of the machine. Throws OutputError.
void replace_file(const std::string& path, const std::string& text);

}  // namespace canopy
