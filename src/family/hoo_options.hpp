#pragma once

#include "canopy/family/detail/hoo_tree.hpp"
#include "canopy/options.hpp"

#include <cmath>
#include <cstddef>

namespace canopy {

/// rho of HOO or truncated HOO: as set, else 2^(-1/dimension).
template <class Options>
[[nodiscard]] double rho_of(const Options& options, std::size_t dimension) {
  return options.rho.value_or(std::pow(2.0, -1.0 / static_cast<double>(dimension)));
}

template <class Options>
[[nodiscard]] HooConstants hoo_constants(const Options& options, std::size_t dimension) {
  return {options.nu1, rho_of(options, dimension), options.confidence_scale};
}

template <class Options>
[[nodiscard]] OptionValues resolve_rho(const OptionValues& values, std::size_t dimension) {
  auto options = options_from<Options>(values, "optimizer.");
  options.rho = rho_of(options, dimension);
  return values_of(options);
}

}  // namespace canopy
