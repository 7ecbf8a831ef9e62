#include "canopy/family/detail/opening_tree.hpp"

#include "canopy/family/doo.hpp"
#include "canopy/family/sequool.hpp"
#include "canopy/family/soo.hpp"
#include "canopy/family/stosoo.hpp"
#include "canopy/family/stroquool.hpp"

#include "support/arms_played.hpp"
#include "support/rounded_halves.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// Plays over cells that never refuse to be cut. Returns the number of nodes.
template <class Opening, class Options>
std::uint64_t nodes_over_rounded_halves(const Options& options) {
  Opening optimizer(std::make_shared<testing::RoundedHalves>(), options,
                    {.reward_range = {{0.0, 1.0}}});
  (void)testing::arms_played(optimizer, 2000, [](double x) { return 1.0 - std::abs(x - 0.3); });
  EXPECT_EQ(optimizer.best()->arm[0], 5.0 / 16);
  Opening restored(std::make_shared<testing::RoundedHalves>(), options,
                   {.reward_range = {{0.0, 1.0}}});
  restored.restore(optimizer.save());
  EXPECT_EQ(restored.ask().arm[0], optimizer.ask().arm[0]);
  return optimizer.summary().nodes;
}

TEST(OpeningTree, ACellWhosePartsAllHaveItsArmCannotBeCut) {
  // There are 17 arms. Cells that hold two of them, with the border between their arms inside, can
  // be cut down to the precision of doubles, fifty times; all others soon hold one arm.
  constexpr std::uint64_t kMost = 1920;  // 2 * 16 * 60
  EXPECT_LE((nodes_over_rounded_halves<Doo>(DooOptions{.rho = 0.5})), kMost);
  EXPECT_LE((nodes_over_rounded_halves<Soo>(SooOptions{})), kMost);
  EXPECT_LE((nodes_over_rounded_halves<Stosoo>(StosooOptions{.horizon = 1500})), kMost);
  EXPECT_LE((nodes_over_rounded_halves<Sequool>(SequoolOptions{.horizon = 1500})), kMost);
  EXPECT_LE(
      (nodes_over_rounded_halves<Stroquool>(StroquoolOptions{.horizon = 1500, .depth_limit = 30})),
      kMost);
}

/// The unit interval, cut at a third.
class Thirds final : public Partition {
 public:
  [[nodiscard]] std::size_t dimension() const override { return 1; }
  [[nodiscard]] std::size_t cell_size() const override { return 2; }
  void root(std::span<double> cell) const override {
    cell[0] = 0.0;
    cell[1] = 1.0;
  }
  [[nodiscard]] bool split(std::span<const double> cell, std::uint32_t /*depth*/,
                           std::span<double> parts) const override {
    parts[0] = cell[0];
    parts[1] = parts[2] = cell[0] + (cell[1] - cell[0]) / 3.0;
    parts[3] = cell[1];
    return true;
  }
  void arm(std::span<const double> cell, std::span<double> arm) const override {
    arm[0] = 0.5 * (cell[0] + cell[1]);
  }
};

TEST(OpeningTree, ACellThatIsAPartOfItselfCannotBeCut) {
  // The ends of a cell may be adjacent doubles: its parts are then one end, and the cell itself.
  Doo doo(std::make_shared<Thirds>(), {}, {.reward_range = {{0.0, 1.0}}});
  (void)testing::arms_played(doo, 2000, [](double x) { return 1.0 - std::abs(x - 0.3); });
  EXPECT_LE(doo.summary().depth, 150U) << "(2/3)^h is 2^-53 for h = 91";
}

}  // namespace
}  // namespace canopy
