// Cases in which the adaptive tree gets stuck or misjudges the noise, and possible remedies: the
// regret with and without each remedy, for ordinary cases and for the cases it is meant for.

#include "canopy/hct.hpp"

#include "suite.hpp"
#include "textbook_player.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;

/// A wide bump and, elsewhere, a narrower one that is higher.
double two_bumps(Arm arm) {
  const auto bump = [&](double x, double y, double width) {
    const double right = (arm[0] - x) / width;
    const double up = (arm[1] - y) / width;
    return std::exp(-0.5 * (right * right + up * up));
  };
  return std::max(0.8 * bump(0.25, 0.3, 0.2), bump(0.72, 0.77, 0.1));
}

/// A narrow diagonal ridge with its maximum on it.
double ridge(Arm arm) {
  const double beside = std::abs(arm[0] - arm[1] - 0.13);
  const double along = std::abs(arm[0] + arm[1] - 1.1);
  return std::max(0.0, 1.0 - 10.0 * beside) * (1.0 - 0.5 * along);
}

std::vector<Case> hard_cases(std::uint64_t pulls) {
  const AckleyFunction ackley({.dimension = 3});
  const auto peak_at = [](double x) { return [x](Arm arm) { return 1.0 - std::abs(arm[0] - x); }; };
  std::vector<Case> cases;
  cases.push_back(
      {{"ackley 3", ackley.space(), ackley, 1.0}, {"Gaussian 0.3", nullptr}, pulls, [](Arm) {
         return 0.3;
       }});
  for (const NoiseKind& noise : noises()) {
    cases.push_back({{"two bumps", cube(2), two_bumps, 1.0}, noise, pulls, nullptr});
    cases.push_back({{"ridge", cube(2), ridge, 1.0}, noise, pulls, nullptr});
  }
  cases.push_back({{"peak at 0.3", cube(1), peak_at(0.3), 1.0},
                   {"0.02 + 1.5 x^2", nullptr},
                   pulls,
                   [](Arm arm) { return 0.02 + 1.5 * arm[0] * arm[0]; }});
  cases.push_back(
      {{"peak at 0.7", cube(1), peak_at(0.7), 1.0}, {"1.5 above 0.6", nullptr}, pulls, [](Arm arm) {
         return arm[0] > 0.6 ? 1.5 : 0.05;
       }});
  return cases;
}

/// A variant of the textbook; none: HCT with its defaults.
struct Way {
  std::string name;
  std::optional<Variant> variant;
};

const std::vector<Way> kWays{
    {"as it is", Variant()},
    {"noise by place", Variant{.noise_by_place = true}},
    {"4 in the index", Variant{.boldness = 4.0}},
    {"both", Variant{.noise_by_place = true, .boldness = 4.0}},
    {"twice the explorer's budget", Variant{.allowance = 2.0}},
    {"HCT with its defaults", std::nullopt},
};

struct Length {
  std::uint64_t pulls;
  std::uint64_t runs;
};

}  // namespace

int main() {
  const std::vector<Length> lengths{{100, 100}, {1'000, 60}, {10'000, 40}, {100'000, 12}};
  std::vector<Case> cases;
  std::vector<std::uint64_t> runs;
  std::vector<bool> is_hard;
  for (const Length& length : lengths) {
    for (const bool hard : {false, true}) {
      for (Case& of : hard ? hard_cases(length.pulls) : ordinary_cases(length.pulls)) {
        cases.push_back(std::move(of));
        runs.push_back(length.runs);
        is_hard.push_back(hard);
      }
    }
  }
  std::vector<double> lost(cases.size() * kWays.size());
  on_all_cores(lost.size(), [&](std::size_t i) {
    const std::size_t which = i / kWays.size();
    const std::optional<Variant>& variant = kWays[i % kWays.size()].variant;
    const auto played = [&](const auto& make) {
      return regret(cases[which], 0, runs[which], make);
    };
    lost[i] = variant ? played([&](const Space& space) { return TextbookPlayer(space, *variant); })
                      : played([](const Space& space) { return Hct(space); });
  });

  const auto ratio = [&](std::size_t which, std::size_t way) {
    const double* of_case = &lost[which * kWays.size()];
    return of_case[way] / of_case[0];
  };
  fmt::print("Regret over that of the algorithm as it is.\n\n{:<14}{:<16}{:>8}{:>10}", "function",
             "noise", "n", "as it is");
  for (std::size_t way = 1; way < kWays.size(); ++way)
    fmt::print("{:>7}", fmt::format("({})", way));
  fmt::print("\n");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    fmt::print("{:<14}{:<16}{:>8}{:>10.5f}", cases[i].function.name, cases[i].noise.name,
               cases[i].pulls, lost[i * kWays.size()]);
    for (std::size_t way = 1; way < kWays.size(); ++way) fmt::print("{:>7.2f}", ratio(i, way));
    fmt::print("\n");
  }
  for (const bool hard : {false, true}) {
    fmt::print("\nGeometric mean of the {} cases, and from the least to the largest\n\n{:<34}",
               hard ? "hard" : "ordinary", "");
    for (const Length& length : lengths) fmt::print("{:>20}", length.pulls);
    fmt::print("\n");
    for (std::size_t way = 1; way < kWays.size(); ++way) {
      fmt::print("{:<34}", fmt::format("({}) {}", way, kWays[way].name));
      for (const Length& length : lengths) {
        Ratios ratios;
        for (std::size_t i = 0; i < cases.size(); ++i) {
          if (cases[i].pulls == length.pulls && is_hard[i] == hard) ratios.add(ratio(i, way));
        }
        fmt::print("{:>20}", ratios.text());
      }
      fmt::print("\n");
    }
  }
  return EXIT_SUCCESS;
}
