#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace canopy {

/// One coordinate of an arm in the user's form.
using Value = std::variant<double, std::int64_t, std::string>;

}  // namespace canopy
