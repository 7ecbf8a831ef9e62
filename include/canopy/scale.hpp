#pragma once

#include "canopy/enum_names.hpp"

#include <array>
#include <string_view>

namespace canopy {

enum class Scale { linear, log };

template <>
struct EnumNames<Scale> {
  static constexpr std::array<std::string_view, 2> names{"linear", "log"};
};

}  // namespace canopy
