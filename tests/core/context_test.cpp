#include "canopy/context.hpp"

#include "canopy/errors.hpp"
#include "canopy/random.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

ContextSpace four_kinds(std::size_t which) {
  const std::vector<ContextVariable> all{
      {"load", Real{0.0, 1.0}},        {"size", Real{1.0, 1024.0, Scale::log}},
      {"hour", Real{0.0, 24.0}, 24.0}, {"tenant", Choice{{"small", "large", "huge"}}},
      {"queue", Integer{10, 19}},      {"users", Integer{0, 999}},
  };
  return ContextSpace({all.at(which)});
}

std::size_t bin_of(const ContextSpace& contexts, double value) {
  const std::vector<double> here{contexts.within(0, value)};
  return ContextSpace::bin(contexts.bins_of(here), 0);
}

TEST(ContextSpace, HasNoVariablesByDefault) {
  EXPECT_TRUE(ContextSpace().empty());
}

TEST(ContextSpace, CutsRealsIntoEqualBins) {
  const ContextSpace contexts = four_kinds(0);
  EXPECT_EQ(contexts.bin_count(0), 64U);
  EXPECT_EQ(bin_of(contexts, 0.0), 0U);
  EXPECT_EQ(bin_of(contexts, 0.5), 32U);
  EXPECT_EQ(bin_of(contexts, std::nextafter(0.5, 0.0)), 31U);
  EXPECT_EQ(bin_of(contexts, 1.0), 63U);
  EXPECT_EQ(contexts.all_bins(0), ~BinSet{0});
  EXPECT_DOUBLE_EQ(contexts.ends(0, 32)[0], 0.5);
}

TEST(ContextSpace, CutsRealsOnALogScaleInLogUnits) {
  const ContextSpace contexts = four_kinds(1);
  EXPECT_EQ(bin_of(contexts, 1.0), 0U);
  EXPECT_EQ(bin_of(contexts, 33.0), 32U);
  EXPECT_EQ(bin_of(contexts, 31.0), 31U);
  EXPECT_NEAR(contexts.ends(0, 32)[0], 32.0, 1e-9);
}

TEST(ContextSpace, ReducesPeriodicValues) {
  const ContextSpace contexts = four_kinds(2);
  EXPECT_DOUBLE_EQ(contexts.within(0, 25.5), 1.5);
  EXPECT_DOUBLE_EQ(contexts.within(0, -1.0), 23.0);
  EXPECT_DOUBLE_EQ(contexts.within(0, 24.0), 0.0);
  EXPECT_LT(contexts.within(0, -1e-18), 24.0);
  EXPECT_EQ(bin_of(contexts, 36.0), 32U);
  bool moved = true;
  (void)contexts.within(std::vector{49.0}, moved);
  EXPECT_FALSE(moved);
}

TEST(ContextSpace, HasABinForEveryValueOfAShortList) {
  const ContextSpace tenants = four_kinds(3);
  EXPECT_EQ(tenants.bin_count(0), 3U);
  EXPECT_EQ(bin_of(tenants, 2.0), 2U);
  EXPECT_EQ(tenants.all_bins(0), 0b111U);
  const ContextSpace queues = four_kinds(4);
  EXPECT_EQ(queues.bin_count(0), 10U);
  EXPECT_EQ(bin_of(queues, 13.0), 3U);
  EXPECT_DOUBLE_EQ(queues.ends(0, 3)[0], 13.0);
}

TEST(ContextSpace, CutsLongListsIntoRuns) {
  const ContextSpace contexts = four_kinds(5);
  EXPECT_EQ(contexts.bin_count(0), 64U);
  EXPECT_FALSE(contexts.has_bin_per_value(0));
  EXPECT_EQ(bin_of(contexts, 0.0), 0U);
  EXPECT_EQ(bin_of(contexts, 999.0), 63U);
}

TEST(ContextSpace, TheEndsOfABinAreInIt) {
  std::vector<std::string> towns;
  for (int i = 0; i < 150; ++i) towns.push_back("town " + std::to_string(i));
  const std::vector<Domain> domains{Integer{0, 999},
                                    Integer{7, 100},
                                    Integer{1, 5000, Scale::log},
                                    Integer{0, 700, Scale::linear, 7},
                                    Choice{towns},
                                    Choice{{"a", "b", "c"}},
                                    Real{0.0, 1.0},
                                    Real{0.1, 0.7},
                                    Real{3.0, 7000.0, Scale::log}};
  for (const Domain& domain : domains) {
    const ContextSpace contexts({{"x", domain}});
    std::vector<double> listed;
    for (std::size_t bin = 0; bin < contexts.bin_count(0); ++bin) {
      const auto [first, end] = contexts.ends(0, bin);
      if (first > end) {
        EXPECT_TRUE(contexts.values_in(0, BinSet{1} << bin).empty()) << domain.description();
        continue;
      }
      EXPECT_EQ(bin_of(contexts, first), bin) << domain.description();
      if (domain.count()) {
        EXPECT_EQ(bin_of(contexts, end), bin) << domain.description();
        const std::vector<double> values = contexts.values_in(0, BinSet{1} << bin);
        EXPECT_EQ(values.front(), first);
        EXPECT_EQ(values.back(), end);
        listed.insert(listed.end(), values.begin(), values.end());
      } else if (bin + 1 < contexts.bin_count(0)) {
        EXPECT_EQ(bin_of(contexts, end), bin + 1) << domain.description();
        EXPECT_EQ(bin_of(contexts, std::nextafter(end, first)), bin) << domain.description();
      }
    }
    EXPECT_EQ(listed.size(), domain.count().value_or(0));
  }
}

TEST(ContextSpace, KnowsItsBins) {
  const ContextSpace contexts({{"load", Real{0.0, 1.0}}, {"tenant", Choice{{"small", "large"}}}});
  EXPECT_TRUE(contexts.has(contexts.bins_of(std::vector{1.0, 1.0})));
  EXPECT_FALSE(contexts.has(2U << 6U));   // a bin of no tenant
  EXPECT_FALSE(contexts.has(1U << 12U));  // a bin of a third variable
}

TEST(ContextSpace, MovesWhatIsBeyondTheRangeToItsEnd) {
  const ContextSpace contexts = four_kinds(0);
  bool moved = false;
  EXPECT_DOUBLE_EQ(contexts.within(std::vector{1.5}, moved)[0], 1.0);
  EXPECT_TRUE(moved);
  EXPECT_DOUBLE_EQ(contexts.within(std::vector{0.25}, moved)[0], 0.25);
  EXPECT_FALSE(moved);
  EXPECT_DOUBLE_EQ(four_kinds(4).within(0, 12.4), 12.0);
}

TEST(ContextSpace, RefusesWhatIsNoContext) {
  EXPECT_THROW((void)four_kinds(0).within(0, std::numeric_limits<double>::quiet_NaN()),
               ConfigurationError);
  EXPECT_THROW((void)four_kinds(2).within(0, std::numeric_limits<double>::infinity()),
               ConfigurationError);
  EXPECT_THROW((void)four_kinds(3).within(0, 3.0), ConfigurationError);
  EXPECT_THROW((void)four_kinds(3).within(0, 0.5), ConfigurationError);
  bool moved = false;
  EXPECT_THROW((void)four_kinds(0).within(std::vector{0.1, 0.2}, moved), ConfigurationError);
}

TEST(ContextSpace, RefusesDeclarationsThatMakeNoSense) {
  const ContextVariable load{"load", Real{0.0, 1.0}};
  EXPECT_THROW(ContextSpace({load, load}), ConfigurationError);
  EXPECT_THROW(ContextSpace({{"", Real{0.0, 1.0}}}), ConfigurationError);
  EXPECT_THROW(ContextSpace({{std::string("a\0b", 3), Real{0.0, 1.0}}}), ConfigurationError);
  EXPECT_THROW(ContextSpace({{"hour", Real{0.0, 12.0}, 24.0}}), ConfigurationError);
  EXPECT_THROW(ContextSpace({{"hour", Real{0.0, -1.0}, -1.0}}), ConfigurationError);
  EXPECT_THROW(ContextSpace({{"load", Real{1.0, 0.0}}}), ConfigurationError);
  EXPECT_THROW(ContextSpace({{"a", Real{}}, {"b", Real{}}, {"c", Real{}}, {"d", Real{}}}),
               ConfigurationError);
}

TEST(ContextSpace, PutsTheBinsOfSeveralVariablesIntoOneNumber) {
  const ContextSpace contexts({{"load", Real{0.0, 1.0}},
                               {"tenant", Choice{{"small", "large"}}},
                               {"hour", Real{0.0, 24.0}, 24.0}});
  const ContextBins bins = contexts.bins_of(std::vector{0.99, 1.0, 12.0});
  EXPECT_EQ(ContextSpace::bin(bins, 0), 63U);
  EXPECT_EQ(ContextSpace::bin(bins, 1), 1U);
  EXPECT_EQ(ContextSpace::bin(bins, 2), 32U);
  EXPECT_EQ(contexts.describe(std::vector{0.25, 1.0, 12.0}),
            "load = 0.25, tenant = large, hour = 12");
}

}  // namespace
}  // namespace canopy
