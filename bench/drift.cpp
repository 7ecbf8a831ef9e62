// The adaptive tree with drift = auto beside itself without, in worlds that move and in worlds that
// do not: regret per pull over that without, changes seen, and false warnings of memory.
//
//   drift [moving | still] [PULLS [RUNS]]

#include "canopy/adaptive.hpp"
#include "canopy/moving.hpp"

#include "suite.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;

/// A way to move.
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

/// The noise of what moves.
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

/// A system and what is added to its rewards.
struct World {
  MovingOptions options;
  std::string noise;  // in the names of random streams
  std::function<double(double reward, RandomStream& random)> disturbed = {};
};

struct Measured {
  double regret = 0.0;
  double changes = 0.0;
  double warned = 0.0;  // of memory

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

/// Noise that is independent, of all kinds. f is between 0 and 1, but for slopes.
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

}  // namespace

int main(int count, char** arguments) {
  const std::string_view which = count > 1 ? arguments[1] : "";
  const auto number = [&](int at, std::uint64_t otherwise) {
    return count > at ? std::strtoull(arguments[at], nullptr, 10) : otherwise;
  };
  if (which != "still") print_moving({number(2, 3'000), number(3, 4)});
  if (which.empty()) fmt::print("\n");
  if (which != "moving") print_still({number(2, 3'000), number(3, 50)});
  return EXIT_SUCCESS;
}
