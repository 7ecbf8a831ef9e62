// A user-defined algorithm and environment, compared with canopy's own: in a simulation, and in an
// experiment file.

#include <canopy/canopy.hpp>
#include <canopy/experiment.hpp>
#include <canopy/simulation.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

/// Draws some arms once. Plays a random one with probability epsilon, otherwise the best so far.
struct GreedyOptions {
  std::uint64_t arms = 30;
  double epsilon = 0.1;
  std::uint64_t seed = 1;
};

template <class Visit>
void visit_fields(GreedyOptions& options, Visit&& visit) {
  using canopy::Field;
  visit(Field{"arms", "number of arms drawn", canopy::kThousand}, options.arms);
  visit(Field{"epsilon", "probability of a random arm", canopy::kUnit}, options.epsilon);
  visit(Field{"seed", "seed of the algorithm's random choices", canopy::kAnyWhole}, options.seed);
}

class Greedy final : public canopy::TurnOptimizer {
 public:
  Greedy(const canopy::Space& space, const GreedyOptions& options,
         const canopy::Objective& objective)
      : TurnOptimizer(objective, space.dimension()),
        space_(space),
        epsilon_(options.epsilon),
        random_({.seed = options.seed, .algorithm = "greedy"}),
        rewards_(options.arms) {
    std::vector<double> unit(space.dimension());
    for (std::uint64_t i = 0; i < options.arms; ++i) {
      for (double& coordinate : unit) coordinate = random_.uniform();
      space.from_unit_cube(unit, arms_.emplace_back(space.dimension()));
    }
  }

  std::unique_ptr<canopy::Optimizer> clone() const override {
    return std::make_unique<Greedy>(*this);
  }

 private:
  std::size_t leader() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < rewards_.size(); ++i) {
      if (rewards_[i].count == 0) continue;
      if (rewards_[best].count == 0 || rewards_[i].mean() > rewards_[best].mean()) best = i;
    }
    return best;
  }

  // The two functions of a TurnOptimizer: selecting an arm, and learning from its rewards.
  Choice choose() override {
    const bool explores = random_.uniform() < epsilon_;
    return {.node = static_cast<canopy::NodeIndex>(explores ? random_() % arms_.size() : leader())};
  }
  void learn(canopy::NodeIndex arm, const canopy::Rewards& rewards) override {
    rewards_[arm] += rewards;
  }

  // Required by the interface: arms by number, rewards that were not asked for, saved state.
  canopy::Arm arm_of(canopy::NodeIndex arm) const override { return arms_[arm]; }
  bool contains(canopy::Arm arm) const override { return space_.contains(arm); }
  void accept_observed(canopy::Arm /*arm*/, const canopy::Rewards& /*rewards*/) override {}
  void transfer(canopy::State& state) override {
    state.mark("greedy");
    TurnOptimizer::transfer(state);
    state(rewards_, random_);
  }

  canopy::Space space_;
  double epsilon_;
  canopy::RandomStream random_;
  std::vector<std::vector<double>> arms_;
  std::vector<canopy::Rewards> rewards_;
};

/// A hill over the unit square, with noise.
struct HillOptions {
  double steepness = 4.0;
};

template <class Visit>
void visit_fields(HillOptions& options, Visit&& visit) {
  visit(canopy::Field{"steepness", "how fast it falls off", canopy::kPositive}, options.steepness);
}

class Hill final : public canopy::SteadyEnvironment {
 public:
  explicit Hill(const HillOptions& options) : steepness_(options.steepness) {}

  const canopy::Space& space() const override { return space_; }
  void start(canopy::RandomStream& /*random*/) override {}
  double pull(canopy::Arm arm, canopy::RandomStream& random) override {
    return mean_reward(arm) + 0.1 * random.normal();
  }
  double mean_reward(canopy::Arm arm) const override {
    const double x = arm[0] - 0.3;
    const double y = arm[1] - 0.8;
    return std::exp(-steepness_ * (x * x + y * y));
  }
  canopy::Optimum optimum() const override { return {{0.3, 0.8}, 1.0}; }

 private:
  double steepness_;
  canopy::Space space_{{"x", canopy::Real{0.0, 1.0}}, {"y", canopy::Real{0.0, 1.0}}};
};

int main(int argc, char** argv) {
  canopy::optimizers().add(
      canopy::optimizer_entry<Greedy, GreedyOptions>("greedy", "epsilon-greedy on random arms"));
  canopy::environments().add(canopy::environment_entry<Hill, HillOptions>("hill", "a round hill"));

  // By name, like the command-line tool.
  for (const char* optimizer : {"hct", "greedy"}) {
    const auto result = canopy::simulate({"hill"}, {optimizer}, {.steps = 20'000, .runs = 8});
    std::printf("%-6s on hill: regret per step %.3f\n", optimizer, result->per_step_regret.mean);
  }

  // In an experiment file, together with canopy's algorithms.
  const auto experiment = canopy::parse_experiment(R"(
    name = "own"
    steps = 20000
    runs = 5
    tuning_runs = 3
    [[comparison]]
    name = "hill"
    environment = { name = "hill", steepness = 10.0 }
    [[comparison.algorithm]]
    name = "hct"
    [[comparison.algorithm]]
    name = "greedy"
    grid = { epsilon = [0.05, 0.2], arms = [10, 100] }
  )",
                                                   "own.toml");
  const char* folder = argc > 1 ? argv[1] : "out/own";
  for (const auto& result : canopy::run_experiment(experiment, folder)) {
    for (const auto& algorithm : result.algorithms) {
      std::printf("%-6s in the experiment: regret per step %.3f\n", algorithm.label.c_str(),
                  algorithm.per_step_regret.mean);
    }
  }
}
