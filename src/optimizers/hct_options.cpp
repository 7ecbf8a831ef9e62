#include "canopy/errors.hpp"
#include "canopy/hct.hpp"

#include "optimizers/fields.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace canopy {

HctParameters resolve(const HctOptions& options, std::size_t dimension) {
  throw_if_any(violations(options));
  const bool iid = options.feedback == Feedback::iid;
  HctParameters parameters{.feedback = options.feedback,
                           .nu1 = 4.0,
                           .rho = 0.5,
                           .confidence_scale = iid ? 0.025 : 0.006,
                           .delta = options.delta,
                           .confidence = {}};
  if (options.preset == Preset::paper) {
    parameters.nu1 = 1.0;
    parameters.rho = std::pow(2.0, -1.0 / static_cast<double>(dimension));
    parameters.confidence_scale = 1.0;
  }
  parameters.nu1 = options.nu1.value_or(parameters.nu1);
  parameters.rho = options.rho.value_or(parameters.rho);
  parameters.confidence_scale = options.confidence_scale.value_or(parameters.confidence_scale);
  parameters.confidence =
      confidence_constants(options.feedback, parameters.nu1, parameters.rho, options.mixing_time,
                           options.constants, parameters.confidence_scale);
  return parameters;
}

std::vector<Violation> violations(const HctOptions& options) {
  return field_violations(options, "optimizer.");
}

}  // namespace canopy
