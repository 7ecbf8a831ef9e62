// The adaptive tree with many pulls in flight: workers that are equally fast, so that every reward
// comes back when as many pulls as there are workers were asked for. Regret per pull over that of
// one worker.

#include "canopy/adaptive.hpp"

#include "suite.hpp"

#include <cstdlib>
#include <deque>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;

double regret_with(std::size_t workers, const Case& of, std::uint64_t runs) {
  double sum = 0.0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    RandomStream random = of.random(run);
    Adaptive optimizer(of.function.space);
    std::deque<Pull> out;
    for (std::uint64_t done = 0; done < of.pulls; ++done) {
      if (out.size() == workers) {
        const Pull& oldest = out.front();
        const double value = of.function.value(oldest.arm);
        (void)optimizer.tell(oldest.ticket, of.noise.reward(value, random));
        out.pop_front();
      }
      out.push_back(optimizer.ask(1));
      sum += of.function.largest - of.function.value(out.back().arm);
    }
  }
  return sum / static_cast<double>(runs * of.pulls);
}

}  // namespace

int main() {
  const std::vector<std::uint64_t> lengths{100, 300, 1'000, 10'000};
  const std::vector<std::size_t> workers{1, 8, 32};
  const std::vector<Case> cases = cases_of(lengths);
  std::vector<double> lost(cases.size() * workers.size());
  on_all_cores(lost.size(), [&](std::size_t i) {
    lost[i] = regret_with(workers[i % workers.size()], cases[i / workers.size()], 40);
  });

  fmt::print(
      "Regret per pull over that of one pull at a time, geometric mean of 18 rows and range\n\n");
  fmt::print("{:<8}{:>20}{:>20}\n", "n", "8 in flight", "32 in flight");
  for (const std::uint64_t pulls : lengths) {
    fmt::print("{:<8}", pulls);
    for (std::size_t which = 1; which < workers.size(); ++which) {
      Ratios ratios;
      for (std::size_t i = 0; i < cases.size(); ++i) {
        const double* of_case = &lost[i * workers.size()];
        if (cases[i].pulls == pulls) ratios.add(of_case[which] / of_case[0]);
      }
      fmt::print("{:>20}", ratios.text());
    }
    fmt::print("\n");
  }
  return EXIT_SUCCESS;
}
