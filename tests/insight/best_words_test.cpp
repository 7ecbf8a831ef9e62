#include "insight/best_words.hpp"

#include "canopy/random.hpp"

#include "insight/best_answer.hpp"
#include "insight/best_text.hpp"
#include "tuning/claims.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

StudySpecification specification_with(const std::string& more, const std::string& before = "") {
  return parse_study(before +
                         "[[space]]\nname = \"ttl\"\nlow = 0\nhigh = 100\n[system]\nmeasure = \"m "
                         "{ttl}\"\n" +
                         more,
                     "study.toml");
}

const StudySpecification kWithBaseline = specification_with("[baseline]\nsetting = { ttl = 60 }\n");
const StudySpecification kWithoutBaseline = specification_with("");

BestAnswer surely_good() {
  return {.best = {.arm = {42.1},
                   .mean = 0.877,
                   .lower = 0.851,
                   .upper = 0.902,
                   .pulls = 12345,
                   .arms = 27}};
}

BestAnswer with_uplift(double difference, double low, double high,
                       Direction direction = Direction::maximize) {
  BestAnswer answer = surely_good();
  const bool is_decided = low > 0.0 || high < 0.0;
  const bool is_better = (difference > 0.0) == (direction == Direction::maximize);
  answer.uplift = Uplift{.arm = answer.best.arm,
                         .verdict = !is_decided ? Uplift::Verdict::open
                                    : is_better ? Uplift::Verdict::better
                                                : Uplift::Verdict::worse,
                         .difference = difference,
                         .interval = {low, high},
                         .pairs = 41,
                         .baseline_mean = 0.783};
  return answer;
}

BestAnswer without_interval(Best::Basis basis) {
  BestAnswer answer = surely_good();
  answer.best.lower = -std::numeric_limits<double>::infinity();
  answer.best.upper = std::numeric_limits<double>::infinity();
  answer.best.basis = basis;
  return answer;
}

/// All sentences, joined.
std::string told(const BestAnswer& answer, const StudySpecification& study = kWithBaseline) {
  std::string text;
  for (const std::string& sentence : best_words(answer, study).sentences) text += sentence + " ";
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BestWords, AnArmThatBeatsTheBaselineIsToBeSetWithItsGain) {
  const BestAnswer answer = with_uplift(0.094, 0.063, 0.125);
  const BestWords words = best_words(answer, kWithBaseline);
  EXPECT_EQ(words.advice, Advice::set);
  EXPECT_EQ(words.certainty, "better than the baseline");
  EXPECT_EQ(words.tone, Tone::good);
  EXPECT_EQ(words.uplift, Tone::good);
  EXPECT_EQ(told(answer),
            "The mean reward is 0.877 (95 % interval 0.851 to 0.902), from 12345 pulls of it. That "
            "is +12 % over the baseline: +0.094 (+0.063 to +0.125). All other settings tried are "
            "ruled out. ");
}

TEST(BestWords, AnUpliftThatMayBeNoneIsNotSureYet) {
  BestAnswer answer = with_uplift(0.094, -0.02, 0.2);
  answer.best.rivals = 3;
  EXPECT_EQ(best_words(answer, kWithBaseline).advice, Advice::so_far);
  EXPECT_EQ(best_words(answer, kWithBaseline).certainty, "not sure yet");
  EXPECT_TRUE(has(told(answer), "The difference from the baseline is not significant yet: +12 %"));
  EXPECT_TRUE(has(told(answer), "3 other settings cannot be ruled out yet."));
  answer.best.rivals = 1;
  EXPECT_TRUE(has(told(answer), "One other setting cannot be ruled out yet."));
  answer.best.unknown = 9;
  EXPECT_TRUE(
      has(told(answer),
          "One other setting cannot be ruled out yet; 9 have too few measurements to say."));
}

TEST(BestWords, SettingsWithoutAnIntervalAreNeitherBetterNorRuledOut) {
  BestAnswer answer = surely_good();
  answer.best.unknown = 20;
  EXPECT_EQ(best_words(answer, kWithoutBaseline).advice, Advice::set);
  EXPECT_EQ(best_words(answer, kWithoutBaseline).certainty,
            "the best of the settings measured well");
  EXPECT_TRUE(has(told(answer),
                  "All other settings measured well are ruled out; 20 have too few "
                  "measurements to say."));
  answer.best.unknown = 26;
  EXPECT_EQ(best_words(answer, kWithoutBaseline).advice, Advice::so_far) << "nothing is excluded";
  EXPECT_TRUE(has(told(answer), "No other setting has enough measurements to compare with."));
  answer.best.unknown = 20;
  answer.best.rivals = 4;  // of six arms with an interval
  EXPECT_EQ(best_words(answer, kWithoutBaseline).advice, Advice::so_far);
}

TEST(BestWords, WhatTheIntervalAssumesIsSaid) {
  BestAnswer answer = surely_good();
  const auto details = [&] {
    std::string text;
    for (const std::string& each : best_words(answer, kWithBaseline).details) text += each + " ";
    return text;
  };
  answer.best.assumes = Assumption::about_normal;
  EXPECT_TRUE(has(details(), "assumes that rewards are roughly normally distributed, or no more"));
  answer.best.assumes = Assumption::noise_as_elsewhere;
  EXPECT_TRUE(has(details(), "assumes that rewards vary about as much here as at other settings"));
  answer.best.assumes = Assumption::two_values;
  EXPECT_TRUE(has(details(), "assumes that rewards have two values"));
  answer.best.assumes = Assumption::hard_range;
  EXPECT_TRUE(has(details(), "assumes that rewards stay within reward_range"));
  EXPECT_FALSE(has(details(), "rare extreme values"));
  answer.best.rare_extremes = true;
  EXPECT_TRUE(has(details(), "Rewards have rare extreme values. "));
  EXPECT_FALSE(has(details(), "no more extreme than those seen at"))
      << "a hard range needs no such assumption";
  answer.best.assumes = Assumption::about_normal;
  EXPECT_TRUE(has(details(), "no more extreme than those seen at other settings"));
  answer.best.by_model = Interval{0.86, 0.88};
  EXPECT_TRUE(has(details(), "estimates 0.86 to 0.88 (95 % at this look, not at all looks)."));
}

TEST(BestWords, AnArmThatIsWorseThanTheBaselineIsNotRecommended) {
  const BestAnswer answer = with_uplift(-0.1, -0.2, -0.01);
  EXPECT_EQ(best_words(answer, kWithBaseline).advice, Advice::keep);
  EXPECT_EQ(best_words(answer, kWithBaseline).arm, std::vector<double>{60.0}) << "the baseline";
  EXPECT_TRUE(
      told(answer).starts_with("The best setting tried, ttl = 42.1, has a mean reward of 0.877 "));
  EXPECT_TRUE(has(told(answer), "It is significantly worse than the baseline: -13 %"));
}

TEST(BestWords, WhenMinimizingLessIsBetter) {
  const StudySpecification costs =
      specification_with("[baseline]\nsetting = { ttl = 60 }\n", "direction = \"minimize\"\n");
  const BestAnswer answer = with_uplift(-0.1, -0.2, -0.01, Direction::minimize);
  EXPECT_EQ(best_words(answer, costs).advice, Advice::set);
  EXPECT_TRUE(has(told(answer, costs), "13 % less than the baseline, which is better: "));
  BestAnswer below_zero = with_uplift(-1.2, -1.6, -0.8, Direction::minimize);
  below_zero.uplift->baseline_mean = -10.0;
  EXPECT_TRUE(has(told(below_zero, costs),
                  "That is -1.2 (-1.6 to -0.8) against the baseline, and lower is better."))
      << told(below_zero, costs);
}

TEST(BestWords, TheBaselineItselfIsKept) {
  BestAnswer answer = surely_good();
  answer.best.arm = {60.0};
  EXPECT_EQ(best_words(answer, kWithBaseline).advice, Advice::keep);
  EXPECT_EQ(best_words(answer, kWithBaseline).certainty, "the baseline is best");
  answer.best.arms = 1;
  EXPECT_TRUE(has(told(answer), "That is the baseline. No setting but the baseline has a reward."));
}

TEST(BestWords, WithoutAnIntervalTheReasonIsGiven) {
  const BestAnswer few = without_interval(Best::Basis::repeats_few);
  EXPECT_EQ(best_words(few, kWithBaseline).advice, Advice::so_far);
  EXPECT_TRUE(told(few).starts_with("The mean reward is 0.877, from 12345 pulls of it."));
  EXPECT_TRUE(has(told(few), "The baseline has not been measured yet, so the gain is unknown."));
  EXPECT_TRUE(has(best_words(few, kWithBaseline).details.at(0), "too few measurements"));
  const BestAnswer still = without_interval(Best::Basis::no_noise);
  EXPECT_EQ(best_words(still, kWithoutBaseline).advice, Advice::set);
  EXPECT_TRUE(has(best_words(still, kWithoutBaseline).details.at(0), "never differ"));
}

TEST(BestWords, WithoutABaselineAnArmIsToBeSetOnlyWhenAllOthersAreRuledOut) {
  BestAnswer answer = surely_good();
  EXPECT_EQ(best_words(answer, kWithoutBaseline).advice, Advice::set);
  answer.best.rivals = 1;
  EXPECT_EQ(best_words(answer, kWithoutBaseline).advice, Advice::so_far);
}

TEST(BestWords, AnArmIsNotToBeSetWhenMostOthersMayBeBetterOrThereAreNone) {
  BestAnswer answer = without_interval(Best::Basis::no_noise);
  answer.best.lower = 0.851;
  answer.best.upper = 0.902;
  answer.best.rivals = 14;
  EXPECT_EQ(best_words(answer, kWithoutBaseline).advice, Advice::so_far) << "of 27";
  answer.best.arms = 28;
  EXPECT_EQ(best_words(answer, kWithoutBaseline).advice, Advice::set);
  BestAnswer alone = surely_good();
  alone.best.arms = 1;
  EXPECT_EQ(best_words(alone, kWithoutBaseline).advice, Advice::so_far);
  EXPECT_TRUE(has(told(alone, kWithoutBaseline), "No other setting has a reward."));
}

TEST(BestWords, WhereAllSettingsDoTheSameNoneIsToBeSet) {
  BestAnswer answer = without_interval(Best::Basis::no_noise);
  answer.best.all_alike = true;
  EXPECT_EQ(best_words(answer, kWithBaseline).advice, Advice::same);
  EXPECT_EQ(best_words(answer, kWithBaseline).certainty, "no difference");
}

TEST(BestWords, ALimitThatIsBrokenIsSaid) {
  const Limit limit{.metric = "lat", .max = 60.0};
  BestAnswer answer = surely_good();
  answer.best.limits = {check_of(limit, 70.0, -3.0, 10.0, 9)};
  EXPECT_TRUE(has(told(answer, kWithBaseline), "lat 70 (at most 60): broken."));
  answer.best.limits = {check_of(limit, 50.0, 3.0, 10.0, 9)};
  EXPECT_FALSE(has(told(answer, kWithBaseline), "lat"));
}

TEST(BestWords, ASettingThatIsProvenIsNamedWhereAnotherOneLooksBetter) {
  BestAnswer answer = with_uplift(0.094, 0.063, 0.125);
  answer.uplift->arm = {50.0};
  answer.uplift->is_best = false;
  answer.uplift->best_pairs = 6;
  const BestWords words = best_words(answer, kWithBaseline);
  EXPECT_EQ(words.advice, Advice::set);
  EXPECT_EQ(words.arm, std::vector<double>{50.0});
  EXPECT_EQ(words.certainty, "better than the baseline");
  EXPECT_EQ(words.uplift, Tone::good);
  EXPECT_TRUE(told(answer).starts_with(
      "ttl = 50 is better than the baseline: +12 %, which is +0.094 (+0.063 to +0.125), from 41 "
      "pairs. ttl = 42.1 looks even better, but has only been compared in 6 pairs."))
      << told(answer);
  EXPECT_EQ(
      claim_text(kWithBaseline.space, *answer.uplift, answer.best, Direction::maximize),
      "ttl = 50 is better than the baseline (95 %): +0.094 (+12 %) over the baseline (+0.063 to "
      "+0.125 at 95 %, 41 pairs); ttl = 42.1 looks even better, but has only been compared in 6 "
      "pairs");
}

TEST(BestWords, WhereABaselineBreaksALimitItIsNotKept) {
  BestAnswer answer = with_uplift(-0.1, -0.2, -0.01);
  answer.baseline_breaks_limit = true;
  EXPECT_EQ(best_words(answer, kWithBaseline).advice, Advice::so_far);
  EXPECT_EQ(best_words(answer, kWithBaseline).arm, std::vector<double>{42.1});
}

TEST(BestWords, WhatTheBestArmDidInItsOwnPairsIsSaidBesideAProvenOne) {
  BestAnswer answer = with_uplift(0.094, 0.063, 0.125);
  answer.uplift->arm = {50.0};
  answer.uplift->is_best = false;
  answer.uplift->best_pairs = 44;
  answer.uplift->best_verdict = Uplift::Verdict::better;
  EXPECT_TRUE(has(told(answer), "is better than the baseline by 44 pairs as well."))
      << told(answer);
  answer.uplift->best_verdict = Uplift::Verdict::worse;
  EXPECT_TRUE(has(told(answer), "but was worse than the baseline in 44 pairs.")) << told(answer);
}

TEST(BestWords, WhyAnotherSettingIsTheBestIsSaidAsItIs) {
  BestAnswer answer = with_uplift(0.094, 0.063, 0.125);
  answer.uplift->arm = {50.0};
  answer.uplift->is_best = false;
  answer.uplift->best_pairs = 6;
  answer.uplift->has_better_mean = true;
  EXPECT_TRUE(
      has(told(answer),
          "ttl = 42.1 has a more precisely known mean, but has only been compared in 6 pairs."))
      << told(answer);
  answer.best.basis = Best::Basis::model;
  EXPECT_TRUE(has(told(answer), "ttl = 42.1 is the best according to the model, but has only been"))
      << told(answer);
  answer.uplift->is_less_sure_of_limits = true;
  EXPECT_TRUE(
      has(told(answer),
          "ttl = 42.1 is more certain to keep its limits, but has only been compared in 6 pairs."))
      << told(answer);
  answer.uplift->best_verdict = Uplift::Verdict::better;
  EXPECT_TRUE(has(told(answer),
                  "ttl = 42.1 is more certain to keep its limits, and is better than the "
                  "baseline by 6 pairs as well."))
      << told(answer);
  answer.best.arm = {60.0};
  answer.uplift->best_is_baseline = true;
  EXPECT_TRUE(has(
      told(answer),
      "The baseline is more certain to keep its limits, but earned less in direct comparisons."))
      << told(answer);
  EXPECT_FALSE(has(told(answer), "The baseline has the best mean")) << told(answer);
}

TEST(BestWords, WhatTheLastComparisonSaysOfTheBestArmIsNotContradicted) {
  BestAnswer answer = with_uplift(0.094, 0.063, 0.125);
  answer.uplift->arm = {50.0};
  answer.uplift->is_best = false;
  answer.uplift->best_is_refuted = true;
  answer.uplift->best_verdict = Uplift::Verdict::open;
  EXPECT_TRUE(
      has(told(answer), "ttl = 42.1 has a better mean, but a later comparison has refuted it."))
      << told(answer);
}

TEST(BestWords, WhatWasRefutedWithoutPairsHasNoGain) {
  BestAnswer answer = with_uplift(0.0, -1.0, 1.0);
  answer.uplift->verdict = Uplift::Verdict::too_few;
  answer.uplift->is_refuted = true;
  answer.uplift->pairs = 0;
  EXPECT_EQ(claim_text(kWithBaseline.space, *answer.uplift, answer.best, Direction::maximize),
            "refuted by a later comparison");
  EXPECT_FALSE(has(told(answer), "Compared with the baseline")) << told(answer);
  EXPECT_EQ(best_words(answer, kWithBaseline).certainty, "refuted by a comparison");
  answer.uplift->is_best = false;
  answer.uplift->arm = {50.0};
  EXPECT_TRUE(
      has(told(answer), "Compared with the baseline: ttl = 50: refuted by a later comparison."))
      << told(answer);
}

TEST(BestWords, ASettingThatIsProvenIsSetAlsoWhereTheBaselineHasTheBestMean) {
  BestAnswer answer = with_uplift(0.094, 0.063, 0.125);
  answer.best.arm = {60.0};
  answer.uplift->arm = {50.0};
  answer.uplift->is_best = false;
  answer.uplift->best_is_baseline = true;
  const BestWords words = best_words(answer, kWithBaseline);
  EXPECT_EQ(words.advice, Advice::set);
  EXPECT_EQ(words.arm, std::vector<double>{50.0});
  EXPECT_FALSE(has(told(answer), "no setting tried is significantly better")) << told(answer);
  EXPECT_TRUE(has(told(answer), "The baseline has the best mean, but means are affected by"));
}

TEST(BestWords, ASettingThatIsNotProvenChangesNothingWhereTheBaselineIsBest) {
  BestAnswer answer = with_uplift(0.02, -0.01, 0.05);
  answer.best.arm = {60.0};
  answer.uplift->arm = {50.0};
  answer.uplift->is_best = false;
  answer.uplift->best_is_baseline = true;
  EXPECT_EQ(best_words(answer, kWithBaseline).advice, Advice::keep);
  EXPECT_EQ(best_words(answer, kWithBaseline).arm, std::vector<double>{60.0});
}

TEST(BestText, DifferencesThatAreAllTheSameHaveNoInterval) {
  const Uplift uplift{.arm = {42.1},
                      .verdict = Uplift::Verdict::better,
                      .difference = 0.36,
                      .interval = {0.36 - 1e-9, 0.36 + 1e-9},
                      .pairs = 41};
  const Space& space = kWithBaseline.space;
  EXPECT_EQ(uplift_text(space, uplift, {.arm = {42.1}}, Direction::maximize),
            "+0.36 over the baseline, in all 41 pairs: better (95 %)");
}

TEST(BestWords, AfterTooFewPairsTheGainIsNotKnown) {
  BestAnswer answer = with_uplift(0.094, -0.2, 0.3);
  answer.uplift->verdict = Uplift::Verdict::too_few;
  answer.uplift->pairs = 5;
  answer.uplift->fewest = 9;
  EXPECT_TRUE(
      has(told(answer), "Compared with the baseline: not known yet: 5 of at least 9 pairs."));
}

TEST(BestWords, ALevelThatMovesIsSaid) {
  BestAnswer answer = with_uplift(0.094, 0.063, 0.125);
  answer.uplift->moves = LevelMove{.low = {83.0, 40, 70}, .high = {118.0, 200, 230}};
  EXPECT_TRUE(has(told(answer),
                  "The level moves: the baseline went from 83 (pulls 40 to 70) to 118 (pulls 200 "
                  "to 230), so means of settings cannot be compared"))
      << told(answer);
}

TEST(BestWords, AfterAChangeItIsSaidSinceWhenRewardsCount) {
  BestAnswer answer = surely_good();
  answer.best.since = 12'040;
  EXPECT_TRUE(has(told(answer, kWithoutBaseline),
                  "from 12345 pulls of it since pull 12040, when the system changed."))
      << told(answer, kWithoutBaseline);
  EXPECT_EQ(best_text(kWithoutBaseline.space, answer.best),
            "ttl = 42.1: 0.877 (0.851 to 0.902 at 95 %), 12345 pulls since pull 12040, when the "
            "system changed");
  answer.best.arms = 1;
  EXPECT_FALSE(has(told(answer, kWithoutBaseline), "No other setting has a reward."))
      << "others were measured before";
}

TEST(BestWords, WhatWasNotMeasuredSinceAChangeIsKnownByTheModel) {
  BestAnswer answer = without_interval(Best::Basis::model);
  answer.best.since = 424;
  answer.best.pulls = 0;
  answer.best.arms = 0;
  EXPECT_TRUE(
      has(told(answer, kWithoutBaseline),
          "The model estimates 0.877; the setting was not measured since pull 424, when the system "
          "changed."))
      << told(answer, kWithoutBaseline);
  EXPECT_EQ(best_text(kWithoutBaseline.space, answer.best),
            "ttl = 42.1: 0.877 by the model; it was not measured since pull 424, when the system "
            "changed");
  EXPECT_NE(best_words(answer, kWithoutBaseline).advice, Advice::set);
}

TEST(BestWords, WhileTheLevelMovesSettingsAreJudgedByHowTheyDiffer) {
  BestAnswer answer = without_interval(Best::Basis::model);
  answer.best.since = 424;
  answer.best.level_moves = true;
  const std::string text = told(answer, kWithoutBaseline);
  EXPECT_TRUE(has(best_words(answer, kWithoutBaseline).details.front(),
                  "There is no interval for the mean, because the level of all rewards moves;"));
  EXPECT_EQ(
      best_text(kWithoutBaseline.space, answer.best),
      "ttl = 42.1: 0.877 now, by the model, since the level of all rewards moves; 12345 pulls "
      "since pull 424, when the system changed");
  EXPECT_TRUE(has(text,
                  "According to the model it earns 0.877 now; it was measured in 12345 pulls since "
                  "pull 424, when the "
                  "system changed."))
      << text;
}

TEST(BestWords, WhatWasProvenBeforeAChangeHasToBeProvenAgain) {
  BestAnswer answer = with_uplift(0.094, -0.02, 0.2);
  answer.uplift->since = 424;
  EXPECT_TRUE(has(told(answer),
                  "Comparisons before pull 424, when the system changed, are no longer valid."))
      << told(answer);
  answer.uplift->was_proven = true;
  EXPECT_TRUE(has(told(answer), "are no longer valid: earlier results have to be proven again."))
      << told(answer);
  Verdict verdict{.arm = {50.0}, .confirmed = true, .text = "better after 40 pulls of both"};
  verdict.before = 424;
  std::string text;
  const BestWords words = best_words(answer, kWithBaseline, verdict);
  for (const auto& each : words.sentences) text += each + " ";
  EXPECT_TRUE(has(text,
                  "A comparison of ttl = 50 with the baseline before pull 424 is no longer valid: "
                  "better after 40 pulls of both."))
      << text;
  EXPECT_NE(words.certainty, "confirmed");
}

TEST(BestWords, AComparisonIsTheLastWord) {
  BestAnswer answer = with_uplift(0.094, 0.063, 0.125);
  answer.uplift->is_confirmed = true;
  Verdict verdict{.arm = {42.1}, .confirmed = true, .text = "better after 40 pulls of both"};
  const auto all = [&] {
    std::string text;
    for (const auto& each : best_words(answer, kWithBaseline, verdict).sentences) text += each;
    return text;
  };
  EXPECT_EQ(best_words(answer, kWithBaseline, verdict).certainty, "confirmed");
  EXPECT_EQ(best_words(answer, kWithBaseline, verdict).tone, Tone::good);
  EXPECT_TRUE(has(all(), "A separate comparison with the baseline, of 41 pairs, has confirmed it."))
      << all();
  EXPECT_FALSE(has(all(), "40 pulls")) << "one number, not two";
  answer.uplift->is_confirmed = false;
  verdict.confirmed = false;
  verdict.arm = {50.0};
  EXPECT_TRUE(has(all(), "did not confirm ttl = 50: better after 40 pulls of both.")) << all();
}

TEST(BestAnswer, AnUpliftOfAPolicyHasNoArmOfWhichLimitsCouldBeSaid) {
  const StudySpecification study = specification_with(
      "[baseline]\nsetting = { ttl = 60 }\n[[limit]]\nmetric = \"p99\"\nmax = 80\n",
      "[[context]]\nname = \"load\"\nlow = 0\nhigh = 1\n");
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(study, 1);
  RandomStream random({.seed = 3});
  bool is_of_earlier_policy = false;
  for (int i = 0; i < 400; ++i) {
    const std::vector<double> context{random.uniform()};
    const OwnedPull pull(optimizer->ask_in(context, 1));
    ASSERT_EQ(optimizer->measure(pull.ticket, pull.arm, {{"p99", pull.arm[0]}}), Status::ok);
    const double reward = -std::abs(pull.arm[0] - 20.0 - 40.0 * context[0]);
    ASSERT_EQ(optimizer->tell(pull.ticket, reward + random.normal()), Status::ok);
    const std::optional<Uplift> uplift = optimizer->uplift();
    if (i % 20 != 19 || !uplift || uplift->is_best) continue;
    is_of_earlier_policy = true;
    const std::optional<Best> best = optimizer->best_in(context);
    ASSERT_TRUE(best);
    const BestAnswer answer = best_answer(*optimizer, *best, study, TunerState(study));
    EXPECT_TRUE(answer.uplift->arm.empty());
    EXPECT_TRUE(answer.limits_of_uplift.empty());
  }
  EXPECT_TRUE(is_of_earlier_policy);
}

/// An optimizer that has compared ttl = 50 in pairs and found it better.
class StrongestUplift : public ::testing::Test {
 protected:
  StrongestUplift() {
    optimizer_ = make_optimizer(kWithBaseline, 1);
    const auto reward = [](Arm arm) { return -std::abs(arm[0] - 30.0); };
    for (int i = 0; i < 1000 && !is_proven(); ++i) {
      const OwnedPull pull(optimizer_->ask(1));
      std::vector<double> rewards{reward(pull.arm)};
      if (!pull.then.empty()) rewards.push_back(reward(pull.then));
      EXPECT_EQ(optimizer_->tell(pull.ticket, rewards), Status::ok);
    }
    EXPECT_TRUE(is_proven());
  }

  [[nodiscard]] bool is_proven() const {
    const std::optional<Uplift> uplift = optimizer_->uplift();
    return uplift && uplift->verdict == Uplift::Verdict::better;
  }

  [[nodiscard]] std::optional<Uplift> strongest(const ComparisonEnded& end,
                                                const std::vector<double>& arm,
                                                double reward_of_arm) const {
    TunerState tuner(kWithBaseline);
    tuner.apply({.event = ComparisonBegun{.pulls = 40, .arm = arm, .seed = 3}});
    while (!tuner.comparison()->is_over(Direction::maximize)) {
      const bool is_baseline = tuner.comparison()->is_baseline_next();
      tuner.apply({.event = Compared{is_baseline, is_baseline ? 1.0 : reward_of_arm}});
    }
    tuner.apply({.event = end});
    return strongest_uplift(*optimizer_, kWithBaseline, tuner);
  }

  std::unique_ptr<Optimizer> optimizer_;
};

TEST_F(StrongestUplift, WhatAComparisonHasConfirmedIsClaimedWithItsOwnNumbers) {
  const std::optional<Uplift> claim = strongest({.confirmed = true, .verdict = ""}, {77.0}, 1.5);
  ASSERT_TRUE(claim);
  EXPECT_TRUE(claim->is_confirmed);
  EXPECT_EQ(claim->arm, std::vector<double>{77.0});
  EXPECT_FALSE(claim->is_best);
  EXPECT_DOUBLE_EQ(claim->difference, 0.5);
  EXPECT_EQ(claim->verdict, Uplift::Verdict::better);
  EXPECT_EQ(claim->rounds, optimizer_->uplift()->rounds);
}

TEST_F(StrongestUplift, WhatAComparisonHasRefutedIsClaimedNoMore) {
  const std::vector<double> proven = optimizer_->uplift()->arm;
  const std::optional<Uplift> claim = strongest({.verdict = "", .refuted = true}, proven, 0.5);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->verdict, Uplift::Verdict::worse);
  EXPECT_DOUBLE_EQ(claim->difference, -0.5);
  EXPECT_FALSE(claim->is_confirmed);
}

TEST_F(StrongestUplift, WhatHasFailedInAComparisonIsClaimedNoMore) {
  TunerState tuner(kWithBaseline);
  const std::vector<double> proven = optimizer_->uplift()->arm;
  tuner.apply({.event = ComparisonBegun{.pulls = 40, .arm = proven, .seed = 3}});
  tuner.apply({.event = ComparisonEnded{.verdict = "the best arm failed", .refuted = true}});
  const std::optional<Uplift> claim = strongest_uplift(*optimizer_, kWithBaseline, tuner);
  ASSERT_TRUE(claim);
  EXPECT_TRUE(claim->is_refuted);
  EXPECT_EQ(claim->verdict, Uplift::Verdict::open);
  EXPECT_EQ(claim->pairs, optimizer_->uplift()->pairs) << "its pairs are what they were";
  const BestAnswer answer = best_answer(*optimizer_, *optimizer_->best(), kWithBaseline, tuner);
  EXPECT_EQ(answer.words.advice, Advice::keep);
  EXPECT_EQ(answer.words.arm, std::vector<double>{60.0});
  EXPECT_EQ(answer.words.certainty, "refuted by a comparison");
  EXPECT_TRUE(has(answer.uplift_text, "refuted by a later comparison")) << answer.uplift_text;
}

/// The search may continue and name another arm as the best, which a comparison then refutes.
TEST_F(StrongestUplift, OfTheBestArmTheLastComparisonCountsAndNotThePairsOfTheSearch) {
  const std::vector<double> proven = optimizer_->uplift()->arm;
  const std::vector<double> better{proven[0] < 50.0 ? 88.0 : 12.0};
  for (int i = 0; i < 2000 && optimizer_->best()->arm != better; ++i) {
    ASSERT_EQ(optimizer_->observe(better, Rewards::one(1.0)), Status::ok);
  }
  ASSERT_EQ(optimizer_->best()->arm, better);
  const std::optional<Uplift> worse = strongest({.verdict = "", .refuted = true}, better, 0.5);
  ASSERT_TRUE(worse);
  EXPECT_EQ(worse->arm, proven);
  EXPECT_EQ(worse->verdict, Uplift::Verdict::better);
  EXPECT_FALSE(worse->is_best);
  EXPECT_TRUE(worse->best_is_refuted);
  EXPECT_EQ(worse->best_verdict, Uplift::Verdict::worse);
  EXPECT_GE(worse->best_pairs, 8U) << "those of the comparison";
  EXPECT_EQ(worse->has_better_mean,
            optimizer_->estimate(proven)->mean > optimizer_->estimate(better)->mean);
}

TEST_F(StrongestUplift, WhatWasRefutedBeforeAnyPairHasNoDifference) {
  const std::unique_ptr<Optimizer> fresh = make_optimizer(kWithBaseline, 1);
  for (int i = 0; i < 12; ++i) {
    const OwnedPull pull(fresh->ask(1));
    for (std::uint64_t j = 0; j < pull.length; ++j) {
      ASSERT_EQ(fresh->tell(pull.ticket, -std::abs(pull.arm[0] - 30.0)), Status::ok);
    }
  }
  const Best best = fresh->best().value();
  ASSERT_NE(best.arm, std::vector<double>{60.0});
  TunerState tuner(kWithBaseline);
  tuner.apply({.event = ComparisonBegun{.pulls = 40, .arm = best.arm, .seed = 3}});
  tuner.apply({.event = ComparisonEnded{.verdict = "the best arm failed", .refuted = true}});
  const std::optional<Uplift> claim = strongest_uplift(*fresh, kWithBaseline, tuner);
  ASSERT_TRUE(claim);
  EXPECT_TRUE(claim->is_refuted);
  EXPECT_EQ(claim->verdict, Uplift::Verdict::too_few);
  EXPECT_EQ(best_answer(*fresh, best, kWithBaseline, tuner).uplift_text,
            "refuted by a later comparison");
}

TEST_F(StrongestUplift, AComparisonOfTheBaselineWithItselfLeavesWhatWasConfirmed) {
  TunerState tuner(kWithBaseline);
  tuner.apply({.event = ComparisonBegun{.pulls = 40, .arm = {77.0}, .seed = 3}});
  tuner.apply({.event = ComparisonEnded{.confirmed = true, .verdict = "better"}});
  tuner.apply({.event = ComparisonBegun{.pulls = 40, .arm = {60.0}, .seed = 3}});
  tuner.apply({.event = ComparisonEnded{.verdict = "there is nothing to confirm"}});
  const std::optional<Uplift> claim = strongest_uplift(*optimizer_, kWithBaseline, tuner);
  ASSERT_TRUE(claim);
  EXPECT_TRUE(claim->is_confirmed);
  EXPECT_EQ(claim->arm, std::vector<double>{77.0});
}

TEST_F(StrongestUplift, AComparisonThatLeavesItOpenTakesNothingBack) {
  const std::vector<double> proven = optimizer_->uplift()->arm;
  const std::optional<Uplift> claim = strongest({}, proven, 1.0);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->verdict, Uplift::Verdict::better);
  EXPECT_EQ(claim->pairs, optimizer_->uplift()->pairs);
}

}  // namespace
}  // namespace canopy
