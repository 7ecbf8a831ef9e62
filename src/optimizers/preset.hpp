#pragma once

#include "canopy/hct.hpp"
#include "canopy/options.hpp"

#include <cmath>
#include <cstddef>

namespace canopy {

/// The values set by a preset of HCT and related algorithms.
struct PresetValues {
  double nu1 = 4.0;
  double rho = 0.5;
  double confidence_scale = 0.0;
};

/// The given options, with the preset's values where they are unset. The practical confidence_scale
/// depends on the algorithm.
template <class Options>
[[nodiscard]] PresetValues preset_values(const Options& options, std::size_t dimension,
                                         double practical_scale) {
  PresetValues preset{.confidence_scale = practical_scale};
  if (options.preset == Preset::paper) {
    preset = {1.0, std::pow(2.0, -1.0 / static_cast<double>(dimension)), 1.0};
  }
  return {options.nu1.value_or(preset.nu1), options.rho.value_or(preset.rho),
          options.confidence_scale.value_or(preset.confidence_scale)};
}

/// The options with these values filled in.
template <class Options>
[[nodiscard]] OptionValues with_preset(Options options, const PresetValues& values) {
  options.nu1 = values.nu1;
  options.rho = values.rho;
  options.confidence_scale = values.confidence_scale;
  return values_of(options);
}

}  // namespace canopy
