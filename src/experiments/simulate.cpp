#include "experiments/simulate.hpp"

#include "canopy/random.hpp"

#include "core/text.hpp"
#include "optimizers/enum_names.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace canopy {
namespace {

/// Between two looks at the watch; long enough to cost nothing.
constexpr std::uint64_t kStepsPerLook = 1 << 16;

Garland make(const GarlandOptions& options) {
  return Garland(options);
}
GarlandMdp make(const GarlandMdpOptions& options) {
  return GarlandMdp(options);
}
Hct make(const HctOptions& options, const Space& space) {
  return Hct(space, options);
}

std::string_view name(const GarlandOptions& /*options*/) {
  return "garland";
}
std::string_view name(const GarlandMdpOptions& /*options*/) {
  return "garland-mdp";
}
std::string_view name(const HctOptions& /*options*/) {
  return "hct";
}

/// What names the random stream of an algorithm's parameters.
std::string parameter_text(const Hct& hct) {
  const HctParameters& p = hct.parameters();
  std::string text(name_of(p.feedback));
  for (const double value : {p.nu1, p.rho, p.confidence.c, p.confidence.c1, p.delta}) {
    text += ' ' + to_text(value);
  }
  return text;
}

class Stopped : public std::exception {};

/// The loop that everything is about.
template <class AnOptimizer, class AnEnvironment>
RunResult run(AnOptimizer& optimizer, AnEnvironment& environment, RandomStream& random,
              std::uint64_t steps, const Watch& watch) {
  const double optimum = environment.optimum().value;
  const double* arm = nullptr;
  double gap = 0.0;
  double regret = 0.0;
  double reward_sum = 0.0;
  std::uint64_t done = 0;
  std::uint64_t reported = 0;
  environment.start(random);
  const auto started = std::chrono::steady_clock::now();
  while (done < steps) {
    const Pull pull = optimizer.ask(std::min(steps - done, kStepsPerLook));
    if (pull.arm.data() != arm) {
      arm = pull.arm.data();
      gap = optimum - environment.mean_reward(pull.arm);
    }
    const std::uint64_t end = done + pull.length;
    do {
      const double reward = environment.pull(pull.arm, random);
      reward_sum += reward;
      regret += gap;
      if (optimizer.tell(pull.ticket, reward) != Status::ok) [[unlikely]] {
        throw std::runtime_error("step " + std::to_string(done + 1) + ": the environment gave " +
                                 to_text(reward) + ", which is no reward");
      }
    } while (++done < end);
    if (done - reported >= kStepsPerLook) {
      if (watch.steps_done) watch.steps_done(done - reported);
      if (watch.stop != nullptr && watch.stop->load(std::memory_order_relaxed)) throw Stopped();
      reported = done;
    }
  }
  const std::chrono::duration<double, std::nano> elapsed =
      std::chrono::steady_clock::now() - started;
  if (watch.steps_done) watch.steps_done(done - reported);
  optimizer.finish();

  const auto n = static_cast<double>(steps);
  const Best best = optimizer.best().value();
  return {.per_step_regret = regret / n,
          .per_step_realised_regret = optimum - reward_sum / n,
          .simple_regret = optimum - environment.mean_reward(best.arm),
          .summary = optimizer.summary(),
          .best_arm = {best.arm.begin(), best.arm.end()},
          .ns_per_step = elapsed.count() / n};
}

/// Calls work(0), ..., work(count - 1) on so many threads, each as soon as one is free. The first
/// exception keeps further calls from being made and is thrown here.
template <class Work>
void for_each_in_parallel(std::uint64_t count, int threads, const Work& work) {
  std::atomic<std::uint64_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  const auto worker = [&] {
    try {
      for (std::uint64_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const std::uint64_t wanted =
      threads > 0 ? static_cast<std::uint64_t>(threads) : std::thread::hardware_concurrency();
  {
    std::vector<std::jthread> others;
    for (std::uint64_t i = 1; i < std::min(wanted, count); ++i) others.emplace_back(worker);
    worker();
  }
  if (failure) std::rethrow_exception(failure);
}

template <class Quantity>
Estimate estimate_over(const std::vector<RunResult>& runs, Quantity&& quantity) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const RunResult& run : runs) values.push_back(static_cast<double>(quantity(run)));
  return estimate(values);
}

SimulationResult aggregate(std::vector<RunResult> runs) {
  const auto over = [&](auto&& quantity) { return estimate_over(runs, quantity); };
  SimulationResult result{
      .per_step_regret = over([](const RunResult& run) { return run.per_step_regret; }),
      .per_step_realised_regret =
          over([](const RunResult& run) { return run.per_step_realised_regret; }),
      .simple_regret = over([](const RunResult& run) { return run.simple_regret; }),
      .nodes = over([](const RunResult& run) { return run.summary.nodes; }),
      .depth = over([](const RunResult& run) { return run.summary.depth; }),
      .switches = over([](const RunResult& run) { return run.summary.switches; }),
      .refreshes = over([](const RunResult& run) { return run.summary.refreshes; }),
      .ns_per_step = over([](const RunResult& run) { return run.ns_per_step; }).mean,
      .runs = {}};
  result.runs = std::move(runs);
  return result;
}

}  // namespace

std::optional<SimulationResult> simulate(const EnvironmentOptions& environment_options,
                                         const OptimizerOptions& optimizer_options,
                                         const SimulationOptions& options, const Watch& watch) {
  std::vector<RunResult> runs(options.runs);
  const auto run_number = [&](std::uint64_t number) {
    if (watch.stop != nullptr && watch.stop->load(std::memory_order_relaxed)) throw Stopped();
    std::visit(
        [&](const auto& for_environment, const auto& for_optimizer) {
          auto environment = make(for_environment);
          auto optimizer = make(for_optimizer, environment.space());
          RandomStream random({.seed = options.seed,
                               .experiment = name(for_environment),
                               .algorithm = name(for_optimizer),
                               .parameters = parameter_text(optimizer),
                               .run = number});
          runs[number] = run(optimizer, environment, random, options.steps, watch);
        },
        environment_options, optimizer_options);
  };
  try {
    for_each_in_parallel(options.runs, options.threads, run_number);
  } catch (const Stopped&) {
    return std::nullopt;
  }
  return aggregate(std::move(runs));
}

std::unique_ptr<Environment> make_environment(const EnvironmentOptions& environment) {
  return std::visit(
      [](const auto& options) -> std::unique_ptr<Environment> {
        return std::make_unique<decltype(make(options))>(make(options));
      },
      environment);
}

}  // namespace canopy
