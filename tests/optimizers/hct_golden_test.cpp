// Traces that were looked at once and must never change by accident. Rewards are made by arithmetic
// that is the same on every machine, so a difference is a change of the algorithm.
//
// After a change that is meant: CANOPY_WRITE_GOLDEN=1 build/tests/library_test
// --gtest_filter='HctGolden.*', then look at the difference.

#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// Two hills, the higher one at 0.7, and noise: multiples of 2^-53, sums and products alone.
double reward(double x, RandomStream& random) {
  const double near = 1.0 - 4.0 * (x - 0.2) * (x - 0.2);
  const double far = 1.1 - 9.0 * (x - 0.7) * (x - 0.7);
  return 0.8 * (near > far ? near : far) + 0.2 * (random.uniform() - 0.5);
}

/// One line a selection: t, the path, how many pulls in a row.
std::string trace(const HctOptions& options) {
  constexpr std::uint64_t kSteps = 2'000;
  Hct hct(Space{{"x", Real{0.0, 1.0}}}, options, {.reward_range = {{0.0, 1.0}}});
  const TreeView& tree = *hct.tree();  // once: each call brings bounds up to date
  RandomStream random({.seed = 2014});
  std::ostringstream text;
  std::string last;
  std::uint64_t begun = 1;
  for (std::uint64_t t = 1; t <= kSteps; ++t) {
    const Pull pull = hct.ask(1);
    const std::string path = tree.path(tree.place(pull.ticket).value().node);
    if (path != last) {
      if (!last.empty()) text << begun << ' ' << last << ' ' << t - begun << '\n';
      last = path;
      begun = t;
    }
    EXPECT_EQ(hct.tell(pull.ticket, reward(pull.arm[0], random)), Status::ok);
  }
  text << begun << ' ' << last << ' ' << kSteps + 1 - begun << '\n';
  const Summary summary = hct.summary();
  text << "nodes " << summary.nodes << " depth " << summary.depth << " switches "
       << summary.switches << " refreshes " << summary.refreshes << '\n';
  return text.str();
}

void compare_with_golden(const std::string& name, const std::string& actual) {
  const std::string file = CANOPY_SOURCE_DIR "/tests/golden/" + name;
  if (std::getenv("CANOPY_WRITE_GOLDEN") != nullptr) std::ofstream(file) << actual;
  std::ifstream golden(file);
  ASSERT_TRUE(golden) << file;
  std::ostringstream expected;
  expected << golden.rdbuf();
  EXPECT_EQ(actual, expected.str());
}

TEST(HctGolden, IidTraceIsUnchanged) {
  compare_with_golden("hct_iid.txt", trace({.nu1 = 1.0, .rho = 0.7, .confidence_scale = 0.1}));
}

TEST(HctGolden, CorrelatedTraceIsUnchanged) {
  compare_with_golden(
      "hct_correlated.txt",
      trace({.feedback = Feedback::correlated, .nu1 = 1.0, .rho = 0.7, .confidence_scale = 0.02}));
}

}  // namespace
}  // namespace canopy
