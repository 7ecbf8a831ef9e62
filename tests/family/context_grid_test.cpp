#include "canopy/family/context_grid.hpp"

#include "canopy/random.hpp"

#include "support/complaint.hpp"
#include "support/objectives.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

const Space kContextGridLine{{"x", Real{0.0, 1.0}}};

std::size_t cells_of(std::vector<ContextVariable> variables, std::uint64_t parts) {
  return ContextGrid(kContextGridLine, ContextSpace(std::move(variables)),
                     {.points = 2, .context_parts = parts})
      .cells();
}

TEST(ContextGrid, HasCellsAlongNumbersAndForEveryValueOfAChoice) {
  EXPECT_EQ(cells_of({{"z", Real{0.0, 1.0}}}, 4), 4U);
  EXPECT_EQ(cells_of({{"n", Integer{1, 3}}}, 4), 3U) << "at most as many as there are values";
  EXPECT_EQ(cells_of({{"c", Choice{{"a", "b", "c"}}}}, 2), 3U) << "values are not alike";
  EXPECT_EQ(cells_of({{"z", Real{1.0, 100.0, Scale::log}}, {"c", Choice{{"a", "b"}}}}, 4), 8U);
}

/// Compares with one independent Grid per cell.
RC_GTEST_PROP(ContextGrid, EqualsAGridOfItsOwnInEveryCell, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto parts = *rc::gen::inRange<std::uint64_t>(1, 6);
  const GridOptions options{.points = *rc::gen::inRange<std::uint64_t>(1, 9),
                            .confidence_scale = *rc::gen::element(0.02, 0.1, 1.0),
                            .context_parts = parts};
  RC_LOG() << "seed " << seed << " parts " << parts << " points " << *options.points;
  const ContextSpace contexts(
      {{"rate", Real{1.0, 16.0, Scale::log}}, {"kind", Choice{{"a", "b", "c"}}}});
  ContextGrid whole(kContextGridLine, contexts, options, testing::unit_range());
  std::map<std::pair<int, int>, Grid> grids;
  RandomStream random({.seed = seed});
  for (int i = 0; i < 600; ++i) {
    const double place = random.uniform();
    const std::vector<double> context{std::pow(16.0, place), std::floor(3.0 * random.uniform())};
    const int part = static_cast<int>(place * static_cast<double>(parts));
    Grid& own = grids
                    .try_emplace({part, static_cast<int>(context[1])}, kContextGridLine, options,
                                 testing::unit_range())
                    .first->second;
    const Pull pull = whole.ask_in(context);
    const Pull expected = own.ask();
    RC_ASSERT(pull.arm[0] == expected.arm[0]);
    const double reward = std::clamp(
        0.8 - std::abs(pull.arm[0] - 0.25 * context[1]) + 0.2 * random.normal(), 0.0, 1.0);
    RC_ASSERT(whole.tell(pull.ticket, reward) == Status::ok);
    RC_ASSERT(own.tell(expected.ticket, reward) == Status::ok);
  }
}

TEST(ContextGrid, WhatItCannotDoIsNamed) {
  const ContextSpace contexts({{"z", Real{0.0, 1.0}}, {"y", Real{0.0, 1.0}}});
  const auto complaint = [&](const GridOptions& options) {
    return testing::complaint_of<ContextGrid>(kContextGridLine, contexts, options);
  };
  EXPECT_EQ(complaint({}), "");
  EXPECT_EQ(complaint({.recent = 100}), "optimizer.recent = 100: cannot be combined with contexts");
  EXPECT_EQ(complaint({.discount = 0.99}),
            "optimizer.discount = 0.99: cannot be combined with contexts");
  EXPECT_EQ(complaint({.context_parts = 0}),
            "optimizer.context_parts = 0: must be a whole number from 1 to 1000000");
  EXPECT_EQ(complaint({.points = 100, .context_parts = 101}),
            "optimizer.context_parts = 101: gives more than 1000000 context cells times arms; "
            "reduce it, or "
            "points, the number of arms along each parameter");
}

}  // namespace
}  // namespace canopy
