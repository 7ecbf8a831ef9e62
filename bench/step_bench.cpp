// The cost of a step, as ratios between alternatives measured in the same run. They take turns of a
// few milliseconds, so that other load on the machine affects them equally; a ratio is computed in
// each round, and the median over the rounds is printed.

#include "canopy/adaptive.hpp"
#include "canopy/family/thoo.hpp"
#include "canopy/garland.hpp"
#include "canopy/hct.hpp"
#include "canopy/lqr.hpp"
#include "canopy/random.hpp"

#include "support/objectives.hpp"
#include "support/textbook_hct.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

using canopy::Adaptive;
using canopy::Drift;
using canopy::Feedback;
using canopy::Garland;
using canopy::Hct;
using canopy::HctOptions;
using canopy::Pull;
using canopy::RandomStream;
using canopy::Thoo;
using canopy::testing::TextbookHct;
using canopy::testing::unit_range;

HctOptions options(Feedback feedback) {
  return {.feedback = feedback, .nu1 = 1.0, .rho = 0.7071, .confidence_scale = 0.05};
}

/// Evaluates garland and draws the noise, and nothing else.
void bare_loop(std::uint64_t steps, std::uint64_t seed) {
  Garland garland;
  RandomStream random({.seed = seed});
  double arm = canopy::kGarlandArgmax;
  double sum = 0.0;
  for (std::uint64_t i = 0; i < steps; ++i) {
    benchmark::DoNotOptimize(arm);  // or the compiler would evaluate garland once
    sum += garland.pull({&arm, 1}, random);
  }
  benchmark::DoNotOptimize(sum);
}

void textbook(std::uint64_t steps, std::uint64_t seed) {
  Garland garland;
  TextbookHct hct(std::make_shared<canopy::BoxPartition>(garland.space()), options(Feedback::iid));
  RandomStream random({.seed = seed});
  std::vector<double> arms;  // by node, since the textbook creates them on demand
  for (std::uint64_t i = 0; i < steps; ++i) {
    const std::size_t node = hct.select();
    for (std::size_t next = arms.size(); next <= node; ++next) arms.push_back(hct.arm(next)[0]);
    const double reward = garland.pull({&arms[node], 1}, random);
    hct.advance(1);
    hct.learn(node, 1.0, reward);
  }
}

/// One ask and one tell per pull, as in the README.
void pull_by_pull(auto& optimizer, std::uint64_t steps, std::uint64_t seed) {
  Garland garland;
  RandomStream random({.seed = seed});
  for (std::uint64_t i = 0; i < steps; ++i) {
    const Pull pull = optimizer.ask(1);
    (void)optimizer.tell(pull.ticket, garland.pull(pull.arm, random));
  }
}

void hct_iid(std::uint64_t steps, std::uint64_t seed) {
  Hct hct(Garland().space(), options(Feedback::iid), unit_range());
  pull_by_pull(hct, steps, seed);
}

/// One ask per episode, one tell per pull.
void hct_correlated(std::uint64_t steps, std::uint64_t seed) {
  Garland garland;
  Hct hct(garland.space(), options(Feedback::correlated), unit_range());
  RandomStream random({.seed = seed});
  for (std::uint64_t done = 0; done < steps;) {
    const Pull pull = hct.ask(steps - done);
    for (std::uint64_t i = 0; i < pull.length; ++i) {
      (void)hct.tell(pull.ticket, garland.pull(pull.arm, random));
    }
    done += pull.length;
  }
}

void adaptive(std::uint64_t steps, std::uint64_t seed) {
  Adaptive adaptive(Garland().space(), {.drift = Drift::none});
  pull_by_pull(adaptive, steps, seed);
}

void adaptive_to_drift(std::uint64_t steps, std::uint64_t seed) {
  Adaptive adaptive(Garland().space(), {.drift = Drift::automatic});
  pull_by_pull(adaptive, steps, seed);
}

/// With a single arm: ever longer turns, and no tree.
void turn_of(Adaptive& adaptive, std::uint64_t steps, std::uint64_t seed) {
  Garland garland;
  RandomStream random({.seed = seed});
  double arm = canopy::kGarlandArgmax;
  Pull pull{};
  for (std::uint64_t i = 0; i < steps; ++i, --pull.length) {
    if (pull.length == 0) pull = adaptive.ask();
    benchmark::DoNotOptimize(arm);
    (void)adaptive.tell(pull.ticket, garland.pull({&arm, 1}, random));
  }
}

void adaptive_turn(std::uint64_t steps, std::uint64_t seed) {
  Adaptive adaptive(canopy::Space{{"c", canopy::Choice{{"only"}}}}, {.drift = Drift::none});
  turn_of(adaptive, steps, seed);
}

void adaptive_turn_to_drift(std::uint64_t steps, std::uint64_t seed) {
  Adaptive adaptive(canopy::Space{{"c", canopy::Choice{{"only"}}}}, {.drift = Drift::automatic});
  turn_of(adaptive, steps, seed);
}

/// The largest number of nodes over the runs, after `steps` steps.
double adaptive_nodes(std::uint64_t steps, std::uint64_t runs) {
  std::uint64_t most = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    Adaptive adaptive(Garland().space());
    pull_by_pull(adaptive, steps, seed);
    most = std::max<std::uint64_t>(most, adaptive.summary().nodes);
  }
  return static_cast<double>(most);
}

/// Rewards without noise change the arm at almost every pull, in which case a step is not O(1).
void noiseless_hct(std::uint64_t steps, std::uint64_t /*seed*/) {
  Garland garland({.noise_width = 0.0});
  Hct hct(garland.space(), options(Feedback::iid), unit_range());
  for (std::uint64_t i = 0; i < steps; ++i) {
    const Pull pull = hct.ask(1);
    (void)hct.tell(pull.ticket, garland.mean_reward(pull.arm));
  }
}

void noiseless_textbook(std::uint64_t steps, std::uint64_t /*seed*/) {
  Garland garland({.noise_width = 0.0});
  TextbookHct hct(std::make_shared<canopy::BoxPartition>(garland.space()), options(Feedback::iid));
  std::vector<double> arms;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const std::size_t node = hct.select();
    for (std::size_t next = arms.size(); next <= node; ++next) arms.push_back(hct.arm(next)[0]);
    hct.advance(1);
    hct.learn(node, 1.0, garland.mean_reward({&arms[node], 1}));
  }
}

/// T-HOO with the same constants in its bounds, and a horizon whose depth limit is 18: the textbook
/// HCT plays at an average depth of 18.1 in its 1e6 steps.
void thoo(std::uint64_t steps, std::uint64_t seed) {
  Thoo thoo(Garland().space(),
            {.horizon = 250'000, .nu1 = 1.0, .rho = 0.7071, .confidence_scale = 0.05, .seed = seed},
            unit_range());
  pull_by_pull(thoo, steps, seed);
}

/// The chain of the scalar regulator, stepped by hand.
void direct_chain(std::uint64_t steps, std::uint64_t seed) {
  const canopy::LqrProcess process = canopy::Lqr().mdp();
  const canopy::LinearPolicy policy;
  RandomStream random({.seed = seed});
  auto now = process.start(random);
  double theta = 0.7;
  double sum = 0.0;
  for (std::uint64_t i = 0; i < steps; ++i) {
    benchmark::DoNotOptimize(theta);
    now = process.step(now.state, policy({&theta, 1}, now.observation, random), random);
    sum += now.reward;
  }
  benchmark::DoNotOptimize(sum);
}

/// The same chain through the adapter.
void adapted_chain(std::uint64_t steps, std::uint64_t seed) {
  canopy::Lqr lqr;
  RandomStream random({.seed = seed});
  lqr.start(random);
  double theta = 0.7;
  double sum = 0.0;
  for (std::uint64_t i = 0; i < steps; ++i) {
    benchmark::DoNotOptimize(theta);
    sum += lqr.pull({&theta, 1}, random);
  }
  benchmark::DoNotOptimize(sum);
}

using Workload = std::function<void(std::uint64_t steps, std::uint64_t seed)>;

struct Rival {
  std::string name;
  Workload play;
  std::uint64_t steps;
  std::uint64_t repeats = 1;        // per round, to make it long enough
  std::vector<double> ns_per_step;  // one per round
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The median over rounds of the difference between the times of two alternatives.
double difference(const Rival& one, const Rival& other) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < one.ns_per_step.size(); ++i) {
    differences.push_back(one.ns_per_step[i] - other.ns_per_step[i]);
  }
  return median(std::move(differences));
}

/// The median over rounds of the ratio between the times of two alternatives.
double ratio(const Rival& one, const Rival& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.ns_per_step.size(); ++i) {
    ratios.push_back(one.ns_per_step[i] / other.ns_per_step[i]);
  }
  return median(std::move(ratios));
}

void measure(const std::vector<Rival*>& rivals, std::uint64_t rounds) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (Rival* rival : rivals) {
      const auto started = std::chrono::steady_clock::now();
      for (std::uint64_t i = 0; i < rival->repeats; ++i) {
        rival->play(rival->steps, round * rival->repeats + i);
      }
      const std::chrono::duration<double, std::nano> elapsed =
          std::chrono::steady_clock::now() - started;
      rival->ns_per_step.push_back(elapsed.count() /
                                   static_cast<double>(rival->steps * rival->repeats));
    }
    if (terminal) fmt::print(stderr, "\rround {} of {}\033[K", round + 1, rounds);
  }
  if (terminal) fmt::print(stderr, "\r\033[K");
}

/// The peak memory, in MiB, of a process that only runs `play`.
double peak_memory(const Workload& play, std::uint64_t steps) {
  const pid_t child = fork();
  if (child == 0) {
    play(steps, 0);
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void print_row(const std::string& what, double measured, const std::string& unit,
               const std::string& goal) {
  fmt::print("{:<50}{:>9.2f} {:<4}  {}\n", what, measured, unit, goal);
}

}  // namespace

int main() {
  const double at_start = peak_memory(hct_iid, 1);  // before other measurements allocate memory
  const double after_steps = peak_memory(hct_iid, 100'000'000);
  Rival bare{"bare loop", bare_loop, 1'000'000, 1, {}};
  Rival iid{"HCT-iid", hct_iid, 1'000'000, 1, {}};
  Rival correlated{"HCT-correlated", hct_correlated, 1'000'000, 1, {}};
  Rival book{"textbook HCT-iid", textbook, 1'000'000, 1, {}};
  Rival changing{"HCT-iid without noise", noiseless_hct, 200'000, 1, {}};
  Rival changing_book{"textbook without noise", noiseless_textbook, 200'000, 1, {}};
  Rival truncated{"T-HOO of depth 18", thoo, 1'000'000, 1, {}};
  Rival short_book{"textbook HCT-iid", textbook, 100'000, 10, {}};
  Rival adapting{"adaptive", adaptive, 100'000, 10, {}};
  Rival turning{"adaptive within a turn", adaptive_turn, 1'000'000, 1, {}};
  Rival drifting{"adaptive, drift = auto", adaptive_to_drift, 100'000, 10, {}};
  Rival drifting_turn{
      "adaptive, drift = auto, within a turn", adaptive_turn_to_drift, 1'000'000, 1, {}};
  Rival direct{"chain stepped by hand", direct_chain, 1'000'000, 1, {}};
  Rival adapted{"chain through PolicyEnvironment", adapted_chain, 1'000'000, 1, {}};
  Rival short_iid{"HCT-iid", hct_iid, 100'000, 100, {}};
  Rival long_iid{"HCT-iid", hct_iid, 100'000'000, 1, {}};
  Rival short_correlated{"HCT-correlated", hct_correlated, 100'000, 100, {}};
  Rival long_correlated{"HCT-correlated", hct_correlated, 100'000'000, 1, {}};

  fmt::print("garland, noise width 1, nu1 1, rho 0.7071, confidence_scale 0.05; medians\n\n");
  measure({&bare, &iid, &correlated, &book, &changing, &changing_book, &truncated, &short_book,
           &adapting, &drifting, &turning, &drifting_turn, &direct, &adapted},
          41);
  measure({&short_iid, &long_iid, &short_correlated, &long_correlated}, 3);

  fmt::print("{:<50}{:>9}\n", "", "ns/step");
  for (const Rival* rival :
       {&bare, &book, &iid, &correlated, &truncated, &changing_book, &changing, &short_iid,
        &short_correlated, &long_iid, &long_correlated, &short_book, &adapting, &drifting, &turning,
        &drifting_turn, &direct, &adapted}) {
    const std::string steps = fmt::format("n = {:.0e}", static_cast<double>(rival->steps));
    print_row(rival->name + ", " + steps, median(rival->ns_per_step), "", "");
  }
  fmt::print("\n{:<50}{:>9}        {}\n", "", "measured", "goal");
  print_row("textbook / HCT-iid, n = 1e6", ratio(book, iid), "x", "at least 7");
  print_row("HCT-iid / bare loop, n = 1e6", ratio(iid, bare), "x", "at most 1.5");
  print_row("HCT-iid, n = 1e8 / n = 1e5", ratio(long_iid, short_iid), "x", "at most 1");
  print_row("HCT-correlated, n = 1e8 / n = 1e5", ratio(long_correlated, short_correlated), "x",
            "at most 1");
  print_row("HCT-correlated / HCT-iid, n = 1e6", ratio(correlated, iid), "x", "at most 1");
  print_row("textbook / HCT-iid, arm changes at every pull", ratio(changing_book, changing), "x",
            "(to know)");
  print_row("T-HOO / textbook HCT-iid, same depth", ratio(truncated, book), "x", "at most 1.5");
  print_row("adaptive / textbook HCT-iid, n = 1e5", ratio(adapting, short_book), "x", "(to know)");
  print_row("adaptive within a turn / bare loop, n = 1e6", ratio(turning, bare), "x", "(to know)");
  print_row("adaptive, drift = auto / none, n = 1e5", ratio(drifting, adapting), "x",
            "at most 1.7");
  print_row("  within a turn", ratio(drifting_turn, turning), "x", "(to know)");
  print_row("adaptive, n = 1e5", median(adapting.ns_per_step), "ns", "at most 150");
  print_row("adaptive within a turn", median(turning.ns_per_step), "ns", "at most 40");
  print_row("  most nodes of ten runs, n = 1e5", adaptive_nodes(100'000, 10), "", "below 3859");
  print_row("  size of a node", sizeof(canopy::AdaptiveModel::Node), "B", "at most 256");
  print_row("PolicyEnvironment over the chain by hand", difference(adapted, direct), "ns",
            "at most 3");
  print_row("size of a hot node", sizeof(canopy::BoundedTree::Node), "B", "at most 64");
  print_row("peak memory of 1e8 steps, the whole process", after_steps, "MiB", "at most 1.9");
  print_row("  of which after the first step", after_steps - at_start, "MiB", "");
  return EXIT_SUCCESS;
}
