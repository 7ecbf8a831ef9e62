// A clone behaves as the original would, and the two share no state.

#include "canopy/hct.hpp"
#include "canopy/optimizers.hpp"

#include "support/conversation.hpp"
#include "support/every_optimizer.hpp"
#include "support/random_hct.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::Conversation;
using testing::RandomHct;

/// Clones in the middle of a conversation, continues with the original only, destroys it, and then
/// continues with the clone.
void expect_two_of_a_kind(std::unique_ptr<Optimizer> original, const Space& space) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto before = *rc::gen::inRange(0, 400);
  RC_LOG() << "seed " << seed << " before " << before;
  Conversation conversation(seed);
  conversation.observe(space, 0.1);
  for (int i = 0; i < before; ++i) RC_ASSERT(conversation.step({original.get()}));

  const std::unique_ptr<Optimizer> clone = original->clone();
  const std::string at_first = original->save();
  RC_ASSERT(clone->save() == at_first);
  RC_ASSERT(clone->in_flight().size() == conversation.in_flight());
  Conversation again = conversation;
  for (int i = 0; i < 300; ++i) RC_ASSERT(conversation.step({original.get()}));
  RC_ASSERT(clone->save() == at_first);

  const std::string in_the_end = original->save();
  original.reset();
  for (int i = 0; i < 300; ++i) RC_ASSERT(again.step({clone.get()}));
  RC_ASSERT(clone->save() == in_the_end);
  for (std::size_t i = 0; i < conversation.pulls().size(); ++i) {
    RC_ASSERT(again.pulls()[i].arm == conversation.pulls()[i].arm);
    RC_ASSERT(again.pulls()[i].length == conversation.pulls()[i].length);
  }
}

class CloneOfEveryOptimizer : public testing::EachOptimizer {};

TEST_P(CloneOfEveryOptimizer, ContinuesAsTheOriginalWould) {
  EXPECT_TRUE(rc::check("a clone of " + GetParam().label,
                        [] { expect_two_of_a_kind(make(), testing::mixed_space()); }));
}

TEST_P(CloneOfEveryOptimizer, HasTheTicketsInFlightWithArmsOfItsOwn) {
  auto original = make();
  const OwnedPull answered(original->ask(1));
  const OwnedPull waits(original->ask(1));
  ASSERT_EQ(original->tell(answered.ticket, 0.5), Status::ok);
  const OwnedPull next(original->ask(1));
  auto clone = original->clone();
  const std::vector<Pull> in_flight = clone->in_flight();
  ASSERT_EQ(in_flight.size(), original->in_flight().size());
  EXPECT_EQ(in_flight.back().ticket, next.ticket);
  for (std::size_t i = 0; i < in_flight.size(); ++i) {
    EXPECT_NE(in_flight[i].arm.data(), original->in_flight()[i].arm.data());
  }
  original.reset();
  EXPECT_TRUE(std::equal(next.arm.begin(), next.arm.end(), in_flight.back().arm.begin()));
  EXPECT_EQ(clone->tell(answered.ticket, 0.5),
            answered.length == 1 ? Status::closed_ticket : Status::ok);
  EXPECT_EQ(clone->tell(waits.ticket, 0.25), Status::ok);
  EXPECT_EQ(clone->tell(next.ticket, 0.25), Status::ok);
  EXPECT_EQ(clone->ask(1).ticket, next.ticket + 1);
}

TEST_P(CloneOfEveryOptimizer, CanBeClonedAndSavedItself) {
  const auto original = make();
  Conversation conversation(3);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(conversation.step({original.get()}));
  const auto clone = original->clone()->clone();
  const auto restored = make();
  restored->restore(clone->save());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(conversation.step({original.get(), clone.get(), restored.get()})) << "step " << i;
  }
  EXPECT_EQ(clone->save(), original->save());
  EXPECT_EQ(restored->save(), original->save());
}

INSTANTIATE_TEST_SUITE_P(Clone, CloneOfEveryOptimizer,
                         ::testing::ValuesIn(testing::every_optimizer()), testing::name_of_test);

RC_GTEST_PROP(Clone, OfHctContinuesAsTheOriginalInAnyConfiguration, (const RandomHct& config)) {
  RC_LOG() << config;
  expect_two_of_a_kind(std::make_unique<Hct>(config.partition, config.options, config.objective),
                       RandomHct::make_space(config.space));
}

TEST(Clone, OfHctStaysAtItsArmAsFastAsTheOriginal) {
  // In the middle of a long stay, where a step reads only the selected node.
  Hct original({{"x", Real{0.0, 1.0}}}, {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 1.0});
  const auto play = [](Optimizer& optimizer, int pulls) {
    for (int i = 0; i < pulls; ++i) {
      const Pull pull = optimizer.ask(1);
      ASSERT_EQ(optimizer.tell(pull.ticket, pull.arm[0] < 0.5 ? 1.0 : -5.0), Status::ok);
    }
  };
  play(original, 1000);
  const auto clone = original.clone();
  play(original, 1000);
  EXPECT_EQ(clone->summary().t, 1001U);
  std::uint64_t pulls = 0;
  for (const NodeView& node : clone->tree()->nodes()) pulls += node.pulls;
  EXPECT_EQ(pulls, 1000U);
  play(*clone, 1000);
  EXPECT_EQ(clone->save(), original.save());
}

}  // namespace
}  // namespace canopy
