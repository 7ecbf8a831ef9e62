#pragma once

#include "canopy/optimizer.hpp"

#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace canopy::testing {

/// The arms played by an optimizer of one parameter.
inline std::vector<double> arms_played(Optimizer& optimizer, int pulls,
                                       const std::function<double(double)>& f) {
  std::vector<double> arms;
  for (int i = 0; i < pulls; ++i) {
    const Pull pull = optimizer.ask(1);
    arms.push_back(pull.arm[0]);
    EXPECT_EQ(optimizer.tell(pull.ticket, f(pull.arm[0])), Status::ok);
  }
  return arms;
}

inline void expect_arms(const std::vector<double>& played, const std::vector<double>& expected) {
  ASSERT_EQ(played.size(), expected.size());
  for (std::size_t i = 0; i < played.size(); ++i) {
    EXPECT_NEAR(played[i], expected[i], 1e-12) << "pull " << i + 1;
  }
}

}  // namespace canopy::testing
