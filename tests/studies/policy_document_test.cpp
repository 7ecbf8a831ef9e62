#include "studies/policy_document.hpp"

#include "canopy/optimizer.hpp"

#include "files/json.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

const Space& space_of_policy() {
  static const Space space{{"ttl", Real{1.0, 60.0}}};
  return space;
}

const ContextSpace& contexts_of_policy() {
  static const ContextSpace contexts({{"hour", Real{0.0, 24.0}, 24.0},
                                      {"day", Integer{0, 6}},
                                      {"tenant", Choice{{"a", "b", "c"}}}});
  return contexts;
}

Policy policy_of_rows(std::vector<PolicyRow> rows) {
  Policy policy{.rows = std::move(rows), .effects = {{}, {}, {}}, .weights = {{}, {}, {}}};
  policy.effects[0].by_bin.assign(64, 0.0);
  return policy;
}

Document written(const Policy& policy) {
  return policy_document({space_of_policy(), contexts_of_policy()}, policy);
}

TEST(PolicyDocument, HasTheRangesOfARowByTheNamesOfVariablesThatMatter) {
  PolicyRow night;
  night.where = {{{22.5, 6.0}, {}, false}, {}, {{}, {0.0, 2.0}, false}};
  night.arm = {12.0};
  night.pulls = 90;
  night.arm_pulls = 40;
  night.mean = 0.5;
  night.interval = Interval{0.25, 0.75};
  night.may_share = {1};
  PolicyRow days;
  days.where = {{}, {{5.0, 6.0}, {}, false}, {}};
  const Document document = written(policy_of_rows({night, days}));
  EXPECT_EQ(json_text(*document.find("rows")),
            R"([{"where":{"hour":{"from":22.5,"to":6.0},"tenant":["a","c"]},"arm":{"ttl":12.0},)"
            R"("pulls":90,"arm_pulls":40,"mean":0.5,"interval":{"lower":0.25,"upper":0.75},)"
            R"("may_share":[1]},)"
            R"({"where":{"day":{"from":5,"to":6}},"pulls":0,"arm_pulls":0,"mean":0.0}])");
}

TEST(PolicyDocument, HasTheEffectOfEveryPartOfAVariableThatHasOne) {
  Policy policy = policy_of_rows({});
  policy.effects[1].by_bin = {0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.25};
  policy.weights[1] = {2, 12.5};
  policy.moved = 3;
  const Document document = written(policy);
  EXPECT_EQ(json_text(*document.find("effects")->find("hour")), "[]");
  const Document::List& days = *document.find("effects")->find("day")->as_list();
  ASSERT_EQ(days.size(), 7U);
  EXPECT_EQ(json_text(days[5]), R"({"value":5,"effect":0.5})");
  EXPECT_EQ(json_text(*document.find("weights")->find("day")), R"({"splits":2,"evidence":12.5})");
  EXPECT_EQ(json_text(*document.find("moved")), "3");
  policy.effects[0].by_bin[1] = 0.125;
  const Document hours = *written(policy).find("effects")->find("hour");
  ASSERT_EQ(hours.as_list()->size(), 64U);
  EXPECT_EQ(json_text((*hours.as_list())[1]), R"({"from":0.375,"to":0.75,"effect":0.125})");
}

}  // namespace
}  // namespace canopy
