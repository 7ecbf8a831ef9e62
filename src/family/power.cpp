#include "canopy/family/power.hpp"

#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace canopy {
namespace {

/// Reflects a coordinate at 0 and 1 until it lies within [0, 1].
double reflected(double coordinate) {
  const double folded = std::fmod(std::abs(coordinate), 2.0);
  return folded <= 1.0 ? folded : 2.0 - folded;
}

}  // namespace

Power::Power(Space space, const PowerOptions& options, const Objective& objective)
    : TurnOptimizer(checked(options, objective), space.dimension()),
      space_(std::move(space)),
      options_(options),
      arms_(space_.dimension()),
      random_({.seed = options.seed, .algorithm = "power"}),
      theta_(space_.dimension()),
      theta_arm_(space_.dimension()),
      explored_(space_.dimension()) {
  for (double& coordinate : theta_) coordinate = random_.uniform();
  space_.from_unit_cube(theta_, theta_arm_);
}

TurnOptimizer::Choice Power::choose() {
  for (std::size_t i = 0; i < theta_.size(); ++i) {
    explored_[i] = reflected(theta_[i] + options_.sigma * random_.normal());
  }
  const NodeIndex slot = arms_.free_slot(tickets_);
  space_.from_unit_cube(explored_, arms_.at(slot));
  running_ = slot;
  return {.node = slot, .length = options_.rollout_length};
}

void Power::learn(NodeIndex node, const Rewards& mapped) {
  if (running_ != node) return;  // a late reward
  running_.reset();
  add_rollout(explored_, mapped);
}

void Power::accept_observed(Arm arm, const Rewards& mapped) {
  std::vector<double> theta(arm.size());
  space_.to_unit_cube(arm, theta);
  add_rollout(std::move(theta), mapped);
}

/// Rewards of a barred arm no longer attract theta.
void Power::accept_bar(Arm arm, double mapped, std::uint64_t weight) {
  std::vector<double> other(arm.size());
  std::erase_if(window_, [&](const Rollout& rollout) {
    space_.from_unit_cube(rollout.theta, other);
    return std::equal(other.begin(), other.end(), arm.begin(), arm.end());
  });
  TurnOptimizer::accept_bar(arm, mapped, weight);
}

void Power::add_rollout(std::vector<double> theta, const Rewards& mapped) {
  const double mean = mapped.mean();
  least_return_ = std::min(least_return_, mean);  // this changes all weights
  const auto place = std::upper_bound(
      window_.begin(), window_.end(), mean,
      [](double value, const Rollout& rollout) { return value > rollout.mean_reward; });
  window_.insert(place, {std::move(theta), mean, static_cast<double>(mapped.count)});
  if (window_.size() > options_.window) window_.pop_back();
  move_theta();
}

void Power::move_theta() {
  double total = 0.0;
  std::vector<double> pull(theta_.size(), 0.0);
  for (const Rollout& rollout : window_) {
    const double weight = rollout.mean_reward - least_return_;
    total += weight;
    for (std::size_t i = 0; i < theta_.size(); ++i)
      pull[i] += weight * (rollout.theta[i] - theta_[i]);
  }
  if (!(total > 0.0)) return;
  for (std::size_t i = 0; i < theta_.size(); ++i) theta_[i] += pull[i] / total;
  space_.from_unit_cube(theta_, theta_arm_);
}

/// Whether a point is in the unit cube, with a tolerance for rounding.
bool Power::is_in_cube(std::span<const double> theta) const {
  return theta.size() == space_.dimension() &&
         std::all_of(theta.begin(), theta.end(),
                     [](double share) { return share >= -1e-9 && share <= 1.0 + 1e-9; });
}

void Power::transfer(State& state) {
  state.mark("power");
  TurnOptimizer::transfer(state);
  state(arms_, random_, theta_, explored_, running_, window_, least_return_);
  if (!state.restoring()) return;
  require_nodes_below(arms_.size());
  State::require(arms_.are_in(space_) && window_.size() <= options_.window);
  State::require(is_in_cube(theta_) && is_in_cube(explored_) &&
                 State::are_rewards({least_return_}));
  for (const Rollout& rollout : window_) {
    State::require(is_in_cube(rollout.theta) && rollout.mean_reward >= least_return_);
  }
  space_.from_unit_cube(theta_, theta_arm_);
}

std::optional<TicketedOptimizer::Recommendation> Power::recommendation() const {
  if (window_.empty()) return std::nullopt;
  double pulls = 0.0;
  double sum = 0.0;
  for (const Rollout& rollout : window_) {
    pulls += rollout.pulls;
    sum += rollout.pulls * rollout.mean_reward;
  }
  return Recommendation{theta_arm_, sum / pulls, pulls};
}

std::unique_ptr<Optimizer> Power::clone() const {
  return std::make_unique<Power>(*this);
}

OptimizerEntry power_entry() {
  return optimizer_entry<Power, PowerOptions>(
      "power", "PoWER: local policy search by weighted exploration", 2);
}

}  // namespace canopy
