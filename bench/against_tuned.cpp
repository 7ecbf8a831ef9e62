// The adaptive tree, told nothing but the box, beside HCT whose constants were chosen for each
// function, noise and number of pulls by hindsight: regret per pull, as ratios.

#include "canopy/adaptive.hpp"
#include "canopy/garland.hpp"
#include "canopy/hct.hpp"
#include "canopy/random.hpp"
#include "canopy/test_functions.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace {

using canopy::Adaptive;
using canopy::Arm;
using canopy::Hct;
using canopy::HctOptions;
using canopy::Optimizer;
using canopy::RandomStream;
using canopy::Real;
using canopy::Space;

struct Function {
  std::string name;
  Space space;
  std::function<double(Arm)> value;
  double largest;
};

double steps(double x) {
  constexpr std::array edges{0.2, 0.41, 0.47, 0.8};
  constexpr std::array values{0.2, 0.5, 0.85, 0.4, 0.75};
  const auto passed = std::upper_bound(edges.begin(), edges.end(), x) - edges.begin();
  return values.at(static_cast<std::size_t>(passed));
}

std::vector<Function> functions() {
  const Space line{{"x", Real{0.0, 1.0}}};
  const auto square = [](double x) { return x * x; };
  const canopy::Garland garland;
  const canopy::DoubleSineFunction double_sine({});
  const canopy::HimmelblauFunction himmelblau({});
  return {
      {"garland", line, [garland](Arm arm) { return garland.mean_reward(arm); },
       garland.optimum().value},
      {"double-sine", line, double_sine, 1.0},
      {"quadratic", line, [=](Arm arm) { return 1.0 - 2.5 * square(arm[0] - 0.37); }, 1.0},
      {"narrow peak", line,
       [=](Arm arm) { return 0.1 + 0.9 * std::max(0.0, 1.0 - square((arm[0] - 0.6347) / 0.01)); },
       1.0},
      {"himmelblau", canopy::HimmelblauFunction::space(), himmelblau, 1.0},
      {"steps", line, [](Arm arm) { return steps(arm[0]); }, 0.85},
  };
}

struct Noise {
  std::string name;
  std::function<double(double value, RandomStream& random)> reward;
};

std::vector<Noise> noises() {
  return {
      {"Gaussian 0.05", [](double f, RandomStream& random) { return f + 0.05 * random.normal(); }},
      {"uniform 0.3",
       [](double f, RandomStream& random) {
         return f + 0.3 * std::sqrt(12.0) * (random.uniform() - 0.5);
       }},
      {"0/1", [](double f, RandomStream& random) { return random.uniform() < f ? 1.0 : 0.0; }},
  };
}

struct Case {
  Function function;
  Noise noise;
  std::uint64_t pulls;

  double hct = 0.0;  ///< regret per pull of the tuned one
  double practical = 0.0;
  double adaptive = 0.0;
};

/// Regret per pull, the mean over runs with these numbers.
template <class Make>
double regret(const Case& of, std::uint64_t first, std::uint64_t runs, const Make& make) {
  double sum = 0.0;
  for (std::uint64_t run = first; run < first + runs; ++run) {
    RandomStream random({.environment = of.function.name, .purpose = of.noise.name, .run = run});
    auto optimizer = make(of.function.space);
    for (std::uint64_t done = 0; done < of.pulls;) {
      const canopy::Pull pull = optimizer.ask(of.pulls - done);
      const double value = of.function.value(pull.arm);
      for (std::uint64_t i = 0; i < pull.length; ++i) {
        (void)optimizer.tell(pull.ticket, of.noise.reward(value, random));
      }
      sum += static_cast<double>(pull.length) * (of.function.largest - value);
      done += pull.length;
    }
  }
  return sum / static_cast<double>(runs * of.pulls);
}

/// The constants with the least regret, found with runs of their own.
HctOptions tuned(const Case& of, std::uint64_t runs) {
  HctOptions best;
  double least = canopy::kInfinity;
  for (const double nu1 : {0.25, 1.0, 4.0}) {
    for (const double rho : {0.5, 0.7071, 0.84, 0.917}) {
      for (const double scale : {0.003, 0.006, 0.0125, 0.025, 0.05, 0.1}) {
        const HctOptions options{.nu1 = nu1, .rho = rho, .confidence_scale = scale};
        const double lost = regret(of, 1'000'000, runs, [&](const Space& space) {
          return Hct(space, options, {.reward_range = {{0.0, 1.0}}});
        });
        if (lost >= least) continue;
        least = lost;
        best = options;
      }
    }
  }
  return best;
}

void measure(Case& of, std::uint64_t runs) {
  const HctOptions options = tuned(of, runs);
  of.hct = regret(of, 0, runs, [&](const Space& space) {
    return Hct(space, options, {.reward_range = {{0.0, 1.0}}});
  });
  of.practical = regret(of, 0, runs, [](const Space& space) { return Hct(space); });
  of.adaptive = regret(of, 0, runs, [](const Space& space) { return Adaptive(space); });
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  std::vector<std::uint64_t> lengths{100, 300, 1'000, 10'000};
  if (!arguments.empty() && arguments[0] == "--all") lengths.push_back(100'000);
  std::vector<Case> cases;
  for (const std::uint64_t pulls : lengths) {
    for (const Function& function : functions()) {
      for (const Noise& noise : noises()) cases.push_back({function, noise, pulls});
    }
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < cases.size(); i = next++) {
      measure(cases[i], cases[i].pulls >= 100'000 ? 20 : 40);
      if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r{} of {}", i + 1, cases.size());
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& thread : threads) thread.join();
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r{:20}\r", "");

  fmt::print(
      "Regret per pull. HCT: tuned by hindsight for each row and told the range; HCT with its\n"
      "defaults and the adaptive tree are told the box alone.\n\n");
  fmt::print("{:<14}{:<15}{:>8}{:>11}{:>11}{:>9}{:>11}{:>9}\n", "function", "noise", "n",
             "HCT tuned", "defaults", "ratio", "adaptive", "ratio");
  for (const Case& each : cases) {
    fmt::print("{:<14}{:<15}{:>8}{:>11.5f}{:>11.5f}{:>9.2f}{:>11.5f}{:>9.2f}\n", each.function.name,
               each.noise.name, each.pulls, each.hct, each.practical, each.practical / each.hct,
               each.adaptive, each.adaptive / each.hct);
  }
  fmt::print("\n{:<14}{:>15}{:>24}\n", "n", "adaptive / tuned", "defaults / tuned");
  for (const std::uint64_t pulls : lengths) {
    double log_sum = 0.0;
    double log_practical = 0.0;
    double worst = 0.0;
    double worst_practical = 0.0;
    double all = 0.0;
    for (const Case& each : cases) {
      if (each.pulls != pulls) continue;
      log_sum += std::log(each.adaptive / each.hct);
      log_practical += std::log(each.practical / each.hct);
      worst = std::max(worst, each.adaptive / each.hct);
      worst_practical = std::max(worst_practical, each.practical / each.hct);
      all += 1.0;
    }
    fmt::print("{:<14}{:>6.2f} (worst {:.1f}){:>12.2f} (worst {:.1f})\n", pulls,
               std::exp(log_sum / all), worst, std::exp(log_practical / all), worst_practical);
  }
  return EXIT_SUCCESS;
}
