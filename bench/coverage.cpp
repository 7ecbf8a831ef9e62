// Checks the claims of `best` for many kinds of noise: the fraction of simulated studies in which
// its interval contains f(arm), at the end and at all looks, with its width relative to that of a t
// interval for a fixed number of pulls. The optimizer, by name, has its defaults and is given only
// the search space.

#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"

#include "suite.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

namespace {

using namespace canopy;

/// The looks at which figures are printed; the last one is the end.
constexpr std::array<std::uint64_t, 4> kEnds{100, 300, 1'000, 10'000};
constexpr std::uint64_t kFirstLook = 16;
constexpr std::uint64_t kRuns = 200;

/// A simulated system: the rewards of its arms, and their means.
struct World {
  std::function<double(Arm, RandomStream&)> reward;
  std::function<double(Arm)> value;
};

struct Study {
  std::string name;
  Space space;
  Objective objective = {};
  double largest = 1.0;  ///< largest f; for simple regret
  std::function<World(RandomStream&)> make;
  /// Whether a reward is a rare outlier, which no interval can anticipate before the first.
  std::function<bool(double)> is_outlier = {};
};

using Function = std::function<double(Arm)>;
using Reward = std::function<double(Arm, double, RandomStream&)>;

Study independent(const std::string& name, const Space& space, double largest, const Function& f,
                  const Reward& reward, const Objective& objective = {}) {
  return {
      .name = name,
      .space = space,
      .objective = objective,
      .largest = largest,
      .make = [=](RandomStream&) {
        return World{[=](Arm arm, RandomStream& random) { return reward(arm, f(arm), random); }, f};
      }};
}

double square(double x) {
  return x * x;
}

Reward gaussian(double deviation) {
  return [=](Arm, double mean, RandomStream& random) { return mean + deviation * random.normal(); };
}

double bernoulli(Arm /*arm*/, double mean, RandomStream& random) {
  return random.uniform() < mean ? 1.0 : 0.0;
}

double exponential(RandomStream& random) {
  return -std::log1p(-random.uniform());
}

double poisson(double mean, RandomStream& random) {
  return std::poisson_distribution<int>(mean)(random);
}

double beta_distributed(Arm /*arm*/, double mean, RandomStream& random) {
  const double one = std::gamma_distribution<double>(2.0 * mean)(random);
  const double other = std::gamma_distribution<double>(2.0 * (1.0 - mean))(random);
  return one + other > 0.0 ? one / (one + other) : 0.0;
}

double rarely_one(Arm /*arm*/, double mean, RandomStream& random) {
  return random.uniform() < (mean - 0.05) / 0.95 ? 1.0 : 0.1 * random.uniform();
}

std::vector<Study> independent_studies() {
  const Parameter x{"x", Real{0.0, 1.0}};
  const Parameter y{"y", Real{0.0, 1.0}};
  const Parameter z{"z", Real{0.0, 1.0}};
  const Space line{x};
  std::vector<std::string> twelve;
  twelve.reserve(12);
  for (int i = 0; i < 12; ++i) twelve.push_back(std::to_string(i));
  const Function tent = [](Arm arm) { return 1.0 - std::abs(arm[0] - 0.3); };
  const auto scaled = [tent](double top, double slope) -> Function {
    return [=](Arm arm) { return top - slope * (1.0 - tent(arm)); };
  };
  const Objective hard{.reward_range = {{0.0, 1.0}}, .hard_range = true};
  std::vector<Study> studies{
      independent("Gaussian 0.05", line, 1.0, tent, gaussian(0.05)),
      independent("Gaussian 0.3", line, 1.0, tent, gaussian(0.3)),
      independent(
          "Gaussian 0.3, no effect", line, 1.0, [](Arm) { return 1.0; }, gaussian(0.3)),
      independent(
          "Gaussian 0.2, garland", line, 0.99772,
          [](Arm arm) {
            return arm[0] * (1.0 - arm[0]) * (4.0 - std::sqrt(std::abs(std::sin(60.0 * arm[0]))));
          },
          gaussian(0.2)),
      independent(
          "Gaussian 0.3, 2-D", Space{x, y}, 1.0,
          [](Arm arm) { return 1.0 - square(arm[0] - 0.3) - square(arm[1] - 0.7); }, gaussian(0.3)),
      independent(
          "Gaussian 0.3, 3-D", Space{x, y, z}, 1.0,
          [](Arm arm) {
            return 1.0 - (square(arm[0] - 0.3) + square(arm[1] - 0.6) + square(arm[2] - 0.5)) / 2.0;
          },
          gaussian(0.3)),
      independent(
          "Gaussian 0.3, list of 12", Space{{"c", Choice{twelve}}}, 0.99895,
          [](Arm arm) { return 0.5 + 0.5 * std::sin(7.0 * arm[0] + 1.0); }, gaussian(0.3)),
      independent(
          "Gaussian 0.3, 1 to 100", Space{{"n", Integer{1, 100}}}, 1.0,
          [](Arm arm) { return 1.0 - std::abs(arm[0] - 37.0) / 100.0; }, gaussian(0.3)),
      independent(
          "uniform", line, 1.0, tent,
          [](Arm, double mean, RandomStream& random) { return mean + random.uniform() - 0.5; }),
      independent("0 or 1, about 1/2", line, 0.7, scaled(0.7, 0.6), bernoulli),
      independent("0 or 1, about 1 %", line, 0.01, scaled(0.01, 0.009), bernoulli),
      independent("0 or 1, about 99 %", line, 0.998, scaled(0.998, 0.01), bernoulli),
      independent("0 or 100, about 1 %", line, 1.0, tent,
                  [](Arm, double mean, RandomStream& random) {
                    return random.uniform() < mean / 100.0 ? 100.0 : 0.0;
                  }),
      independent("0, 1 or 2", line, 1.0, scaled(1.0, 0.02),
                  [](Arm, double mean, RandomStream& random) {
                    const double u = random.uniform();
                    if (u < 0.01) return 2.0;
                    return u < 0.02 + (1.0 - mean) ? 0.0 : 1.0;
                  }),
      independent("counts, about 5", line, 5.0, scaled(5.0, 5.0),
                  [](Arm, double mean, RandomStream& random) { return poisson(mean, random); }),
      independent("counts, about 0.1", line, 0.1, scaled(0.1, 0.1),
                  [](Arm, double mean, RandomStream& random) { return poisson(mean, random); }),
      independent("uneven, worse arms noisier", line, 1.0, tent,
                  [](Arm arm, double mean, RandomStream& random) {
                    return mean + (0.02 + 1.5 * square(arm[0])) * random.normal();
                  }),
      independent(
          "uneven, noisy at the peak", line, 1.0,
          [](Arm arm) { return 1.0 - std::abs(arm[0] - 0.7); },
          [](Arm arm, double mean, RandomStream& random) {
            return mean + (arm[0] > 0.6 ? 1.5 : 0.05) * random.normal();
          }),
      independent("Student's t, 3", line, 1.0, tent,
                  [](Arm, double mean, RandomStream& random) {
                    const double chi =
                        square(random.normal()) + square(random.normal()) + square(random.normal());
                    return mean + 0.3 * random.normal() / std::sqrt(chi / 3.0);
                  }),
      independent("lognormal, 1.5", line, 1.0, tent,
                  [](Arm, double mean, RandomStream& random) {
                    return mean * std::exp(-1.125 + 1.5 * random.normal());
                  }),
      independent(
          "exponential", line, 1.0, tent,
          [](Arm, double mean, RandomStream& random) { return mean * exponential(random); }),
      independent("3 % of sales, exponential", line, 1.0, tent,
                  [](Arm, double mean, RandomStream& random) {
                    return random.uniform() < 0.03 ? mean / 0.03 * exponential(random) : 0.0;
                  }),
      independent("2 % with sd 5, others 0.1", line, 1.0, tent,
                  [](Arm, double mean, RandomStream& random) {
                    return mean + (random.uniform() < 0.02 ? 5.0 : 0.1) * random.normal();
                  }),
      independent(
          "counts, 0.1 % are + 500", line, 5.0,
          [](Arm arm) { return 5.0 - 8.0 * square(arm[0] - 0.4); },
          [](Arm, double mean, RandomStream& random) {
            return poisson(mean - 0.5, random) + (random.uniform() < 0.001 ? 500.0 : 0.0);
          }),
      independent("Cauchy, 0.1", line, 1.0, tent,
                  [](Arm, double mean, RandomStream& random) {
                    return mean + 0.1 * random.normal() / random.normal();
                  }),
      independent("beta", line, 0.6, scaled(0.6, 0.5), beta_distributed),
      independent("beta, hard range", line, 0.6, scaled(0.6, 0.5), beta_distributed, hard),
      independent("rarely 1", line, 0.1, scaled(0.1, 0.08), rarely_one),
      independent("rarely 1, hard range", line, 0.1, scaled(0.1, 0.08), rarely_one, hard),
  };
  for (Study& study : studies) {
    if (study.name == "counts, 0.1 % are + 500") {
      study.is_outlier = [](double reward) { return reward > 250.0; };
    }
  }
  return studies;
}

/// Systems with undeclared memory.
std::vector<Study> dependent_studies() {
  std::vector<Study> studies;
  for (const char* name : {"garland-mdp", "routing"}) {
    const auto shape = make_environment({name});
    studies.push_back({.name = name,
                       .space = shape->space(),
                       .largest = shape->optimum_at(kEnds.back()).value,
                       .make = [name](RandomStream& random) {
                         const std::shared_ptr environment = make_environment({name});
                         environment->start(random);
                         return World{[environment](Arm arm, RandomStream& chance) {
                                        return environment->pull(arm, chance);
                                      },
                                      [environment](Arm arm) {
                                        return environment->mean_reward_at(arm, kEnds.back());
                                      }};
                       }});
  }
  return studies;
}

/// Counts at one of the printed looks, over all runs.
struct AtLook {
  double covered = 0.0;
  double without = 0.0;
  double flagged = 0.0;
  double with_model = 0.0;
  double covered_by_model = 0.0;
  double simple_regret = 0.0;
  std::vector<double> widths = {};  ///< widths of the interval
  std::vector<double> over_t = {};  ///< ratio to the width of the t interval
};

struct Tally {
  double covered_always = 0.0;
  double covered_after_outlier = 0.0;
  std::array<AtLook, kEnds.size()> looks = {};
};

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The width of the 95 % interval by Student's distribution, as for a number of pulls fixed in
/// advance and a single arm.
double t_width(const Moments& rewards) {
  if (rewards.count < 2.0) return std::numeric_limits<double>::quiet_NaN();
  const boost::math::students_t student(rewards.count - 1.0);
  return 2.0 * quantile(student, 0.975) * std::sqrt(rewards.variance() / rewards.count);
}

/// Plays one study and looks at it after 16, 19, 23, ... pulls.
void play(const Study& study, const Selection& optimizer, std::uint64_t run, Tally& tally) {
  RandomStream random(
      {.seed = 1, .environment = study.name, .algorithm = optimizer.name, .run = run});
  const World world = study.make(random);
  const auto player = make_optimizer(optimizer, study.space, {}, study.objective);
  std::map<std::vector<double>, Moments> rewards;
  bool always = true;
  bool after_outlier = true;
  bool has_outlier = false;
  auto next_look = kFirstLook;
  for (std::uint64_t done = 1; done <= kEnds.back(); ++done) {
    const OwnedPull pull(player->ask(1));
    const double reward = world.reward(pull.arm, random);
    has_outlier = has_outlier || (study.is_outlier && study.is_outlier(reward));
    rewards[pull.arm].add(reward);
    if (!is_taken(player->tell(pull.ticket, reward))) std::abort();
    const auto* const end = std::find(kEnds.begin(), kEnds.end(), done);
    if (done != next_look && end == kEnds.end()) continue;
    if (done == next_look) next_look = std::max(next_look + 1, next_look * 6 / 5);
    const Best best = player->best().value();
    const double truth = world.value(best.arm);
    const bool covers = best.lower <= truth && truth <= best.upper;
    always = always && covers;
    after_outlier = after_outlier && (covers || !has_outlier);
    if (end == kEnds.end()) continue;
    AtLook& look = tally.looks.at(static_cast<std::size_t>(end - kEnds.begin()));
    look.covered += covers ? 1.0 : 0.0;
    look.flagged += best.rare_extremes ? 1.0 : 0.0;
    look.simple_regret += study.largest - truth;
    if (best.assumes == Assumption::none) {
      look.without += 1.0;
    } else {
      look.widths.push_back(best.upper - best.lower);
      const double usual = t_width(rewards[best.arm]);
      if (usual > 0.0) look.over_t.push_back((best.upper - best.lower) / usual);
    }
    if (const auto& model = best.by_model) {
      look.with_model += 1.0;
      look.covered_by_model += model->lower <= truth && truth <= model->upper ? 1.0 : 0.0;
    }
  }
  tally.covered_always += always ? 1.0 : 0.0;
  tally.covered_after_outlier += after_outlier ? 1.0 : 0.0;
}

std::string share_text(double part, double all) {
  if (all == 0.0) return "-";
  const std::string text = fmt::format("{:.3f}", part / all);
  return text == "1.000" ? "1" : text.substr(text.front() == '0' ? 1 : 0);
}

template <class Text>
std::string at_looks(const Tally& tally, std::size_t first, const Text& text) {
  std::string all;
  for (std::size_t i = first; i < tally.looks.size(); ++i) {
    all += (i == first ? "" : "/") + text(tally.looks.at(i));
  }
  return all;
}

std::string number_text(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.2f}", value);
}

constexpr auto kRow = "| {:<26} | {:<19} | {:<10} | {:<17} | {:<17} | {:<14} | {:<14} | {:<23} |\n";

void print_title() {
  fmt::print(kRow, "rewards", "interval has f", "all looks", "no interval", "flagged", "width / t",
             "model has f", "simple regret, 1e-3");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
}

void print(const Study& study, const Tally& tally) {
  const auto share = [&](double AtLook::*member) {
    return at_looks(tally, 0, [&](const AtLook& look) {
      return share_text(look.*member, static_cast<double>(kRuns));
    });
  };
  std::string always = share_text(tally.covered_always, static_cast<double>(kRuns));
  if (study.is_outlier) {
    always +=
        fmt::format(" ({})", share_text(tally.covered_after_outlier, static_cast<double>(kRuns)));
  }
  fmt::print(
      kRow, study.name, share(&AtLook::covered), always, share(&AtLook::without),
      share(&AtLook::flagged),
      at_looks(tally, 1, [](const AtLook& look) { return number_text(median(look.over_t)); }),
      at_looks(
          tally, 1,
          [](const AtLook& look) { return share_text(look.covered_by_model, look.with_model); }),
      at_looks(tally, 0, [](const AtLook& look) {
        return fmt::format("{:.3g}", 1e3 * look.simple_regret / static_cast<double>(kRuns));
      }));
}

void measure(const std::vector<Study>& studies, const Selection& optimizer) {
  std::vector<Tally> tallies(studies.size());
  bench::on_all_cores(studies.size(), [&](std::size_t i) {
    for (std::uint64_t run = 0; run < kRuns; ++run) play(studies[i], optimizer, run, tallies[i]);
  });
  print_title();
  for (std::size_t i = 0; i < studies.size(); ++i) print(studies[i], tallies[i]);
}

}  // namespace

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : std::string(kDefaultOptimizer);
  fmt::print(
      "{}: shares of {} studies, after 100/300/1000/10000 pulls (widths and model: from 300 on),\n"
      "and at all looks after 16, 19, 22, ... pulls. In brackets: after the first outlier.\n\n",
      name, kRuns);
  measure(independent_studies(), {name});
  fmt::print("\nSystems with memory{}\n\n",
             name == "hct" ? ", feedback = \"correlated\"" : ", settle = 0");
  measure(dependent_studies(),
          name == "hct" ? Selection{name, {{"feedback", "correlated"}}} : Selection{name});
  return EXIT_SUCCESS;
}
