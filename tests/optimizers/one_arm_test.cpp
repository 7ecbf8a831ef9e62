// A space with a single arm: nothing to search for, but everything else must work.

#include "canopy/errors.hpp"
#include "canopy/optimizers.hpp"

#include "support/conversation.hpp"
#include "support/every_optimizer.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::Conversation;

const Space& one_arm() {
  static const Space space{{"c", Choice{{"only"}}}};
  return space;
}

class OneArm : public testing::EachOptimizer {
 protected:
  /// Null for optimizers that need two arms.
  [[nodiscard]] static std::unique_ptr<Optimizer> make_one() {
    try {
      return make_optimizer(GetParam().selection, one_arm());
    } catch (const ConfigurationError&) {
      return nullptr;
    }
  }
};

TEST_P(OneArm, IsPlayedSavedRestoredAndCloned) {
  const auto optimizer = make_one();
  if (optimizer == nullptr) GTEST_SKIP() << "needs two arms";
  Conversation conversation(11);
  conversation.observe(one_arm(), 0.1);
  conversation.fail(0.1);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(conversation.step({optimizer.get()}));
    const auto restored = make_one();
    ASSERT_NO_THROW(restored->restore(optimizer->save())) << "step " << i;
    ASSERT_EQ(restored->save(), optimizer->save()) << "step " << i;
  }
  for (const OwnedPull& pull : conversation.pulls()) EXPECT_EQ(pull.arm, std::vector{0.0});
  const auto restored = make_one();
  restored->restore(optimizer->save());
  const auto clone = optimizer->clone();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(conversation.step({optimizer.get(), restored.get(), clone.get()})) << i;
  }
  EXPECT_EQ(restored->save(), optimizer->save());
  EXPECT_EQ(clone->save(), optimizer->save());
}

INSTANTIATE_TEST_SUITE_P(All, OneArm, ::testing::ValuesIn(testing::every_optimizer()),
                         testing::name_of_test);

}  // namespace
}  // namespace canopy
