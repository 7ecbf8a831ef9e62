#include "canopy/family/context_grid.hpp"

#include "canopy/confidence.hpp"
#include "canopy/errors.hpp"

#include "core/text.hpp"
#include "family/grid_options.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace canopy {
namespace {

/// The number of cells along each variable.
std::vector<std::size_t> parts_of(const ContextSpace& contexts, std::uint64_t parts) {
  std::vector<std::size_t> all;
  for (const ContextVariable& variable : contexts.variables()) {
    const auto values = variable.domain.count();
    const std::uint64_t most = variable.domain.is_ordered() ? parts : UINT64_MAX;
    all.push_back(static_cast<std::size_t>(std::min(most, values.value_or(parts))));
  }
  return all;
}

}  // namespace

ContextGrid::ContextGrid(const Space& space, const ContextSpace& contexts,
                         const GridOptions& options, const Objective& objective)
    : ContextBandit(space, points_of(options, space.dimension()), checked(options, objective),
                    contexts),
      confidence_scale_(options.confidence_scale),
      parts_(parts_of(contexts, options.context_parts)) {
  if (options.recent) {
    throw ConfigurationError({{"optimizer.recent", std::to_string(*options.recent),
                               "cannot be combined with contexts"}});
  }
  if (options.discount != 1.0) {
    throw ConfigurationError(
        {{"optimizer.discount", to_text(options.discount), "cannot be combined with contexts"}});
  }
  std::size_t cells = 1;
  for (const std::size_t parts : parts_) {
    cells *= parts;
    if (cells * size() > kMostSums) {
      throw ConfigurationError({{"optimizer.context_parts", std::to_string(options.context_parts),
                                 "gives more than 1000000 context cells times arms; reduce it, or "
                                 "points, the number of arms along each parameter"}});
    }
  }
  pulls_.resize(cells);
  sums_.resize(cells * size());
}

std::size_t ContextGrid::cell_of(Context context) const {
  std::size_t cell = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const auto parts = static_cast<double>(parts_[k]);
    const double part = std::floor(contexts()[k].domain.share(context[k]) * parts);
    cell = cell * parts_[k] + static_cast<std::size_t>(std::clamp(part, 0.0, parts - 1.0));
  }
  return cell;
}

ContextBandit::View ContextGrid::view_of(Context context) const {
  const std::size_t cell = cell_of(context);
  return {static_cast<double>(cell), 2.0 * std::log(std::max(1.0, pulls_[cell]))};
}

double ContextGrid::index(const View& view, std::size_t arm) const {
  const ArmSums& sums = sums_[place(view, arm)];
  if (sums.pulls == 0.0) return kInfinity;
  return sums.mean() + confidence_width(scale() * confidence_scale_, view[1], sums.pulls);
}

std::optional<ContextBandit::ArmValue> ContextGrid::value_of(const View& view,
                                                             std::size_t arm) const {
  const ArmSums& sums = sums_[place(view, arm)];
  if (sums.pulls == 0.0) return std::nullopt;
  return ArmValue{sums.mean(), sums.pulls};
}

void ContextGrid::learn(const View& view, std::size_t arm, const Rewards& mapped) {
  ArmSums& sums = sums_[place(view, arm)];
  sums.pulls += static_cast<double>(mapped.count);
  sums.sum += mapped.sum;
  pulls_[static_cast<std::size_t>(view[0])] += static_cast<double>(mapped.count);
}

void ContextGrid::transfer(State& state) {
  state.mark("context-grid");
  ContextBandit::transfer(state);
  const std::size_t places = sums_.size();
  state(sums_);
  if (!state.restoring()) return;
  State::require(sums_.size() == places);
  for (std::size_t cell = 0; cell < cells(); ++cell) {
    pulls_[cell] = 0.0;
    for (std::size_t arm = 0; arm < size(); ++arm) pulls_[cell] += sums_[cell * size() + arm].pulls;
  }
}

std::unique_ptr<Optimizer> ContextGrid::clone() const {
  return std::make_unique<ContextGrid>(*this);
}

}  // namespace canopy
