// Measures the contribution of each part of the adaptive tree: the regret without it, as a ratio to
// the regret with all parts.

#include "suite.hpp"
#include "textbook_player.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;
struct Part {
  std::string name;
  Variant variant;
};

const std::vector<Part> kParts{
    {"all", {}},
    {"no explorer", {.no_explorer = true}},
    {"explorer without sweep", {.no_sweep = true}},
    {"alpha fixed at 0.4", {.fixed_alpha = true}},
    {"Gaussian edges", {.gaussian_edges = true}},
    {"roughness not inherited", {.no_inheritance = true}},
    {"one noise for all cells", {.one_noise = true}},
    {"explorer from the first pull", {.explorer_from_start = true}},
};

}  // namespace

int main() {
  const std::vector<std::uint64_t> lengths{100, 1'000, 10'000, 100'000};
  const std::vector<Case> cases = cases_of(lengths);
  std::vector<double> lost(cases.size() * kParts.size());
  on_all_cores(lost.size(), [&](std::size_t i) {
    const Case& of = cases[i / kParts.size()];
    const Variant& variant = kParts[i % kParts.size()].variant;
    lost[i] = regret(of, 0, of.pulls >= 100'000 ? 10 : 40,
                     [&](const Space& space) { return TextbookPlayer(space, variant); });
  });

  const auto ratio = [&](std::size_t which, std::size_t part) {
    const double* of_case = &lost[which * kParts.size()];
    return of_case[part] / of_case[0];
  };
  fmt::print("Regret without a part over that with all.\n\n{:<14}{:<15}{:>8}", "function", "noise",
             "n");
  for (std::size_t part = 1; part < kParts.size(); ++part)
    fmt::print("{:>7}", fmt::format("({})", part));
  fmt::print("\n");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    fmt::print("{:<14}{:<15}{:>8}", cases[i].function.name, cases[i].noise.name, cases[i].pulls);
    for (std::size_t part = 1; part < kParts.size(); ++part) fmt::print("{:>7.2f}", ratio(i, part));
    fmt::print("\n");
  }
  fmt::print("\nGeometric mean of the 18 rows, and from the least to the largest\n\n{:<30}", "");
  for (const std::uint64_t pulls : lengths) fmt::print("{:>20}", pulls);
  fmt::print("\n");
  for (std::size_t part = 1; part < kParts.size(); ++part) {
    fmt::print("{:<30}", fmt::format("({}) {}", part, kParts[part].name));
    for (const std::uint64_t pulls : lengths) {
      Ratios ratios;
      for (std::size_t i = 0; i < cases.size(); ++i) {
        if (cases[i].pulls == pulls) ratios.add(ratio(i, part));
      }
      fmt::print("{:>20}", ratios.text());
    }
    fmt::print("\n");
  }
  return EXIT_SUCCESS;
}
