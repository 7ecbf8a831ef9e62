// Properties of every optimizer in the catalogue.

#include "canopy/errors.hpp"
#include "canopy/hct.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"

#include "support/every_optimizer.hpp"
#include "support/objectives.hpp"
#include "support/round_robin.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::kNan;
using testing::RoundRobin;
using testing::RoundRobinOptions;
using Names = std::vector<std::string_view>;

double reward_of(Arm arm, double uniform) {
  return 0.8 - 0.5 * std::abs(arm[0] - 0.4) - 0.02 * std::abs(arm[1] - 4.0) + 0.1 * uniform;
}

class EveryOptimizer : public testing::EachOptimizer {};

TEST_P(EveryOptimizer, AsksLearnNothing) {
  const auto optimizer = make();
  const bool spreads =
      GetParam().selection.name == "adaptive";  // spreads pulls in flight over arms
  const Pull first = optimizer->ask(1);
  const std::vector<double> arm(first.arm.begin(), first.arm.end());
  for (Ticket ticket = 2; ticket < 20; ++ticket) {
    const Pull again = optimizer->ask(1);
    EXPECT_EQ(again.ticket, ticket);
    EXPECT_TRUE(spreads || std::equal(arm.begin(), arm.end(), again.arm.begin()));
  }
  EXPECT_EQ(optimizer->summary().t, 1U);
  EXPECT_TRUE(spreads || optimizer->summary().switches == 1);
  EXPECT_EQ(optimizer->summary().in_flight, 19U);
  EXPECT_FALSE(optimizer->best().has_value());
}

TEST_P(EveryOptimizer, RefusesWhatIsNoAnswerAndGoesOn) {
  const auto optimizer = make();
  const Pull pull = optimizer->ask(1);
  EXPECT_EQ(optimizer->tell(pull.ticket, kNan), Status::not_a_reward);
  EXPECT_EQ(optimizer->tell(pull.ticket, kInfinity), Status::not_a_reward);
  EXPECT_EQ(optimizer->tell(99, 0.5), Status::unknown_ticket);
  EXPECT_EQ(optimizer->tell(0, 0.5), Status::unknown_ticket);
  const std::array two{0.5, 0.5};
  EXPECT_EQ(optimizer->tell(pull.ticket, std::span<const double>(two)), Status::too_many_rewards);
  EXPECT_EQ(optimizer->tell(pull.ticket, Rewards{}), Status::impossible_sums);
  EXPECT_EQ(optimizer->summary().t, 1U);
  EXPECT_EQ(optimizer->tell(pull.ticket, 0.5), Status::ok);
  EXPECT_EQ(optimizer->tell(pull.ticket, 0.5), Status::closed_ticket);
  EXPECT_EQ(optimizer->drop(pull.ticket), Status::closed_ticket);
  EXPECT_EQ(optimizer->summary().t, 2U);
}

TEST_P(EveryOptimizer, SumsTeachTheSameAsRewards) {
  const auto single = make();
  const auto summed = make();
  RandomStream random({.seed = 4});
  for (int i = 0; i < 500; ++i) {
    const Pull one = single->ask(1);
    const Pull other = summed->ask(1);
    ASSERT_TRUE(std::equal(one.arm.begin(), one.arm.end(), other.arm.begin())) << "pull " << i;
    const double reward = reward_of(one.arm, random.uniform());
    ASSERT_EQ(single->tell(one.ticket, reward), Status::ok);
    ASSERT_EQ(summed->tell(other.ticket, Rewards::from_sums(1, reward, reward * reward)),
              Status::ok);
  }
}

TEST_P(EveryOptimizer, ArmsLieInTheSpaceAndOneIsRecommended) {
  const auto optimizer = make();
  RandomStream random({.seed = 5});
  for (int i = 0; i < 2'000; ++i) {
    const Pull pull = optimizer->ask(1);
    ASSERT_TRUE(testing::mixed_space().contains(pull.arm)) << "pull " << i;
    EXPECT_EQ(optimizer->tell(pull.ticket, reward_of(pull.arm, random.uniform())), Status::ok);
  }
  optimizer->finish();
  const auto best = optimizer->best();
  ASSERT_TRUE(best.has_value());
  EXPECT_LE(best->lower, best->mean);
  EXPECT_LE(best->mean, best->upper);
  EXPECT_GT(reward_of(best->arm, 0.5), 0.6) << "no better than anywhere";
}

TEST_P(EveryOptimizer, MinimizingIsMaximizingTheOppositeInOtherUnits) {
  const auto maximizes = make(testing::unit_range());
  const auto minimizes = make({.direction = Direction::minimize, .reward_range = {{-8.0, 0.0}}});
  RandomStream random({.seed = 6});
  for (int i = 0; i < 500; ++i) {
    const Pull up = maximizes->ask(1);
    const Pull down = minimizes->ask(1);
    ASSERT_TRUE(std::equal(up.arm.begin(), up.arm.end(), down.arm.begin())) << "pull " << i;
    const double reward = std::round(64.0 * reward_of(up.arm, random.uniform())) / 64.0;  // exact
    EXPECT_EQ(maximizes->tell(up.ticket, reward), Status::ok);
    EXPECT_EQ(minimizes->tell(down.ticket, -8.0 * reward), Status::ok);
  }
  EXPECT_NEAR(minimizes->best()->mean, -8.0 * maximizes->best()->mean, 1e-9);
  EXPECT_LE(minimizes->best()->lower, minimizes->best()->upper);
}

TEST_P(EveryOptimizer, AnyInterleavingKeepsCountAndArms) {
  EXPECT_TRUE(rc::check("interleaving of " + GetParam().label, [] {
    const auto optimizer = make();
    struct Held {
      Pull pull;
      std::vector<double> arm;
    };
    std::vector<Held> held;
    std::uint64_t answers = 0;
    const auto length = *rc::gen::inRange(1, 150);
    for (int i = 0; i < length; ++i) {
      const int action = held.empty() ? 0 : *rc::gen::inRange(0, 4);
      if (action <= 1) {
        const Pull pull = optimizer->ask(*rc::gen::inRange<std::uint64_t>(1, 5));
        held.push_back({pull, {pull.arm.begin(), pull.arm.end()}});
        continue;
      }
      const auto which = *rc::gen::inRange<std::size_t>(0, held.size());
      const Held chosen = held[which];
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      RC_ASSERT(std::equal(chosen.arm.begin(), chosen.arm.end(), chosen.pull.arm.begin()));
      if (action == 2) {
        RC_ASSERT(optimizer->drop(chosen.pull.ticket) == Status::ok);
        continue;
      }
      const std::vector<double> rewards(chosen.pull.length, 0.5);
      RC_ASSERT(optimizer->tell(chosen.pull.ticket, std::span<const double>(rewards)) ==
                Status::ok);
      answers += chosen.pull.length;
    }
    RC_ASSERT(optimizer->summary().t == answers + 1);
    RC_ASSERT(optimizer->summary().in_flight == held.size());
  }));
}

TEST_P(EveryOptimizer, ShowsATreeIfItsEntrySaysSo) {
  const auto optimizer = make();
  ASSERT_EQ(optimizer->tree() != nullptr, optimizers().at(GetParam().selection.name).has_tree);
  if (optimizer->tree() == nullptr) {
    EXPECT_EQ(optimizer->summary().nodes, 0U);
    return;
  }
  for (int i = 0; i < 50; ++i) {
    const Pull pull = optimizer->ask(1);
    const TreeView& tree = *optimizer->tree();
    const auto place = tree.place(pull.ticket);
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(tree.path(place->node).size(), place->depth);
    EXPECT_FALSE(tree.place(pull.ticket + 1).has_value());
    EXPECT_FALSE(tree.place(0).has_value());
    ASSERT_EQ(optimizer->tell(pull.ticket, 0.5), Status::ok);
    EXPECT_EQ(optimizer->tree()->place(pull.ticket).has_value(), pull.length > 1);
  }
  const std::vector<NodeView> nodes = optimizer->tree()->nodes();
  EXPECT_EQ(nodes.size(), optimizer->summary().nodes);
  std::set<std::string> paths;
  for (const NodeView& node : nodes) paths.insert(node.path);
  EXPECT_EQ(paths.size(), nodes.size());
  EXPECT_EQ(optimizer->tree()->path(1'000'000), "") << "there is no such node";
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryOptimizer, ::testing::ValuesIn(testing::every_optimizer()),
                         testing::name_of_test);

TEST(OptimizerCatalogue, HasTheAdaptiveTreeTheFamilyTheGridsAndAFloor) {
  Names names = optimizers().names();
  names.resize(3);  // the order in which they are shown
  EXPECT_EQ(names, (Names{"adaptive", "hct", "vhct"}));
}

TEST(OptimizerCatalogue, EveryEntryIsComplete) {
  for (const OptimizerEntry& entry : optimizers()) {
    EXPECT_FALSE(entry.line.empty()) << entry.name;
    EXPECT_FALSE(entry.fields.empty()) << entry.name;
    for (const OptionField& field : entry.fields) {
      EXPECT_FALSE(field.help.empty()) << entry.name << '.' << field.name;
    }
    EXPECT_TRUE(violations(entry.fields, completed(entry.fields, {}), "").empty()) << entry.name;
    EXPECT_GE(entry.revision, 1U) << entry.name;
    EXPECT_NE(entry.make({}, testing::mixed_space(), SplitRule::longest_side, {}), nullptr);
  }
}

/// The options of a resolved selection on one line.
std::string resolved_text(const Selection& optimizer, std::size_t dimension) {
  return optimizers().text_of(resolved(optimizer, dimension));
}

TEST(OptimizerCatalogue, FillsInTheDefaultsThatDependOnTheDimension) {
  EXPECT_EQ(resolved_text({"thoo"}, 2),
            "horizon doubling, nu1 1, rho 0.7071067811865476, confidence_scale 0.2");
  EXPECT_EQ(resolved_text({"grid"}, 1),
            "points 32, confidence_scale 0.1, recent all, discount 1, context_parts 8");
  EXPECT_EQ(resolved_text({"grid"}, 2),
            "points 32, confidence_scale 0.1, recent all, discount 1, context_parts 8");
  EXPECT_EQ(resolved_text({"grid"}, 3),
            "points 10, confidence_scale 0.1, recent all, discount 1, context_parts 8");
  EXPECT_EQ(resolved_text({"grid"}, 5),
            "points 4, confidence_scale 0.1, recent all, discount 1, context_parts 8");
  EXPECT_EQ(resolved_text({"grid"}, 10),
            "points 2, confidence_scale 0.1, recent all, discount 1, context_parts 8");
  EXPECT_EQ(resolved_text({"grid", {{"points", std::uint64_t{7}}}}, 3),
            "points 7, confidence_scale 0.1, recent all, discount 1, context_parts 8");
  const Selection paper = resolved({"hct", {{"preset", "paper"}}}, 1);
  EXPECT_EQ(*paper.options.find("rho"), OptionValue(0.5));
  EXPECT_EQ(*paper.options.find("feedback"), OptionValue("iid")) << "every option has a value";
  const Selection by_hand = resolved({"hct", {{"nu1", 3.0}}}, 1);
  EXPECT_EQ(*by_hand.options.find("nu1"), OptionValue(3.0));
  EXPECT_EQ(*by_hand.options.find("confidence_scale"), OptionValue(0.025));
}

TEST(OptimizerCatalogue, WhatIsResolvedDecidesTheSame) {
  for (const testing::OptimizerCase& which : testing::every_optimizer()) {
    const auto as_given = make_optimizer(which.selection, testing::mixed_space());
    const auto in_full = make_optimizer(resolved(which.selection, 3), testing::mixed_space());
    RandomStream random({.seed = 9});
    for (int i = 0; i < 200; ++i) {
      const Pull one = as_given->ask(1);
      const Pull other = in_full->ask(1);
      ASSERT_TRUE(std::equal(one.arm.begin(), one.arm.end(), other.arm.begin())) << which.label;
      const double reward = reward_of(one.arm, random.uniform());
      ASSERT_EQ(as_given->tell(one.ticket, reward), Status::ok);
      ASSERT_EQ(in_full->tell(other.ticket, reward), Status::ok);
    }
    EXPECT_EQ(as_given->save(), in_full->save()) << which.label;
  }
}

TEST(OptimizerCatalogue, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](const Selection& optimizer) {
    try {
      (void)resolved(optimizer, 1);
    } catch (const ConfigurationError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({"hvt"}), "optimizer = hvt: unknown optimizer, did you mean \"hct\"?");
  EXPECT_EQ(refusal({"hct", {{"rho", 2.0}, {"nu", 1.0}}}),
            "optimizer.rho = 2: must be in (0, 1); "
            "optimizer.nu = 1: unknown option, did you mean \"nu1\"?");
  EXPECT_THROW((void)make_optimizer({"hvt"}, testing::mixed_space()), ConfigurationError);
  EXPECT_THROW((void)make_optimizer({"hct", {{"rho", 2.0}}}, testing::mixed_space()),
               ConfigurationError);
}

TEST(OptimizerCatalogue, LimitsOfHctAreKept) {
  const OptimizerEntry& entry = optimizers().at("hct");
  const Selection hct = resolved({"hct"}, 3);
  const auto optimizer = make_optimizer(hct, testing::mixed_space());
  RandomStream random({.seed = 10});
  for (int i = 0; i < 3000; ++i) {
    const Pull pull = optimizer->ask(1);
    if (i < entry.least_pulls(hct.options)) {
      EXPECT_EQ(optimizer->summary().nodes, 3U) << "after " << i << " pulls";
    }
    ASSERT_EQ(optimizer->tell(pull.ticket, reward_of(pull.arm, random.uniform())), Status::ok);
  }
  const TreeLimits limits = entry.limits(hct.options, 3000.0);
  EXPECT_LE(static_cast<double>(optimizer->summary().nodes), limits.nodes);
  EXPECT_LE(optimizer->summary().depth, limits.depth);
  EXPECT_GT(optimizer->summary().nodes, 3U);
}

// --- an algorithm of the user's own ----------------------------------------------------------

TEST(OptimizerCatalogue, FindsAnAlgorithmThatIsAddedAtRunTime) {
  const OptimizerEntry& hct = optimizers().at("hct");
  optimizers().add(optimizer_entry<RoundRobin, RoundRobinOptions>("round-robin", "goes round", 3));
  EXPECT_EQ(&optimizers().at("hct"), &hct) << "references stay valid";
  const OptimizerEntry& entry = optimizers().at("round-robin");
  EXPECT_EQ(entry.revision, 3U);
  EXPECT_FALSE(entry.has_tree);
  EXPECT_EQ(resolved_text({"round-robin"}, 3), "points 4");
  EXPECT_THROW((void)resolved({"round-robin", {{"points", std::uint64_t{0}}}}, 3),
               ConfigurationError);
  const auto optimizer =
      make_optimizer({"round-robin", {{"points", std::uint64_t{5}}}}, {{"x", Real{0.0, 1.0}}});
  std::set<double> arms;
  for (int i = 0; i < 20; ++i) {
    const Pull pull = optimizer->ask();
    arms.insert(pull.arm[0]);
    ASSERT_EQ(optimizer->tell(pull.ticket, pull.arm[0] < 0.6 ? pull.arm[0] : 0.0), Status::ok);
  }
  EXPECT_EQ(arms.size(), 5U);
  EXPECT_DOUBLE_EQ(optimizer->best()->arm[0], 0.5);
  EXPECT_EQ(optimizer->tree(), nullptr);
  EXPECT_THROW(optimizers().add(optimizer_entry<RoundRobin, RoundRobinOptions>("hct", "again")),
               ConfigurationError);
}

}  // namespace
}  // namespace canopy
