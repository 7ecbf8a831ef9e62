#pragma once

#include "canopy/catalogue.hpp"
#include "canopy/enum_names.hpp"
#include "canopy/output_error.hpp"
#include "canopy/simulation.hpp"
#include "canopy/specification_error.hpp"
#include "canopy/statistics.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Which regret is compared: of the arms, or of the rewards that were earned.
enum class RegretKind { pseudo, realised };

template <>
struct EnumNames<RegretKind> {
  static constexpr std::array<std::string_view, 2> names{"pseudo", "realised"};
};

/// One algorithm of a comparison, and the options to choose among.
struct AlgorithmSpecification {
  std::string label;                  ///< In tables, legends and the names of random streams.
  std::vector<Selection> candidates;  ///< At least one; the points of a grid.
  std::uint64_t steps = UINT64_MAX;   ///< It is run no further than this, if it costs too much.
  bool ignore_context = false;        ///< as in RunOptions

  /// Makes an algorithm of the caller's own, which no catalogue has, for the candidate of this
  /// number and a run with this seed. The names of such candidates have to tell them apart.
  std::function<std::unique_ptr<Player>(std::size_t candidate, std::uint64_t seed)> make_player =
      {};
};

/// An environment of the caller's own, which no catalogue has.
struct OwnEnvironment {
  std::function<std::unique_ptr<KnownEnvironment>()> make;  ///< for one run
  std::string text;  ///< Tells it from others: units of another text are not reused.
  std::optional<RewardRange> reward_range;  ///< as in RunOptions

  /// If it is not, `optimum_at` has to be 0, and regret is against the largest mean that any run of
  /// the comparison has seen.
  bool optimum_is_known = true;
};

/// Some algorithms on one environment.
struct ComparisonSpecification {
  std::string name;   ///< In file names: letters, digits, - and _.
  std::string title;  ///< For people.
  RegretKind regret = RegretKind::pseudo;
  Selection environment;  ///< Of one of the caller's own, the name for random streams.
  std::vector<AlgorithmSpecification> algorithms;
  std::optional<OwnEnvironment> own = {};
};

/// What an experiment file says. Selections have a value for every option.
struct ExperimentSpecification {
  std::string name;                ///< Of the folder with the results: letters, digits, - and _.
  std::string title;               ///< For people.
  std::uint64_t steps = 100'000;   ///< n of every run
  std::uint64_t runs = 10;         ///< that are measured
  std::uint64_t tuning_runs = 10;  ///< that choose among candidates
  std::uint64_t seed = 1;
  std::uint64_t checkpoints = 30;  ///< points of a curve, evenly spaced in log n
  std::optional<RewardRange> reward_range = RewardRange{0.0, 1.0};  ///< as in RunOptions
  std::vector<ComparisonSpecification> comparisons;

  /// The same algorithms on many environments: the report has their performance profile, and of
  /// every comparison the regret alone.
  bool is_suite = false;

  /// The n at which the profile of a suite compares, increasing. Empty: the powers of ten from
  /// 100 on.
  std::vector<std::uint64_t> profile = {};
};

/// Reads an experiment from TOML text; `source` names it in messages. Throws SpecificationError
/// with every mistake.
[[nodiscard]] ExperimentSpecification parse_experiment(std::string_view toml,
                                                       const std::string& source);

/// Reads an experiment file.
[[nodiscard]] ExperimentSpecification load_experiment(const std::string& path);

/// The mean of some runs at a checkpoint.
struct CurvePoint {
  std::uint64_t steps = 0;
  Estimate regret;  ///< per step, of the kind that the comparison asks for
  Estimate nodes;
  Estimate switches;
  Estimate seconds;      ///< of processor time, up to here
  Estimate nanoseconds;  ///< of it, per step
};

/// The result of one algorithm of a comparison.
struct AlgorithmResult {
  std::string label;
  Selection chosen;            ///< the candidate that was best in tuning
  std::string parameters;      ///< its options on one line
  std::size_t candidate = 0;   ///< its number
  std::size_t candidates = 1;  ///< how many there were
  double tuning_regret = 0.0;  ///< of the chosen one, in tuning; 0 if there was nothing to tune
  Estimate per_step_regret;    ///< measured with fresh seeds, as all below
  Estimate per_step_realised_regret;
  Estimate simple_regret;
  IntervalQuality intervals;  ///< of the best arms
  Estimate depth;
  std::vector<CurvePoint> curve;               ///< the last point is at the end of the runs
  std::vector<RunResult> runs;                 ///< that were measured; without their best arms
  std::vector<std::vector<RunResult>> tuning;  ///< by candidate; empty if there is only one
};

struct ComparisonResult {
  ComparisonSpecification specification;
  std::vector<AlgorithmResult> algorithms;

  /// What regret is against where the optimum is not known: the largest mean that any run has seen.
  /// None where the optimum is known, or no mean is.
  std::optional<double> best_mean_seen = {};
};

/// Tunes, chooses and measures, on the threads of this process (0: one per core). Finished runs are
/// kept in a file in the folder, which is created: whatever stops this loses none of them, and
/// calling it again continues from there. Without a folder nothing is kept. Throws Stopped and
/// OutputError.
[[nodiscard]] std::vector<ComparisonResult> run_experiment(
    const ExperimentSpecification& experiment, const std::string& folder, int threads = 0,
    const Watch& watch = {});

/// The table of a comparison for a terminal.
[[nodiscard]] std::string table_of(const ComparisonResult& result);

/// What was written, and what could not be drawn.
struct Report {
  std::vector<std::string> files;
  std::string figures_missing;  ///< Why there are no figures; empty when there are.
};

/// Writes everything into an existing folder: summary.csv, the curves of every comparison as
/// CSV, figures as SVG and PNG, and report.html, which holds all of it and says which command
/// made it. Throws OutputError. If gnuplot is missing, the figures are left out.
Report write_report(const ExperimentSpecification& experiment,
                    const std::vector<ComparisonResult>& results, const std::string& folder,
                    const std::string& command);

}  // namespace canopy
