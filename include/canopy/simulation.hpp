#pragma once

#include "canopy/catalogue.hpp"
#include "canopy/context.hpp"
#include "canopy/environment.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/partition.hpp"
#include "canopy/statistics.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// The contexts shown to an optimizer: empty if it does not support them, or is to ignore them.
[[nodiscard]] ContextSpace contexts_shown(const KnownEnvironment& environment,
                                          const std::string& optimizer, bool ignore_context);

/// Identity and length of a run, and what to record.
struct RunOptions {
  std::uint64_t steps = 100'000;  ///< n, at least 1
  std::uint64_t seed = 1;

  /// The label of the algorithm; empty: its name. Random numbers depend only on the seed, the name
  /// of the environment, the label, the purpose and the number: runs that differ in one of them are
  /// independent.
  std::string label = {};
  std::string purpose = {};
  std::uint64_t number = 0;

  std::vector<std::uint64_t> checkpoints = {};  ///< Increasing, at most `steps`.

  /// As in Objective. The built-in environments have rewards in about [0, 1].
  std::optional<RewardRange> reward_range = RewardRange{0.0, 1.0};

  PartitionRule partition = {};  ///< for algorithms with a tree

  bool ignore_context = false;  ///< Hides contexts from the optimizer.
};

/// The state of a run after some steps.
struct Checkpoint {
  std::uint64_t steps = 0;
  double per_step_regret = 0.0;
  double per_step_realised_regret = 0.0;
  std::uint64_t nodes = 0;
  std::uint64_t switches = 0;
  double seconds = 0.0;  ///< processor time
};

/// The result of one run. With contexts, the best arm and its properties are those in the context
/// of the last pull, except for the simple regret.
struct RunResult {
  double per_step_regret = 0.0;           ///< mean of f*_t - f_t(x_t)
  double per_step_realised_regret = 0.0;  ///< mean of f*_t - r_t
  double simple_regret = 0.0;             ///< f* - f(best arm), at the end; averaged over contexts
  bool covered = true;                    ///< whether the interval of the best arm contains its f
  double width = 0.0;                     ///< width of that interval; infinite if it has no ends
  double best_mean_seen =
      -std::numeric_limits<double>::infinity();  ///< largest mean reward of a best arm
  Summary summary = {};
  std::vector<double> best_arm = {};
  double best_arm_mean = 0.0;        ///< its f, at the end
  std::vector<double> context = {};  ///< context of the last pull; empty without contexts
  Optimum optimum = {};              ///< at the end
  double ns_per_step = 0.0;          ///< processor time of optimizer and environment together
  std::vector<Checkpoint> checkpoints = {};
};

/// Progress and cancellation of a long computation.
struct Watch {
  std::function<void(std::uint64_t)> steps_done;  ///< Called repeatedly, from any thread.
  const std::atomic<bool>* stop = nullptr;        ///< Checked at each of these calls.
};

/// Thrown when a run is stopped.
class Stopped : public std::exception {};

/// Plays one optimizer on one environment, each selected from its catalogue. Contexts are passed to
/// the optimizer before each pull, if it supports them. Throws ConfigurationError when the
/// optimizer cannot search the environment's space, Stopped, and EnvironmentError.
[[nodiscard]] RunResult run_once(const Selection& environment, const Selection& optimizer,
                                 const RunOptions& options, const Watch& watch = {});

/// As above, on the caller's own environment; `name` is its name for random streams.
[[nodiscard]] RunResult run_once(KnownEnvironment& environment, std::string_view name,
                                 const Selection& optimizer, const RunOptions& options,
                                 const Watch& watch = {});

/// The part of the Optimizer interface that a run needs, for algorithms that implement only this
/// part.
class Player {
 public:
  virtual ~Player() = default;

  [[nodiscard]] virtual Pull ask(std::uint64_t pulls) = 0;
  /// `ask` in this context.
  [[nodiscard]] virtual Pull ask_in(Context /*context*/, std::uint64_t pulls) { return ask(pulls); }
  [[nodiscard]] virtual Status tell(Ticket ticket, double reward) = 0;
  virtual void finish() {}
  [[nodiscard]] virtual std::optional<Best> best() const = 0;
  [[nodiscard]] virtual std::optional<Best> best_in(Context /*context*/) const { return best(); }
  [[nodiscard]] virtual Summary summary() const = 0;
};

/// Creates a player whose random choices depend on the seed.
using MakePlayer = std::function<std::unique_ptr<Player>(std::uint64_t seed)>;

/// As above, with the caller's own algorithm; `options.label` names it.
[[nodiscard]] RunResult run_once(KnownEnvironment& environment, std::string_view name,
                                 const MakePlayer& make_player, const RunOptions& options,
                                 const Watch& watch = {});

struct SimulationOptions {
  std::uint64_t steps = 100'000;  ///< n, at least 1
  std::uint64_t runs = 10;        ///< independent repetitions, at least 1
  std::uint64_t seed = 1;
  std::string label = {};  ///< as in RunOptions
  int threads = 0;         ///< 0: one per core. The results do not depend on it.
  std::vector<std::uint64_t> checkpoints = {};  ///< for every run; increasing, at most `steps`
  std::optional<RewardRange> reward_range = RewardRange{0.0, 1.0};  ///< as in RunOptions
  PartitionRule partition = {};                                     ///< as in RunOptions
  bool ignore_context = false;                                      ///< as in RunOptions
};

/// Coverage and width of the best arm's interval at the ends of runs.
struct IntervalQuality {
  double coverage = 1.0;      ///< fraction of runs in which it contained f
  double median_width = 0.0;  ///< median width of intervals with ends
  double unbounded = 0.0;     ///< fraction of runs in which it had no ends
};

[[nodiscard]] IntervalQuality interval_quality(const std::vector<RunResult>& runs);

/// The results of all runs.
struct SimulationResult {
  Estimate per_step_regret;
  Estimate per_step_realised_regret;
  Estimate simple_regret;
  IntervalQuality intervals;
  Estimate nodes;
  Estimate depth;
  Estimate switches;
  Estimate refreshes;
  double ns_per_step = 0.0;
  std::vector<RunResult> runs;
};

/// Runs one optimizer on one environment, in parallel. Returns none if it was stopped. Throws
/// ConfigurationError when the optimizer cannot search the environment's space.
[[nodiscard]] std::optional<SimulationResult> simulate(const Selection& environment,
                                                       const Selection& optimizer,
                                                       const SimulationOptions& options,
                                                       const Watch& watch = {});

}  // namespace canopy
