// Compares the adaptive tree with drift = auto to the tree with drift = none, in systems that
// change and in systems that do not: ratio of regret per pull, changes detected, and false warnings
// of memory; also how often a jump of the level is detected, and how soon a better optimum that
// appears elsewhere is found.
//
//   drift [moving | still | ordinary | jumps | elsewhere] [PULLS [RUNS]]

#include "canopy/adaptive.hpp"
#include "canopy/moving.hpp"

#include "suite.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;

/// A set of motions.
struct Motions {
  std::string name;
  MovingOptions options;
};

std::vector<Motions> motions() {
  const auto still = [](MovingOptions options) {
    options.optimum = Motion::still;
    return options;
  };
  return {
      {"memory 0.5", still({.noise_memory = 0.5})},
      {"memory 0.9", still({.noise_memory = 0.9})},
      {"memory 0.98", still({.noise_memory = 0.98})},
      {"optimum moves", {.optimum_size = 0.42}},
      {"optimum walks", {.optimum = Motion::walk, .optimum_size = 0.5}},
      {"optimum jumps", {.optimum = Motion::jumps}},
      {"level, 5 periods", still({.level = Motion::sine})},
      {"level, 50 periods", still({.level = Motion::sine, .level_size = 1.0, .periods = 50.0})},
      {"level jumps", still({.level = Motion::jumps, .level_size = -0.5})},
      {"level walks", still({.level = Motion::walk, .level_size = 1.0})},
      {"both jump", {.optimum = Motion::jumps, .level = Motion::jumps, .level_size = -0.5}},
      {"both move", {.optimum_size = 0.42, .level = Motion::sine}},
      {"days",
       {.optimum = Motion::sine, .optimum_size = 0.15, .level = Motion::sine, .periods = 10.0}},
  };
}

/// The noise of a moving system.
struct MovingNoise {
  std::string name;
  Noise kind;
  double width;
};

std::vector<MovingNoise> moving_noises() {
  return {{"Gaussian 0.05", Noise::gaussian, 0.05},
          {"uniform 0.3", Noise::uniform, 0.3 * std::sqrt(12.0)}};
}

constexpr std::array kHills{HillFunction::cusp,  HillFunction::double_sine, HillFunction::quadratic,
                            HillFunction::waves, HillFunction::ridge,       HillFunction::bowl};

/// A system and the noise added to its rewards.
struct World {
  MovingOptions options;
  std::string noise;  // used in the names of random streams
  std::function<double(double reward, RandomStream& random)> disturbed = {};
};

struct Measured {
  double regret = 0.0;
  double changes = 0.0;
  double warned = 0.0;  // warnings of memory

  void add(const Adaptive& tree, double runs) {
    changes += static_cast<double>(tree.summary().changes) / runs;
    warned += tree.summary().settling ? 1.0 / runs : 0.0;
  }
};

struct Length {
  std::uint64_t pulls;
  std::uint64_t runs;
};

Measured in_motion(World world, Drift drift, std::size_t in_flight, const Length& length) {
  world.options.span = length.pulls;
  Moving system(world.options);
  Measured measured;
  for (std::uint64_t run = 0; run < length.runs; ++run) {
    RandomStream random(
        {.environment = name_of(world.options.function), .purpose = world.noise, .run = run});
    system.start(random);
    Adaptive tree(system.space(), {.drift = drift});
    std::deque<std::pair<Ticket, double>> out;
    for (std::uint64_t t = 1; t <= length.pulls; ++t) {
      const Pull pull = tree.ask(1);
      measured.regret += system.optimum_at(t).value - system.mean_reward_at(pull.arm, t);
      const double reward = system.pull(pull.arm, random);
      out.emplace_back(pull.ticket, world.disturbed ? world.disturbed(reward, random) : reward);
      if (out.size() < in_flight) continue;
      (void)tree.tell(out.front().first, out.front().second);
      out.pop_front();
    }
    measured.add(tree, static_cast<double>(length.runs));
  }
  measured.regret /= static_cast<double>(length.runs * length.pulls);
  return measured;
}

void print_moving(const Length& length) {
  const std::vector<Motions> all_motions = motions();
  const std::vector<MovingNoise> all_noises = moving_noises();
  const std::vector<std::size_t> ways{1, 8, 32};
  const std::size_t cases = kHills.size() * all_noises.size();
  std::vector<std::array<Measured, 2>> found(all_motions.size() * ways.size() * cases);
  on_all_cores(2 * found.size(), [&](std::size_t i) {
    const std::size_t at = i / 2;
    const MovingNoise& noise = all_noises[at / kHills.size() % all_noises.size()];
    World world{all_motions[at / cases / ways.size()].options, noise.name};
    world.options.function = kHills.at(at % kHills.size());
    world.options.noise = noise.kind;
    world.options.noise_width = noise.width;
    const Drift drift = i % 2 == 0 ? Drift::none : Drift::automatic;
    found[at].at(i % 2) = in_motion(world, drift, ways[at / cases % ways.size()], length);
  });
  fmt::print(
      "Regret per pull with drift = auto over that without, {} pulls, {} runs: geometric mean of "
      "{} "
      "cases and range; changes seen in a run\n\n{:<20}",
      length.pulls, length.runs, cases, "");
  for (const std::size_t way : ways)
    fmt::print("{:>22}{:>9}", fmt::format("{} in flight", way), "seen");
  fmt::print("\n");
  std::size_t at = 0;
  for (const Motions& motion : all_motions) {
    fmt::print("{:<20}", motion.name);
    for (std::size_t way = 0; way < ways.size(); ++way) {
      Ratios ratios;
      double changes = 0.0;
      for (std::size_t i = 0; i < cases; ++i, ++at) {
        ratios.add(found[at][1].regret / found[at][0].regret);
        changes += found[at][1].changes / static_cast<double>(cases);
      }
      fmt::print("{:>22}{:>9.1f}", ratios.text(), changes);
    }
    fmt::print("\n");
  }
}

/// Independent noise of many kinds. f is between 0 and 1, except for slopes.
std::vector<NoiseKind> still_noises() {
  std::vector<NoiseKind> all = noises();
  const auto student = [](double freedom, RandomStream& random) {
    double squares = 0.0;
    for (int i = 0; i < static_cast<int>(freedom); ++i) squares += std::pow(random.normal(), 2.0);
    return random.normal() / std::sqrt(squares / freedom);
  };
  all.push_back({"Student, 3",
                 [=](double f, RandomStream& random) { return f + 0.15 * student(3.0, random); }});
  all.push_back({"Student, 2",
                 [=](double f, RandomStream& random) { return f + 0.1 * student(2.0, random); }});
  all.push_back({"outliers", [](double f, RandomStream& random) {
                   const double rare = random.uniform() < 0.005 ? -3.0 : 0.0;
                   return f + 0.1 * random.normal() + rare;
                 }});
  all.push_back({"exponential", [](double f, RandomStream& random) {
                   return f - 0.3 * (std::log(1.0 - random.uniform()) + 1.0);
                 }});
  all.push_back({"rare 20s", [](double f, RandomStream& random) {
                   return random.uniform() < 0.05 * f ? 20.0 : 0.0;
                 }});
  all.push_back({"rare 20s, noisy", [](double f, RandomStream& random) {
                   return (random.uniform() < 0.05 * f ? 20.0 : 0.0) + 0.3 * random.normal();
                 }});
  all.push_back({"two values", [](double f, RandomStream& random) {
                   return random.uniform() < 0.5 + 0.3 * f ? 1.3 : -0.2;
                 }});
  all.push_back({"0, 1 and 2", [](double f, RandomStream& random) {
                   const double drawn = random.uniform();
                   return drawn < 0.25 * f ? 1.0 : drawn < 0.4 * f ? 2.0 : 0.0;
                 }});
  all.push_back({"stronger with f", [](double f, RandomStream& random) {
                   return f + (0.03 + 0.3 * f) * random.normal();
                 }});
  return all;
}

void print_still(const Length& length) {
  const std::vector<NoiseKind> all_noises = still_noises();
  std::vector<std::array<Measured, 2>> found(all_noises.size() * kHills.size());
  on_all_cores(2 * found.size(), [&](std::size_t i) {
    const std::size_t at = i / 2;
    const Drift drift = i % 2 == 0 ? Drift::none : Drift::automatic;
    const NoiseKind& noise = all_noises[at / kHills.size()];
    const World world{
        {.optimum = Motion::still, .function = kHills.at(at % kHills.size()), .noise_width = 0.0},
        noise.name,
        noise.reward};
    found[at].at(i % 2) = in_motion(world, drift, 1, length);
  });
  fmt::print(
      "Nothing moves: regret per pull with drift = auto over that without, {} pulls, {} runs: "
      "geometric mean of {} cases and range; changes seen and warnings of memory in a run\n\n"
      "{:<20}{:>22}{:>9}{:>9}\n",
      length.pulls, length.runs, kHills.size(), "", "regret", "seen", "memory");
  for (std::size_t noise = 0; noise < all_noises.size(); ++noise) {
    Ratios ratios;
    double changes = 0.0;
    double warned = 0.0;
    for (std::size_t hill = 0; hill < kHills.size(); ++hill) {
      const auto& [without, with] = found[noise * kHills.size() + hill];
      ratios.add(with.regret / without.regret);
      changes += with.changes / static_cast<double>(kHills.size());
      warned += with.warned / static_cast<double>(kHills.size());
    }
    fmt::print("{:<20}{:>22}{:>9.4f}{:>9.4f}\n", all_noises[noise].name, ratios.text(), changes,
               warned);
  }
}

/// The cost of drift = auto in systems that do not change, over more functions.
void print_ordinary(const Length& length) {
  const std::vector<Case> cases = ordinary_cases(length.pulls);
  std::vector<std::array<Measured, 2>> found(cases.size());
  on_all_cores(2 * found.size(), [&](std::size_t i) {
    const Case& of = cases[i / 2];
    Measured& measured = found[i / 2].at(i % 2);
    for (std::uint64_t run = 0; run < length.runs; ++run) {
      RandomStream random = of.random(run);
      Adaptive tree(of.function.space, {.drift = i % 2 == 0 ? Drift::none : Drift::automatic});
      double regret = 0.0;
      for (std::uint64_t done = 0; done < length.pulls; ++done) {
        const Pull pull = tree.ask(1);
        regret += of.function.largest - of.function.value(pull.arm);
        (void)tree.tell(pull.ticket, of.reward(pull.arm, random));
      }
      measured.regret += regret / static_cast<double>(length.runs * length.pulls);
      measured.add(tree, static_cast<double>(length.runs));
    }
  });
  fmt::print(
      "Nothing moves, {} cases: regret per pull with drift = auto over that without, {} pulls, {} "
      "runs: geometric mean and range; changes seen in a run\n\n",
      cases.size(), length.pulls, length.runs);
  Ratios all;
  for (const NoiseKind& noise : noises()) {
    Ratios ratios;
    double changes = 0.0;
    double count = 0.0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (cases[i].noise.name != noise.name) continue;
      const double ratio = found[i][1].regret / found[i][0].regret;
      ratios.add(ratio);
      all.add(ratio);
      changes += found[i][1].changes;
      count += 1.0;
    }
    fmt::print("{:<20}{:>22}{:>9.4f}\n", noise.name, ratios.text(), changes / count);
  }
  fmt::print("{:<20}{:>22}\n", "all", all.text());
}

/// The fraction of runs in which a level that jumps half-way is detected.
void print_jumps(const Length& length) {
  const std::vector<double> noises{0.01, 0.03, 0.1};
  const std::vector<double> jumps{3.0, 10.0, 30.0, 100.0, -3.0, -10.0, -30.0, -100.0};
  std::vector<double> noticed(noises.size() * jumps.size() * kHills.size());
  on_all_cores(noticed.size(), [&](std::size_t i) {
    Moving hill({.optimum = Motion::still, .function = kHills.at(i % kHills.size())});
    const double jump = jumps[i / kHills.size() % jumps.size()];
    const double noise = noises[i / kHills.size() / jumps.size()];
    for (std::uint64_t run = 0; run < length.runs; ++run) {
      RandomStream random(
          {.environment = name_of(kHills.at(i % kHills.size())), .purpose = "jump", .run = run});
      Adaptive tree(hill.space(), {.drift = Drift::automatic});
      std::uint64_t before = 0;
      for (std::uint64_t done = 0; done < length.pulls; ++done) {
        const bool has_jumped = 2 * done >= length.pulls;
        if (!has_jumped) before = tree.summary().changes;
        const Pull pull = tree.ask(1);
        const double level = has_jumped ? noise * jump : 0.0;
        (void)tree.tell(pull.ticket,
                        hill.mean_reward_at(pull.arm, 1) + level + noise * random.normal());
      }
      if (tree.summary().changes > before) noticed[i] += 1.0 / static_cast<double>(length.runs);
    }
  });
  fmt::print(
      "The level jumps half-way by this many standard deviations of the noise: share of runs in "
      "which that is "
      "noticed, {} pulls, {} runs of {} functions\n\n{:<20}",
      length.pulls, length.runs, kHills.size(), "");
  for (const double jump : jumps) fmt::print("{:>9.0f}", jump);
  std::size_t at = 0;
  for (const double noise : noises) {
    fmt::print("\n{:<20}", fmt::format("noise {}", noise));
    for (std::size_t jump = 0; jump < jumps.size(); ++jump) {
      double share = 0.0;
      for (std::size_t hill = 0; hill < kHills.size(); ++hill, ++at) {
        share += noticed[at] / static_cast<double>(kHills.size());
      }
      fmt::print("{:>9.2f}", share);
    }
  }
  fmt::print("\n");
}

/// A bump that appears far from the maximum of a hill, which itself does not change.
struct Elsewhere {
  std::string name;
  std::size_t dimension;
  double width;
  bool has_moved = false;  // the level has jumped before, and this was detected

  [[nodiscard]] double squared_distance(Arm arm, double from) const {
    double sum = 0.0;
    for (const double x : arm) sum += (x - from) * (x - from);
    return sum;
  }
  [[nodiscard]] double hill(Arm arm) const { return 1.0 - squared_distance(arm, 0.3); }
  [[nodiscard]] double bump(Arm arm) const {
    return 1.3 * std::max(0.0, 1.0 - squared_distance(arm, 0.77) / (width * width));
  }
};

/// For each run, the pulls from the appearance of the bump until ten pulls were near its maximum;
/// none: not in time.
std::vector<std::optional<std::uint64_t>> pulls_until_found(const Elsewhere& world, double noise,
                                                            const AdaptiveOptions& options,
                                                            const Length& length) {
  std::vector<std::optional<std::uint64_t>> found;
  const std::uint64_t appears = length.pulls / 10;
  for (std::uint64_t run = 0; run < length.runs; ++run) {
    RandomStream random({.environment = world.name, .purpose = "elsewhere", .run = run});
    Adaptive tree(cube(world.dimension), options);
    std::optional<std::uint64_t> when;
    int near = 0;
    for (std::uint64_t done = 0; done < length.pulls && !when; ++done) {
      const Pull pull = tree.ask(1);
      const double bump = done >= appears ? world.bump(pull.arm) : 0.0;
      if (bump > 1.1 && ++near == 10) when = done - appears;
      const double level = world.has_moved && 2 * done >= appears ? 1.0 : 0.0;
      const double f = std::max(world.hill(pull.arm), bump);
      (void)tree.tell(pull.ticket, f + level + noise * random.normal());
    }
    found.push_back(when);
  }
  return found;
}

void print_elsewhere(const Length& length) {
  const std::vector<Elsewhere> worlds{
      {"line, width 0.2", 1, 0.2},
      {"line, width 0.05", 1, 0.05},
      {"plane, width 0.2", 2, 0.2},
      {"line 0.2, level moved", 1, 0.2, true},
      {"line 0.05, level moved", 1, 0.05, true},
      {"plane 0.2, level moved", 2, 0.2, true},
  };
  const std::vector<double> noises{0.05, 0.3};
  const std::vector<std::pair<std::string, AdaptiveOptions>> ways{
      {"none", {.drift = Drift::none}},
      {"auto", {.drift = Drift::automatic}},
      {"none, coverage 0.3", {.coverage = 0.3, .drift = Drift::none}},
      {"auto, coverage 0.3", {.coverage = 0.3, .drift = Drift::automatic}},
      {"auto, coverage 1", {.coverage = 1.0, .drift = Drift::automatic}},
  };
  std::vector<std::vector<std::optional<std::uint64_t>>> found(worlds.size() * noises.size() *
                                                               ways.size());
  on_all_cores(found.size(), [&](std::size_t i) {
    found[i] = pulls_until_found(worlds[i / ways.size() / noises.size()],
                                 noises[i / ways.size() % noises.size()],
                                 ways[i % ways.size()].second, length);
  });
  fmt::print(
      "A better optimum appears elsewhere after {} of {} pulls: median of the pulls until it has "
      "been pulled ten times, and in how many of {} runs it was\n\n{:<34}",
      length.pulls / 10, length.pulls, length.runs, "");
  for (const auto& [name, options] : ways) fmt::print("{:>21}", name);
  std::size_t at = 0;
  for (const Elsewhere& world : worlds) {
    for (const double noise : noises) {
      fmt::print("\n{:<34}", fmt::format("{}, noise {}", world.name, noise));
      for (std::size_t way = 0; way < ways.size(); ++way, ++at) {
        std::vector<std::uint64_t> pulls;
        for (const auto& when : found[at]) pulls.push_back(when.value_or(UINT64_MAX));
        std::sort(pulls.begin(), pulls.end());
        const std::uint64_t median = pulls[pulls.size() / 2];
        const auto in_time = std::count_if(pulls.begin(), pulls.end(),
                                           [](std::uint64_t each) { return each != UINT64_MAX; });
        fmt::print(
            "{:>21}",
            fmt::format("{} ({})", median == UINT64_MAX ? "-" : std::to_string(median), in_time));
      }
    }
  }
  fmt::print("\n");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view which = count > 1 ? arguments[1] : "";
  const auto number = [&](int at, std::uint64_t otherwise) {
    return count > at ? std::strtoull(arguments[at], nullptr, 10) : otherwise;
  };
  const bool all = which.empty();
  if (all || which == "moving") print_moving({number(2, 3'000), number(3, 4)});
  if (all) fmt::print("\n");
  if (all || which == "still") print_still({number(2, 3'000), number(3, 50)});
  if (all) fmt::print("\n");
  if (all || which == "ordinary") print_ordinary({number(2, 1'000), number(3, 20)});
  if (all) fmt::print("\n");
  if (all || which == "jumps") print_jumps({number(2, 3'000), number(3, 6)});
  if (all) fmt::print("\n");
  if (all || which == "elsewhere") print_elsewhere({number(2, 30'000), number(3, 63)});
  return EXIT_SUCCESS;
}
