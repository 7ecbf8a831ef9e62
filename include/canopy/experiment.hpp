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

/// Which regret is compared: that of the arms' means (pseudo), or of the rewards earned (realised).
enum class RegretKind { pseudo, realised };

template <>
struct EnumNames<RegretKind> {
  static constexpr std::array<std::string_view, 2> names{"pseudo", "realised"};
};

/// One algorithm of a comparison, and the candidate options to choose from.
struct AlgorithmSpecification {
  std::string label;                  ///< In tables, legends and the names of random streams.
  std::vector<Selection> candidates;  ///< At least one; the points of a grid.
  std::uint64_t steps = UINT64_MAX;   ///< upper limit, for an algorithm too slow for all steps
  bool ignore_context = false;        ///< as in RunOptions

  /// Creates a player for an algorithm that is in no catalogue, given the candidate's index and the
  /// seed of the run. Candidates of such an algorithm must have different names.
  std::function<std::unique_ptr<Player>(std::size_t candidate, std::uint64_t seed)> make_player =
      {};
};

/// An environment that is in no catalogue.
struct OwnEnvironment {
  std::function<std::unique_ptr<KnownEnvironment>()> make;  ///< creates one for a run
  std::string text;  ///< identifies it: stored runs with another text are not reused
  std::optional<RewardRange> reward_range;  ///< as in RunOptions

  /// If false, `optimum_at` must return 0, and regret is measured against the largest mean seen in
  /// any run of the comparison.
  bool optimum_is_known = true;
};

/// A comparison of algorithms on one environment.
struct ComparisonSpecification {
  std::string name;   ///< used in file names: letters, digits, - and _
  std::string title;  ///< heading in reports
  RegretKind regret = RegretKind::pseudo;
  Selection environment;  ///< For an own environment, its name for random streams.
  std::vector<AlgorithmSpecification> algorithms;
  std::optional<OwnEnvironment> own = {};
};

/// The contents of an experiment file. Selections have a value for every option.
struct ExperimentSpecification {
  std::string name;                ///< folder of the results: letters, digits, - and _
  std::string title;               ///< heading in reports
  std::uint64_t steps = 100'000;   ///< n of every run
  std::uint64_t runs = 10;         ///< measured runs per algorithm
  std::uint64_t tuning_runs = 10;  ///< runs per candidate for the choice among candidates
  std::uint64_t seed = 1;
  std::uint64_t checkpoints = 30;  ///< points of a curve, evenly spaced in log n
  std::optional<RewardRange> reward_range = RewardRange{0.0, 1.0};  ///< as in RunOptions
  std::vector<ComparisonSpecification> comparisons;

  /// Whether the same algorithms are run on many environments. The report then has their
  /// performance profile, and only the regret of each comparison.
  bool is_suite = false;

  /// The values of n in the profile of a suite, increasing. Empty: the powers of ten from 100.
  std::vector<std::uint64_t> profile = {};
};

/// Reads an experiment from TOML text; `source` names it in messages. Throws SpecificationError
/// with all errors.
[[nodiscard]] ExperimentSpecification parse_experiment(std::string_view toml,
                                                       const std::string& source);

/// Reads an experiment file.
[[nodiscard]] ExperimentSpecification load_experiment(const std::string& path);

/// The mean over runs at a checkpoint.
struct CurvePoint {
  std::uint64_t steps = 0;
  Estimate regret;  ///< per step, of the kind that the comparison asks for
  Estimate nodes;
  Estimate switches;
  Estimate seconds;      ///< processor time up to here
  Estimate nanoseconds;  ///< processor time per step
};

/// The result of one algorithm of a comparison.
struct AlgorithmResult {
  std::string label;
  Selection chosen;            ///< candidate with the least regret in tuning
  std::string parameters;      ///< options of the chosen candidate, on one line
  std::size_t candidate = 0;   ///< index of the chosen candidate
  std::size_t candidates = 1;  ///< number of candidates
  double tuning_regret = 0.0;  ///< regret of the chosen candidate in tuning; 0 if only one
  Estimate per_step_regret;    ///< measured with fresh seeds, as everything below
  Estimate per_step_realised_regret;
  Estimate simple_regret;
  IntervalQuality intervals;  ///< for the best arms
  Estimate depth;
  std::vector<CurvePoint> curve;               ///< the last point is at the end of the runs
  std::vector<RunResult> runs;                 ///< measured runs, without their best arms
  std::vector<std::vector<RunResult>> tuning;  ///< by candidate; empty if there is only one
};

struct ComparisonResult {
  ComparisonSpecification specification;
  std::vector<AlgorithmResult> algorithms;

  /// The reference of regret if the optimum is not known: the largest mean seen in any run. None if
  /// the optimum is known, or there are no means.
  std::optional<double> best_mean_seen = {};
};

/// Tunes, chooses and measures on the threads of this process (0: one per core). Finished runs are
/// stored in a file in the folder, which is created; after an interruption, another call continues
/// from there. Without a folder nothing is stored. Throws Stopped and OutputError.
[[nodiscard]] std::vector<ComparisonResult> run_experiment(
    const ExperimentSpecification& experiment, const std::string& folder, int threads = 0,
    const Watch& watch = {});

/// The table of a comparison, formatted for a terminal.
[[nodiscard]] std::string table_of(const ComparisonResult& result);

/// The files written, and the reason for missing figures.
struct Report {
  std::vector<std::string> files;
  std::string figures_missing;  ///< Why there are no figures; empty when there are.
};

/// Writes everything into an existing folder: summary.csv, the curves of every comparison as CSV,
/// figures as SVG and PNG, and report.html with all results and the command that made it. Throws
/// OutputError. If gnuplot is missing, the figures are left out.
Report write_report(const ExperimentSpecification& experiment,
                    const std::vector<ComparisonResult>& results, const std::string& folder,
                    const std::string& command);

}  // namespace canopy
