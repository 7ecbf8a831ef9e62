// A step of an environment allocates nothing.

#include "canopy/environments.hpp"

#include "support/count_allocations.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::allocations;

TEST(EnvironmentAllocation, AStepAllocatesNothing) {
  for (const EnvironmentEntry& entry : environments()) {
    const std::unique_ptr<KnownEnvironment> environment = entry.make({});
    const std::vector<double> arm = environment->optimum_at(1).arm;
    RandomStream random({.seed = 1});
    environment->start(random);
    const std::uint64_t before = allocations();
    for (int i = 0; i < 10'000; ++i) (void)environment->pull(arm, random);
    EXPECT_EQ(allocations(), before) << entry.name;
  }
}

}  // namespace
}  // namespace canopy
