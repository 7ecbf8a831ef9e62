#include "trials/campaign.hpp"

#include "experiments/parallel.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Whether options are meaningful for a system: a settling time for a system that settles slowly, a
/// loss budget if a fraction of the baseline's reward exceeds the noise.
bool belong_together(const TrialSystem& system, const TrialOptions& options) {
  if (options.name == "settle") return system.troubles.fade != 0.0;
  const bool is_capped = options.name == "max_loss" || options.name == "settle_loss";
  return !is_capped || system.noise < 1.0;
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
    row.is_kept += share(each.is_kept);
    row.kept_is_wrong += share(each.kept_is_wrong);
    row.probably_is_wrong += share(each.probably_is_wrong);
    row.beyond_limit += weight * each.beyond_limit;
    row.exceeds_loss += share(each.exceeds_loss);
    row.fell_back += share(each.fell_back);
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

namespace {

/// A column of the table, with a heading of two lines.
struct Column {
  std::string_view above;
  std::string_view below;
  double value;
  int digits;
};

std::vector<Column> columns_of(const TrialRow& row) {
  return {{"better", "%", 100.0 * row.claims_better, 1},
          {"false", "%", 100.0 * row.is_false, 1},
          {"uplift", "miss %", 100.0 * row.uplift_misses, 1},
          {"best", "miss %", 100.0 * row.best_misses, 1},
          {"best", "none %", 100.0 * row.best_has_none, 1},
          {"limit", "left %", 100.0 * row.left_breaks_limit, 1},
          {"beyond", "pulls %", 100.0 * row.beyond_limit, 1},
          {"kept", "%", 100.0 * row.is_kept, 1},
          {"kept", "wrong %", 100.0 * row.kept_is_wrong, 1},
          {"prob.", "wrong %", 100.0 * row.probably_is_wrong, 1},
          {"loss>2%", "ever %", 100.0 * row.exceeds_loss, 1},
          {"broken", "off %", 100.0 * row.fell_back, 1},
          {"gain", "left", row.left_gain, 3},
          {"regret", "a pull", row.regret, 3},
          {"loss", "a pull", row.loss, 3},
          {"pulls", "in all", row.measurements, 0}};
}

}  // namespace

std::string trial_heading() {
  std::string above = fmt::format("{:<10} {:<9} {:<11}", "system", "options", "noise");
  std::string below = fmt::format("{:<32}", "");
  for (const Column& column : columns_of({})) {
    above += fmt::format(" {:>7}", column.above);
    below += fmt::format(" {:>7}", column.below);
  }
  return above + "\n" + below + "\n";
}

std::string trial_line(const TrialRow& row) {
  std::string line =
      fmt::format("{:<10} {:<9} {:<11}", row.system->name, row.options->name, name_of(row.noise));
  for (const Column& column : columns_of(row)) {
    line += fmt::format(" {:7.{}f}", column.value, column.digits);
  }
  return line + "\n";
}

}  // namespace canopy
