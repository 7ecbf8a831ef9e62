#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace canopy {

/// One coordinate of an arm as the user knows it.
using Value = std::variant<double, std::int64_t, std::string>;

}  // namespace canopy
