// The adaptive tree with many pulls in flight, for equally fast workers: each reward returns after
// as many further asks as there are workers, or all rewards of a batch return before the next
// batch. Prints the ratio of regret per pull to that of one pull at a time.

#include "canopy/adaptive.hpp"

#include "suite.hpp"

#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;

struct Way {
  std::string name;
  std::size_t in_flight;
  bool is_batch;
};

double regret_with(const Way& way, const Case& of, std::uint64_t runs) {
  double sum = 0.0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    RandomStream random = of.random(run);
    Adaptive optimizer(of.function.space);
    std::deque<Pull> out;
    for (std::uint64_t done = 0; done < of.pulls; ++done) {
      if (out.size() == way.in_flight) {
        const std::size_t kept = way.is_batch ? 0 : way.in_flight - 1;
        for (; out.size() > kept; out.pop_front()) {
          (void)optimizer.tell(out.front().ticket, of.reward(out.front().arm, random));
        }
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
  const std::vector<Way> ways{{"one", 1, false},
                              {"8 in flight", 8, false},
                              {"32 in flight", 32, false},
                              {"batches of 8", 8, true},
                              {"batches of 32", 32, true}};
  const std::vector<Case> cases = cases_of(lengths);
  std::vector<double> lost(cases.size() * ways.size());
  on_all_cores(lost.size(), [&](std::size_t i) {
    lost[i] = regret_with(ways[i % ways.size()], cases[i / ways.size()], 40);
  });

  fmt::print(
      "Regret per pull over that of one pull at a time, geometric mean of 18 rows and range\n\n");
  fmt::print("{:<8}", "n");
  for (std::size_t which = 1; which < ways.size(); ++which) fmt::print("{:>20}", ways[which].name);
  fmt::print("\n");
  for (const std::uint64_t pulls : lengths) {
    fmt::print("{:<8}", pulls);
    for (std::size_t which = 1; which < ways.size(); ++which) {
      Ratios ratios;
      for (std::size_t i = 0; i < cases.size(); ++i) {
        const double* of_case = &lost[i * ways.size()];
        if (cases[i].pulls == pulls) ratios.add(of_case[which] / of_case[0]);
      }
      fmt::print("{:>20}", ratios.text());
    }
    fmt::print("\n");
  }
  return EXIT_SUCCESS;
}
