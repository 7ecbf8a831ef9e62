// Compares the adaptive tree with contexts to the tree without contexts, and to separate trees for
// equal parts of the contexts, whose number is chosen in hindsight: for problems in which the best
// arm depends on the context, in which the context is irrelevant, and in which it changes only the
// level; with other kinds of noise and arrivals of contexts, and with many pulls in flight; for
// choices with groups or without effect; also coverage of the intervals of a policy, and the cost
// of an ask and tell.
//
//   contexts [problems | cases | noises | arrivals | flight | choices | intervals | cost]
//            [PULLS [RUNS]]

#include "canopy/contextual.hpp"
#include "canopy/contextual_function.hpp"

#include "suite.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;

/// Trees with contexts assume no drift, so the trees they are compared with do as well.
constexpr AdaptiveOptions kStill{.drift = Drift::none};

enum class Group { matters, level, irrelevant };
constexpr std::array<std::string_view, 3> kGroups{"context matters", "level alone",
                                                  "context irrelevant"};

Group group_of(ContextProblem problem) {
  switch (problem) {
    case ContextProblem::irrelevant:
    case ContextProblem::ripples:
    case ContextProblem::irrelevant_two:
    case ContextProblem::irrelevant_mixed:
      return Group::irrelevant;
    case ContextProblem::additive:
    case ContextProblem::day:
    case ContextProblem::additive_two:
    case ContextProblem::scale:
      return Group::level;
    default:
      return Group::matters;
  }
}

std::vector<ContextProblem> problems() {
  std::vector<ContextProblem> all;
  for (std::size_t i = 0; i < EnumNames<ContextProblem>::names.size(); ++i) {
    all.push_back(static_cast<ContextProblem>(i));
  }
  return all;
}

/// A reward at an arm where f has this value, and where the best arm of this context has `best`.
struct ContextNoise {
  std::string name;
  std::function<double(double f, double best, double share, RandomStream& random)> reward;
};

std::vector<ContextNoise> ordinary_noises() {
  return {{"Gaussian 0.05", [](double f, double, double,
                               RandomStream& random) { return f + 0.05 * random.normal(); }},
          {"Gaussian 0.3", [](double f, double, double,
                              RandomStream& random) { return f + 0.3 * random.normal(); }},
          {"0/1", [](double f, double, double, RandomStream& random) {
             return random.uniform() < f ? 1.0 : 0.0;
           }}};
}

std::vector<ContextNoise> other_noises() {
  return {{"grows with the loss",
           [](double f, double best, double, RandomStream& random) {
             return f + (0.05 + 0.6 * (best - f)) * random.normal();
           }},
          {"grows with the context",
           [](double f, double, double share, RandomStream& random) {
             return f + (0.05 + 0.5 * share) * random.normal();
           }},
          {"rare outliers", [](double f, double, double, RandomStream& random) {
             return f + 0.1 * random.normal() - (random.uniform() < 0.01 ? 3.0 : 0.0);
           }}};
}

/// Returns the optimizer to ask in a context.
using Ask = std::function<Optimizer&(Context context)>;

struct World {
  ContextProblem problem = ContextProblem::smooth;
  ContextArrival arrival = ContextArrival::uniform;
  ContextNoise noise = {};
  std::uint64_t pulls = 0;
  std::size_t in_flight = 1;

  [[nodiscard]] ContextualFunction system() const {
    return ContextualFunction({.problem = problem, .arrival = arrival, .span = pulls});
  }
};

/// Regret per pull of one run of the optimizers that `ask` returns.
double regret_of_run(const World& world, std::uint64_t run, const Ask& optimizer_for) {
  ContextualFunction system = world.system();
  RandomStream random({.environment = name_of(world.problem),
                       .purpose = world.noise.name + std::string(name_of(world.arrival)),
                       .run = run});
  system.start(random);
  struct Out {
    Optimizer* optimizer;
    Ticket ticket;
    double reward;
  };
  std::deque<Out> out;
  double regret = 0.0;
  for (std::uint64_t t = 1; t <= world.pulls; ++t) {
    const std::vector<double> context = system.context_at(t);
    Optimizer& optimizer = optimizer_for(context);
    const Pull pull = optimizer.ask_in(context, 1);
    const double best = system.optimum_in(context).value;
    const double f = system.mean_reward_in(context, pull.arm);
    regret += best - f;
    const double share = system.contexts()[0].domain.share(context[0]);
    out.push_back({&optimizer, pull.ticket, world.noise.reward(f, best, share, random)});
    if (out.size() < world.in_flight) continue;
    (void)out.front().optimizer->tell(out.front().ticket, out.front().reward);
    out.pop_front();
  }
  return regret / static_cast<double>(world.pulls);
}

template <class Make>
double regret(const World& world, std::uint64_t runs, const Make& make) {
  double sum = 0.0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto optimizer = make();
    sum += regret_of_run(world, run, [&](Context) -> Optimizer& { return *optimizer; });
  }
  return sum / static_cast<double>(runs);
}

double regret_with_context(const World& world, std::uint64_t runs) {
  const ContextualFunction system = world.system();
  return regret(world, runs,
                [&] { return std::make_unique<Contextual>(system.space(), system.contexts()); });
}

double regret_without(const World& world, std::uint64_t runs) {
  const ContextualFunction system = world.system();
  return regret(world, runs, [&] { return std::make_unique<Adaptive>(system.space(), kStill); });
}

/// The regret of separate trees for this number of equal parts of one context variable.
double regret_of_parts(const World& world, std::uint64_t runs, std::size_t variable,
                       std::size_t parts) {
  const ContextualFunction system = world.system();
  double sum = 0.0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    std::vector<std::unique_ptr<Adaptive>> trees;
    for (std::size_t i = 0; i < parts; ++i) {
      trees.push_back(std::make_unique<Adaptive>(system.space(), kStill));
    }
    sum += regret_of_run(world, run, [&](Context context) -> Optimizer& {
      const double share = system.contexts()[variable].domain.share(context[variable]);
      const auto part = static_cast<std::size_t>(share * static_cast<double>(parts));
      return *trees[std::min(part, parts - 1)];
    });
  }
  return sum / static_cast<double>(runs);
}

/// The least regret over equal parts of any of the variables, chosen in hindsight.
double regret_of_best_parts(const World& world, std::uint64_t runs, double of_one) {
  const ContextualFunction system = world.system();
  double least = of_one;
  for (std::size_t k = 0; k < system.contexts().size(); ++k) {
    const auto values = system.contexts()[k].domain.count();
    std::vector<std::size_t> counts{2, 3, 4, 6, 8, 16};
    if (values) counts = {static_cast<std::size_t>(*values)};
    for (const std::size_t parts : counts) {
      least = std::min(least, regret_of_parts(world, runs, k, parts));
    }
  }
  return least;
}

struct Found {
  double with = 0.0;
  double without = 0.0;
  double parts = 0.0;
};

std::vector<World> worlds(const std::vector<ContextNoise>& noises, ContextArrival arrival,
                          std::uint64_t pulls, std::size_t in_flight = 1) {
  std::vector<World> all;
  for (const ContextProblem problem : problems()) {
    for (const ContextNoise& noise : noises) {
      all.push_back({problem, arrival, noise, pulls, in_flight});
    }
  }
  return all;
}

void print_ratios(std::string_view name, const std::vector<World>& all,
                  const std::vector<Found>& found, double Found::*over) {
  fmt::print("{:<28}", name);
  for (std::size_t group = 0; group < kGroups.size(); ++group) {
    Ratios ratios;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (static_cast<std::size_t>(group_of(all[i].problem)) != group) continue;
      ratios.add(found[i].with / found[i].*over);
    }
    fmt::print("{:>24}", ratios.text());
  }
  fmt::print("\n");
}

void print_groups(std::string_view title, std::uint64_t pulls, std::uint64_t runs) {
  fmt::print(
      "{}, {} pulls, {} runs: regret per pull with the context over ..., geometric mean and "
      "range\n\n{:<28}",
      title, pulls, runs, "");
  for (const std::string_view group : kGroups) fmt::print("{:>24}", group);
  fmt::print("\n");
}

std::vector<Found> play(const std::vector<World>& all, std::uint64_t runs, bool has_parts) {
  std::vector<Found> found(all.size());
  on_all_cores(all.size(), [&](std::size_t i) {
    found[i].with = regret_with_context(all[i], runs);
    found[i].without = regret_without(all[i], runs);
    if (has_parts) found[i].parts = regret_of_best_parts(all[i], runs, found[i].without);
  });
  return found;
}

void print_problems(std::uint64_t pulls, std::uint64_t runs) {
  const auto all = worlds(ordinary_noises(), ContextArrival::uniform, pulls);
  const std::vector<Found> found = play(all, runs, true);
  print_groups(fmt::format("{} cases", all.size()), pulls, runs);
  print_ratios("... without the context", all, found, &Found::without);
  print_ratios("... the best equal parts", all, found, &Found::parts);
}

/// Prints every problem separately, over its three kinds of noise.
void print_cases(std::uint64_t pulls, std::uint64_t runs) {
  const auto all = worlds(ordinary_noises(), ContextArrival::uniform, pulls);
  const std::vector<Found> found = play(all, runs, true);
  fmt::print(
      "{} pulls, {} runs: regret per pull with the context over ..., geometric mean and "
      "range over the noises\n\n{:<20}{:>24}{:>24}\n",
      pulls, runs, "", "without the context", "the best equal parts");
  for (const ContextProblem problem : problems()) {
    Ratios without;
    Ratios parts;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].problem != problem) continue;
      without.add(found[i].with / found[i].without);
      parts.add(found[i].with / found[i].parts);
    }
    fmt::print("{:<20}{:>24}{:>24}\n", name_of(problem), without.text(), parts.text());
  }
}

void print_noises(std::uint64_t pulls, std::uint64_t runs) {
  print_groups("Other noises, without the context", pulls, runs);
  for (const ContextNoise& noise : other_noises()) {
    const auto all = worlds({noise}, ContextArrival::uniform, pulls);
    print_ratios(noise.name, all, play(all, runs, false), &Found::without);
  }
}

void print_arrivals(std::uint64_t pulls, std::uint64_t runs) {
  print_groups("Other contexts, without the context", pulls, runs);
  for (std::size_t i = 0; i < EnumNames<ContextArrival>::names.size(); ++i) {
    const auto arrival = static_cast<ContextArrival>(i);
    const auto all = worlds(ordinary_noises(), arrival, pulls);
    print_ratios(name_of(arrival), all, play(all, runs, false), &Found::without);
  }
}

void print_flight(std::uint64_t pulls, std::uint64_t runs) {
  print_groups("In flight, without the context one at a time", pulls, runs);
  const auto alone = worlds(ordinary_noises(), ContextArrival::uniform, pulls);
  const std::vector<Found> one = play(alone, runs, false);
  for (const std::size_t in_flight : {std::size_t{1}, std::size_t{8}, std::size_t{32}}) {
    std::vector<World> all = worlds(ordinary_noises(), ContextArrival::uniform, pulls, in_flight);
    std::vector<Found> found(all.size());
    on_all_cores(all.size(), [&](std::size_t i) {
      found[i] = {regret_with_context(all[i], runs), one[i].without, 0.0};
    });
    print_ratios(fmt::format("{} in flight", in_flight), all, found, &Found::without);
  }
}

/// Choices without effect, and choices whose values alternate between two best arms.
void print_choices(std::uint64_t pulls, std::uint64_t runs) {
  constexpr std::size_t kMost = 8;
  struct Counted {
    double split = 0.0;   // runs that distinguished choices without effect
    double groups = 0.0;  // runs with exactly one region per group
    double regret = 0.0;  // per pull, for choices with groups
  };
  std::array<Counted, kMost + 1> counted{};
  on_all_cores(kMost - 1, [&](std::size_t i) {
    const std::size_t values = i + 2;
    Choice choice;
    for (std::size_t v = 0; v < values; ++v) choice.choices.push_back(std::to_string(v));
    const ContextSpace contexts({{"tenant", choice}});
    for (std::uint64_t run = 0; run < runs; ++run) {
      for (const bool matters : {false, true}) {
        Contextual tree(Space{{"x", Real{0.0, 1.0}}}, contexts);
        RandomStream random(
            {.environment = "choices", .purpose = choice.choices.back(), .run = run});
        const double best = 0.2 + 0.6 * random.uniform();
        for (std::uint64_t pull = 0; pull < pulls; ++pull) {
          const std::vector<double> context{
              std::floor(static_cast<double>(values) * random.uniform())};
          const Pull asked = tree.ask_in(context);
          const double wanted = !matters ? best : std::fmod(context[0], 2.0) == 0.0 ? 0.8 : 0.2;
          const double loss = 1.2 * std::pow(asked.arm[0] - wanted, 2);
          (void)tree.tell(asked.ticket, 0.1 * random.normal() - loss);
          if (matters) counted.at(values).regret += loss / static_cast<double>(pulls * runs);
        }
        const double share = 1.0 / static_cast<double>(runs);
        if (!matters && tree.regions() > 1) counted.at(values).split += share;
        if (matters && tree.regions() == 2) counted.at(values).groups += share;
      }
    }
  });
  fmt::print(
      "| choices, {} pulls, {} runs | distinguished without a cause | two regions for two "
      "groups | regret per pull there |\n|---|---|---|---|\n",
      pulls, runs);
  for (std::size_t values = 2; values <= kMost; ++values) {
    const auto& [split, groups, regret] = counted.at(values);
    fmt::print("| {} | {:.2f} | {:.2f} | {:.4f} |\n", values, split, groups, regret);
  }
}

/// The mean reward of an arm over the contexts of a row, which are uniform.
double mean_over(const ContextualFunction& system, const PolicyRow& row, RandomStream& random) {
  constexpr int kContexts = 4000;
  const ContextSpace& contexts = system.contexts();
  double sum = 0.0;
  for (int i = 0; i < kContexts; ++i) {
    std::vector<double> context;
    for (std::size_t k = 0; k < contexts.size(); ++k) {
      const ContextRange& range = row.where[k];
      const double u = random.uniform();
      if (!range.values.empty()) {
        const auto count = static_cast<double>(range.values.size());
        context.push_back(range.values[static_cast<std::size_t>(u * count)]);
      } else {
        context.push_back(range.ends[0] + u * (range.ends[1] - range.ends[0]));
      }
    }
    sum += system.mean_reward_in(context, row.arm);
  }
  return sum / kContexts;
}

void print_intervals(std::uint64_t pulls, std::uint64_t runs) {
  const auto all = worlds(ordinary_noises(), ContextArrival::uniform, pulls);
  struct Held {
    double rows = 0.0;
    double with = 0.0;
    double missed = 0.0;
    double runs_missed = 0.0;
  };
  std::vector<Held> held(all.size());
  on_all_cores(all.size(), [&](std::size_t i) {
    const ContextualFunction system = all[i].system();
    for (std::uint64_t run = 0; run < runs; ++run) {
      Contextual tree(system.space(), system.contexts());
      (void)regret_of_run(all[i], run, [&](Context) -> Optimizer& { return tree; });
      RandomStream random({.environment = "rows", .run = run});
      bool has_missed = false;
      const auto rows = tree.policy()->rows;
      for (const PolicyRow& row : rows) {
        ++held[i].rows;
        if (!row.interval) continue;
        ++held[i].with;
        const double mean = mean_over(system, row, random);
        constexpr double kOfSampling = 0.005;
        const bool missed =
            mean < row.interval->lower - kOfSampling || mean > row.interval->upper + kOfSampling;
        if (missed) ++held[i].missed;
        has_missed = has_missed || missed;
      }
      if (has_missed) ++held[i].runs_missed;
    }
  });
  Held sum;
  double worst = 0.0;
  for (const Held& of : held) {
    sum.rows += of.rows;
    sum.with += of.with;
    sum.missed += of.missed;
    sum.runs_missed += of.runs_missed;
    worst = std::max(worst, of.runs_missed / static_cast<double>(runs));
  }
  fmt::print(
      "Rows of policies, {} cases, {} pulls, {} runs: {:.0f} rows, {:.0f} with an interval, "
      "of which {:.4f} do not have what the arm earns in the region; runs with such a row "
      "{:.4f}, in the worst case {:.3f}\n",
      all.size(), pulls, runs, sum.rows, sum.with, sum.missed / sum.with,
      sum.runs_missed / static_cast<double>(runs * all.size()), worst);
}

/// Prints the microseconds of an ask and its tell.
void print_cost(std::uint64_t pulls) {
  const Space space{{"x", Real{0.0, 1.0}}};
  const auto play = [&](Optimizer& optimizer, std::size_t variables) {
    RandomStream random({.environment = "cost"});
    std::vector<double> context(variables);
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < pulls; ++i) {
      for (double& number : context) number = random.uniform();
      const Pull pull = variables == 0 ? optimizer.ask(1) : optimizer.ask_in(context);
      const double best = variables == 0 ? 0.5 : 0.2 + 0.6 * context[0];
      const double loss = std::pow(pull.arm[0] - best, 2);
      (void)optimizer.tell(pull.ticket, 0.1 * random.normal() - loss);
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    return time.count() / static_cast<double>(pulls);
  };
  Adaptive plain(space, kStill);
  fmt::print("| microseconds an ask and tell, {} pulls | |\n|---|---|\n| no context | {:.2f} |\n",
             pulls, play(plain, 0));
  std::vector<ContextVariable> variables;
  for (const char* name : {"a", "b", "c"}) {
    variables.push_back({name, Real{0.0, 1.0}});
    Contextual tree(space, ContextSpace(variables));
    const double cost = play(tree, variables.size());
    fmt::print("| {} real, {} regions in the end | {:.2f} |\n", variables.size(), tree.regions(),
               cost);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view which = count > 1 ? arguments[1] : "";
  const auto number = [&](int at, std::uint64_t otherwise) {
    return count > at ? std::strtoull(arguments[at], nullptr, 10) : otherwise;
  };
  const bool all = which.empty();
  if (all || which == "problems") {
    if (count > 2) {
      print_problems(number(2, 1'000), number(3, 10));
    } else {
      for (const auto& [pulls, runs] : {std::pair{300, 20}, {1'000, 10}, {10'000, 3}}) {
        print_problems(static_cast<std::uint64_t>(pulls), static_cast<std::uint64_t>(runs));
        fmt::print("\n");
      }
    }
  }
  if (which == "cases") print_cases(number(2, 1'000), number(3, 10));
  if (all || which == "noises") print_noises(number(2, 1'000), number(3, 10));
  if (all) fmt::print("\n");
  if (all || which == "arrivals") print_arrivals(number(2, 1'000), number(3, 5));
  if (all) fmt::print("\n");
  if (all || which == "flight") print_flight(number(2, 1'000), number(3, 10));
  if (all) fmt::print("\n");
  if (all || which == "choices") print_choices(number(2, 1'000), number(3, 100));
  if (all) fmt::print("\n");
  if (all || which == "intervals") print_intervals(number(2, 1'000), number(3, 20));
  if (which == "cost") print_cost(number(2, 100'000));
  return EXIT_SUCCESS;
}
