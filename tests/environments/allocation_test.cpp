// A step of an environment allocates nothing.

#include "core/alternatives.hpp"
#include "environments/catalogue.hpp"
#include "support/count_allocations.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::allocations;

TEST(EnvironmentAllocation, AStepAllocatesNothing) {
  for_each_alternative<EnvironmentOptions>([]<class Options>(const Options& options) {
    EnvironmentOf<Options> environment(options);
    const std::vector<double> arm = environment.optimum().arm;
    RandomStream random({.seed = 1});
    environment.start(random);
    const std::uint64_t before = allocations();
    for (int i = 0; i < 10'000; ++i) (void)environment.pull(arm, random);
    EXPECT_EQ(allocations(), before) << EnvironmentEntry<Options>::name;
  });
}

}  // namespace
}  // namespace canopy
