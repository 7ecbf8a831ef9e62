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

/// The contexts that an optimizer is shown: none if it takes none, or is to ignore them.
[[nodiscard]] ContextSpace contexts_shown(const KnownEnvironment& environment,
                                          const std::string& optimizer, bool ignore_context);

/// Which run it is, how long it is, and what to record.
struct RunOptions {
  std::uint64_t steps = 100'000;  ///< n, at least 1
  std::uint64_t seed = 1;

  /// What the algorithm is called here; empty: its name. Random numbers depend on seed, name of the
  /// environment, label, purpose and number alone: runs that differ in one of them are independent.
  std::string label = {};
  std::string purpose = {};
  std::uint64_t number = 0;

  std::vector<std::uint64_t> checkpoints = {};  ///< Increasing, at most `steps`.

  /// As in Objective. The environments here have rewards in about [0, 1].
  std::optional<RewardRange> reward_range = RewardRange{0.0, 1.0};

  PartitionRule partition = {};  ///< of algorithms that have a tree

  bool ignore_context = false;  ///< Plays as if nothing were observed before a pull.
};

/// Where a run was after some steps.
struct Checkpoint {
  std::uint64_t steps = 0;
  double per_step_regret = 0.0;
  double per_step_realised_regret = 0.0;
  std::uint64_t nodes = 0;
  std::uint64_t switches = 0;
  double seconds = 0.0;  ///< of processor time
};

/// One run. Where contexts are observed, the best arm and what is said of it are those in the
/// context of the last pull, but for the simple regret.
struct RunResult {
  double per_step_regret = 0.0;           ///< mean of f*_t - f_t(x_t)
  double per_step_realised_regret = 0.0;  ///< mean of f*_t - r_t
  double simple_regret = 0.0;             ///< f* - f(best arm), at the end; in the mean of contexts
  bool covered = true;                    ///< whether the interval of the best arm has its f
  double width = 0.0;                     ///< of that interval; infinite if it has no ends
  double best_mean_seen = -std::numeric_limits<double>::infinity();  ///< of the arms it had
  Summary summary = {};
  std::vector<double> best_arm = {};
  double best_arm_mean = 0.0;        ///< its f, at the end
  std::vector<double> context = {};  ///< of the last pull; empty where nothing is observed
  Optimum optimum = {};              ///< at the end
  double ns_per_step = 0.0;  ///< of processor time, the optimizer and the environment together
  std::vector<Checkpoint> checkpoints = {};
};

/// How a long computation reports progress and is stopped.
struct Watch {
  std::function<void(std::uint64_t)> steps_done;  ///< Called now and then, from any thread.
  const std::atomic<bool>* stop = nullptr;        ///< Checked as often.
};

/// Thrown when a run was stopped.
class Stopped : public std::exception {};

/// Plays one optimizer on one environment, each selected from its catalogue. Where contexts are
/// observed, the optimizer is told them before each pull, if it takes any. Throws
/// ConfigurationError when the optimizer cannot search the environment's space, Stopped, and
/// EnvironmentError.
[[nodiscard]] RunResult run_once(const Selection& environment, const Selection& optimizer,
                                 const RunOptions& options, const Watch& watch = {});

/// The same on an environment of the caller's own, under the name that random numbers know it by.
[[nodiscard]] RunResult run_once(KnownEnvironment& environment, std::string_view name,
                                 const Selection& optimizer, const RunOptions& options,
                                 const Watch& watch = {});

/// As much of an Optimizer as a run needs, for algorithms that have nothing else.
class Player {
 public:
  virtual ~Player() = default;

  [[nodiscard]] virtual Pull ask(std::uint64_t pulls) = 0;
  /// The same where this is observed before the pull.
  [[nodiscard]] virtual Pull ask_in(Context /*context*/, std::uint64_t pulls) { return ask(pulls); }
  [[nodiscard]] virtual Status tell(Ticket ticket, double reward) = 0;
  virtual void finish() {}
  [[nodiscard]] virtual std::optional<Best> best() const = 0;
  [[nodiscard]] virtual std::optional<Best> best_in(Context /*context*/) const { return best(); }
  [[nodiscard]] virtual Summary summary() const = 0;
};

/// Makes a player, whose own random choices depend on the seed.
using MakePlayer = std::function<std::unique_ptr<Player>(std::uint64_t seed)>;

/// The same with an algorithm of the caller's own; `options.label` names it.
[[nodiscard]] RunResult run_once(KnownEnvironment& environment, std::string_view name,
                                 const MakePlayer& make_player, const RunOptions& options,
                                 const Watch& watch = {});

struct SimulationOptions {
  std::uint64_t steps = 100'000;  ///< n, at least 1
  std::uint64_t runs = 10;        ///< independent repetitions, at least 1
  std::uint64_t seed = 1;
  std::string label = {};  ///< as in RunOptions
  int threads = 0;         ///< 0: one per core. The results do not depend on it.
  std::vector<std::uint64_t> checkpoints = {};  ///< of every run; increasing, at most `steps`
  std::optional<RewardRange> reward_range = RewardRange{0.0, 1.0};  ///< as in RunOptions
  PartitionRule partition = {};                                     ///< as in RunOptions
  bool ignore_context = false;                                      ///< as in RunOptions
};

/// How honest the interval of the best arm was at the ends of runs.
struct IntervalQuality {
  double coverage = 1.0;      ///< share of the runs in which it had f
  double median_width = 0.0;  ///< of those with ends
  double unbounded = 0.0;     ///< share of the runs in which it had none
};

[[nodiscard]] IntervalQuality interval_quality(const std::vector<RunResult>& runs);

/// All runs together.
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

/// Runs one optimizer on one environment, in parallel. None if it was stopped. Throws
/// ConfigurationError when the optimizer cannot search the environment's space.
[[nodiscard]] std::optional<SimulationResult> simulate(const Selection& environment,
                                                       const Selection& optimizer,
                                                       const SimulationOptions& options,
                                                       const Watch& watch = {});

}  // namespace canopy
