#include "canopy/errors.hpp"
#include "canopy/hct.hpp"
#include "canopy/theory.hpp"

#include "optimizers/list.hpp"
#include "optimizers/preset.hpp"

#include <cstddef>
#include <vector>

namespace canopy {

HctParameters resolve(const HctOptions& options, std::size_t dimension) {
  throw_if_any(violations(options));
  const bool iid = options.feedback == Feedback::iid;
  const auto [nu1, rho, scale] = preset_values(options, dimension, iid ? 0.025 : 0.006);
  return {.feedback = options.feedback,
          .nu1 = nu1,
          .rho = rho,
          .confidence_scale = scale,
          .delta = options.delta,
          .confidence = confidence_constants(options.feedback, nu1, rho, options.mixing_time,
                                             options.constants, scale)};
}

std::vector<Violation> violations(const HctOptions& options) {
  return violations_of(options, "optimizer.");
}

namespace {

OptionValues resolve_preset(const OptionValues& values, std::size_t dimension) {
  const auto options = options_from<HctOptions>(values, "optimizer.");
  const HctParameters p = resolve(options, dimension);
  return with_preset(options, {p.nu1, p.rho, p.confidence_scale});
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
