#pragma once

#include "canopy/optimizers.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy::testing {

/// A space with one parameter of every kind.
inline Space mixed_space() {
  return {{"x", Real{0.0, 1.0}}, {"n", Integer{1, 9}}, {"c", Choice{{"a", "b", "c"}}}};
}

struct OptimizerCase {
  std::string label;  ///< used in test names
  Selection selection;
};

inline std::ostream& operator<<(std::ostream& out, const OptimizerCase& which) {
  return out << which.label;
}

/// A short horizon, so that most of a test comes after it.
inline constexpr std::uint64_t kShortHorizon = 40;

/// Every built-in optimizer, with its defaults and with its other modes.
inline std::vector<OptimizerCase> every_optimizer() {
  std::vector<OptimizerCase> all{
      {"hct_correlated", {"hct", {{"feedback", "correlated"}}}},
      {"adaptive_still", {"adaptive", {{"drift", "none"}}}},
      {"thoo_horizon", {"thoo", {{"horizon", std::uint64_t{300}}}}},
      {"grid_recent", {"grid", {{"recent", std::uint64_t{20}}}}},
      {"grid_discount", {"grid", {{"discount", 0.95}}}},
      {"poo_vhct", {"poo", {{"base", "vhct"}}}},
      {"gpo_thoo", {"gpo", {{"horizon", std::uint64_t{40}}, {"base", "thoo"}}}},
      {"stroquool_interrupted",
       {"stroquool", {{"horizon", std::uint64_t{40}}, {"depth_limit", std::uint64_t{20}}}}},
      {"power_short",
       {"power", {{"window", std::uint64_t{3}}, {"rollout_length", std::uint64_t{2}}}}},
  };
  for (const OptimizerEntry& entry : optimizers()) {
    all.push_back({entry.name, {entry.name}});
    const bool ends = std::any_of(entry.fields.begin(), entry.fields.end(),
                                  [](const OptionField& field) { return field.name == "horizon"; });
    if (ends) all.push_back({entry.name + "_short", {entry.name, {{"horizon", kShortHorizon}}}});
  }
  return all;
}

inline std::string name_of_test(const ::testing::TestParamInfo<OptimizerCase>& info) {
  std::string name = info.param.label;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Base of tests that every optimizer must pass.
class EachOptimizer : public ::testing::TestWithParam<OptimizerCase> {
 protected:
  [[nodiscard]] static std::unique_ptr<Optimizer> make(const Objective& objective = {}) {
    return make_optimizer(GetParam().selection, mixed_space(), SplitRule::cyclic, objective);
  }
};

}  // namespace canopy::testing
