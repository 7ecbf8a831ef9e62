#include "canopy/family/lin_ucb.hpp"

#include "canopy/errors.hpp"

#include "core/positive_matrix.hpp"
#include "family/grid_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace canopy {

template <>
inline constexpr double kMostPoints<LinUcbOptions> = 8.0;

namespace {

double dot(const std::vector<double>& a, const double* b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

LinUcb::LinUcb(const Space& space, const LinUcbOptions& options, const Objective& objective,
               const ContextSpace& contexts)
    : ContextBandit(space, points_of(options, space.dimension()), checked(options, objective),
                    contexts),
      confidence_scale_(options.confidence_scale) {
  std::vector<double> first;
  for (const ContextVariable& variable : contexts.variables()) {
    first.push_back(variable.domain.ends()[0]);
  }
  const std::size_t features = features_of(first).size();
  if (features > kMostFeatures) {
    throw ConfigurationError({{"context", std::to_string(features) + " features",
                               "lin-ucb takes at most " + std::to_string(kMostFeatures) +
                                   ": use choices with fewer values, or fewer variables"}});
  }
  Model fresh;
  fresh.products.assign(features * features, 0.0);
  for (std::size_t i = 0; i < features; ++i) fresh.products[i * features + i] = 1.0;
  fresh.sums.assign(features, 0.0);
  (void)solve(fresh);
  models_.assign(size(), fresh);
}

std::vector<double> LinUcb::features_of(Context context) const {
  std::vector<double> linear;
  std::vector<std::size_t> of;  // variable of each feature
  for (std::size_t k = 0; k < contexts().size(); ++k) {
    const auto& [name, domain, period] = contexts()[k];
    if (period != 0.0) {
      const double angle = 2.0 * std::numbers::pi * context[k] / period;
      linear.insert(linear.end(), {std::cos(angle), std::sin(angle)});
    } else if (domain.is_ordered()) {
      linear.push_back(2.0 * domain.share(context[k]) - 1.0);
    } else {
      for (std::uint64_t value = 1; value < domain.count().value_or(0); ++value) {
        linear.push_back(context[k] == static_cast<double>(value) ? 1.0 : 0.0);
      }
    }
    of.resize(linear.size(), k);
  }
  std::vector<double> features{1.0};
  features.insert(features.end(), linear.begin(), linear.end());
  for (std::size_t i = 0; i < linear.size(); ++i) {
    for (std::size_t j = i; j < linear.size(); ++j) {
      // Skip redundant products of a choice's indicators: the product of two is 0, and a square is
      // the indicator itself.
      if (of[i] == of[j] && !contexts()[of[i]].domain.is_ordered()) continue;
      features.push_back(linear[i] * linear[j]);
    }
  }
  return features;
}

double LinUcb::index(const View& view, std::size_t arm) const {
  const Model& model = models_[arm];
  const std::size_t features = view.size();
  double variance = 0.0;
  for (std::size_t row = 0; row < features; ++row) {
    variance += view[row] * dot(view, model.inverse.data() + row * features);
  }
  return dot(view, model.theta.data()) +
         scale() * confidence_scale_ * std::sqrt(std::max(0.0, variance));
}

std::optional<ContextBandit::ArmValue> LinUcb::value_of(const View& view, std::size_t arm) const {
  const Model& model = models_[arm];
  if (model.pulls == 0.0) return std::nullopt;
  return ArmValue{dot(view, model.theta.data()), model.pulls};
}

void LinUcb::learn(const View& view, std::size_t arm, const Rewards& mapped) {
  Model& model = models_[arm];
  const std::size_t features = view.size();
  const auto count = static_cast<double>(mapped.count);
  model.pulls += count;
  for (std::size_t row = 0; row < features; ++row) {
    for (std::size_t column = 0; column < features; ++column) {
      model.products[row * features + column] += count * view[row] * view[column];
    }
    model.sums[row] += mapped.sum * view[row];
  }
  (void)solve(model);
}

/// Returns false if A cannot be inverted, for example in a damaged saved state.
bool LinUcb::solve(Model& model) {
  const std::size_t features = model.sums.size();
  model.inverse = model.products;
  if (!invert_positive(model.inverse, features)) return false;
  model.theta.resize(features);
  for (std::size_t row = 0; row < features; ++row) {
    model.theta[row] = dot(model.sums, model.inverse.data() + row * features);
  }
  return true;
}

void LinUcb::transfer(State& state) {
  state.mark("lin-ucb");
  ContextBandit::transfer(state);
  const std::size_t features = models_[0].sums.size();
  for (Model& model : models_) {
    state(model.pulls, model.products, model.sums);
    if (!state.restoring()) continue;
    State::require(State::are_counts({model.pulls}) && model.sums.size() == features &&
                   model.products.size() == features * features);
    for (const double sum : model.sums) State::require(State::are_finite({sum}));
    for (const double product : model.products) {
      State::require(std::abs(product) <= 1.0 + 1.0001 * model.pulls);
    }
    State::require(solve(model));
  }
}

std::unique_ptr<Optimizer> LinUcb::clone() const {
  return std::make_unique<LinUcb>(*this);
}

OptimizerEntry lin_ucb_entry() {
  OptimizerEntry entry = optimizer_entry<LinUcb, LinUcbOptions>(
      "lin-ucb", "a fixed grid of arms under LinUCB, for contexts");
  entry.resolve = resolve_points<LinUcbOptions>;
  entry.make_in_contexts = [](const OptionValues& values, const Space& space,
                              const PartitionRule& /*partition*/, const Objective& objective,
                              const ContextSpace& contexts) -> std::unique_ptr<Optimizer> {
    return std::make_unique<LinUcb>(space, options_from<LinUcbOptions>(values, "optimizer."),
                                    objective, contexts);
  };
  return entry;
}

}  // namespace canopy
