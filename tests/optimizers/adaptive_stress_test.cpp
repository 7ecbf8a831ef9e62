// The adaptive tree in long runs, on hard functions and in unfavourable situations.

#include "canopy/adaptive.hpp"
#include "canopy/garland.hpp"
#include "canopy/random.hpp"

#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::line;

struct HardCase {
  std::string name;
  double (*f)(Arm arm);
  double noise;
  std::size_t dimension = 1;

  [[nodiscard]] Space space() const {
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < dimension; ++i) {
      parameters.push_back({"x" + std::to_string(i), Real{0.0, 1.0}});
    }
    return Space(parameters);
  }
};

double garland_of(Arm arm) {
  return garland(arm[0]);
}

double needle_of(Arm arm) {
  return std::max(0.0, 1.0 - 200.0 * std::abs(arm[0] - 0.613));
}

std::vector<HardCase> hard_cases() {
  std::vector<HardCase> cases;
  for (const double noise : {0.0, 0.01, 0.3, 3.0}) {
    cases.push_back({"garland", garland_of, noise});
    cases.push_back({"needle", needle_of, noise});
    cases.push_back({"step", [](Arm arm) { return arm[0] > 0.5 ? 1.0 : 0.0; }, noise});
    cases.push_back({"flat", [](Arm) { return -1.0; }, noise});
    cases.push_back({"waves",
                     [](Arm arm) { return std::sin(13.0 * arm[0]) * std::sin(27.0 * arm[1]); },
                     noise, 2});
    cases.push_back({"cone",
                     [](Arm arm) {
                       double value = 0.0;
                       for (const double x : arm) value -= std::abs(x - 0.37);
                       return value;
                     },
                     noise, 5});
  }
  return cases;
}

/// The last cut may begin with one node less than allowed, and adds two.
double most_nodes(std::uint64_t pulls) {
  return 66.0 + 12.0 * std::sqrt(static_cast<double>(pulls));
}

TEST(AdaptiveStress, NodesGrowWithTheRootOfThePulls) {
  for (const HardCase& hard : hard_cases()) {
    Adaptive adaptive(hard.space());
    RandomStream random({.seed = 5});
    for (std::uint64_t pulls = 1; pulls <= 30'000; ++pulls) {
      const Pull pull = adaptive.ask(1);
      const double reward = hard.f(pull.arm) + hard.noise * random.normal();
      ASSERT_EQ(adaptive.tell(pull.ticket, reward), Status::ok);
      ASSERT_LT(adaptive.model().tree().size(), most_nodes(pulls))
          << hard.name << ", noise " << hard.noise << ", pull " << pulls;
    }
  }
}

TEST(AdaptiveStress, TenMillionPullsLoseLittleAndTakeLittleRoom) {
  constexpr std::uint64_t kPulls = 10'000'000;
  Adaptive adaptive(line());
  RandomStream random({.seed = 1});
  double regret = 0.0;
  for (std::uint64_t done = 0; done < kPulls;) {
    const Pull pull = adaptive.ask(kPulls - done);
    const double value = garland(pull.arm[0]);
    for (std::uint64_t i = 0; i < pull.length; ++i) {
      ASSERT_EQ(adaptive.tell(pull.ticket, value + 0.1 * random.normal()), Status::ok);
    }
    regret += static_cast<double>(pull.length) * (kGarlandMaximum - value);
    done += pull.length;
  }
  EXPECT_LT(regret / kPulls, 0.02);
  EXPECT_LT(adaptive.summary().nodes, most_nodes(kPulls));
  EXPECT_LT(adaptive.save().size(), 1'000.0 * most_nodes(kPulls));
}

/// The significant losses of explorer and search, computed from the nodes only.
struct ExplorerAccounts {
  double explorer = 0.0;
  double search = 0.0;

  explicit ExplorerAccounts(const AdaptiveModel::Tree& tree) {
    double sure = -kInfinity;
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (!tree[i].is_leaf() || tree[i].pulls == 0.0) continue;
      sure = std::max(sure, tree[i].level - std::sqrt(tree[i].variance));
    }
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      const double lost = std::max(0.0, sure - tree[i].level - std::sqrt(tree[i].variance));
      if (tree[i].pulls == 0.0) continue;
      explorer += tree[i].explorer_pulls * lost;
      search += (tree[i].pulls - tree[i].explorer_pulls) * lost;
    }
  }
};

TEST(AdaptiveStress, TheExplorerPlaysOnlyWithinItsBudget) {
  for (const HardCase& hard : hard_cases()) {
    constexpr double kCoverage = 0.2;
    Adaptive adaptive(hard.space(), {.coverage = kCoverage});
    const AdaptiveModel& model = adaptive.model();
    RandomStream random({.seed = 9});
    ExplorerAccounts accounts(model.tree());
    double seen = 0.0;
    int by_explorer = 0;
    for (int pulls = 0; pulls < 5'000; ++pulls) {
      const Pull pull = adaptive.ask(1);
      const NodeIndex node = adaptive.tree()->place(pull.ticket)->node;
      if (model.tree()[node].explorer_out != 0.0) {
        ++by_explorer;
        const double growth = std::max(0.0, std::sqrt(pulls) - 8.0);
        const double rate = 0.5 * model.noise_deviation() + kCoverage * model.leaf_range();
        const double budget = 0.1 * accounts.search + rate * growth;
        ASSERT_LE(accounts.explorer, budget * (1.0 + 1e-9))
            << hard.name << ", noise " << hard.noise << ", pull " << pulls;
        ASSERT_LT(model.tree().size(), 64.0 + 8.0 * std::sqrt(pulls) + 2.0);
      }
      const double reward = hard.f(pull.arm) + hard.noise * random.normal();
      ASSERT_EQ(adaptive.tell(pull.ticket, reward), Status::ok);
      const double now_seen = model.tree()[AdaptiveModel::Tree::kRoot].data;
      if (now_seen != seen) accounts = ExplorerAccounts(model.tree());  // there was a pass
      seen = now_seen;
    }
    EXPECT_GT(by_explorer, 10) << hard.name << ", noise " << hard.noise;
  }
}

/// Plays turns, one reward at a time, with several optimizers at once.
class TurnsOnGarland {
 public:
  explicit TurnsOnGarland(std::uint64_t seed) : random_({.seed = seed}) {}

  /// One ask or reward; returns false if the optimizers behave differently.
  bool step(const std::vector<Optimizer*>& all) {
    if (left_ == 0) {
      const std::uint64_t most = random_.coin() ? 1 + random_() % 4 : UINT64_MAX;
      std::vector<Pull> pulls;
      for (Optimizer* optimizer : all) pulls.push_back(optimizer->ask(most));
      ticket_ = pulls[0].ticket;
      left_ = pulls[0].length;
      value_ = garland(pulls[0].arm[0]);
      return std::all_of(pulls.begin(), pulls.end(), [&](const Pull& pull) {
        return pull.arm[0] == pulls[0].arm[0] && pull.length == pulls[0].length;
      });
    }
    --left_;
    const double reward = value_ + 0.1 * random_.normal();
    return std::all_of(all.begin(), all.end(), [&](Optimizer* optimizer) {
      return is_taken(optimizer->tell(ticket_, reward));
    });
  }

 private:
  RandomStream random_;
  Ticket ticket_ = 0;
  std::uint64_t left_ = 0;
  double value_ = 0.0;
};

RC_GTEST_PROP(AdaptiveStress, ContinuesFromTheMiddleOfATurnBitForBit, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto before = *rc::gen::inRange(0, 4'000);
  const AdaptiveOptions options{.settle = *rc::gen::element<std::uint64_t>(0, 0, 14)};
  RC_LOG() << "seed " << seed << " before " << before << " settle " << options.settle << '\n';
  Adaptive one(line(), options);
  TurnsOnGarland turns(seed);
  for (int i = 0; i < before; ++i) RC_ASSERT(turns.step({&one}));
  Adaptive restored(line(), options);
  restored.restore(one.save());
  for (int i = 0; i < 1'000; ++i) RC_ASSERT(turns.step({&one, &restored}));
  RC_ASSERT(restored.save() == one.save());
}

/// The sum of the pulls of all nodes.
std::uint64_t pulls_of_tree(Adaptive& adaptive) {
  std::uint64_t pulls = 0;
  for (const NodeView& node : adaptive.tree()->nodes()) pulls += node.pulls;
  return pulls;
}

TEST(AdaptiveStress, TheTreeShowsTheRewardsOfAnUnfinishedTurn) {
  Adaptive watched(line());
  Adaptive alone(line());
  TurnsOnGarland turns(3);
  for (int i = 0; i < 5'000; ++i) {
    ASSERT_TRUE(turns.step({&watched, &alone}));
    if (i % 7 != 0) continue;
    ASSERT_EQ(pulls_of_tree(watched) + 1, watched.summary().t);
  }
  EXPECT_EQ(watched.save(), alone.save());
}

TEST(AdaptiveStress, TheOrderOfRewardsWithinAnAnswerDoesNotMatter) {
  Adaptive forwards(line());
  Adaptive backwards(line());
  RandomStream random({.seed = 4});
  for (int i = 0; i < 1'000; ++i) {
    const Pull one = forwards.ask();
    const Pull other = backwards.ask();
    ASSERT_EQ(one.arm[0], other.arm[0]) << i;
    ASSERT_EQ(one.length, other.length) << i;
    std::vector<double> rewards(one.length);
    for (double& reward : rewards) reward = garland(one.arm[0]) + 0.3 * random.normal();
    ASSERT_EQ(forwards.tell(one.ticket, Rewards::of(rewards)), Status::ok);
    std::reverse(rewards.begin(), rewards.end());
    ASSERT_EQ(backwards.tell(other.ticket, Rewards::of(rewards)), Status::ok);
  }
}

TEST(AdaptiveStress, AnswersOutOfOrderCostLittle) {
  const auto regret = [](bool in_order) {
    double lost = 0.0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Adaptive adaptive(line());
      RandomStream random({.seed = seed});
      std::vector<OwnedPull> out;
      for (int i = 0; i < 2'000; ++i) {
        while (out.size() < 16) out.emplace_back(adaptive.ask(1));
        const auto which = out.begin() + (in_order ? 0 : static_cast<int>(random() % out.size()));
        const double value = garland(which->arm[0]);
        lost += kGarlandMaximum - value;
        const Rewards reward = Rewards::one(value + 0.1 * random.normal());
        EXPECT_EQ(adaptive.tell(which->ticket, reward), Status::ok);
        out.erase(which);
      }
    }
    return lost;
  };
  EXPECT_LT(regret(false), 1.3 * regret(true));
}

TEST(AdaptiveStress, ZerosAndOnesAndNoNoiseAreLearntFrom) {
  Adaptive coins(line());
  Adaptive exact(line());
  RandomStream random({.seed = 2});
  const auto bell = [](Arm arm) { return std::exp(-20.0 * (arm[0] - 0.7) * (arm[0] - 0.7)); };
  for (int i = 0; i < 3'000; ++i) {
    const Pull coin = coins.ask(1);
    const double reward = random.uniform() < 0.6 * bell(coin.arm) ? 1.0 : 0.0;
    ASSERT_EQ(coins.tell(coin.ticket, reward), Status::ok);
    const Pull pull = exact.ask(1);
    ASSERT_EQ(exact.tell(pull.ticket, bell(pull.arm)), Status::ok);
  }
  EXPECT_GT(bell(coins.best()->arm), 0.9);
  EXPECT_GT(bell(exact.best()->arm), 0.9999);
}

}  // namespace
}  // namespace canopy
