#include "studies/measured.hpp"

#include "canopy/study_specification.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

StudySpecification settling_beside_a_baseline() {
  return parse_study(
      "[[space]]\nname = \"x\"\nlow = 0\nhigh = 1\n[optimizer]\nname = \"adaptive\"\nsettle = 2\n"
      "[baseline]\nsetting = { x = 0.5 }\n",
      "study.toml");
}

TEST(Measured, NothingIsToldOfAListWhoseMetricsAreRefused) {
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(settling_beside_a_baseline(), 1);
  const Pull pull = optimizer->ask(1);
  ASSERT_EQ(pull.unsettled, 2U);
  const Ticket ticket = pull.ticket;
  const std::vector<double> rewards{1.0, 1.0, 1.0};
  EXPECT_EQ(tell(*optimizer, ticket, rewards, {{"p99_ms", 1e200}}), Status::not_a_reward);
  EXPECT_EQ(optimizer->pull_of(ticket)->unsettled, 2U) << "a retry begins where this one did";
  EXPECT_EQ(tell(*optimizer, ticket, rewards, {{"p99_ms", 10.0}}), Status::ok);
  EXPECT_EQ(optimizer->summary().passed_over, 2U);
}

}  // namespace
}  // namespace canopy
