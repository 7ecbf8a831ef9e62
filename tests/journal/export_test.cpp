#include "journal/export.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

const Space& exported_space() {
  static const Space space{{"ttl", Real{1.0, 60.0}}};
  return space;
}

const ContextSpace& exported_contexts() {
  static const ContextSpace contexts(
      {{"hour", Real{0.0, 24.0}, 24.0}, {"tenant, by name", Choice{{"a", "b"}}}});
  return contexts;
}

const std::vector<double> kExportedTtl{12.0};
const std::vector<double> kExportedNoon{12.5, 1.0};

TEST(Export, HasAColumnForEachVariableOfTheContextAfterThoseOfTheArm) {
  const Names names(exported_space(), exported_contexts());
  EXPECT_EQ(csv_header(names),
            "number,at,kind,ticket,reward,\"ttl\",\"hour\",\"tenant, by name\",details");
  EXPECT_EQ(csv_line(names, {2, 1.5, Told{7, 0.25}}, kExportedTtl, kExportedNoon),
            "2,1.500000,tell,7,0.25,12.0,12.5,\"b\",");
  EXPECT_EQ(csv_line(names, {3, 1.5, Observed{kExportedTtl, 0.25, Role::search, kExportedNoon}},
                     kExportedTtl, kExportedNoon),
            "3,1.500000,observe,,0.25,12.0,12.5,\"b\",");
  EXPECT_EQ(csv_line(names, {4, 1.5, Finished{}}, {}), "4,1.500000,finish,,,,,,");
}

TEST(Export, HasTheArmAndTheContextOfEveryEventAsJson) {
  const Names names(exported_space(), exported_contexts());
  EXPECT_EQ(json_line(names, {2, 1.5, Told{7, 0.25}}, kExportedTtl, kExportedNoon),
            R"({"number":2,"at":1.5,"kind":"tell","ticket":7,"reward":0.25,)"
            R"("arm":{"ttl":12.0},"context":{"hour":12.5,"tenant, by name":"b"}})");
}

TEST(Export, IsAsBeforeWithoutContexts) {
  EXPECT_EQ(csv_header(exported_space()), "number,at,kind,ticket,reward,\"ttl\",details");
  EXPECT_EQ(csv_line(exported_space(), {2, 1.5, Told{7, 0.25}}, kExportedTtl),
            "2,1.500000,tell,7,0.25,12.0,");
  EXPECT_EQ(json_line(exported_space(), {2, 1.5, Told{7, 0.25}}, kExportedTtl),
            R"({"number":2,"at":1.5,"kind":"tell","ticket":7,"reward":0.25,"arm":{"ttl":12.0}})");
}

}  // namespace
}  // namespace canopy
