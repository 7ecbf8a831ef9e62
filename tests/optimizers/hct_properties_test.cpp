// Invariants of every tree, on random configurations.

#include "canopy/hct.hpp"
#include "canopy/random.hpp"
#include "canopy/theory.hpp"

#include "support/random_hct.hpp"
#include "support/tree.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::nodes_of;
using testing::RandomHct;

/// B <= U; B follows the min/max rule at every node; a parent comes before its two children. When
/// minimizing, with reversed inequalities.
void check_bounds(std::vector<NodeView> tree, Direction direction) {
  for (NodeView& node : tree) {
    if (direction == Direction::maximize) break;
    node.upper = -node.upper;
    node.bound = -node.bound;
  }
  std::map<std::string, const NodeView*> by_path;
  for (const NodeView& node : tree) by_path[node.path] = &node;
  for (const NodeView& node : tree) {
    RC_ASSERT(node.bound <= node.upper);
    if (node.leaf) {
      RC_ASSERT(node.bound == node.upper);
      RC_ASSERT(by_path.count(node.path + "0") == 0U);
    } else {
      const double left = by_path.at(node.path + "0")->bound;
      const double right = by_path.at(node.path + "1")->bound;
      RC_ASSERT(node.bound == std::min(node.upper, std::max(left, right)));
    }
    if (node.pulls == 0) RC_ASSERT(node.upper == kInfinity);
  }
}

/// Plays a sequential run; `look(path, length)` after every episode of a node.
template <class Look>
void play(Hct& hct, const RandomHct& config, std::uint64_t steps, std::uint64_t seed, Look&& look) {
  const TreeView& tree = *hct.tree();  // only once, as each call updates bounds
  RandomStream random({.seed = seed});
  while (hct.summary().t <= steps) {
    const Pull pull = hct.ask(steps + 1 - hct.summary().t);
    const std::string path = tree.path(tree.place(pull.ticket).value().node);
    for (std::uint64_t i = 0; i < pull.length; ++i) {
      RC_ASSERT(hct.tell(pull.ticket, config.reward(pull.arm, random.uniform())) == Status::ok);
    }
    look(path, pull.length);
  }
  hct.finish();
}

RC_GTEST_PROP(HctProperties, BoundsFollowTheRuleAtEveryLook, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Hct hct(config.partition, config.options, config.objective);
  play(hct, config, 200, seed, [&](const std::string& /*path*/, std::uint64_t /*length*/) {
    check_bounds(nodes_of(hct), config.objective.direction);
  });
}

RC_GTEST_PROP(HctProperties, ALeafExpandsOnceAndOnlyWhenPulledEnough, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Hct hct(config.partition, config.options, config.objective);
  const HctParameters& p = hct.parameters();
  std::size_t nodes = nodes_of(hct).size();
  play(hct, config, 300, seed, [&](const std::string& path, std::uint64_t length) {
    const std::vector<NodeView> tree = nodes_of(hct);
    const std::size_t grown = tree.size() - nodes;
    RC_ASSERT(grown == 0U || grown == 2U);
    nodes = tree.size();
    if (grown == 0) return;
    const auto node = std::find_if(tree.begin(), tree.end(),
                                   [&](const NodeView& view) { return view.path == path; });
    const std::uint64_t begun = hct.summary().t - length;  // the phase of its first pull
    const double log_term =
        log_confidence(p.confidence.c1, p.delta, static_cast<double>(phase_end(begun)));
    RC_ASSERT(static_cast<double>(node->pulls) >=
              expansion_threshold(p.confidence.c, log_term, p.nu1, p.rho,
                                  static_cast<std::uint32_t>(path.size())));
    RC_ASSERT(!node->leaf);
    for (const NodeView& child : tree) {
      if (child.path == path + "0" || child.path == path + "1") RC_ASSERT(child.pulls == 0U);
    }
  });
}

RC_GTEST_PROP(HctProperties, ASequentialRunRefreshesFloorLog2OfNPlusOneTimes,
              (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto steps = static_cast<std::uint64_t>(*rc::gen::inRange(1, 2000));
  Hct hct(config.partition, config.options, config.objective);
  play(hct, config, steps, seed, [](const std::string& /*path*/, std::uint64_t /*length*/) {});
  RC_ASSERT(hct.summary().refreshes == static_cast<std::uint64_t>(std::bit_width(steps)));
}

RC_GTEST_PROP(HctProperties, PullsSumToTheAnswersCommitted, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto steps = static_cast<std::uint64_t>(*rc::gen::inRange(1, 2000));
  Hct hct(config.partition, config.options, config.objective);
  play(hct, config, steps, seed, [](const std::string& /*path*/, std::uint64_t /*length*/) {});
  std::uint64_t pulls = 0;
  for (const NodeView& node : nodes_of(hct)) pulls += node.pulls;
  RC_ASSERT(pulls == steps);
  RC_ASSERT(hct.summary().t == steps + 1);
}

RC_GTEST_PROP(HctProperties, EpisodesOfANodeStayBelowLemma2, (RandomHct config)) {
  config.options.feedback = Feedback::correlated;
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Hct hct(config.partition, config.options, config.objective);
  std::map<std::string, std::uint64_t> episodes;
  play(hct, config, 3000, seed,
       [&](const std::string& path, std::uint64_t /*length*/) { ++episodes[path]; });
  for (const NodeView& node : nodes_of(hct)) {
    if (node.pulls == 0) continue;
    RC_ASSERT(static_cast<double>(episodes[node.path]) <=
              episode_bound(static_cast<double>(node.pulls), static_cast<double>(hct.summary().t)));
  }
}

RC_GTEST_PROP(HctProperties, DepthAndNodesStayWithinTheCertainBounds, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto steps = static_cast<std::uint64_t>(*rc::gen::inRange(1, 3000));
  Hct hct(config.partition, config.options, config.objective);
  play(hct, config, steps, seed, [](const std::string& /*path*/, std::uint64_t /*length*/) {});
  const HctParameters& p = hct.parameters();
  const TheoryParameters theory{
      .nu1 = p.nu1, .rho = p.rho, .delta = p.delta, .confidence = p.confidence};
  RC_ASSERT(static_cast<double>(hct.summary().depth) <=
            certain_depth_bound(theory, static_cast<double>(steps)) + 1e-9);
  RC_ASSERT(static_cast<double>(hct.summary().nodes) <=
            certain_node_bound(theory, static_cast<double>(steps)));
}

TEST(HctTheory, TheFirstExpansionIsNoEarlierThanTheoryHasIt) {
  for (const HctOptions& options : {HctOptions{}, HctOptions{.feedback = Feedback::correlated},
                                    HctOptions{.preset = Preset::paper},
                                    HctOptions{.nu1 = 1.0, .rho = 0.7, .confidence_scale = 0.3}}) {
    Hct hct({{"x", Real{0.0, 1.0}}}, options);
    while (hct.summary().nodes <= 3) {  // the left half is always better
      const Pull pull = hct.ask(1);
      (void)hct.tell(pull.ticket, pull.arm[0] < 0.5 ? 1.0 : -1e6);
    }
    const HctParameters& p = hct.parameters();
    const double expected =
        first_expansion({.nu1 = p.nu1, .rho = p.rho, .delta = p.delta, .confidence = p.confidence});
    const auto pulls = static_cast<double>(hct.summary().t - 1);
    EXPECT_LE(expected, pulls);
    EXPECT_GE(2.0 * expected, pulls);
  }
}

}  // namespace
}  // namespace canopy
