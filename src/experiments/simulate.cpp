#include "canopy/simulation.hpp"

#include "experiments/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace canopy {
namespace {

template <class Quantity>
Estimate estimate_over(const std::vector<RunResult>& runs, Quantity&& quantity) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const RunResult& run : runs) values.push_back(static_cast<double>(quantity(run)));
  return estimate(values);
}

}  // namespace

IntervalQuality interval_quality(const std::vector<RunResult>& runs) {
  IntervalQuality quality;
  std::vector<double> widths;
  double covered = 0.0;
  for (const RunResult& run : runs) {
    covered += run.covered ? 1.0 : 0.0;
    if (std::isfinite(run.width)) widths.push_back(run.width);
  }
  const auto all = static_cast<double>(runs.size());
  quality.coverage = covered / all;
  quality.unbounded = 1.0 - static_cast<double>(widths.size()) / all;
  if (!widths.empty()) {
    const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
    std::nth_element(widths.begin(), middle, widths.end());
    quality.median_width = *middle;
  }
  return quality;
}

namespace {

SimulationResult aggregate(std::vector<RunResult> runs) {
  const auto over = [&](auto&& quantity) { return estimate_over(runs, quantity); };
  SimulationResult result{
      .per_step_regret = over([](const RunResult& run) { return run.per_step_regret; }),
      .per_step_realised_regret =
          over([](const RunResult& run) { return run.per_step_realised_regret; }),
      .simple_regret = over([](const RunResult& run) { return run.simple_regret; }),
      .intervals = interval_quality(runs),
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

std::optional<SimulationResult> simulate(const Selection& environment, const Selection& optimizer,
                                         const SimulationOptions& options, const Watch& watch) {
  std::vector<RunResult> runs(options.runs);
  const auto run_number = [&](std::uint64_t number) {
    if (watch.stop != nullptr && watch.stop->load(std::memory_order_relaxed)) throw Stopped();
    runs[number] = run_once(environment, optimizer,
                            {.steps = options.steps,
                             .seed = options.seed,
                             .label = options.label,
                             .number = number,
                             .checkpoints = options.checkpoints,
                             .reward_range = options.reward_range,
                             .partition = options.partition,
                             .ignore_context = options.ignore_context},
                            watch);
  };
  try {
    for_each_in_parallel(options.runs, options.threads, run_number);
  } catch (const Stopped&) {
    return std::nullopt;
  }
  return aggregate(std::move(runs));
}

}  // namespace canopy
