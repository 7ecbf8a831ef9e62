#include "trials/campaign.hpp"

#include "experiments/parallel.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Declaring a settling time makes sense only for a system that settles slowly, and a cap on the
/// loss only where a part of what the baseline earns is more than noise.
bool belong_together(const TrialSystem& system, const TrialOptions& options) {
  if (options.name == "settle") return system.name == "settling";
  return options.name != "max_loss" || system.noise < 1.0;
}

TrialRow row_of(const Trial& trial, const std::vector<TrialOutcome>& outcomes) {
  TrialRow row{.system = trial.system, .options = trial.options, .noise = trial.noise};
  row.studies = outcomes.size();
  const double weight = 1.0 / static_cast<double>(outcomes.size());
  for (const TrialOutcome& each : outcomes) {
    const auto share = [weight](bool holds) { return holds ? weight : 0.0; };
    row.claims_better += share(each.claims_better);
    row.is_false += share(each.is_false);
    row.uplift_misses += share(each.uplift_covers == false);
    row.best_misses += share(each.best_covers == false);
    row.best_has_none += share(!each.best_covers);
    row.left_breaks_limit += share(each.left_breaks_limit);
    row.beyond_limit += weight * each.beyond_limit;
    row.exceeds_loss += share(each.exceeds_loss);
    row.in_need += share(each.in_need);
    row.left_gain += weight * each.left_gain;
    row.regret += weight * each.regret;
    row.loss += weight * each.loss;
    row.measurements += weight * each.measurements;
  }
  return row;
}

}  // namespace

Campaign full_campaign() {
  Campaign campaign;
  for (const TrialSystem& system : trial_systems()) campaign.systems.push_back(&system);
  for (const TrialOptions& options : trial_options()) campaign.options.push_back(&options);
  for (std::size_t i = 0; i < EnumNames<Disturbance>::names.size(); ++i) {
    campaign.noises.push_back(static_cast<Disturbance>(i));
  }
  return campaign;
}

void run_campaign(const Campaign& campaign, const std::function<void(const TrialRow&)>& on_row) {
  for (const TrialSystem* system : campaign.systems) {
    for (const TrialOptions* options : campaign.options) {
      if (!belong_together(*system, *options)) continue;
      for (const Disturbance noise : campaign.noises) {
        const Trial trial{system, options, noise, campaign.size, campaign.pulls};
        std::vector<TrialOutcome> outcomes(campaign.studies);
        for_each_in_parallel(campaign.studies, 0, [&](std::uint64_t i) {
          Trial own = trial;
          own.seed = campaign.seed + i;
          outcomes[i] = run_trial(own);
        });
        on_row(row_of(trial, outcomes));
      }
    }
  }
}

std::string trial_heading() {
  return fmt::format(
      "{:<9} {:<9} {:<11} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} "
      "{:>6}\n{:<31} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} "
      "{:>6}\n",
      "system", "options", "noise", "better", "false", "uplift", "best", "best", "limit", "beyond",
      "loss>2%", "broken", "gain", "regret", "loss", "pulls", "", "%", "%", "miss %", "miss %",
      "none %", "left %", "pulls %", "ever %", "off %", "left", "a pull", "a pull", "in all");
}

std::string trial_line(const TrialRow& row) {
  return fmt::format(
      "{:<9} {:<9} {:<11} {:7.1f} {:7.1f} {:7.1f} {:7.1f} {:7.1f} {:7.1f} {:7.1f} {:7.1f} {:7.1f} "
      "{:7.3f} {:7.3f} {:7.3f} {:6.0f}\n",
      row.system->name, row.options->name, name_of(row.noise), 100.0 * row.claims_better,
      100.0 * row.is_false, 100.0 * row.uplift_misses, 100.0 * row.best_misses,
      100.0 * row.best_has_none, 100.0 * row.left_breaks_limit, 100.0 * row.beyond_limit,
      100.0 * row.exceeds_loss, 100.0 * row.in_need, row.left_gain, row.regret, row.loss,
      row.measurements);
}

}  // namespace canopy
