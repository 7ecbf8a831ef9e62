// Compares the fast step with the textbook: the same selections and the same tree, bit for bit.

#include "canopy/garland.hpp"
#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include "support/compare_trees.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_hct.hpp"
#include "support/tree.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::difference;
using testing::nodes_of;
using testing::RandomHct;
using testing::TextbookHct;

/// The path to the arm of an open ticket. Uses a view obtained before the run, since obtaining one
/// updates bounds, which may be stale in the fast step.
std::string path_in(const TreeView& tree, Ticket ticket) {
  return tree.path(tree.place(ticket).value().node);
}

/// Plays both for `steps` pulls and fails at the first different selection.
template <class Reward>
void play_side_by_side(Hct& fast, TextbookHct& textbook, std::uint64_t steps, bool ask_for_one,
                       Reward&& reward) {
  const TreeView& tree = *fast.tree();
  std::uint64_t done = 0;
  while (done < steps) {
    const std::size_t node = textbook.select();
    const std::uint64_t length = std::min(textbook.episode_length(node), steps - done);
    double sum = 0.0;
    Pull pull;
    for (std::uint64_t i = 0; i < length; ++i) {
      if (i == 0 || ask_for_one) {
        pull = ask_for_one ? fast.ask(1) : fast.ask();
        RC_ASSERT(path_in(tree, pull.ticket) == textbook.path(node));
      }
      const double r = reward(pull.arm);
      RC_ASSERT(fast.tell(pull.ticket, r) == Status::ok);
      textbook.scale().see(r);
      sum += textbook.scale().to_mapped(r);
    }
    textbook.advance(length);
    textbook.learn(node, static_cast<double>(length), sum);
    done += length;
  }
  fast.finish();
}

RC_GTEST_PROP(HctTrace, EqualsTheTextbookOnRandomConfigurations, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto steps = static_cast<std::uint64_t>(*rc::gen::inRange(1, 3000));
  RC_LOG() << config << " seed " << seed << " steps " << steps;
  Hct fast(config.partition, config.options, config.objective);
  TextbookHct textbook(config.partition, config.options, config.objective);
  RandomStream random({.seed = seed});
  play_side_by_side(fast, textbook, steps, *rc::gen::arbitrary<bool>(),
                    [&](Arm arm) { return config.reward(arm, random.uniform()); });
  RC_ASSERT(difference(nodes_of(fast), textbook) == "");
  RC_ASSERT(fast.summary().t == textbook.t());
  RC_ASSERT(fast.summary().refreshes == textbook.refreshes());
}

RC_GTEST_PROP(HctTrace, LooksInBetweenChangeNothing, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Hct watched(config.partition, config.options, config.objective);
  Hct alone(config.partition, config.options, config.objective);
  const TreeView& of_watched = *watched.tree();
  const TreeView& of_alone = *alone.tree();
  RandomStream random({.seed = seed});
  for (int i = 0; i < 500; ++i) {
    const Pull a = watched.ask(1);
    const Pull b = alone.ask(1);
    RC_ASSERT(path_in(of_watched, a.ticket) == path_in(of_alone, b.ticket));
    const double reward = config.reward(a.arm, random.uniform());
    RC_ASSERT(watched.tell(a.ticket, reward) == Status::ok);
    RC_ASSERT(alone.tell(b.ticket, reward) == Status::ok);
    if (i % 3 == 0) RC_ASSERT(!nodes_of(watched).empty());
    if (i % 5 == 0) RC_ASSERT(watched.best().has_value());
  }
}

TEST(HctTrace, EqualsTheTextbookOnGarlandForALongRun) {
  for (const Feedback feedback : {Feedback::iid, Feedback::correlated}) {
    const HctOptions options{
        .feedback = feedback, .nu1 = 1.0, .rho = 0.7071, .confidence_scale = 0.05};
    for (const Objective& objective : {Objective{.reward_range = {{0.0, 1.0}}}, Objective{}}) {
      Garland garland;
      const auto partition = std::make_shared<BoxPartition>(garland.space());
      Hct fast(partition, options, objective);
      TextbookHct textbook(partition, options, objective);
      RandomStream random({.seed = 7});
      play_side_by_side(fast, textbook, 300'000, false,
                        [&](Arm arm) { return garland.pull(arm, random); });
      EXPECT_EQ(difference(nodes_of(fast), textbook), "");
      EXPECT_GT(fast.summary().depth, 8U);
    }
  }
}

TEST(HctTrace, EqualsTheTextbookWhenEveryPullChangesTheArm) {
  const Space space{{"x", Real{0.0, 1.0}}};
  const auto partition = std::make_shared<BoxPartition>(space);
  const HctOptions options{.nu1 = 1.0, .rho = 0.7071, .confidence_scale = 0.05};
  for (const Objective& objective : {Objective{.reward_range = {{0.0, 1.0}}}, Objective{}}) {
    Hct fast(partition, options, objective);
    TextbookHct textbook(partition, options, objective);
    play_side_by_side(fast, textbook, 50'000, true, [](Arm arm) { return garland(arm[0]); });
    EXPECT_EQ(difference(nodes_of(fast), textbook), "");
    EXPECT_GT(fast.summary().switches, 10'000U);
  }
}

}  // namespace
}  // namespace canopy
