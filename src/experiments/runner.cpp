#include "experiments/runner.hpp"

#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"

#include "core/text.hpp"
#include "experiments/profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

namespace canopy {
namespace {

/// One run of a candidate of an algorithm of a comparison, for tuning or measurement.
struct Unit {
  bool tunes = false;
  std::size_t comparison = 0;
  std::size_t algorithm = 0;
  std::size_t candidate = 0;
  std::uint64_t run = 0;
};

std::string key_of(const Unit& unit) {
  std::string key = unit.tunes ? "tune" : "measure";
  for (const std::uint64_t number : {std::uint64_t{unit.comparison}, std::uint64_t{unit.algorithm},
                                     std::uint64_t{unit.candidate}, unit.run}) {
    key += ',' + std::to_string(number);
  }
  return key;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

[[noreturn]] void damaged(const std::string& what) {
  throw OutputError("units.csv: " + what, OutputError::Fault::damaged);
}

template <class Number>
Number number_of(const std::string& text) {
  const auto number = number_in<Number>(text);
  if (!number) damaged("\"" + text + "\" is not a number");
  return *number;
}

Unit unit_of(const std::string& key) {
  const std::vector<std::string> parts = split(key, ',');
  return {parts.at(0) == "tune", number_of<std::size_t>(parts.at(1)),
          number_of<std::size_t>(parts.at(2)), number_of<std::size_t>(parts.at(3)),
          number_of<std::uint64_t>(parts.at(4))};
}

std::string line_of(const std::string& key, const RunResult& run) {
  std::string line = key;
  for (const double value : {run.per_step_regret, run.per_step_realised_regret, run.simple_regret,
                             run.covered ? 1.0 : 0.0, run.width, run.best_mean_seen}) {
    line += ',' + to_text(value);
  }
  for (const std::uint64_t value : {run.summary.nodes, std::uint64_t{run.summary.depth},
                                    run.summary.switches, run.summary.refreshes}) {
    line += ',' + std::to_string(value);
  }
  const auto steps = static_cast<double>(run.summary.t - 1);
  line += ',' + to_text(1e-9 * run.ns_per_step * steps) + ',';
  for (const Checkpoint& checkpoint : run.checkpoints) {
    if (line.back() != ',') line += '|';
    line += std::to_string(checkpoint.steps) + ':' + to_text(checkpoint.per_step_regret) + ':' +
            to_text(checkpoint.per_step_realised_regret) + ':' + std::to_string(checkpoint.nodes) +
            ':' + std::to_string(checkpoint.switches) + ':' + to_text(checkpoint.seconds);
  }
  return line;
}

[[noreturn]] void missing_column(const std::string& line) {
  damaged("a column is missing in \"" + line.substr(0, 40) + "...\"");
}

/// Parses the line of a run of that number of steps.
RunResult run_of(const std::string& line, std::uint64_t steps) {
  const std::vector<std::string> parts = split(line, ',');
  if (parts.size() < 16) missing_column(line);
  RunResult run;
  run.per_step_regret = number_of<double>(parts[5]);
  run.per_step_realised_regret = number_of<double>(parts[6]);
  run.simple_regret = number_of<double>(parts[7]);
  run.covered = number_of<double>(parts[8]) != 0.0;
  run.width = number_of<double>(parts[9]);
  run.best_mean_seen = number_of<double>(parts[10]);
  run.summary.nodes = number_of<std::uint64_t>(parts[11]);
  run.summary.depth = number_of<std::uint32_t>(parts[12]);
  run.summary.switches = number_of<std::uint64_t>(parts[13]);
  run.summary.refreshes = number_of<std::uint64_t>(parts[14]);
  run.ns_per_step = 1e9 * number_of<double>(parts[15]) / static_cast<double>(steps);
  if (parts.size() < 17) return run;
  for (const std::string& text : split(parts[16], '|')) {
    const std::vector<std::string> fields = split(text, ':');
    if (fields.size() != 6) missing_column(line);
    run.checkpoints.push_back({number_of<std::uint64_t>(fields[0]), number_of<double>(fields[1]),
                               number_of<double>(fields[2]), number_of<std::uint64_t>(fields[3]),
                               number_of<std::uint64_t>(fields[4]), number_of<double>(fields[5])});
  }
  return run;
}

double regret_of(RegretKind kind, double pseudo, double realised) {
  return kind == RegretKind::pseudo ? pseudo : realised;
}

/// Calls visit(comparison, algorithm) with the indices of all algorithms.
template <class Visit>
void for_each_algorithm(const ExperimentSpecification& experiment, Visit&& visit) {
  for (std::size_t c = 0; c < experiment.comparisons.size(); ++c) {
    for (std::size_t a = 0; a < experiment.comparisons[c].algorithms.size(); ++a) visit(c, a);
  }
}

/// The number of steps of an algorithm's runs.
std::uint64_t steps_of(const ExperimentSpecification& experiment,
                       const AlgorithmSpecification& algorithm) {
  return std::min(experiment.steps, algorithm.steps);
}

/// The finished runs of a candidate, in order, so that results do not depend on which worker ran
/// them.
std::vector<RunResult> runs_of(const ExperimentSpecification& experiment, const UnitLog& log,
                               Unit unit) {
  const AlgorithmSpecification& algorithm =
      experiment.comparisons[unit.comparison].algorithms[unit.algorithm];
  std::vector<RunResult> runs;
  for (unit.run = 0; unit.run < (unit.tunes ? experiment.tuning_runs : experiment.runs);
       ++unit.run) {
    runs.push_back(run_of(log.line(key_of(unit)), steps_of(experiment, algorithm)));
  }
  return runs;
}

double mean_regret(RegretKind kind, const std::vector<RunResult>& runs) {
  RunningEstimate regret;
  for (const RunResult& run : runs) {
    regret.add(regret_of(kind, run.per_step_regret, run.per_step_realised_regret));
  }
  return regret.mean();
}

/// An algorithm after tuning, with the candidate of least mean regret, which is to be measured.
AlgorithmResult choose(const ExperimentSpecification& experiment, const UnitLog& log, std::size_t c,
                       std::size_t a) {
  const ComparisonSpecification& comparison = experiment.comparisons[c];
  const AlgorithmSpecification& algorithm = comparison.algorithms[a];
  AlgorithmResult result;
  result.label = algorithm.label;
  result.candidates = algorithm.candidates.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; result.candidates > 1 && i < result.candidates; ++i) {
    result.tuning.push_back(runs_of(experiment, log, {true, c, a, i, 0}));
    const double regret = mean_regret(comparison.regret, result.tuning.back());
    if (regret < least) {
      least = regret;
      result.candidate = i;
    }
  }
  result.chosen = algorithm.candidates[result.candidate];
  result.parameters =
      algorithm.make_player ? result.chosen.name : optimizers().text_of(result.chosen);
  return result;
}

/// Calls visit(run) with every run of a comparison, including tuning.
template <class Visit>
void for_each_run(ComparisonResult& result, Visit&& visit) {
  for (AlgorithmResult& algorithm : result.algorithms) {
    for (std::vector<RunResult>& runs : algorithm.tuning) {
      for (RunResult& run : runs) visit(run);
    }
    for (RunResult& run : algorithm.runs) visit(run);
  }
}

/// Computes regret against the largest mean seen.
void guess_optimum(ComparisonResult& result) {
  double best = -std::numeric_limits<double>::infinity();
  for_each_run(result, [&](const RunResult& run) { best = std::max(best, run.best_mean_seen); });
  if (!std::isfinite(best)) return;
  result.best_mean_seen = best;
  for_each_run(result, [&](RunResult& run) {
    run.per_step_regret += best;
    run.per_step_realised_regret += best;
    run.simple_regret += best;
    for (Checkpoint& at : run.checkpoints) {
      at.per_step_regret += best;
      at.per_step_realised_regret += best;
    }
  });
}

/// Computes all estimates from the runs of an algorithm, whose curves have points at these steps.
void aggregate(AlgorithmResult& result, RegretKind kind, const std::vector<std::uint64_t>& steps) {
  struct Point {
    RunningEstimate regret, nodes, switches, seconds, nanoseconds;
  };
  std::vector<Point> points(steps.size());
  RunningEstimate pseudo;
  RunningEstimate realised;
  RunningEstimate simple;
  RunningEstimate depth;
  for (const RunResult& run : result.runs) {
    if (run.checkpoints.size() != points.size()) missing_column(result.label);
    pseudo.add(run.per_step_regret);
    realised.add(run.per_step_realised_regret);
    simple.add(run.simple_regret);
    depth.add(run.summary.depth);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Checkpoint& at = run.checkpoints[i];
      points[i].regret.add(regret_of(kind, at.per_step_regret, at.per_step_realised_regret));
      points[i].nodes.add(static_cast<double>(at.nodes));
      points[i].switches.add(static_cast<double>(at.switches));
      points[i].seconds.add(at.seconds);
      points[i].nanoseconds.add(1e9 * at.seconds / static_cast<double>(at.steps));
    }
  }
  if (!result.tuning.empty()) {
    result.tuning_regret = mean_regret(kind, result.tuning[result.candidate]);
  }
  result.per_step_regret = pseudo.estimate();
  result.per_step_realised_regret = realised.estimate();
  result.simple_regret = simple.estimate();
  result.intervals = interval_quality(result.runs);
  result.depth = depth.estimate();
  for (std::size_t i = 0; i < points.size(); ++i) {
    result.curve.push_back({steps[i], points[i].regret.estimate(), points[i].nodes.estimate(),
                            points[i].switches.estimate(), points[i].seconds.estimate(),
                            points[i].nanoseconds.estimate()});
  }
}

}  // namespace

std::string fingerprint(const ExperimentSpecification& experiment) {
  std::string text = "steps " + std::to_string(experiment.steps) + ", seed " +
                     std::to_string(experiment.seed) + ", checkpoints " +
                     std::to_string(experiment.checkpoints);
  if (!experiment.reward_range) {
    text += ", reward_range auto";
  } else if (const auto& [low, high] = *experiment.reward_range; low != 0.0 || high != 1.0) {
    text += ", reward_range " + to_text(low) + " to " + to_text(high);
  }
  for (const std::uint64_t n : experiment.profile) text += ", profile " + std::to_string(n);
  for (const ComparisonSpecification& comparison : experiment.comparisons) {
    text.append("; ").append(comparison.name).append(" by ").append(name_of(comparison.regret));
    text.append(" on ").append(comparison.environment.name);
    text.append(" ").append(environment_text(comparison));
    for (const AlgorithmSpecification& algorithm : comparison.algorithms) {
      text.append("; ").append(algorithm.label);
      if (algorithm.steps < experiment.steps) {
        text.append(" for ").append(std::to_string(algorithm.steps)).append(" steps");
      }
      if (algorithm.ignore_context) text.append(" without context");
      for (const Selection& candidate : algorithm.candidates) {
        if (algorithm.make_player) {
          text.append(" | own ").append(candidate.name);
          continue;
        }
        const OptimizerEntry& entry = optimizers().at(candidate.name);
        text.append(" | ").append(entry.name).append(" ").append(std::to_string(entry.revision));
        text.append(" ").append(optimizers().text_of(candidate));
      }
    }
  }
  return text;
}

std::vector<std::uint64_t> checkpoint_steps(std::uint64_t steps, std::uint64_t checkpoints) {
  std::vector<std::uint64_t> at;
  const double last = std::log(static_cast<double>(steps));
  for (std::uint64_t i = 1; i <= checkpoints; ++i) {
    // Starts at 10 steps, or at 1 if there are fewer.
    const double first = std::min(std::log(10.0), last);
    const double share =
        checkpoints == 1 ? 1.0 : static_cast<double>(i - 1) / static_cast<double>(checkpoints - 1);
    const auto step =
        i == checkpoints
            ? steps
            : static_cast<std::uint64_t>(std::llround(std::exp(std::lerp(first, last, share))));
    if (at.empty() || step > at.back()) at.push_back(step);
  }
  return at;
}

std::vector<std::uint64_t> checkpoint_steps(const ExperimentSpecification& experiment,
                                            const AlgorithmSpecification& algorithm) {
  std::vector<std::uint64_t> at = checkpoint_steps(experiment.steps, experiment.checkpoints);
  const std::uint64_t last = steps_of(experiment, algorithm);
  at.push_back(last);
  if (experiment.is_suite) {
    for (const std::uint64_t n : profiled_steps(experiment)) at.push_back(n);
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  at.erase(std::upper_bound(at.begin(), at.end(), last), at.end());
  return at;
}

std::uint64_t total_steps(const ExperimentSpecification& experiment) {
  std::uint64_t steps = 0;
  for_each_algorithm(experiment, [&](std::size_t c, std::size_t a) {
    const AlgorithmSpecification& algorithm = experiment.comparisons[c].algorithms[a];
    const std::size_t candidates = algorithm.candidates.size();
    const std::uint64_t tuning = candidates > 1 ? candidates * experiment.tuning_runs : 0;
    steps += (tuning + experiment.runs) * steps_of(experiment, algorithm);
  });
  return steps;
}

std::unique_ptr<KnownEnvironment> environment_of(const ComparisonSpecification& comparison) {
  return comparison.own ? comparison.own->make() : make_environment(comparison.environment);
}

std::string environment_text(const ComparisonSpecification& comparison) {
  return comparison.own ? comparison.own->text : environments().text_of(comparison.environment);
}

bool calls_caller(const ExperimentSpecification& experiment, const std::string& key) {
  const Unit unit = unit_of(key);
  const ComparisonSpecification& comparison = experiment.comparisons.at(unit.comparison);
  return comparison.own || comparison.algorithms.at(unit.algorithm).make_player;
}

std::string do_unit(const ExperimentSpecification& experiment, const std::string& key,
                    const Watch& watch) {
  const Unit unit = unit_of(key);
  const ComparisonSpecification& comparison = experiment.comparisons.at(unit.comparison);
  const AlgorithmSpecification& algorithm = comparison.algorithms.at(unit.algorithm);
  RunOptions options{.steps = steps_of(experiment, algorithm),
                     .seed = experiment.seed,
                     .label = algorithm.label,
                     .purpose = unit.tunes ? "tuning" : "",
                     .number = unit.run,
                     .ignore_context = algorithm.ignore_context};
  options.reward_range = comparison.own ? comparison.own->reward_range : experiment.reward_range;
  if (!unit.tunes) options.checkpoints = checkpoint_steps(experiment, algorithm);
  const auto environment = environment_of(comparison);
  const std::string& name = comparison.environment.name;
  if (algorithm.make_player) {
    const MakePlayer make = [&](std::uint64_t seed) {
      return algorithm.make_player(unit.candidate, seed);
    };
    return line_of(key, run_once(*environment, name, make, options, watch));
  }
  const Selection& candidate = algorithm.candidates.at(unit.candidate);
  return line_of(key, run_once(*environment, name, candidate, options, watch));
}

UnitLog open_log(const ExperimentSpecification& experiment, const std::string& folder, bool fresh) {
  if (folder.empty()) return {"", fingerprint(experiment), fresh};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw OutputError(folder + ": cannot be created: " + error.message());
  return {folder + "/units.csv", fingerprint(experiment), fresh};
}

std::vector<ComparisonResult> run_experiment(const ExperimentSpecification& experiment,
                                             const std::string& folder, int threads,
                                             const Watch& watch) {
  UnitLog log = open_log(experiment, folder, false);
  ThreadExecutor executor(threads);
  return run_experiment(experiment, log, executor, watch, watch.steps_done);
}

std::vector<ComparisonResult> run_experiment(const ExperimentSpecification& experiment,
                                             UnitLog& log, Executor& executor, const Watch& watch,
                                             const std::function<void(std::uint64_t)>& skipped) {
  const auto finish = [&](const std::vector<Unit>& units) {  // skips units already in the log
    std::vector<std::string> tasks;
    for (const Unit& unit : units) {
      std::string key = key_of(unit);
      if (!log.has(key)) {
        tasks.push_back(std::move(key));
      } else if (skipped) {
        skipped(steps_of(experiment,
                         experiment.comparisons[unit.comparison].algorithms[unit.algorithm]));
      }
    }
    executor.run(
        tasks, [&](const std::string& key) { return do_unit(experiment, key, watch); },
        [&](const std::string& line) { log.add(line); });
  };

  std::vector<Unit> tuning;
  for_each_algorithm(experiment, [&](std::size_t c, std::size_t a) {
    const std::size_t candidates = experiment.comparisons[c].algorithms[a].candidates.size();
    for (std::size_t candidate = 0; candidates > 1 && candidate < candidates; ++candidate) {
      for (std::uint64_t run = 0; run < experiment.tuning_runs; ++run) {
        tuning.push_back({true, c, a, candidate, run});
      }
    }
  });
  finish(tuning);

  std::vector<ComparisonResult> results;
  for (const ComparisonSpecification& comparison : experiment.comparisons) {
    results.push_back({comparison, {}});
  }
  std::vector<Unit> measuring;
  for_each_algorithm(experiment, [&](std::size_t c, std::size_t a) {
    results[c].algorithms.push_back(choose(experiment, log, c, a));
    for (std::uint64_t run = 0; run < experiment.runs; ++run) {
      measuring.push_back({false, c, a, results[c].algorithms[a].candidate, run});
    }
  });
  finish(measuring);

  for_each_algorithm(experiment, [&](std::size_t c, std::size_t a) {
    AlgorithmResult& result = results[c].algorithms[a];
    result.runs = runs_of(experiment, log, {false, c, a, result.candidate, 0});
  });
  for (ComparisonResult& result : results) {
    const ComparisonSpecification& comparison = result.specification;
    if (comparison.own && !comparison.own->optimum_is_known) guess_optimum(result);
    for (std::size_t a = 0; a < result.algorithms.size(); ++a) {
      aggregate(result.algorithms[a], comparison.regret,
                checkpoint_steps(experiment, comparison.algorithms[a]));
    }
  }
  return results;
}

}  // namespace canopy
