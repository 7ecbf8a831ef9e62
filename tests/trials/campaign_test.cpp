#include "trials/campaign.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

const TrialSystem* system_named(std::string_view name) {
  const auto& all = trial_systems();
  return &*std::find_if(all.begin(), all.end(),
                        [&](const auto& each) { return each.name == name; });
}

const TrialOptions* options_named(std::string_view name) {
  const auto& all = trial_options();
  return &*std::find_if(all.begin(), all.end(),
                        [&](const auto& each) { return each.name == name; });
}

std::vector<TrialRow> rows_of(const std::vector<std::string>& systems, std::string_view options,
                              const std::vector<Disturbance>& noises, std::uint64_t studies) {
  Campaign campaign;
  for (const std::string& name : systems) campaign.systems.push_back(system_named(name));
  campaign.options = {options_named(options)};
  campaign.noises = noises;
  campaign.studies = studies;
  std::vector<TrialRow> rows;
  run_campaign(campaign, [&](const TrialRow& row) { rows.push_back(row); });
  return rows;
}

/// An upper bound for the fraction observed in `studies` studies if the true one is `share`: three
/// standard errors.
double at_most(double share, std::uint64_t studies) {
  return share + 3.0 * std::sqrt(share * (1.0 - share) / static_cast<double>(studies));
}

const std::vector<Disturbance> kIndependent{Disturbance::gaussian, Disturbance::heavy_tails,
                                            Disturbance::zero_one, Disturbance::two_values};

TEST(Trial, HasTheSameOutcomeAgain) {
  Trial trial{system_named("failing"), options_named("baseline"), Disturbance::walk};
  trial.seed = 7;
  const TrialOutcome once = run_trial(trial);
  const TrialOutcome again = run_trial(trial);
  EXPECT_EQ(once.regret, again.regret);
  EXPECT_EQ(once.measurements, again.measurements);
  trial.seed = 8;
  EXPECT_NE(run_trial(trial).regret, once.regret);
}

TEST(Trial, EverySystemIsTunedToTheEndUnderEveryNoise) {
  Campaign campaign = full_campaign();
  campaign.studies = 1;
  campaign.pulls = 60;
  std::size_t rows = 0;
  run_campaign(campaign, [&](const TrialRow& row) {
    ++rows;
    EXPECT_GE(row.measurements, 60.0) << trial_line(row);
    EXPECT_TRUE(std::isfinite(row.regret)) << trial_line(row);
    EXPECT_GE(row.regret, -1e-9) << trial_line(row);
  });
  const std::size_t settling = 2;  // systems on which `settle` is tried
  const std::size_t capped = 6;    // systems on which max_loss is tried, alone and with settle
  EXPECT_EQ(rows, (4 * trial_systems().size() + settling + capped) * campaign.noises.size());
}

TEST(Trial, AKnobWithoutEffectIsNotCalledBetterWhereRewardsAreIndependent) {
  const std::uint64_t studies = 60;
  for (const char* options : {"baseline", "confirm"}) {
    for (const TrialRow& row : rows_of({"flat"}, options, kIndependent, studies)) {
      EXPECT_LE(row.is_false, at_most(0.05, studies)) << trial_line(row);
      EXPECT_GE(row.is_false, row.claims_better) << trial_line(row);
    }
  }
}

TEST(Trial, AComparisonIsRarelyWrongWhateverTheLevelDoes) {
  const std::uint64_t studies = 60;
  const std::vector<Disturbance> moving{Disturbance::ar_90, Disturbance::ar_98, Disturbance::day,
                                        Disturbance::walk, Disturbance::jumps};
  for (const TrialRow& row : rows_of({"flat"}, "confirm", moving, studies)) {
    EXPECT_LE(row.is_false, at_most(0.05, studies)) << trial_line(row);
  }
}

TEST(Trial, AHillIsFoundAndTheSystemLeftOnIt) {
  for (const TrialRow& row : rows_of({"hill", "failing"}, "baseline", kIndependent, 20)) {
    if (row.noise == Disturbance::zero_one || row.noise == Disturbance::two_values) continue;
    EXPECT_GE(row.claims_better, 0.6) << trial_line(row);
    EXPECT_EQ(row.is_false, 0.0) << trial_line(row);
    EXPECT_GE(row.left_gain, 0.3) << trial_line(row);
    EXPECT_LT(row.loss, 0.0) << trial_line(row);
  }
}

TEST(Trial, TheBaselineIsLeftWhereItIsTheBest) {
  for (const TrialRow& row : rows_of({"at_best"}, "baseline", {Disturbance::gaussian}, 20)) {
    EXPECT_EQ(row.is_false, 0.0) << trial_line(row);
    EXPECT_GE(row.left_gain, -0.01) << trial_line(row);
    EXPECT_GT(row.loss, 0.0) << trial_line(row);
  }
}

}  // namespace
}  // namespace canopy
