// A step that does not expand the tree allocates nothing.

#include "canopy/garland.hpp"
#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include "support/count_allocations.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::allocations;

void check_steps_without_allocation(const HctOptions& options, std::size_t workers) {
  Garland garland;
  Hct hct(garland.space(), options);
  RandomStream random({.seed = 1});
  std::vector<Pull> in_flight(workers);
  for (Pull& pull : in_flight) pull = hct.ask(1);
  // The list of open tickets grows to its size in the first few steps.
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t before = allocations();
    const std::uint64_t nodes = hct.summary().nodes;
    Pull& pull = in_flight[static_cast<std::size_t>(random()) % workers];
    ASSERT_EQ(hct.tell(pull.ticket, garland.pull(pull.arm, random)), Status::ok);
    pull = hct.ask(1);
    if (hct.summary().nodes == nodes && i > 1000) {
      ASSERT_EQ(allocations(), before) << "at step " << i;
    }
  }
  EXPECT_GT(hct.summary().nodes, 50U);
}

TEST(HctAllocation, AStepThatDoesNotExpandAllocatesNothing) {
  for (const Feedback feedback : {Feedback::iid, Feedback::correlated}) {
    check_steps_without_allocation({.feedback = feedback}, 1);
  }
}

TEST(HctAllocation, AStepWithManyPullsInFlightAllocatesNothing) {
  for (const Feedback feedback : {Feedback::iid, Feedback::correlated}) {
    check_steps_without_allocation({.feedback = feedback}, 16);
  }
}

}  // namespace
}  // namespace canopy
