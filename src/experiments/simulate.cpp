#include "experiments/simulate.hpp"

#include "canopy/random.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <thread>

namespace canopy {
namespace {

/// Between two looks at the watch; long enough to cost nothing.
constexpr std::uint64_t kStepsPerLook = 1 << 16;

/// An optimizer, an environment and the random stream of one run of them.
template <class EnvironmentOptionsOf, class OptimizerOptionsOf>
struct Pairing {
  Pairing(const EnvironmentOptionsOf& for_environment, const OptimizerOptionsOf& for_optimizer,
          std::uint64_t seed, std::uint64_t number)
      : environment(for_environment),
        environment_text(std::string(EnvironmentEntry<EnvironmentOptionsOf>::name) + ' ' +
                         options_text(for_environment)),
        optimizer_text(options_text(filled_in(for_optimizer, environment.space().dimension()))),
        random({.seed = seed,
                .experiment = environment_text,
                .algorithm = OptimizerEntry<OptimizerOptionsOf>::name,
                .parameters = optimizer_text,
                .run = number}),
        optimizer(environment.space(), with_seed(for_optimizer, random)) {}

  EnvironmentOf<EnvironmentOptionsOf> environment;
  std::string environment_text;
  std::string optimizer_text;
  RandomStream random;
  OptimizerOf<OptimizerOptionsOf> optimizer;

 private:
  /// Random choices of the optimizer differ from run to run as well.
  static OptimizerOptionsOf with_seed(OptimizerOptionsOf options, RandomStream& random) {
    if constexpr (requires { options.seed; }) options.seed = random() >> 11;
    return options;
  }
};

class Stopped : public std::exception {};

/// The arms that were played and how often, to be judged while the clock stands still: f may cost
/// more than a step.
class Judge {
 public:
  explicit Judge(const KnownEnvironment& environment) : environment_(environment) {}

  void note(Arm arm, std::uint64_t pulls) {
    if (counts_.empty() || !std::equal(arm.begin(), arm.end(), arms_.end() - dimension())) {
      arms_.insert(arms_.end(), arm.begin(), arm.end());
      counts_.push_back(0);
    }
    counts_.back() += pulls;
  }

  [[nodiscard]] bool wants_a_break() const { return counts_.size() >= kMostNotes; }

  /// Adds the regret of all that was noted.
  void judge() {
    const std::size_t dimension = environment_.space().dimension();
    const double optimum = environment_.optimum().value;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const Arm arm = std::span(arms_).subspan(i * dimension, dimension);
      regret_ += static_cast<double>(counts_[i]) * (optimum - environment_.mean_reward(arm));
    }
    arms_.clear();
    counts_.clear();
  }

  /// Of all that was judged.
  [[nodiscard]] double regret() const { return regret_; }

 private:
  static constexpr std::size_t kMostNotes = 4096;

  [[nodiscard]] std::ptrdiff_t dimension() const {
    return static_cast<std::ptrdiff_t>(environment_.space().dimension());
  }

  const KnownEnvironment& environment_;
  std::vector<double> arms_;  // one after the other
  std::vector<std::uint64_t> counts_;
  double regret_ = 0.0;
};

/// Adds up the time between `start` and `stop`.
class StopWatch {
 public:
  void start() { started_ = Clock::now(); }
  void stop() { elapsed_ += Clock::now() - started_; }
  [[nodiscard]] double nanoseconds() const {
    return std::chrono::duration<double, std::nano>(elapsed_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point started_;
  Clock::duration elapsed_{};
};

/// The loop that everything is about.
template <class AnOptimizer, class AnEnvironment>
RunResult run(AnOptimizer& optimizer, AnEnvironment& environment, RandomStream& random,
              std::uint64_t steps, const Watch& watch) {
  Judge judge(environment);
  StopWatch clock;
  double reward_sum = 0.0;
  std::uint64_t done = 0;
  std::uint64_t reported = 0;
  environment.start(random);
  clock.start();
  while (done < steps) {
    const Pull pull = optimizer.ask(std::min(steps - done, kStepsPerLook));
    judge.note(pull.arm, pull.length);
    const std::uint64_t end = done + pull.length;
    do {
      const double reward = environment.pull(pull.arm, random);
      reward_sum += reward;
      if (optimizer.tell(pull.ticket, reward) != Status::ok) [[unlikely]] {
        refuse_reward(reward, done + 1, environment.space(), pull.arm);
      }
    } while (++done < end);
    if (done - reported >= kStepsPerLook || judge.wants_a_break()) [[unlikely]] {
      clock.stop();
      judge.judge();
      if (watch.steps_done) watch.steps_done(done - reported);
      if (watch.stop != nullptr && watch.stop->load(std::memory_order_relaxed)) throw Stopped();
      reported = done;
      clock.start();
    }
  }
  clock.stop();
  judge.judge();
  if (watch.steps_done) watch.steps_done(done - reported);
  optimizer.finish();

  const auto n = static_cast<double>(steps);
  const double optimum = environment.optimum().value;
  const Best best = optimizer.best().value();
  return {.per_step_regret = judge.regret() / n,
          .per_step_realised_regret = optimum - reward_sum / n,
          .simple_regret = optimum - environment.mean_reward(best.arm),
          .summary = optimizer.summary(),
          .best_arm = {best.arm.begin(), best.arm.end()},
          .ns_per_step = clock.nanoseconds() / n};
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
          Pairing pairing(for_environment, for_optimizer, options.seed, number);
          runs[number] =
              run(pairing.optimizer, pairing.environment, pairing.random, options.steps, watch);
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

}  // namespace canopy
