// The adaptive tree with drift = auto beside itself without, in worlds that move and in worlds that
// do not: regret per pull over that without, changes seen, and false warnings of memory.
//
//   drift [moving | still] [PULLS [RUNS]]

#include "canopy/adaptive.hpp"

#include "suite.hpp"

#include <cstdlib>
#include <deque>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;

double square(double x) {
  return x * x;
}

/// On the unit box, with a largest value of 1 at `top`, on all axes.
struct Hill {
  std::string name;
  std::vector<double> top;
  std::function<double(const std::vector<double>&)> value;

  [[nodiscard]] Space space() const {
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < top.size(); ++i) {
      parameters.push_back({"x" + std::to_string(i), Real{0.0, 1.0}});
    }
    return Space(parameters);
  }

  /// With the top at another place: the box is stretched on one side of it, and shrunk on the
  /// other.
  [[nodiscard]] double at(Arm arm, const std::vector<double>& place) const {
    std::vector<double> x(top.size());
    for (std::size_t i = 0; i < top.size(); ++i) {
      x[i] = arm[i] < place[i] ? arm[i] * top[i] / place[i]
                               : 1.0 - (1.0 - arm[i]) * (1.0 - top[i]) / (1.0 - place[i]);
    }
    return value(x);
  }
};

std::vector<Hill> hills() {
  using Point = std::vector<double>;
  const DoubleSineFunction double_sine({});
  return {
      {"cusp",
       {0.314},
       [](const Point& x) { return 1.0 - 1.2 * std::sqrt(std::abs(x[0] - 0.314)); }},
      {"double sine", {0.5}, [double_sine](const Point& x) { return double_sine(Arm(x)); }},
      {"quadratic", {0.37}, [](const Point& x) { return 1.0 - 2.5 * square(x[0] - 0.37); }},
      {"waves",
       {0.55, 0.55},
       [](const Point& x) {
         double sum = 0.0;
         for (const double each : x) {
           const double off = 2.0 * (each - 0.55);
           sum += 10.0 + square(off) - 10.0 * std::cos(2.0 * std::numbers::pi * off);
         }
         return 1.0 - sum / 44.0;
       }},
      {"ridge",
       {0.3, 0.64},
       [](const Point& x) {
         return 1.0 - 0.9 * std::abs(x[0] - 0.3) - 0.06 * std::abs(x[1] - 0.64);
       }},
      {"bowl",
       {0.31, 0.62, 0.83},
       [](const Point& x) {
         return 1.0 - 0.8 * (square(x[0] - 0.31) + square(x[1] - 0.62) + square(x[2] - 0.83));
       }},
  };
}

/// How a world moves, by the time from 0 to 1.
struct Motion {
  std::string name;
  double memory = 0.0;  // of the noise for itself
  std::function<double(double)> level = [](double) { return 0.0; };
  std::function<double(double)> shift = [](double) { return 0.0; };  // of the optimum
  double level_walk = 0.0;  // its deviation over the whole time
  double shift_walk = 0.0;
};

std::vector<Motion> motions() {
  const auto sine = [](double height, double periods) {
    return [=](double time) { return height * std::sin(2.0 * std::numbers::pi * periods * time); };
  };
  const auto steps = [](double first, double second) {
    return [=](double time) { return time < 1.0 / 3.0 ? 0.0 : time < 2.0 / 3.0 ? first : second; };
  };
  const auto line = [](double time) { return 0.42 * time; };
  return {
      {.name = "memory 0.5", .memory = 0.5},
      {.name = "memory 0.9", .memory = 0.9},
      {.name = "memory 0.98", .memory = 0.98},
      {.name = "optimum moves", .shift = line},
      {.name = "optimum walks", .shift_walk = 0.5},
      {.name = "optimum jumps", .shift = steps(0.4, 0.15)},
      {.name = "level, 5 periods", .level = sine(0.3, 5.0)},
      {.name = "level, 50 periods", .level = sine(1.0, 50.0)},
      {.name = "level jumps", .level = steps(-0.5, 0.3)},
      {.name = "level walks", .level_walk = 1.0},
      {.name = "both jump", .level = steps(-0.5, 0.3), .shift = steps(0.4, 0.15)},
      {.name = "both move", .level = sine(0.3, 5.0), .shift = line},
      {.name = "days", .level = sine(0.3, 10.0), .shift = sine(0.15, 10.0)},
  };
}

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

Measured in_motion(const Motion& motion, const Hill& hill, const NoiseKind& noise, Drift drift,
                   std::size_t in_flight, const Length& length) {
  Measured measured;
  for (std::uint64_t run = 0; run < length.runs; ++run) {
    RandomStream random({.environment = hill.name, .purpose = noise.name, .run = run});
    Adaptive tree(hill.space(), {.drift = drift});
    std::deque<std::pair<Ticket, double>> out;
    const double root = std::sqrt(static_cast<double>(length.pulls));
    double walked_level = 0.0;
    double walked_shift = 0.0;
    double remembered = 0.0;
    for (std::uint64_t done = 0; done < length.pulls; ++done) {
      const double time = static_cast<double>(done) / static_cast<double>(length.pulls);
      walked_level += motion.level_walk / root * random.normal();
      walked_shift += motion.shift_walk / root * random.normal();
      const double shift = motion.shift(time) + walked_shift;
      std::vector<double> place = hill.top;
      for (double& each : place) {
        each = std::clamp(each + (each <= 0.5 ? shift : -shift), 0.08, 0.92);
      }
      const Pull pull = tree.ask(1);
      const double f = hill.at(pull.arm, place);
      measured.regret += 1.0 - f;
      double reward = noise.reward(f, random);
      if (motion.memory != 0.0) {
        const double part = std::sqrt(1.0 - square(motion.memory));
        remembered = motion.memory * remembered + part * (reward - f);
        reward = f + remembered;
      }
      out.emplace_back(pull.ticket, reward + motion.level(time) + walked_level);
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
  const std::vector<Hill> all_hills = hills();
  const std::vector<Motion> all_motions = motions();
  const std::vector<NoiseKind> all_noises{noises()[0], noises()[1]};
  const std::vector<std::size_t> ways{1, 8, 32};
  const std::size_t cases = all_hills.size() * all_noises.size();
  std::vector<std::array<Measured, 2>> found(all_motions.size() * ways.size() * cases);
  on_all_cores(2 * found.size(), [&](std::size_t i) {
    const std::size_t at = i / 2;
    const Hill& hill = all_hills[at % all_hills.size()];
    const NoiseKind& noise = all_noises[at / all_hills.size() % all_noises.size()];
    const std::size_t way = at / cases % ways.size();
    const Motion& motion = all_motions[at / cases / ways.size()];
    const Drift drift = i % 2 == 0 ? Drift::none : Drift::automatic;
    found[at].at(i % 2) = in_motion(motion, hill, noise, drift, ways[way], length);
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
  for (const Motion& motion : all_motions) {
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
    for (int i = 0; i < static_cast<int>(freedom); ++i) squares += square(random.normal());
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
  const std::vector<Hill> all_hills = hills();
  const std::vector<NoiseKind> all_noises = still_noises();
  std::vector<std::array<Measured, 2>> found(all_noises.size() * all_hills.size());
  on_all_cores(2 * found.size(), [&](std::size_t i) {
    const std::size_t at = i / 2;
    const Drift drift = i % 2 == 0 ? Drift::none : Drift::automatic;
    found[at].at(i % 2) = in_motion({}, all_hills[at % all_hills.size()],
                                    all_noises[at / all_hills.size()], drift, 1, length);
  });
  fmt::print(
      "Nothing moves: regret per pull with drift = auto over that without, {} pulls, {} runs: "
      "geometric mean of {} cases and range; changes seen and warnings of memory in a run\n\n"
      "{:<20}{:>22}{:>9}{:>9}\n",
      length.pulls, length.runs, all_hills.size(), "", "regret", "seen", "memory");
  for (std::size_t noise = 0; noise < all_noises.size(); ++noise) {
    Ratios ratios;
    double changes = 0.0;
    double warned = 0.0;
    for (std::size_t hill = 0; hill < all_hills.size(); ++hill) {
      const auto& [without, with] = found[noise * all_hills.size() + hill];
      ratios.add(with.regret / without.regret);
      changes += with.changes / static_cast<double>(all_hills.size());
      warned += with.warned / static_cast<double>(all_hills.size());
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
