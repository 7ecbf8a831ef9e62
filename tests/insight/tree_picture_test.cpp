#include "insight/tree_picture.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"
#include "canopy/study_specification.hpp"

#include "files/json.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;

StudySpecification mixed_study(const std::string& optimizer) {
  return resolved(parse_study("[optimizer]\nname = '" + optimizer + R"('
[[space]]
name = "ttl"
low = 1.0
high = 10000.0
scale = "log"
[[space]]
name = "workers"
type = "integer"
low = 1
high = 6
[[space]]
name = "policy"
type = "choice"
choices = ["lru", "lfu", "fifo"]
)",
                              "test"));
}

void play(Optimizer& optimizer, int pulls) {
  RandomStream random{{.seed = 7}};
  for (int i = 0; i < pulls; ++i) {
    const Pull pull = optimizer.ask(1);
    const double reward =
        1.0 - std::abs(std::log10(pull.arm[0]) - 3.0) + 0.3 * (random.uniform() - 0.5);
    ASSERT_EQ(optimizer.tell(pull.ticket, reward), Status::ok);
  }
}

json tree_picture_of(const StudySpecification& specification, Optimizer& optimizer,
                     TreeChoice choice) {
  return json::parse(json_text(tree_picture(specification, optimizer, choice)));
}

class TreePicture : public ::testing::TestWithParam<const char*> {};

TEST_P(TreePicture, TheCellsOfLeavesAreTheWholeBoxOnceAndHoldTheirArms) {
  const StudySpecification specification = mixed_study(GetParam());
  const auto optimizer = make_optimizer(specification);
  play(*optimizer, 300);
  const json all = tree_picture_of(specification, *optimizer, {.cells = true});
  EXPECT_EQ(all["left_out"], 0);
  EXPECT_EQ(all["nodes"][0]["share"], 1.0);
  EXPECT_EQ(all["nodes"][0]["cell"],
            json::parse(R"({"ttl":[1.0,10000.0],"workers":[1,6],"policy":["lru","lfu","fifo"]})"));
  double share = 0.0;
  for (const json& node : all["nodes"]) {
    EXPECT_EQ(node["depth"], node["path"].get<std::string>().size());
    const json& cell = node["cell"];
    EXPECT_LE(cell["ttl"][0], node["arm"]["ttl"]);
    EXPECT_GE(cell["ttl"][1], node["arm"]["ttl"]);
    EXPECT_LE(cell["workers"][0], node["arm"]["workers"]);
    EXPECT_GE(cell["workers"][1], node["arm"]["workers"]);
    EXPECT_NE(std::find(cell["policy"].begin(), cell["policy"].end(), node["arm"]["policy"]),
              cell["policy"].end());
    if (node["leaf"]) share += node["share"].get<double>();
  }
  EXPECT_NEAR(share, 1.0, 1e-9);
}

TEST_P(TreePicture, FewNodesAreThoseWithThePullsTheirParentsAndSiblings) {
  const StudySpecification specification = mixed_study(GetParam());
  const auto optimizer = make_optimizer(specification);
  play(*optimizer, 300);
  const json all = tree_picture_of(specification, *optimizer, {});
  const std::size_t size = all["nodes"].size();
  ASSERT_GT(size, 20U);
  for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{11}, size, size + 9}) {
    const json some = tree_picture_of(specification, *optimizer, {.most = most, .cells = true});
    EXPECT_LE(some["nodes"].size(), most);
    EXPECT_GE(some["nodes"].size() + 1, std::min(most, size));
    EXPECT_EQ(some["left_out"], size - some["nodes"].size());
    std::set<std::string> paths;
    for (const json& node : some["nodes"]) paths.insert(node["path"]);
    for (const std::string& path : paths) {
      if (path.empty()) continue;
      const std::string parent = path.substr(0, path.size() - 1);
      EXPECT_TRUE(paths.contains(parent) && paths.contains(parent + '0') &&
                  paths.contains(parent + '1'));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, TreePicture, ::testing::Values("hct", "adaptive", "thoo"));

TEST(TreePictureWithoutATree, IsEmpty) {
  const StudySpecification specification = mixed_study("random");
  const auto optimizer = make_optimizer(specification);
  EXPECT_EQ(tree_picture_of(specification, *optimizer, {.cells = true}),
            json::parse(R"({"nodes":[],"left_out":0})"));
}

}  // namespace
}  // namespace canopy
