// Whether the intervals of `best` hold: how often they have f(arm) at the end of a run, and at all
// looks after 1, 2, 4, ... pulls at once, for the adaptive tree or another optimizer (the name is
// the argument) with its defaults, told nothing about the rewards. For the adaptive tree also
// how often its model is right about f(arm) at the end.

#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

using canopy::Arm;
using canopy::Choice;
using canopy::Integer;
using canopy::Optimizer;
using canopy::RandomStream;
using canopy::Real;
using canopy::Space;

struct Function {
  std::string name;
  Space space;
  std::function<double(Arm)> value;  ///< in [0, 1], with a maximum of about 1
};

double square(double x) {
  return x * x;
}

std::vector<Function> functions() {
  const canopy::Parameter x{"x", Real{0.0, 1.0}};
  const canopy::Parameter y{"y", Real{0.0, 1.0}};
  const canopy::Parameter z{"z", Real{0.0, 1.0}};
  const std::vector<std::string> three{"lz4", "zstd", "brotli"};
  std::vector<std::string> twelve;
  twelve.reserve(12);
  for (int i = 0; i < 12; ++i) twelve.push_back(std::to_string(i));
  const auto listed = [](double i) { return 0.5 + 0.5 * std::sin(7.0 * i + 1.0); };
  return {
      {"parabola", Space{x}, [](Arm a) { return 1.0 - square(a[0] - 0.3); }},
      {"peak", Space{x}, [](Arm a) { return 1.0 - std::abs(a[0] - 0.7); }},
      {"garland", Space{x},
       [](Arm a) {
         return a[0] * (1.0 - a[0]) * (4.0 - std::sqrt(std::abs(std::sin(60.0 * a[0]))));
       }},
      {"step", Space{x}, [](Arm a) { return a[0] < 0.62 ? 0.2 + 0.5 * a[0] : 0.9; }},
      {"two waves", Space{x},
       [](Arm a) { return 0.5 + 0.25 * std::sin(13.0 * a[0]) + 0.25 * std::sin(27.0 * a[0]); }},
      {"parabola 2-D", Space{x, y},
       [](Arm a) { return 1.0 - square(a[0] - 0.3) - 0.4 * square(a[1] - 0.6); }},
      {"ridge 2-D", Space{x, y}, [](Arm a) { return 1.0 - std::abs(a[0] - a[1]) / 2.0; }},
      {"parabola 3-D", Space{x, y, z},
       [](Arm a) {
         return 1.0 - (square(a[0] - 0.3) + square(a[1] - 0.6) + square(a[2] - 0.5)) / 2.0;
       }},
      {"list of 3", Space{{"c", Choice{three}}},
       [](Arm a) {
         return std::array{0.9, 0.5, 0.3}.at(static_cast<std::size_t>(a[0]));
       }},
      {"list of 12", Space{{"c", Choice{twelve}}}, [=](Arm a) { return listed(a[0]); }},
      {"1 to 100", Space{{"n", Integer{1, 100}}},
       [](Arm a) { return 1.0 - std::abs(a[0] - 37.0) / 100.0; }},
      {"list and real", Space{{"c", Choice{three}}, x},
       [](Arm a) {
         return std::array{0.7, 1.0, 0.4}.at(static_cast<std::size_t>(a[0])) *
                (1.0 - square(a[1] - 0.3));
       }},
  };
}

struct Noise {
  std::string name;
  std::function<double(double, RandomStream&)> reward;
};

std::vector<Noise> noises() {
  const auto gaussian = [](double sd) {
    return [sd](double mean, RandomStream& random) { return mean + sd * random.normal(); };
  };
  return {
      {"Gaussian 0.05", gaussian(0.05)},
      {"Gaussian 0.1", gaussian(0.1)},
      {"Gaussian 0.3", gaussian(0.3)},
      {"uniform", [](double mean, RandomStream& random) { return mean + random.uniform() - 0.5; }},
      {"0 or 1",
       [](double mean, RandomStream& random) { return random.uniform() < mean ? 1.0 : 0.0; }}};
}

/// Shares of runs, and sums over them.
struct Tally {
  double runs = 0.0;
  double covered = 0.0;
  double covered_always = 0.0;
  double covered_by_model = 0.0;
  double unbounded = 0.0;
  double best_value = 0.0;
  double most_pulled_value = 0.0;
  std::vector<double> widths = {};

  [[nodiscard]] double median_width() {
    if (widths.empty()) return 0.0;
    std::nth_element(widths.begin(),
                     widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2), widths.end());
    return widths[widths.size() / 2];
  }
};

/// One run: `reward` plays an arm, `value` is its f.
template <class Reward, class Value>
void run(Optimizer& optimizer, std::uint64_t steps, Tally& tally, Reward&& reward, Value&& value) {
  bool always = true;
  const auto covers = [&](const canopy::Best& best) {
    const double truth = value(best.arm);
    return best.lower <= truth && truth <= best.upper;
  };
  for (std::uint64_t done = 0; done < steps;) {
    const canopy::Pull pull = optimizer.ask(1);
    if (!is_taken(optimizer.tell(pull.ticket, reward(pull.arm)))) std::abort();
    ++done;
    if (std::has_single_bit(done) || done == steps)
      always = always && covers(optimizer.best().value());
  }
  const canopy::Best best = optimizer.best().value();
  tally.runs += 1.0;
  tally.covered += covers(best) ? 1.0 : 0.0;
  tally.covered_always += always ? 1.0 : 0.0;
  if (const auto& model = best.by_model) {
    const double truth = value(best.arm);
    tally.covered_by_model += model->lower <= truth && truth <= model->upper ? 1.0 : 0.0;
  }
  if (std::isfinite(best.upper)) {
    tally.widths.push_back(best.upper - best.lower);
  } else {
    tally.unbounded += 1.0;
  }
  tally.best_value += value(best.arm);
  const std::vector<canopy::NodeView> nodes = optimizer.tree()->nodes();
  const auto most = std::max_element(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.pulls, a.mean) < std::pair(b.pulls, b.mean);
  });
  tally.most_pulled_value += value(most->arm);
}

void print(const std::string& what, std::uint64_t steps, Tally& tally) {
  fmt::print("{:<34}{:>7}{:>9.3f}{:>9.3f}{:>9.3f}{:>9.3f}{:>9.3f}\n", what, steps,
             tally.covered / tally.runs, tally.covered_always / tally.runs,
             tally.unbounded / tally.runs, tally.median_width(),
             tally.covered_by_model / tally.runs);
}

void print_title(const std::string& title) {
  fmt::print("{:<34}{:>7}{:>9}{:>9}{:>9}{:>9}{:>9}\n", title, "n", "at end", "always", "no ends",
             "width", "model");
}

}  // namespace

int main(int count, char** words) {
  constexpr std::uint64_t kRuns = 200;
  const std::string name = count > 1 ? words[1] : std::string(canopy::kDefaultOptimizer);
  fmt::print("Shares of {} runs of {} in which the interval of `best`, at 95 %, has f(arm)\n\n",
             kRuns, name);
  print_title("independent rewards");
  double least_end = 1.0;
  double least_always = 1.0;
  double least_by_model = 1.0;
  Tally at_200;
  for (const Noise& noise : noises()) {
    for (const std::uint64_t steps : {100U, 200U, 1000U, 20'000U}) {
      for (const Function& function : functions()) {
        Tally tally;
        for (std::uint64_t number = 0; number < kRuns; ++number) {
          RandomStream random({.seed = 1,
                               .environment = function.name,
                               .algorithm = noise.name,
                               .purpose = std::to_string(steps),
                               .run = number});
          const auto optimizer = canopy::make_optimizer({name}, function.space);
          run(
              *optimizer, steps, tally,
              [&](Arm arm) { return noise.reward(function.value(arm), random); }, function.value);
        }
        if (steps == 200) {  // only for simple regret
          if (noise.name != "Gaussian 0.3") continue;
          at_200.runs += tally.runs;
          at_200.best_value += tally.best_value;
          at_200.most_pulled_value += tally.most_pulled_value;
          continue;
        }
        least_end = std::min(least_end, tally.covered / tally.runs);
        least_always = std::min(least_always, tally.covered_always / tally.runs);
        least_by_model = std::min(least_by_model, tally.covered_by_model / tally.runs);
        print(function.name + ", " + noise.name, steps, tally);
      }
    }
  }
  fmt::print("{:<34}{:>16.3f}{:>9.3f}{:>27.3f}   goal: 0.95 of the first two\n\n",
             "the least of all", least_end, least_always, least_by_model);

  print_title("rewards that depend on each other");
  const canopy::Selection for_memory = name == "hct"
                                           ? canopy::Selection{name, {{"feedback", "correlated"}}}
                                           : canopy::Selection{name};
  for (const char* system : {"garland-mdp", "routing"}) {
    for (const std::uint64_t steps : {100U, 1000U, 20'000U}) {
      Tally tally;
      for (std::uint64_t number = 0; number < kRuns; ++number) {
        RandomStream random(
            {.seed = 1, .environment = system, .purpose = std::to_string(steps), .run = number});
        const auto environment = canopy::make_environment({system});
        environment->start(random);
        const auto optimizer = canopy::make_optimizer(for_memory, environment->space());
        run(
            *optimizer, steps, tally, [&](Arm arm) { return environment->pull(arm, random); },
            [&](Arm arm) { return environment->mean_reward_at(arm, steps); });
      }
      print(system, steps, tally);
    }
  }
  fmt::print("goal: at least 0.9 at the end\n\n");
  fmt::print(
      "f(best) at n = 200, noise Gaussian 0.3, mean of all functions   {:.4f}\n"
      "f(most pulled node)                                             {:.4f}\n",
      at_200.best_value / at_200.runs, at_200.most_pulled_value / at_200.runs);
  return EXIT_SUCCESS;
}
