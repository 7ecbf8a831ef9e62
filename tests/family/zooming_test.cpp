#include "canopy/family/zooming.hpp"

#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/objectives.hpp"
#include "support/random_hct.hpp"
#include "support/rounded_halves.hpp"
#include "support/textbook_scale.hpp"
#include "support/textbook_zooming.hpp"
#include "support/tree.hpp"
#include "support/values.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::line;
using testing::nodes_of;
using testing::TextbookScale;
using testing::TextbookZooming;

/// Tells the reward of an arm and returns its first number.
double play(Zooming& zooming, double reward) {
  const Pull pull = zooming.ask();
  const double x = pull.arm[0];
  EXPECT_EQ(zooming.tell(pull.ticket, reward), Status::ok);
  return x;
}

TEST(Zooming, RadiusMatchesHandComputedValues) {
  EXPECT_DOUBLE_EQ(zooming_radius(1.0, 1.0, 0.0), std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(zooming_radius(1.0, 2.0, 3.0), 2.0) << "sqrt(16 / 4)";
  EXPECT_DOUBLE_EQ(zooming_radius(0.1, 2.0, 3.0), 0.2);
}

TEST(Zooming, ActivatesACentreOnceItsCellIsLeftUncovered) {
  // nu1 1, rho 1/2, scale 0.25. The first phase has two pulls, with radius sqrt(8 / (1 + T)) / 4 =
  // 0.707, 0.5, 0.41: the first arm covers half of the line from the start, the left one.
  Zooming zooming(line(), {.nu1 = 1.0, .rho = 0.5, .confidence_scale = 0.25},
                  testing::unit_range());
  EXPECT_EQ(play(zooming, 1.0), 0.5);
  EXPECT_EQ(play(zooming, 0.0), 0.75) << "the centre of the right half, which covers it";
  // Phase 2, four pulls, with radius sqrt(16 / (1 + T)) / 4 = 1, 0.707, 0.577, 0.5, 0.447. It
  // starts over.
  EXPECT_EQ(play(zooming, 1.0), 0.5) << "covers everything with radius 1";
  EXPECT_EQ(play(zooming, 0.0), 0.75) << "0.707: no longer, and a new arm comes first";
  EXPECT_EQ(play(zooming, 1.0), 0.5) << "1 + 2 0.707 against 0 + 2 0.707";
  EXPECT_EQ(play(zooming, 1.0), 0.5) << "1 + 2 0.577";
  EXPECT_EQ(zooming.summary().refreshes, 2U);
  const std::vector<NodeView> nodes = nodes_of(zooming);
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].pulls, 3U);
  EXPECT_DOUBLE_EQ(nodes[0].upper, 1.0 + 2.0 * 0.5);
  EXPECT_EQ(nodes[2].pulls, 1U);
  EXPECT_DOUBLE_EQ(nodes[2].upper, 2.0 * std::sqrt(0.5));
  EXPECT_EQ(nodes[1].upper, kInfinity) << "not active";
}

TEST(Zooming, PhasesHaveTwoPullsFourPullsEightPulls) {
  Zooming zooming(line());
  std::vector<std::uint64_t> phases;
  for (int i = 0; i < 15; ++i) {
    play(zooming, 0.5);
    phases.push_back(zooming.summary().refreshes);
  }
  EXPECT_EQ(phases, (std::vector<std::uint64_t>{1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4}));
}

TEST(Zooming, EveryValueOfAChoiceIsPlayed) {
  // A cell with several values is as wide as the whole list.
  Zooming zooming({{"c", Choice{{"a", "b", "c", "d", "e"}}}}, {.confidence_scale = 0.1},
                  testing::unit_range());
  std::set<double> values;
  for (int i = 0; i < 62; ++i) values.insert(play(zooming, 0.5));
  EXPECT_EQ(values.size(), 5U);
  EXPECT_LE(zooming.summary().nodes, 9U);
}

TEST(Zooming, ALateAnswerOfAnEarlierPhaseIsForgottenUnlessItsArmIsActive) {
  Zooming zooming(line(), {.rho = 0.5, .confidence_scale = 0.25}, testing::unit_range());
  play(zooming, 1.0);
  const Pull early = zooming.ask();  // in the first phase
  ASSERT_EQ(early.arm[0], 0.75);
  play(zooming, 0.5);
  play(zooming, 0.5);  // the second one begins
  EXPECT_EQ(zooming.summary().refreshes, 2U);
  EXPECT_EQ(nodes_of(zooming)[2].pulls, 0U);
  EXPECT_EQ(zooming.tell(early.ticket, 0.9), Status::ok);
  EXPECT_EQ(nodes_of(zooming)[2].pulls, 0U);
  EXPECT_EQ(zooming.estimate(std::vector{0.75})->pulls, 2U) << "its earlier rewards are kept";
}

TEST(Zooming, ObservedRewardsCountInEveryPhase) {
  Zooming zooming(line(), {.rho = 0.5, .confidence_scale = 0.25}, testing::unit_range());
  EXPECT_EQ(zooming.observe(std::vector{0.5}, Rewards::from_sums(8, 4.0, 2.0)), Status::ok);
  for (const std::uint64_t phase : {1U, 2U, 3U}) {
    while (zooming.summary().refreshes < phase) (void)play(zooming, 0.5);
    EXPECT_GE(nodes_of(zooming)[0].pulls, 8U);
  }
}

/// The cells of another partition, which cannot tell what they hold.
class Taciturn final : public Partition {
 public:
  explicit Taciturn(std::shared_ptr<const Partition> inside) : inside_(std::move(inside)) {}

  [[nodiscard]] std::size_t dimension() const override { return inside_->dimension(); }
  [[nodiscard]] std::size_t cell_size() const override { return inside_->cell_size(); }
  void root(std::span<double> cell) const override { inside_->root(cell); }
  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t depth,
                           std::span<double> parts) const override {
    if (fails_every_ != 0 && ++calls_ % fails_every_ == 0) throw std::runtime_error("not now");
    return inside_->split(cell, depth, parts);
  }
  void arm(std::span<const double> cell, std::span<double> arm) const override {
    inside_->arm(cell, arm);
  }
  [[nodiscard]] Extent extent(std::span<const double> cell) const override {
    return inside_->extent(cell);
  }

  void fail_every(std::uint64_t calls) { fails_every_ = calls; }

 private:
  std::shared_ptr<const Partition> inside_;
  std::uint64_t fails_every_ = 0;
  mutable std::uint64_t calls_ = 0;
};

std::shared_ptr<const Partition> on_a_log_scale() {
  return std::make_shared<BoxPartition>(Space{{"x", Real{1e-3, 1.0, Scale::log}}});
}

RC_GTEST_PROP(Zooming, EqualsTheTextbookOnRandomConfigurations, (testing::RandomHct setting)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double nu1 = *rc::gen::element(0.1, 0.5, 1.0, 4.0);
  const double rho = *rc::gen::element(0.3, 0.5, 0.7071, 0.8, 0.99);
  const double width = *rc::gen::element(0.02, 0.1, 0.3, 1.0);
  const int kind = *rc::gen::inRange(0, 6);
  if (kind == 0) setting.partition = on_a_log_scale();
  if (kind == 1) setting.partition = std::make_shared<Taciturn>(setting.partition);
  if (kind == 2) setting.partition = std::make_shared<testing::RoundedHalves>(UINT64_MAX);
  RC_LOG() << setting << " seed " << seed << " nu1 " << nu1 << " rho " << rho << " width " << width
           << " partition " << kind;
  const ZoomingOptions options{.nu1 = nu1, .rho = rho, .confidence_scale = width};
  Zooming zooming(setting.partition, options, setting.objective);
  TextbookZooming textbook(setting.partition, nu1, rho, width);
  TextbookScale known(setting.objective);
  RandomStream noise({.seed = seed});
  const std::uint64_t pulls = rho > 0.9 ? 100 : 400;  // the textbook walks down from the root
  for (std::uint64_t t = 1; t <= pulls; ++t) {
    if (std::has_single_bit(t) || known.is_due()) known.update(std::has_single_bit(t));
    TextbookZooming::Active& chosen = textbook.select(known.scale());
    const Pull pull = zooming.ask();
    RC_ASSERT(std::vector<double>(pull.arm.begin(), pull.arm.end()) == chosen.arm);
    RC_ASSERT(testing::path_of(zooming, pull.ticket) == chosen.home);
    const double reward = setting.reward(pull.arm, noise.uniform());
    known.see(reward);
    textbook.learn(chosen, known.to_mapped(reward));
    RC_ASSERT(zooming.tell(pull.ticket, reward) == Status::ok);
  }
  Zooming restored(setting.partition, options, setting.objective);
  restored.restore(zooming.save());
  RC_ASSERT(restored.save() == zooming.save());
}

TEST(Zooming, ABallStaysAroundItsArmWhereCellsAreCutManyTimes) {
  // Logarithms are rounded: the arm of a cell may be in neither half. With rho 0.99 a ball moves
  // through many cells.
  for (const std::shared_ptr<const Partition>& partition :
       {on_a_log_scale(), std::shared_ptr<const Partition>(std::make_shared<Taciturn>(
                              std::make_shared<BoxPartition>(line())))}) {
    Zooming zooming(partition, {.rho = 0.99}, testing::unit_range());
    for (int i = 0; i < 2000; ++i) {
      const Pull pull = zooming.ask();
      ASSERT_EQ(zooming.tell(pull.ticket, 1.0 - std::abs(pull.arm[0] - 0.3)), Status::ok);
      if (i % 50 != 0) continue;
      Zooming restored(partition, {.rho = 0.99}, testing::unit_range());
      ASSERT_NO_THROW(restored.restore(zooming.save())) << "an arm is active twice, pull " << i;
    }
  }
}

TEST(Zooming, APartitionThatThrowsCostsNoReward) {
  const auto cells = std::make_shared<BoxPartition>(line());
  const auto failing = std::make_shared<Taciturn>(cells);
  const ZoomingOptions options{.rho = 0.9};
  Zooming zooming(failing, options, testing::unit_range());
  Zooming undisturbed(std::make_shared<Taciturn>(cells), options, testing::unit_range());
  failing->fail_every(5);
  int failures = 0;
  for (int i = 0; i < 500; ++i) {
    std::optional<Pull> pull;
    while (!pull) {
      const std::uint64_t t = zooming.summary().t;
      try {
        pull = zooming.ask();
      } catch (const std::runtime_error&) {
        ++failures;
        ASSERT_EQ(zooming.summary().in_flight, 0U);
        ASSERT_EQ(zooming.summary().t, t);
      }
    }
    const Pull same = undisturbed.ask();
    ASSERT_EQ(pull->arm[0], same.arm[0]) << i;
    const double reward = 1.0 - std::abs(same.arm[0] - 0.8);
    ASSERT_EQ(undisturbed.tell(same.ticket, reward), Status::ok);
    ASSERT_EQ(zooming.tell(pull->ticket, reward), Status::ok) << "it cuts nothing";
  }
  EXPECT_GT(failures, 10);
}

TEST(Zooming, NamesEveryOptionThatIsOutOfRange) {
  EXPECT_EQ(testing::complaint_of<Zooming>(
                line(), ZoomingOptions{.nu1 = 0.0, .rho = 1.0, .confidence_scale = -1.0}),
            "optimizer.nu1 = 0: must be a number from 1e-50 to 1e50; "
            "optimizer.rho = 1: must be in (0, 1); "
            "optimizer.confidence_scale = -1: must be a number from 1e-50 to 1e50");
}

}  // namespace
}  // namespace canopy
