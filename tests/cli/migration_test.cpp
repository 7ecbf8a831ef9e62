// Stores of the first format, as a user meets them: copied into place and used by every command.

#include "support/process.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::run_tool;
using testing::TemporaryFolder;

class OldStore : public ::testing::Test {
 protected:
  OldStore() {
    std::filesystem::copy_file(CANOPY_SOURCE_DIR "/tests/fixtures/first_format.db",
                               folder_.path("old.db"));
  }

  [[nodiscard]] std::string store() const { return " --store " + folder_.path("old.db"); }

  TemporaryFolder folder_;
};

TEST_F(OldStore, IsListedShownExportedAndReportedLikeANewOne) {
  EXPECT_EQ(run_tool("studies list" + store()).status, 0);
  EXPECT_EQ(run_tool("studies show grid" + store()).status, 0);
  EXPECT_EQ(run_tool("best grid" + store()).status, 0);
  EXPECT_EQ(run_tool("report tuned --out " + folder_.path("tuned.html") + store()).status, 0);
  const auto exported = run_tool("studies export grid" + store());
  EXPECT_EQ(exported.status, 0);
  EXPECT_NE(exported.out.find(",ask,1,"), std::string::npos);
}

TEST_F(OldStore, OnlyAForkGoesOn) {
  const auto refused = run_tool("pipe --study hct" + store());
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("revision 1 of hct, and this canopy has revision 2"),
            std::string::npos)
      << refused.err;
  testing::Process process(
      {"pipe", "--study", "hct", "--fork", "hct again", "--store", folder_.path("old.db")});
  process.write("{\"op\":\"ask\"}\n");
  const std::string answer = process.read_line();
  EXPECT_EQ(answer.find("{\"ticket\":"), 0U) << answer;
  EXPECT_EQ(process.finish().status, 0);
}

}  // namespace
}  // namespace canopy
