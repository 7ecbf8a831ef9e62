// Lists and integers: the best element is found and played, at any position.

#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// Elements with values drawn uniformly from [0, 1], and noisy rewards around them.
struct RandomList {
  std::vector<double> values;

  RandomList(std::size_t size, std::uint64_t seed) {
    RandomStream random({.seed = seed, .purpose = "values", .run = size});
    for (std::size_t i = 0; i < size; ++i) values.push_back(random.uniform());
  }

  [[nodiscard]] Space as_choice() const {
    Choice choice;
    for (std::size_t i = 0; i < values.size(); ++i) choice.choices.push_back(std::to_string(i));
    return {{"c", choice}};
  }
  [[nodiscard]] Space as_integer() const {
    return {{"n", Integer{0, static_cast<std::int64_t>(values.size()) - 1}}};
  }

  /// The fraction of 2000 pulls on elements within 0.05 of the best.
  [[nodiscard]] double share_of_good_pulls(const Space& space, std::uint64_t seed) const {
    constexpr int kPulls = 2'000;
    const double best = *std::max_element(values.begin(), values.end());
    Hct hct(space);
    RandomStream random({.seed = seed, .purpose = "noise", .run = values.size()});
    int good = 0;
    for (int i = 0; i < kPulls; ++i) {
      const Pull pull = hct.ask(1);
      const double value = values.at(static_cast<std::size_t>(pull.arm[0]));
      good += value >= best - 0.05 ? 1 : 0;
      EXPECT_EQ(hct.tell(pull.ticket, value + 0.1 * random.normal()), Status::ok);
    }
    return good / static_cast<double>(kPulls);
  }
};

/// The mean over random lists of that size; seeds from 0.
double mean_share(std::size_t size, int runs, bool is_choice) {
  double sum = 0.0;
  for (int seed = 0; seed < runs; ++seed) {
    const RandomList list(size, static_cast<std::uint64_t>(seed));
    sum += list.share_of_good_pulls(is_choice ? list.as_choice() : list.as_integer(),
                                    static_cast<std::uint64_t>(seed));
  }
  return sum / runs;
}

TEST(Lists, AGoodElementOfAListIsPlayedNineTimesInTen) {
  for (std::size_t size = 2; size <= 12; ++size) {
    EXPECT_GE(mean_share(size, 200, true), 0.95) << size << " elements; 0.9 is the goal";
  }
}

TEST(Lists, AGoodWholeNumberIsPlayedOften) {
  // Unordered values are the hardest case, since an integer's cells say little about them. With
  // these seeds 0.974, 0.911, 0.847 and 0.660 of the pulls are good.
  EXPECT_GE(mean_share(12, 200, false), 0.95);
  EXPECT_GE(mean_share(33, 200, false), 0.87);
  EXPECT_GE(mean_share(50, 200, false), 0.80);
  EXPECT_GE(mean_share(100, 200, false), 0.60);
}

TEST(Lists, ShortListsInOddUnitsPlayTheirBestElement) {
  // Choices of three, with the best one at any position, and ten integers, in megabytes per second.
  const std::vector<std::vector<double>> lists{{900.0, 500.0, 300.0},
                                               {300.0, 900.0, 500.0},
                                               {500.0, 300.0, 900.0},
                                               {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                                               {5, 1, 4, 2, 10, 3, 6, 7, 8, 9}};
  for (const std::vector<double>& values : lists) {
    RandomList list(values.size(), 0);
    list.values = values;
    EXPECT_GE(list.share_of_good_pulls(list.as_choice(), 1), 0.9);
    EXPECT_GE(list.share_of_good_pulls(list.as_integer(), 1), 0.9);
  }
}

}  // namespace
}  // namespace canopy
