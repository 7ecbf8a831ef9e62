#include "canopy/family/detail/ranking.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

TEST(Ranking, TheLargestIsFirstAndOfEqualOnesTheOldest) {
  Ranking ranking;
  for (const double value : {0.5, 0.75, 0.5, 0.25}) ranking.add(value);
  EXPECT_EQ(ranking.rank(0), 2U);
  EXPECT_EQ(ranking.rank(1), 1U);
  EXPECT_EQ(ranking.rank(2), 3U);
  EXPECT_EQ(ranking.at(4), 3U);
  ranking.count();
  ranking.set(3, 1.0);
  EXPECT_EQ(ranking.at(1), 3U);
  EXPECT_EQ(ranking.rank(2), 4U);
  ranking.count();
  EXPECT_EQ(ranking.totals(), (std::vector<std::uint64_t>{2 + 3, 1 + 2, 3 + 4, 4 + 1}));
  EXPECT_EQ(ranking.total(3), 5U);
}

RC_GTEST_PROP(Ranking, EqualsAListThatIsSortedEveryTime, ()) {
  Ranking ranking;
  std::vector<double> values;
  std::vector<std::uint64_t> totals;
  const auto steps = *rc::gen::inRange(1, 200);
  for (int i = 0; i < steps; ++i) {
    const double value = *rc::gen::inRange(0, 8);
    const auto what = *rc::gen::inRange(0, 3);
    if (what == 0 || values.empty()) {
      const auto total = *rc::gen::inRange<std::uint64_t>(0, 3);
      RC_ASSERT(ranking.add(value, total) == values.size());
      values.push_back(value);
      totals.push_back(total);
    } else if (what == 1) {
      const auto member = *rc::gen::inRange<std::size_t>(0, values.size());
      ranking.set(static_cast<Ranking::Member>(member), value);
      values[member] = value;
    }
    std::vector<Ranking::Member> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return values[a] > values[b]; });
    for (std::uint32_t k = 0; k < order.size(); ++k) {
      RC_ASSERT(ranking.at(k + 1) == order[k]);
      RC_ASSERT(ranking.rank(order[k]) == k + 1);
      if (what == 2) totals[order[k]] += k + 1;
    }
    if (what == 2) ranking.count();
    RC_ASSERT(ranking.totals() == totals);
    RC_ASSERT(ranking.total(order.back()) == totals[order.back()]);
  }
}

}  // namespace
}  // namespace canopy
