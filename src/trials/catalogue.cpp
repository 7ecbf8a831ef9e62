#include "canopy/environments.hpp"

#include "trials/trial.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace canopy {
namespace {

/// A function without noise.
class Landscape final : public SteadyEnvironment {
 public:
  Landscape(Space space, std::function<double(Arm)> value, std::vector<double> best)
      : space_(std::move(space)), value_(std::move(value)), best_(std::move(best)) {}

  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] double mean_reward(Arm arm) const override { return value_(arm); }
  [[nodiscard]] Optimum optimum() const override { return {best_, value_(best_)}; }
  void start(RandomStream& /*random*/) override {}
  double pull(Arm arm, RandomStream& /*random*/) override { return value_(arm); }

 private:
  Space space_;
  std::function<double(Arm)> value_;
  std::vector<double> best_;
};

/// Parameters from 0 to 1.
Space box(std::size_t dimension) {
  std::vector<Parameter> knobs;
  for (std::size_t i = 0; i < dimension; ++i) {
    knobs.push_back({"x" + std::to_string(i + 1), Real{0.0, 1.0}});
  }
  return Space(knobs);
}

/// A smooth hill of this height on a plain of 0.3, with its maximum at 0.7 in every coordinate.
std::unique_ptr<KnownEnvironment> hill(std::size_t dimension, double height) {
  const auto value = [height](Arm arm) {
    double distance = 0.0;
    for (const double x : arm) distance += std::pow((x - 0.7) / 0.25, 2.0);
    return 0.3 + height * std::exp(-distance);
  };
  return std::make_unique<Landscape>(box(dimension), value, std::vector<double>(dimension, 0.7));
}

/// A hill from 0.3 to 0.9, with its maximum at 0.6 in every coordinate.
std::unique_ptr<KnownEnvironment> shop(std::size_t dimension) {
  const auto value = [](Arm arm) {
    double distance = 0.0;
    for (const double x : arm) distance += (x - 0.6) * (x - 0.6);
    return 0.3 + 0.6 * std::exp(-distance / (0.09 * static_cast<double>(arm.size())));
  };
  return std::make_unique<Landscape>(box(dimension), value, std::vector<double>(dimension, 0.6));
}

std::unique_ptr<KnownEnvironment> flat(std::size_t dimension) {
  return std::make_unique<Landscape>(
      box(dimension), [](Arm) { return 0.5; }, std::vector<double>(dimension, 0.5));
}

/// Whole numbers from 1 to 20 on a log scale, best at 12.
std::unique_ptr<KnownEnvironment> threads() {
  const Space space{{"threads", Integer{1, 20, Scale::log}}};
  const auto value = [](Arm arm) { return 0.9 - 0.5 * std::abs(std::log(arm[0] / 12.0)) / 2.5; };
  return std::make_unique<Landscape>(space, value, std::vector{12.0});
}

std::unique_ptr<KnownEnvironment> garland() {
  return make_environment({"garland", {{"noise_width", 0.0}}});
}

SimulatedOptions settling() {
  SimulatedOptions troubles;
  troubles.fade = 0.7;
  return troubles;
}

SimulatedOptions dipping() {
  SimulatedOptions troubles;
  troubles.fade = 0.7;
  troubles.dip = 0.5;
  return troubles;
}

SimulatedOptions failing() {
  SimulatedOptions troubles;
  troubles.failure_rate = 0.03;
  troubles.hang_rate = 0.01;
  troubles.outage_rate = 0.002;
  troubles.outage_seconds = 120.0;
  troubles.fails_at = [](Arm arm) { return arm[0] > 0.9; };
  return troubles;
}

/// The maximum of the hill breaks a limit of 55; the best arm that keeps it has 0.55 in every
/// coordinate.
SimulatedOptions with_latency() {
  SimulatedOptions troubles;
  const auto latency = [](Arm arm) {
    return 100.0 * std::accumulate(arm.begin(), arm.end(), 0.0) / static_cast<double>(arm.size());
  };
  troubles.metrics = {{"latency", latency, 8.0}};
  return troubles;
}

}  // namespace

const std::vector<TrialSystem>& trial_systems() {
  static const std::vector<TrialSystem> systems{
      {"flat", "a knob without any effect", [] { return flat(1); }, {0.2}},
      {"flat_3d", "three knobs without any effect", [] { return flat(3); }, {0.2, 0.2, 0.2}},
      {"flat_dip",
       "a knob without any effect, but every change has a temporary cost",
       [] { return flat(1); },
       {0.2},
       dipping()},
      {"flat_fail",
       "a knob without any effect, with failures, hangs, outages and settings that never work",
       [] { return flat(1); },
       {0.2},
       failing()},
      {"hill",
       "one knob, a smooth hill 0.5 above the baseline",
       [] { return hill(1, 0.5); },
       {0.1}},
      {"rise",
       "one knob, a smooth hill 0.15 above the baseline",
       [] { return hill(1, 0.15); },
       {0.1}},
      {"hill_3d",
       "three knobs, 0.5 above the baseline",
       [] { return hill(3, 0.5); },
       {0.2, 0.2, 0.2}},
      {"at_best",
       "one knob whose baseline is the best setting",
       [] { return hill(1, 0.5); },
       {0.7}},
      {"threads", "whole numbers on a log scale", threads, {4.0}},
      {"garland", "many narrow peaks", garland, {0.1}},
      {"settling",
       "a hill, with rewards that settle slowly after a change",
       [] { return hill(1, 0.5); },
       {0.1},
       settling()},
      {"failing",
       "failures, hangs, outages, and settings that never work",
       [] { return hill(1, 0.5); },
       {0.1},
       failing()},
      {"shop",
       "a hill, from 59 % below to 17 % above the baseline's reward",
       [] { return shop(1); },
       {0.45},
       {},
       {},
       0.4},
      {"shop_3d",
       "as shop, with three knobs",
       [] { return shop(3); },
       {0.45, 0.45, 0.45},
       {},
       {},
       0.4},
      {"shop_top",
       "as shop, and the baseline is the best setting",
       [] { return shop(1); },
       {0.6},
       {},
       {},
       0.4},
      {"limited",
       "a hill whose maximum breaks a limit",
       [] { return hill(1, 0.5); },
       {0.1},
       with_latency(),
       {{.metric = "latency", .max = 55.0}}},
      {"limited_2d",
       "a hill of two knobs whose maximum breaks a limit",
       [] { return hill(2, 0.5); },
       {0.1, 0.1},
       with_latency(),
       {{.metric = "latency", .max = 55.0}}},
      {"limited_3d",
       "a hill of three knobs whose maximum breaks a limit",
       [] { return hill(3, 0.5); },
       {0.1, 0.1, 0.1},
       with_latency(),
       {{.metric = "latency", .max = 55.0}}},
  };
  return systems;
}

const std::vector<TrialOptions>& trial_options() {
  static const std::vector<TrialOptions> options{
      {"baseline", "the best arm is compared with the baseline during the search",
       [](StudySpecification& study) { study.baseline.emplace(); }},
      {"confirm", "the best arm is compared with the baseline at the end",
       [](StudySpecification& study) {
         study.baseline = {.every = 0};
         study.budget.confirm_pulls = 100;
         study.system->options.on_exit = OnExit::confirmed;
       }},
      {"alone", "no baseline", [](StudySpecification& /*study*/) {}},
      {"max_loss", "the baseline, with a loss budget of 2 % of its reward",
       [](StudySpecification& study) {
         study.baseline.emplace();
         study.budget.max_loss = 0.02;
       }},
      {"settle_loss", "as max_loss, with a declared settling time of 3 pulls",
       [](StudySpecification& study) {
         study.optimizer = {"adaptive", {{"settle", std::uint64_t{3}}}};
         study.baseline.emplace();
         study.budget.max_loss = 0.02;
       }},
      {"hold", "the baseline; settings are held for 3 pulls and changed up to 60 times an hour",
       [](StudySpecification& study) {
         study.baseline.emplace();
         study.system->options.min_pulls_per_change = 3;
         study.system->options.max_changes_per_hour = 60;
       }},
      {"settle", "the baseline, with a declared settling time of 8 pulls",
       [](StudySpecification& study) {
         study.optimizer = {"adaptive", {{"settle", std::uint64_t{8}}}};
         study.baseline.emplace();
       }},
  };
  return options;
}

}  // namespace canopy
