#include "experiments/run.hpp"

#include "canopy/random.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <span>
#include <string>
#include <utility>

namespace canopy {
namespace {

/// How many steps there are between two looks at the watch: as many as take some hundredths of a
/// second, so that looking costs nothing and nobody waits.
class LookInterval {
 public:
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  void took(double seconds) {
    if (seconds < 0.02) steps_ = std::min<std::uint64_t>(2 * steps_, 1 << 16);
    if (seconds > 0.1) steps_ = std::max<std::uint64_t>(steps_ / 2, 1);
  }

 private:
  std::uint64_t steps_ = 64;
};

/// An optimizer, an environment and the random stream of one run of them.
template <class EnvironmentOptionsOf, class OptimizerOptionsOf>
struct Pairing {
  Pairing(const EnvironmentOptionsOf& for_environment, const OptimizerOptionsOf& for_optimizer,
          const RunOptions& options)
      : environment(for_environment),
        environment_text(options.purpose +
                         std::string(EnvironmentEntry<EnvironmentOptionsOf>::name) + ' ' +
                         options_text(for_environment)),
        optimizer_text(options_text(filled_in(for_optimizer, environment.space().dimension()))),
        random({.seed = options.seed,
                .experiment = environment_text,
                .algorithm = OptimizerEntry<OptimizerOptionsOf>::name,
                .parameters = optimizer_text,
                .run = options.number}),
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

/// The arms that were played and how often, to be judged while the clock stands still: f may cost
/// more than a step. Pulls of an arm in a row are judged as one, so that the sum does not depend on
/// when it is asked for.
class Judge {
 public:
  explicit Judge(const KnownEnvironment& environment) : environment_(environment) {}

  void note(Arm arm, std::uint64_t pulls) {
    if (counts_.empty() || !std::equal(arm.begin(), arm.end(), arms_.end() - offset(1))) {
      arms_.insert(arms_.end(), arm.begin(), arm.end());
      counts_.push_back(0);
    }
    counts_.back() += pulls;
  }

  [[nodiscard]] bool wants_a_break() const { return counts_.size() >= kMostNotes; }

  /// Adds the regret of all that was noted but the last arm, which may be played on.
  void judge() {
    const std::size_t last = counts_.size() - 1;
    for (std::size_t i = 0; i < last; ++i) regret_ += regret_of(i);
    arms_.erase(arms_.begin(), arms_.begin() + offset(last));
    counts_.erase(counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(last));
  }

  /// Of all that was noted, once it was judged.
  [[nodiscard]] double regret() const { return regret_ + regret_of(0); }

 private:
  static constexpr std::size_t kMostNotes = 4096;

  [[nodiscard]] double regret_of(std::size_t i) const {
    const std::size_t dimension = environment_.space().dimension();
    const Arm arm = std::span(arms_).subspan(i * dimension, dimension);
    return static_cast<double>(counts_[i]) * (optimum_ - environment_.mean_reward(arm));
  }

  [[nodiscard]] std::ptrdiff_t offset(std::size_t arms) const {
    return static_cast<std::ptrdiff_t>(arms * environment_.space().dimension());
  }

  const KnownEnvironment& environment_;
  double optimum_ = environment_.optimum().value;
  std::vector<double> arms_;  // one after the other
  std::vector<std::uint64_t> counts_;
  double regret_ = 0.0;
};

/// Adds up the processor time of this thread between `start` and `stop`.
class StopWatch {
 public:
  void start() { started_ = now(); }

  /// Returns the seconds since `start`.
  double stop() {
    const double passed = now() - started_;
    seconds_ += passed;
    return passed;
  }

  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double started_ = 0.0;
  double seconds_ = 0.0;
};

/// The loop that everything is about.
template <class AnOptimizer, class AnEnvironment>
RunResult run(AnOptimizer& optimizer, AnEnvironment& environment, RandomStream& random,
              const RunOptions& options, const Watch& watch) {
  const std::uint64_t steps = options.steps;
  Judge judge(environment);
  StopWatch clock;
  LookInterval interval;
  double reward_sum = 0.0;
  std::uint64_t done = 0;
  std::uint64_t reported = 0;
  const double optimum = environment.optimum().value;
  std::vector<Checkpoint> passed;
  const auto next_checkpoint = [&] {
    return passed.size() < options.checkpoints.size() ? options.checkpoints[passed.size()] : steps;
  };
  std::uint64_t limit = next_checkpoint();
  environment.start(random);
  clock.start();
  while (done < steps) {
    const Pull pull = optimizer.ask(std::min(limit - done, interval.steps()));
    judge.note(pull.arm, pull.length);
    const std::uint64_t end = done + pull.length;
    do {
      const double reward = environment.pull(pull.arm, random);
      reward_sum += reward;
      if (optimizer.tell(pull.ticket, reward) != Status::ok) [[unlikely]] {
        refuse_reward(reward, done + 1, environment.space(), pull.arm);
      }
    } while (++done < end);
    if (done == limit || done - reported >= interval.steps() || judge.wants_a_break())
        [[unlikely]] {
      interval.took(clock.stop());
      judge.judge();
      if (done == limit && passed.size() < options.checkpoints.size()) {
        const auto n = static_cast<double>(done);
        const Summary summary = optimizer.summary();
        passed.push_back({done, judge.regret() / n, optimum - reward_sum / n, summary.nodes,
                          summary.switches, clock.seconds()});
        limit = next_checkpoint();
      }
      if (watch.steps_done) watch.steps_done(done - reported);
      if (watch.stop != nullptr && watch.stop->load(std::memory_order_relaxed)) throw Stopped();
      reported = done;
      clock.start();
    }
  }
  (void)clock.stop();
  judge.judge();
  if (watch.steps_done) watch.steps_done(done - reported);
  optimizer.finish();

  const auto n = static_cast<double>(steps);
  const Best best = optimizer.best().value();
  return {.per_step_regret = judge.regret() / n,
          .per_step_realised_regret = optimum - reward_sum / n,
          .simple_regret = optimum - environment.mean_reward(best.arm),
          .summary = optimizer.summary(),
          .best_arm = {best.arm.begin(), best.arm.end()},
          .ns_per_step = 1e9 * clock.seconds() / n,
          .checkpoints = std::move(passed)};
}

}  // namespace

RunResult run_once(const EnvironmentOptions& environment, const OptimizerOptions& optimizer,
                   const RunOptions& options, const Watch& watch) {
  return std::visit(
      [&](const auto& for_environment, const auto& for_optimizer) {
        Pairing pairing(for_environment, for_optimizer, options);
        return run(pairing.optimizer, pairing.environment, pairing.random, options, watch);
      },
      environment, optimizer);
}

}  // namespace canopy
