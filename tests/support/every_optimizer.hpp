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

/// A parameter of every kind.
inline Space mixed_space() {
  return {{"x", Real{0.0, 1.0}}, {"n", Integer{1, 9}}, {"c", Choice{{"a", "b", "c"}}}};
}

struct OptimizerCase {
  std::string label;  ///< in the name of a test
  Selection selection;
};

inline std::ostream& operator<<(std::ostream& out, const OptimizerCase& which) {
  return out << which.label;
}

/// Every optimizer that canopy comes with, by itself and in what else it can do.
inline std::vector<OptimizerCase> every_optimizer() {
  std::vector<OptimizerCase> all{
      {"hct_correlated", {"hct", {{"feedback", "correlated"}}}},
      {"thoo_horizon", {"thoo", {{"horizon", std::uint64_t{300}}}}},
      {"poo_vhct", {"poo", {{"base", "vhct"}}}},
      {"gpo_short", {"gpo", {{"horizon", std::uint64_t{40}}, {"base", "thoo"}}}},
      {"power_short",
       {"power", {{"window", std::uint64_t{3}}, {"rollout_length", std::uint64_t{2}}}}},
  };
  for (const OptimizerEntry& entry : optimizers()) all.push_back({entry.name, {entry.name}});
  return all;
}

inline std::string name_of_test(const ::testing::TestParamInfo<OptimizerCase>& info) {
  std::string name = info.param.label;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// For tests of what each of them must do.
class EachOptimizer : public ::testing::TestWithParam<OptimizerCase> {
 protected:
  [[nodiscard]] static std::unique_ptr<Optimizer> make(const Objective& objective = {}) {
    return make_optimizer(GetParam().selection, mixed_space(), SplitRule::cyclic, objective);
  }
};

}  // namespace canopy::testing
