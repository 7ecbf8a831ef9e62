#include "canopy/auction.hpp"
#include "canopy/cart_pole.hpp"
#include "canopy/environments.hpp"
#include "canopy/garland.hpp"
#include "canopy/hct.hpp"
#include "canopy/lqr.hpp"
#include "canopy/lqr_partial.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"
#include "canopy/routing.hpp"
#include "canopy/simulation.hpp"
#include "canopy/test_functions.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace canopy {
namespace {

/// The number of steps between two checks of the watch. They take a few hundredths of a second, so
/// that checks are cheap and cancellation is prompt.
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

/// Records the arms played and the number of pulls of each, and computes f while the clock is
/// stopped, since f may cost more than a step. Without drift, consecutive pulls of an arm are
/// evaluated together, so that the sum does not depend on when it is requested.
class Judge {
 public:
  explicit Judge(const KnownEnvironment& environment)
      : environment_(environment),
        dimension_(environment.space().dimension()),
        drifts_(environment.drifts()),
        optimum_(environment.optimum_at(1).value) {}

  void note(Arm arm, std::uint64_t pulls) {
    if (counts_.empty() || !std::equal(arm.begin(), arm.end(), arms_.end() - offset(1))) {
      arms_.insert(arms_.end(), arm.begin(), arm.end());
      counts_.push_back(0);
    }
    counts_.back() += pulls;
  }

  [[nodiscard]] bool wants_a_break() const { return counts_.size() >= kMostNotes; }

  /// Adds the regret of all recorded pulls; without drift, of all but the last arm, whose pulls may
  /// continue.
  void judge() {
    const std::size_t judged = counts_.size() - (drifts_ ? 0 : 1);
    for (std::size_t i = 0; i < judged; ++i) {
      regret_ += regret_of(i);
      t_ += counts_[i];
    }
    arms_.erase(arms_.begin(), arms_.begin() + offset(judged));
    counts_.erase(counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(judged));
  }

  /// The sum of f*_t - f_t(x_t) over all recorded pulls, after `judge`.
  [[nodiscard]] double regret() const { return drifts_ ? regret_ : regret_ + regret_of(0); }

  /// The largest f_t(x_t) of all judged pulls.
  [[nodiscard]] double best_mean_seen() const { return best_mean_seen_; }

  /// The sum of f*_t over `steps` steps, all of which must have been judged.
  [[nodiscard]] double best_sum(std::uint64_t steps) const {
    return drifts_ ? best_sum_ : optimum_ * static_cast<double>(steps);
  }

 private:
  static constexpr std::size_t kMostNotes = 4096;

  [[nodiscard]] double regret_of(std::size_t i) const {
    const Arm arm = std::span(arms_).subspan(i * dimension_, dimension_);
    if (!drifts_) {
      return static_cast<double>(counts_[i]) * (optimum_ - mean_at(arm, t_));
    }
    double regret = 0.0;
    for (std::uint64_t t = t_; t < t_ + counts_[i]; ++t) {
      const double best = environment_.optimum_at(t).value;
      best_sum_ += best;
      regret += best - mean_at(arm, t);
    }
    return regret;
  }

  [[nodiscard]] double mean_at(Arm arm, std::uint64_t t) const {
    const double mean = environment_.mean_reward_at(arm, t);
    best_mean_seen_ = std::max(best_mean_seen_, mean);  // ignores NaN
    return mean;
  }

  [[nodiscard]] std::ptrdiff_t offset(std::size_t arms) const {
    return static_cast<std::ptrdiff_t>(arms * dimension_);
  }

  const KnownEnvironment& environment_;
  std::size_t dimension_;
  bool drifts_;
  double optimum_;            // without drift
  std::uint64_t t_ = 1;       // step of the first pull not judged yet
  std::vector<double> arms_;  // one after the other
  std::vector<std::uint64_t> counts_;
  double regret_ = 0.0;
  mutable double best_sum_ = 0.0;
  mutable double best_mean_seen_ = -std::numeric_limits<double>::infinity();
};

/// Sums the processor time of this thread between `start` and `stop`.
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

/// Known at compile time, so that the loop for an environment without contexts does not have to
/// check.
template <class AnEnvironment>
constexpr bool may_have_contexts() {
  return !std::is_base_of_v<SteadyEnvironment, AnEnvironment>;
}

/// The best arm in the context of a step.
template <class AnOptimizer>
Best best_at(const AnOptimizer& optimizer, const KnownEnvironment& environment, std::uint64_t t) {
  if (environment.contexts().empty()) return optimizer.best().value();
  const std::optional<Best> best = optimizer.best_in(environment.context_at(t));
  return best ? *best : optimizer.best().value();
}

/// The simple regret of the best arms, averaged over evenly spaced contexts of the run.
template <class AnOptimizer>
double mean_simple_regret(const AnOptimizer& optimizer, const KnownEnvironment& environment,
                          std::uint64_t steps) {
  const std::uint64_t contexts = std::min<std::uint64_t>(steps, 100);
  double regret = 0.0;
  for (std::uint64_t i = 1; i <= contexts; ++i) {
    const std::uint64_t t = steps / contexts * i;
    const Best best = best_at(optimizer, environment, t);
    regret += environment.optimum_at(t).value - environment.mean_reward_at(best.arm, t);
  }
  return regret / static_cast<double>(contexts);
}

/// The main loop of a run.
template <class AnOptimizer, class AnEnvironment>
RunResult run(AnOptimizer& optimizer, AnEnvironment& environment, RandomStream& random,
              const RunOptions& options, const Watch& watch) {
  const std::uint64_t steps = options.steps;
  const bool has_contexts = may_have_contexts<AnEnvironment>() && !environment.contexts().empty();
  Judge judge(environment);
  StopWatch clock;
  LookInterval interval;
  double reward_sum = 0.0;
  std::uint64_t done = 0;
  std::uint64_t reported = 0;
  std::vector<Checkpoint> passed;
  const auto next_checkpoint = [&] {
    return passed.size() < options.checkpoints.size() ? options.checkpoints[passed.size()] : steps;
  };
  const auto realised = [&] {
    return (judge.best_sum(done) - reward_sum) / static_cast<double>(done);
  };
  std::uint64_t limit = next_checkpoint();
  environment.start(random);
  clock.start();
  while (done < steps) {
    const std::uint64_t most = std::min(limit - done, interval.steps());
    const Pull pull = has_contexts ? optimizer.ask_in(environment.context_at(done + 1), most)
                                   : optimizer.ask(most);
    judge.note(pull.arm, pull.length);
    const std::uint64_t end = done + pull.length;
    do {
      const double reward = environment.pull(pull.arm, random);
      reward_sum += reward;
      if (!is_taken(optimizer.tell(pull.ticket, reward))) [[unlikely]] {
        refuse_reward(reward, done + 1, environment.space(), pull.arm);
      }
    } while (++done < end);
    if (done == limit || done - reported >= interval.steps() || judge.wants_a_break())
        [[unlikely]] {
      interval.took(clock.stop());
      judge.judge();
      if (done == limit && passed.size() < options.checkpoints.size()) {
        const Summary summary = optimizer.summary();
        passed.push_back({done, judge.regret() / static_cast<double>(done), realised(),
                          summary.nodes, summary.switches, clock.seconds()});
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
  const Best best = best_at(optimizer, environment, steps);
  const double best_mean = environment.mean_reward_at(best.arm, steps);
  const double regret = judge.regret();
  const Optimum optimum = environment.optimum_at(steps);
  return {.per_step_regret = regret / n,
          .per_step_realised_regret = realised(),
          .simple_regret = has_contexts ? mean_simple_regret(optimizer, environment, steps)
                                        : optimum.value - best_mean,
          .covered = best.lower <= best_mean && best_mean <= best.upper,
          .width = best.upper - best.lower,
          .best_mean_seen = std::max(judge.best_mean_seen(), best_mean),
          .summary = optimizer.summary(),
          .best_arm = best.arm,
          .best_arm_mean = best_mean,
          .context = environment.context_at(steps),
          .optimum = optimum,
          .ns_per_step = 1e9 * clock.seconds() / n,
          .checkpoints = std::move(passed)};
}

/// A list of types.
template <class... Listed>
struct Types {};

using BuiltInEnvironments =
    Types<Garland, GarlandMdp, Lqr, Lqr2d, LqrPartial, Routing, Auction, ReactiveAuction, CartPole,
          DoubleSine, Difficult, Himmelblau, Rastrigin, Ackley, Counterexample, Cliff, Branin,
          Peaks, Rosenbrock, Hartmann3, Hartmann6>;

/// For HCT, every built-in environment that does not drift has a separate loop without virtual
/// calls, since some of HCT's steps take less time than such a call. All other pairs use the
/// virtual interface.
template <class... Environments>
RunResult run_compiled(Types<Environments...> /*types*/, Hct& hct, KnownEnvironment& environment,
                       RandomStream& random, const RunOptions& options, const Watch& watch) {
  std::optional<RunResult> result;
  const auto run_if = [&]<class AnEnvironment>(AnEnvironment* known) {
    if (known != nullptr) result = run(hct, *known, random, options, watch);
    return result.has_value();
  };
  (void)(run_if(dynamic_cast<Environments*>(&environment)) || ...);
  return result ? std::move(*result) : run(hct, environment, random, options, watch);
}

/// A seed for the algorithm's random choices, different for every run.
std::uint64_t seed_from(RandomStream& random) {
  return random() >> 11;
}

OptionValues with_seed(OptionValues options, const std::vector<OptionField>& fields,
                       RandomStream& random) {
  for (const OptionField& field : fields) {
    if (field.name == "seed") options.set("seed", seed_from(random));
  }
  return options;
}

RandomStream stream_of(std::string_view environment, std::string_view algorithm,
                       const RunOptions& options) {
  return RandomStream({.seed = options.seed,
                       .environment = environment,
                       .algorithm = options.label.empty() ? algorithm : options.label,
                       .purpose = options.purpose,
                       .run = options.number});
}

}  // namespace

ContextSpace contexts_shown(const KnownEnvironment& environment, const std::string& optimizer,
                            bool ignore_context) {
  const bool takes_them = optimizers().at(optimizer).make_in_contexts != nullptr;
  return takes_them && !ignore_context ? environment.contexts() : ContextSpace();
}

RunResult run_once(KnownEnvironment& environment, std::string_view name, const Selection& optimizer,
                   const RunOptions& options, const Watch& watch) {
  const OptimizerEntry& entry = optimizers().at(optimizer.name);
  const OptionValues given = with_horizon(optimizer, options.steps).options;
  RandomStream random = stream_of(name, entry.name, options);
  const std::unique_ptr<Optimizer> searcher =
      make_optimizer({entry.name, with_seed(given, entry.fields, random)}, environment.space(),
                     options.partition, Objective{.reward_range = options.reward_range},
                     contexts_shown(environment, entry.name, options.ignore_context));
  if (auto* hct = dynamic_cast<Hct*>(searcher.get())) {
    return run_compiled(BuiltInEnvironments{}, *hct, environment, random, options, watch);
  }
  return run(*searcher, environment, random, options, watch);
}

RunResult run_once(KnownEnvironment& environment, std::string_view name,
                   const MakePlayer& make_player, const RunOptions& options, const Watch& watch) {
  RandomStream random = stream_of(name, {}, options);
  const std::unique_ptr<Player> player = make_player(seed_from(random));
  return run(*player, environment, random, options, watch);
}

RunResult run_once(const Selection& environment, const Selection& optimizer,
                   const RunOptions& options, const Watch& watch) {
  return run_once(*make_environment(environment), environment.name, optimizer, options, watch);
}

}  // namespace canopy
