#include "canopy/errors.hpp"
#include "canopy/hct.hpp"
#include "canopy/theory.hpp"

#include "optimizers/list.hpp"

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
  return violations_of(options, "optimizer.");
}

namespace {

OptionValues resolve_preset(const OptionValues& values, std::size_t dimension) {
  auto options = options_from<HctOptions>(values, "optimizer.");
  const HctParameters parameters = resolve(options, dimension);
  options.nu1 = parameters.nu1;
  options.rho = parameters.rho;
  options.confidence_scale = parameters.confidence_scale;
  return values_of(options);
}

TheoryParameters theory_of(const OptionValues& resolved) {
  const HctParameters p = resolve(options_from<HctOptions>(resolved, "optimizer."), 1);
  return {.nu1 = p.nu1, .rho = p.rho, .delta = p.delta, .confidence = p.confidence};
}

}  // namespace

OptimizerEntry hct_entry() {
  OptimizerEntry entry = optimizer_entry<Hct, HctOptions>(
      "hct", "High Confidence Tree: anytime, also for correlated feedback", 2);
  entry.takes_correlated_feedback = true;
  entry.resolve = resolve_preset;
  entry.least_pulls = [](const OptionValues& resolved) {
    return first_expansion(theory_of(resolved));
  };
  entry.limits = [](const OptionValues& resolved, double steps) {
    const TheoryParameters theory = theory_of(resolved);
    return TreeLimits{certain_node_bound(theory, steps), certain_depth_bound(theory, steps)};
  };
  return entry;
}

}  // namespace canopy
