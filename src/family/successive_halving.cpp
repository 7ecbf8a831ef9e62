#include "canopy/family/successive_halving.hpp"

#include "family/grid_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace canopy {
namespace {

/// Whether with this many points along each parameter the horizon allows a pull of every arm in
/// every round.
bool has_pulls_enough(std::uint64_t horizon, std::uint64_t points, std::size_t dimension) {
  std::uint64_t arms = 1;
  for (std::size_t i = 0; i < dimension; ++i) {
    arms *= points;
    if (arms > horizon) return false;
  }
  return arms * static_cast<std::uint64_t>(std::bit_width(arms - 1)) <= horizon;
}

std::uint64_t halving_points(const SuccessiveHalvingOptions& options, std::size_t dimension) {
  std::uint64_t points = points_of(options, dimension);
  if (options.points) return points;
  while (points > 2 && !has_pulls_enough(options.horizon, points, dimension)) --points;
  return points;
}

}  // namespace

std::uint64_t halving_round_pulls(std::uint64_t horizon, std::size_t left, std::size_t arms) {
  const auto rounds = static_cast<std::uint64_t>(std::bit_width(arms - 1));  // ceil(log2 arms)
  return std::max<std::uint64_t>(1, horizon / (left * rounds));
}

SuccessiveHalving::SuccessiveHalving(const Space& space, const SuccessiveHalvingOptions& options,
                                     const Objective& objective)
    : GridBandit(space, halving_points(options, space.dimension()), checked(options, objective)),
      horizon_(options.horizon),
      left_(size()) {
  std::iota(left_.begin(), left_.end(), NodeIndex{0});
}

TurnOptimizer::Choice SuccessiveHalving::choose() {
  while (left_.size() > 1) {
    while (next_ < left_.size() && is_barred(arm_of(left_[next_]))) ++next_;
    if (next_ < left_.size()) {
      return {.node = left_[next_++],
              .length = halving_round_pulls(horizon_, left_.size(), size())};
    }
    halve();
  }
  if (is_barred(arm_of(left_.front()))) replace_winner();
  return {.node = left_.front()};
}

void SuccessiveHalving::halve() {
  const auto mean = [this](NodeIndex arm) {
    const bool is_out = statistics()[arm].pulls == 0.0 || is_barred(arm_of(arm));
    return is_out ? -kInfinity : statistics()[arm].mean();
  };
  std::stable_sort(left_.begin(), left_.end(),
                   [&](NodeIndex a, NodeIndex b) { return mean(a) > mean(b); });
  for (const std::size_t kept = (left_.size() + 1) / 2; left_.size() > kept; left_.pop_back()) {
    gone_.push_back(left_.back());
  }
  std::sort(left_.begin(), left_.end());
  next_ = 0;
}

/// Replaces the winner by the last eliminated arm that is not barred, if there is one.
void SuccessiveHalving::replace_winner() {
  while (!gone_.empty()) {
    const NodeIndex last = gone_.back();
    gone_.pop_back();
    if (is_barred(arm_of(last))) continue;
    left_.front() = last;
    return;
  }
}

std::optional<TicketedOptimizer::Recommendation> SuccessiveHalving::recommendation() const {
  std::optional<Recommendation> best;
  for (const NodeIndex node : left_) {
    const Statistics& arm = statistics()[node];
    if (arm.pulls == 0.0 || (best && best->mean >= arm.mean())) continue;
    best = Recommendation{arm_of(node), arm.mean(), arm.pulls};
  }
  return best;
}

void SuccessiveHalving::transfer(State& state) {
  state.mark("successive-halving");
  GridBandit::transfer(state);
  state(left_, gone_, next_);
  if (!state.restoring()) return;
  State::require(!left_.empty() && next_ <= left_.size() && left_.back() < size());
  const auto disorder = std::adjacent_find(left_.begin(), left_.end(), std::greater_equal<>());
  State::require(disorder == left_.end());
  State::require(std::ranges::all_of(gone_, [this](NodeIndex arm) { return arm < size(); }));
}

std::unique_ptr<Optimizer> SuccessiveHalving::clone() const {
  return std::make_unique<SuccessiveHalving>(*this);
}

OptimizerEntry successive_halving_entry() {
  OptimizerEntry entry = optimizer_entry<SuccessiveHalving, SuccessiveHalvingOptions>(
      "successive-halving", "a fixed grid of arms, half of which are eliminated in each round");
  entry.resolve = [](const OptionValues& values, std::size_t dimension) {
    auto options = options_from<SuccessiveHalvingOptions>(values, "optimizer.");
    options.points = halving_points(options, dimension);
    return values_of(options);
  };
  return entry;
}

}  // namespace canopy
