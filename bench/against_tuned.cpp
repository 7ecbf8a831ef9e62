// Compares the adaptive tree, given only the search space, with HCT whose constants were chosen in
// hindsight for each function, noise and number of pulls: regret per pull, as ratios.

#include "canopy/adaptive.hpp"

#include "suite.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;

/// Regret per pull.
struct Lost {
  double tuned = 0.0;
  double practical = 0.0;
  double adaptive = 0.0;
};

Lost measure(const Case& of, std::uint64_t runs) {
  const auto hct = [&](const HctOptions& options, std::uint64_t first) {
    return regret(of, first, runs, [&](const Space& space) {
      return Hct(space, options, {.reward_range = {{0.0, 1.0}}});
    });
  };
  const HctOptions best =
      tuned({}, [&](const HctOptions& options) { return hct(options, kFirstTuningRun); });
  return {hct(best, 0), regret(of, 0, runs, [](const Space& space) { return Hct(space); }),
          regret(of, 0, runs, [](const Space& space) { return Adaptive(space); })};
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  std::vector<std::uint64_t> lengths{100, 300, 1'000, 10'000};
  if (!arguments.empty() && arguments[0] == "--all") lengths.push_back(100'000);
  const std::vector<Case> cases = cases_of(lengths);
  std::vector<Lost> lost(cases.size());
  on_all_cores(cases.size(), [&](std::size_t i) {
    lost[i] = measure(cases[i], cases[i].pulls >= 100'000 ? 20 : 40);
  });

  fmt::print(
      "Regret per pull. HCT: tuned by hindsight for each row and told the range; HCT with its\n"
      "defaults and the adaptive tree are told the box alone.\n\n");
  fmt::print("{:<14}{:<15}{:>8}{:>11}{:>11}{:>9}{:>11}{:>9}\n", "function", "noise", "n",
             "HCT tuned", "defaults", "ratio", "adaptive", "ratio");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [hct, practical, adaptive] = lost[i];
    fmt::print("{:<14}{:<15}{:>8}{:>11.5f}{:>11.5f}{:>9.2f}{:>11.5f}{:>9.2f}\n",
               cases[i].function.name, cases[i].noise.name, cases[i].pulls, hct, practical,
               practical / hct, adaptive, adaptive / hct);
  }
  fmt::print("\n{:<14}{:>18}{:>20}\n", "n", "adaptive / tuned", "defaults / tuned");
  for (const std::uint64_t pulls : lengths) {
    Ratios adaptive;
    Ratios practical;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (cases[i].pulls != pulls) continue;
      adaptive.add(lost[i].adaptive / lost[i].tuned);
      practical.add(lost[i].practical / lost[i].tuned);
    }
    fmt::print("{:<14}{:>18}{:>20}\n", pulls, adaptive.text(), practical.text());
  }
  return EXIT_SUCCESS;
}
