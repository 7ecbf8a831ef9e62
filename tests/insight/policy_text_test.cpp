#include "insight/policy_text.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

const ContextVariable kHour{"hour", Real{0.0, 24.0}, 24.0};
const ContextVariable kLoad{"load", Real{0.0, 1.0}};
const ContextVariable kUsers{"users", Integer{1, 20}};
const ContextVariable kTenant{"tenant", Choice{{"a", "b", "c"}}};

ContextRange between(double low, double high) {
  return {.ends = {low, high}, .is_everything = false};
}
ContextRange among(std::vector<double> values) {
  return {.values = std::move(values), .is_everything = false};
}

PolicyRow row_of(std::vector<ContextRange> where, std::vector<double> arm = {}) {
  PolicyRow row;
  row.where = std::move(where);
  row.arm = std::move(arm);
  return row;
}

/// A study of x in contexts of an hour and a tenant, and a policy that it has learnt.
StudySpecification study() {
  return {.space = Space{{"x", Real{0.0, 1.0}}, {"mode", Choice{{"slow", "fast"}}}},
          .contexts = ContextSpace({kHour, kTenant})};
}

Policy learnt() {
  Policy policy;
  policy.rows = {row_of({between(8.0, 17.25), {}}, {0.25, 1.0}),
                 row_of({between(17.25, 8.0), among({0.0, 2.0})}, {0.75, 0.0}),
                 row_of({between(17.25, 8.0), among({1.0})})};
  PolicyRow& day = policy.rows[0];
  day.pulls = 340;
  day.arm_pulls = 120;
  day.mean = 0.9231;
  day.interval = Interval{0.9012, 0.9433};
  PolicyRow& night = policy.rows[1];
  night.pulls = 250;
  night.arm_pulls = 80;
  night.mean = 0.81;
  night.interval = Interval{0.79, 0.83};
  night.may_share = {2};
  policy.rows[2].pulls = 9;
  policy.rows[2].may_share = {1};
  policy.effects.resize(2);
  policy.effects[0].by_bin.assign(64, 0.0);
  for (std::size_t i = 0; i < 64; ++i) {
    policy.effects[0].by_bin[i] = 0.01 * (static_cast<double>(i) - 20.0);
  }
  policy.effects[1].by_bin.assign(3, 0.0);
  policy.weights = {{.splits = 1, .evidence = 34.0712}, {.splits = 2, .evidence = 6.5}};
  policy.moved = 3;
  return policy;
}

TEST(PolicyText, SaysWhereARegionIs) {
  EXPECT_EQ(where_text(kHour, {}), "all");
  EXPECT_EQ(where_text(kHour, between(22.5, 6.0)), "22.5 to 6");
  EXPECT_EQ(where_text(kUsers, between(3.0, 5.0)), "3 to 5");
  EXPECT_EQ(where_text(kUsers, between(3.0, 3.0)), "3");
  EXPECT_EQ(where_text(kTenant, among({0.0, 2.0})), "a, c");
  const Policy policy = learnt();
  EXPECT_EQ(region_text(study().contexts, policy.rows[0]), "hour 8 to 17.25");
  EXPECT_EQ(region_text(study().contexts, policy.rows[1]), "hour 17.25 to 8, tenant a, c");
  EXPECT_EQ(region_text(study().contexts, row_of({{}, {}})), "all contexts");
}

TEST(PolicyText, KnowsWhichContextsBelongToARegion) {
  const ContextSpace contexts = study().contexts;
  const Policy policy = learnt();
  const auto rows_of = [&](double hour, double tenant) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < policy.rows.size(); ++i) {
      if (is_in_region(contexts, policy.rows[i], std::vector{hour, tenant})) rows.push_back(i);
    }
    return rows;
  };
  using Rows = std::vector<std::size_t>;
  EXPECT_EQ(rows_of(8.0, 1.0), Rows{0});
  EXPECT_EQ(rows_of(17.2, 2.0), Rows{0});
  EXPECT_EQ(rows_of(17.25, 0.0), Rows{1});
  EXPECT_EQ(rows_of(23.9, 2.0), Rows{1});
  EXPECT_EQ(rows_of(0.0, 1.0), Rows{2});
  EXPECT_EQ(rows_of(7.9, 1.0), Rows{2});
}

TEST(PolicyText, EndsOfRangesAndWholeNumbersBelongToTheirRegion) {
  const ContextSpace contexts({kLoad, kUsers});
  const PolicyRow row = row_of({between(0.5, 1.0), between(3.0, 5.0)});
  EXPECT_TRUE(is_in_region(contexts, row, std::vector{1.0, 5.0}));
  EXPECT_TRUE(is_in_region(contexts, row, std::vector{0.5, 3.0}));
  EXPECT_FALSE(is_in_region(contexts, row, std::vector{0.49, 3.0}));
  EXPECT_FALSE(is_in_region(contexts, row, std::vector{0.5, 6.0}));
  const PolicyRow inner = row_of({between(0.25, 0.5), {}});
  EXPECT_FALSE(is_in_region(contexts, inner, std::vector{0.5, 6.0}));
}

TEST(PolicyText, HasATableWithALineForEachRegion) {
  EXPECT_EQ(
      policy_table(study(), learnt()),
      (std::vector<std::string>{
          "   hour        tenant  x     mode  pulls  mean   95 % interval",
          "1  8 to 17.25  all     0.25  fast  340    0.923  0.901 to 0.943",
          "2  17.25 to 8  a, c    0.75  slow  250    0.81   0.79 to 0.83    may be the same as 3",
          "3  17.25 to 8  b       ?     ?     9      ?      too few pulls   may be the same as "
          "2"}));
}

TEST(PolicyText, HasLinesForProgramsThatReadCsv) {
  EXPECT_EQ(policy_csv(study(), learnt()),
            (std::vector<std::string>{
                "region,\"hour_from\",\"hour_to\",\"tenant\",\"x\",\"mode\",pulls,arm_pulls,mean,"
                "lower,upper,may_share,limits",
                "1,8,17.25,,0.25,\"fast\",340,120,0.9231,0.9012,0.9433,,",
                "2,17.25,8,\"a|c\",0.75,\"slow\",250,80,0.81,0.79,0.83,3,",
                "3,17.25,8,\"b\",,,9,0,,,,2,"}));
}

TEST(PolicyText, SaysWhichContextsMatter) {
  const Policy policy = learnt();
  EXPECT_EQ(weight_text(policy.weights[0]), "1 split, evidence 34.1 nats");
  EXPECT_EQ(weight_text(policy.weights[1]), "2 splits, evidence 6.5 nats");
  EXPECT_EQ(weight_text({}), "no split: no effect on the best setting was found");
}

TEST(PolicyText, SaysWhatAContextAddsToAllRewards) {
  const StudySpecification of = study();
  const Policy policy = learnt();
  EXPECT_EQ(effect_text(of.contexts, 0, policy.effects[0]),
            "-0.2 (0 to 0.375) to +0.43 (23.625 to 24)  ▁▁▂▂▃▃▄▄▅▅▆▆▇▇██");
  EXPECT_EQ(effect_text(of.contexts, 1, policy.effects[1]), "");
  EXPECT_EQ(effect_text(of.contexts, 1, {.by_bin = {0.0, -1.0, 0.5}}), "-1 (b) to +0.5 (c)  ▆▁█");
}

TEST(PolicyText, SaysHowManyRegionsThereAreAndWhatWasMoved) {
  Policy policy = learnt();
  EXPECT_EQ(policy_summary(study().contexts, policy), "3 regions of hour and tenant");
  EXPECT_EQ(moved_text(policy),
            "3 contexts were outside the range of a variable and treated as the end of the range");
  policy.rows.resize(1);
  policy.moved = 1;
  EXPECT_EQ(policy_summary(study().contexts, policy), "the same for every hour and tenant so far");
  EXPECT_EQ(moved_text(policy),
            "1 context was outside the range of a variable and treated as the end of the range");
  policy.moved = 0;
  EXPECT_EQ(moved_text(policy), "");
  EXPECT_EQ(names_text(ContextSpace({kHour, kLoad, kTenant})), "hour, load and tenant");
}

TEST(PolicyText, SaysHowAContextIsGivenOnACommandLine) {
  EXPECT_EQ(context_flags(ContextSpace({kUsers, kTenant})),
            "--context users=NUMBER --context tenant=a|b|c");
}

}  // namespace
}  // namespace canopy
