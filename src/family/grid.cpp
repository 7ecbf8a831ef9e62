#include "canopy/family/grid.hpp"

#include "canopy/confidence.hpp"
#include "canopy/errors.hpp"
#include "canopy/family/context_grid.hpp"

#include "core/text.hpp"
#include "family/grid_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace canopy {

Grid::Grid(const Space& space, const GridOptions& options, const Objective& objective)
    : GridBandit(space, points_of(options, space.dimension()), checked(options, objective)),
      options_(options) {
  if (!options.recent || options.discount == 1.0) return;
  throw ConfigurationError(
      {{"optimizer.discount", to_text(options.discount), "must be 1 if recent is set"}});
}

/// n of the formula; for UCB1, the number of pulls so far.
double Grid::pulls_that_count() const {
  if (options_.recent) return in_window_;
  if (!forgets()) return static_cast<double>(t_ - 1);
  double pulls = 0.0;
  for (const Statistics& arm : statistics()) pulls += arm.pulls;
  return pulls;
}

TurnOptimizer::Choice Grid::choose() {
  update_scale_if_due();
  const double factor = scale() * options_.confidence_scale;
  const double twice_log = 2.0 * std::log(std::max(1.0, pulls_that_count()));
  NodeIndex chosen = 0;
  double largest = -kInfinity;
  for (NodeIndex i = 0; i < size(); ++i) {
    const Statistics& arm = statistics()[i];
    if (forgets() && is_barred(arm_of(i))) continue;
    if (arm.pulls == 0.0) return {.node = i};
    const double index = arm.mean() + confidence_width(factor, twice_log, arm.pulls);
    if (index > largest) {
      largest = index;
      chosen = i;
    }
  }
  return {.node = chosen};
}

void Grid::learn(NodeIndex node, const Rewards& mapped) {
  if (mapped.count == 0) return;
  const auto count = static_cast<double>(mapped.count);
  if (options_.discount < 1.0) {
    const double rest = std::pow(options_.discount, count);
    fade(rest);
    GridBandit::learn(node, (1.0 - rest) / (1.0 - options_.discount), mapped.mean());
    return;
  }
  GridBandit::learn(node, mapped);
  if (!options_.recent) return;
  window_.push_back({node, count, mapped.sum});
  in_window_ += count;
  slide();
}

/// Forgets the oldest rewards as long as the later ones fill the window.
void Grid::slide() {
  const auto recent = static_cast<double>(*options_.recent);
  for (; in_window_ - window_[first_].pulls >= recent; ++first_) {
    const Entry& oldest = window_[first_];
    in_window_ -= oldest.pulls;
    unlearn(static_cast<NodeIndex>(oldest.node), oldest.pulls, oldest.sum);
  }
  if (first_ < window_.size() / 2) return;
  window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

/// A bar must not be forgotten as rewards are; `choose` skips barred arms instead.
void Grid::accept_bar(Arm arm, double mapped, std::uint64_t weight) {
  if (!forgets()) GridBandit::accept_bar(arm, mapped, weight);
}

/// If rewards are forgotten, the arm with the most pulls in the window.
std::optional<TicketedOptimizer::Recommendation> Grid::recommendation() const {
  if (!forgets()) return std::nullopt;
  std::optional<Recommendation> best;
  for (NodeIndex i = 0; i < size(); ++i) {
    const Statistics& arm = statistics()[i];
    if (arm.pulls == 0.0 || is_barred(arm_of(i)) || (best && best->pulls >= arm.pulls)) continue;
    best = Recommendation{arm_of(i), arm.mean(), arm.pulls};
  }
  return best;
}

void Grid::transfer(State& state) {
  state.mark("grid");
  GridBandit::transfer(state);
  if (!options_.recent) return;
  state(window_, first_);
  if (!state.restoring()) return;
  State::require(first_ <= window_.size());
  in_window_ = 0.0;
  for (std::size_t i = first_; i < window_.size(); ++i) {
    State::require(window_[i].node < size() && window_[i].pulls > 0.0);
    in_window_ += window_[i].pulls;
  }
}

std::unique_ptr<Optimizer> Grid::clone() const {
  return std::make_unique<Grid>(*this);
}

OptimizerEntry grid_entry() {
  OptimizerEntry entry = optimizer_entry<Grid, GridOptions>(
      "grid", "a fixed grid of arms under UCB1, also sliding-window or discounted", 2);
  entry.resolve = resolve_points<GridOptions>;
  entry.make_in_contexts = [](const OptionValues& values, const Space& space,
                              const PartitionRule& /*partition*/, const Objective& objective,
                              const ContextSpace& contexts) -> std::unique_ptr<Optimizer> {
    return std::make_unique<ContextGrid>(
        space, contexts, options_from<GridOptions>(values, "optimizer."), objective);
  };
  return entry;
}

}  // namespace canopy
