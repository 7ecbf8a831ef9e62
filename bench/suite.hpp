#pragma once

// Six functions and three kinds of noise, used by the comparisons of the adaptive tree; the
// optimizer is given only the search space.

#include "canopy/garland.hpp"
#include "canopy/hct.hpp"
#include "canopy/random.hpp"
#include "canopy/space.hpp"
#include "canopy/test_functions.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace canopy::bench {

struct Function {
  std::string name;
  Space space;
  std::function<double(Arm)> value;
  double largest;
};

inline double steps(double x) {
  constexpr std::array edges{0.2, 0.41, 0.47, 0.8};
  constexpr std::array values{0.2, 0.5, 0.85, 0.4, 0.75};
  const auto passed = std::upper_bound(edges.begin(), edges.end(), x) - edges.begin();
  return values.at(static_cast<std::size_t>(passed));
}

inline std::vector<Function> functions() {
  const Space line{{"x", Real{0.0, 1.0}}};
  const auto square = [](double x) { return x * x; };
  const Garland garland;
  const DoubleSineFunction double_sine({});
  const HimmelblauFunction himmelblau({});
  return {
      {"garland", line, [garland](Arm arm) { return garland.mean_reward(arm); },
       garland.optimum().value},
      {"double-sine", line, double_sine, 1.0},
      {"quadratic", line, [=](Arm arm) { return 1.0 - 2.5 * square(arm[0] - 0.37); }, 1.0},
      {"narrow peak", line,
       [=](Arm arm) { return 0.1 + 0.9 * std::max(0.0, 1.0 - square((arm[0] - 0.6347) / 0.01)); },
       1.0},
      {"himmelblau", HimmelblauFunction::space(), himmelblau, 1.0},
      {"steps", line, [](Arm arm) { return steps(arm[0]); }, 0.85},
  };
}

struct NoiseKind {
  std::string name;
  std::function<double(double value, RandomStream& random)> reward;
};

inline std::vector<NoiseKind> noises() {
  return {
      {"Gaussian 0.05", [](double f, RandomStream& random) { return f + 0.05 * random.normal(); }},
      {"uniform 0.3",
       [](double f, RandomStream& random) {
         return f + 0.3 * std::sqrt(12.0) * (random.uniform() - 0.5);
       }},
      {"0/1", [](double f, RandomStream& random) { return random.uniform() < f ? 1.0 : 0.0; }},
  };
}

/// A function, a noise and a number of pulls.
struct Case {
  Function function;
  NoiseKind noise;
  std::uint64_t pulls;

  /// Standard deviation of Gaussian noise that depends on the arm; empty: the noise is the same
  /// everywhere.
  std::function<double(Arm)> deviation = nullptr;

  [[nodiscard]] double reward(Arm arm, RandomStream& random) const {
    const double value = function.value(arm);
    if (deviation) return value + deviation(arm) * random.normal();
    return noise.reward(value, random);
  }

  /// The random stream of a run, the same for every optimizer.
  [[nodiscard]] RandomStream random(std::uint64_t run) const {
    return RandomStream({.environment = function.name, .purpose = noise.name, .run = run});
  }
};

/// All functions with all kinds of noise, for every length.
inline std::vector<Case> cases_of(const std::vector<std::uint64_t>& lengths) {
  std::vector<Case> cases;
  for (const std::uint64_t pulls : lengths) {
    for (const Function& function : functions()) {
      for (const NoiseKind& noise : noises()) cases.push_back({function, noise, pulls, nullptr});
    }
  }
  return cases;
}

inline Space cube(std::size_t dimension) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < dimension; ++i) {
    parameters.push_back({"x" + std::to_string(i), Real{0.0, 1.0}});
  }
  return Space(parameters);
}

inline double bowl(Arm arm) {
  constexpr std::array top{0.3, 0.5, 0.7, 0.5};
  double value = 1.0;
  for (std::size_t i = 0; i < top.size(); ++i) value -= (arm[i] - top.at(i)) * (arm[i] - top.at(i));
  return value;
}

/// The functions of the suite and eight more, of up to six dimensions.
inline std::vector<Function> ordinary_functions() {
  std::vector<Function> all = functions();
  const RastriginFunction rastrigin({.dimension = 2});
  const RosenbrockFunction rosenbrock({.dimension = 3});
  all.push_back({"branin", BraninFunction::space(), BraninFunction({}), 1.0});
  all.push_back({"peaks", PeaksFunction::space(), PeaksFunction({}), 1.0});
  all.push_back({"hartmann 3", HartmannFunction<3>::space(), HartmannFunction<3>({}), 1.0});
  all.push_back({"hartmann 6", HartmannFunction<6>::space(), HartmannFunction<6>({}), 1.0});
  all.push_back({"rastrigin", rastrigin.space(), rastrigin, 1.0});
  all.push_back({"rosenbrock", rosenbrock.space(), rosenbrock, 1.0});
  all.push_back({"bowl", cube(4), bowl, 1.0});
  all.push_back({"ramp", cube(1), [](Arm arm) { return 0.2 + 0.6 * arm[0]; }, 0.8});
  return all;
}

inline std::vector<Case> ordinary_cases(std::uint64_t pulls) {
  std::vector<Case> cases;
  for (const Function& function : ordinary_functions()) {
    for (const NoiseKind& noise : noises()) cases.push_back({function, noise, pulls, nullptr});
  }
  return cases;
}

/// Regret per pull, averaged over the runs with these numbers.
template <class Make>
double regret(const Case& of, std::uint64_t first, std::uint64_t runs, const Make& make) {
  double sum = 0.0;
  for (std::uint64_t run = first; run < first + runs; ++run) {
    RandomStream random = of.random(run);
    auto optimizer = make(of.function.space);
    for (std::uint64_t done = 0; done < of.pulls;) {
      const Pull pull = optimizer.ask(of.pulls - done);
      const double value = of.function.value(pull.arm);
      for (std::uint64_t i = 0; i < pull.length; ++i) {
        (void)optimizer.tell(pull.ticket, of.reward(pull.arm, random));
      }
      sum += static_cast<double>(pull.length) * (of.function.largest - value);
      done += pull.length;
    }
  }
  return sum / static_cast<double>(runs * of.pulls);
}

/// Tuning runs are numbered from here, separately from measured runs.
inline constexpr std::uint64_t kFirstTuningRun = 1'000'000;

/// The best of 72 combinations of constants; all other options as given.
template <class RegretOf>
HctOptions tuned(HctOptions options, const RegretOf& regret_of) {
  HctOptions best;
  double least = kInfinity;
  for (const double nu1 : {0.25, 1.0, 4.0}) {
    for (const double rho : {0.5, 0.7071, 0.84, 0.917}) {
      for (const double scale : {0.003, 0.006, 0.0125, 0.025, 0.05, 0.1}) {
        options.nu1 = nu1;
        options.rho = rho;
        options.confidence_scale = scale;
        const double lost = regret_of(options);
        if (lost >= least) continue;
        least = lost;
        best = options;
      }
    }
  }
  return best;
}

/// Calls work 0, 1, ..., count - 1 on all cores, and shows the progress.
template <class Work>
void on_all_cores(std::size_t count, const Work& work) {
  const bool shows = isatty(STDERR_FILENO) != 0;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < count; at = next++) {
        work(at);
        if (shows) fmt::print(stderr, "\r{} of {}", at + 1, count);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (shows) fmt::print(stderr, "\r{:20}\r", "");
}

/// Ratios, summarised by their geometric mean, the best and the worst.
class Ratios {
 public:
  void add(double ratio) {
    logs_ += std::log(ratio);
    best_ = std::min(best_, ratio);
    worst_ = std::max(worst_, ratio);
    count_ += 1.0;
  }

  [[nodiscard]] std::string text() const {
    return fmt::format("{:.2f} ({:.1f} to {:.1f})", std::exp(logs_ / count_), best_, worst_);
  }

 private:
  double logs_ = 0.0;
  double best_ = kInfinity;
  double worst_ = 0.0;
  double count_ = 0.0;
};

}  // namespace canopy::bench
