#pragma once

#include "canopy/grid.hpp"
#include "canopy/hct.hpp"
#include "canopy/hoo.hpp"
#include "canopy/power.hpp"
#include "canopy/random_search.hpp"
#include "canopy/reward_map.hpp"
#include "canopy/thoo.hpp"

#include "core/fields.hpp"

#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

namespace canopy {

template <>
struct EnumNames<Preset> {
  static constexpr std::array<std::string_view, 2> names{"practical", "paper"};
};
template <>
struct EnumNames<Direction> {
  static constexpr std::array<std::string_view, 2> names{"maximize", "minimize"};
};

/// The options of one optimizer: which one is meant by the type.
using OptimizerOptions = std::variant<HctOptions, ThooOptions, HooOptions, PowerOptions,
                                      GridOptions, RandomSearchOptions>;

/// The one list of the options of all optimizers; see Field.
template <AlternativeOf<OptimizerOptions> Options, class Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  if constexpr (requires { options.feedback; }) {
    visit(Field{"feedback", "how rewards of an arm relate: iid or correlated"}, options.feedback);
    visit(Field{"mixing_time", "Gamma, correlated only: steps an arm's rewards take to settle",
                kNotNegative},
          options.mixing_time);
    visit(Field{"preset", "defaults of nu1, rho, confidence_scale: practical or paper"},
          options.preset);
  }
  if constexpr (requires { options.horizon; }) {
    visit(Field{"horizon", "how many pulls there will be, or doubling", kAtLeastOne, "doubling"},
          options.horizon);
  }
  if constexpr (requires { options.nu1; }) {
    visit(Field{"nu1", "f varies by at most nu1 rho^h in a cell at depth h", kPositive},
          options.nu1);
    visit(Field{"rho", "see nu1", kOpenUnit}, options.rho);
  }
  if constexpr (requires { options.points; }) {
    visit(Field{"points", "arms along each parameter", kMillion}, options.points);
  }
  if constexpr (requires { options.confidence_scale; }) {
    visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
          options.confidence_scale);
  }
  if constexpr (requires { options.delta; }) {
    visit(Field{"delta", "probability with which the bounds may fail", kOpenUnit}, options.delta);
    visit(Field{"constants", "correlated only: main or supplement (a factor 3 or 6 in c)"},
          options.constants);
  }
  if constexpr (requires { options.window; }) {
    visit(Field{"sigma", "size of the exploration, in units of a parameter's range", kHalfOpenUnit},
          options.sigma);
    visit(Field{"window", "how many of the best rollouts are averaged", kMillion}, options.window);
    visit(Field{"rollout_length", "pulls in a rollout", kMillion}, options.rollout_length);
  }
  if constexpr (requires { options.seed; }) {
    visit(Field{"seed", "of the algorithm's own random choices", kAnyWhole}, options.seed);
  }
}

/// The objective, once it and the options are in order. Throws ConfigurationError.
template <class Options>
[[nodiscard]] const Objective& checked(const Options& options, const Objective& objective) {
  std::vector<Violation> found = field_violations(options, "optimizer.");
  for (Violation& violation : violations(objective)) found.push_back(std::move(violation));
  throw_if_any(std::move(found));
  return objective;
}

/// The options with defaults that depend on the dimension filled in.
[[nodiscard]] inline HctOptions filled_in(HctOptions options, std::size_t dimension) {
  const HctParameters parameters = resolve(options, dimension);
  options.nu1 = parameters.nu1;
  options.rho = parameters.rho;
  options.confidence_scale = parameters.confidence_scale;
  return options;
}
template <class Options>
requires requires(Options options) {
  options.rho = 0.5;
}
[[nodiscard]] Options filled_in(Options options, std::size_t dimension) {
  options.rho = options.rho.value_or(std::pow(2.0, -1.0 / static_cast<double>(dimension)));
  return options;
}
template <class Options>
[[nodiscard]] Options filled_in(Options options, std::size_t /*dimension*/) {
  return options;
}

/// Of HOO or its truncated version.
template <class Options>
[[nodiscard]] HooConstants hoo_constants(const Options& options, std::size_t dimension) {
  return {options.nu1, filled_in(options, dimension).rho.value(), options.confidence_scale};
}

}  // namespace canopy
