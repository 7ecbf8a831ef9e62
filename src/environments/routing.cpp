#include "canopy/routing.hpp"

#include "core/text.hpp"

#include <utility>
#include <vector>

namespace canopy {
namespace {

constexpr double kHighestLoad = 0.95;  // largest load of a queue
constexpr double kMostArrivals = 0.9;  // as a fraction of both queues' capacity

const RoutingOptions& stable(const RoutingOptions& options) {
  throw_if_any(violations_of(options, "environment."));
  if (options.arrival_rate > kMostArrivals * (options.first_rate + options.second_rate)) {
    throw ConfigurationError({{"environment.arrival_rate", to_text(options.arrival_rate),
                               "must be at most 90 % of first_rate + second_rate"}});
  }
  return options;
}

Space shares(const RoutingOptions& options) {
  const double low = 1.0 - kHighestLoad * options.second_rate / options.arrival_rate;
  const double high = kHighestLoad * options.first_rate / options.arrival_rate;
  return Space{{"share", Real{std::max(0.0, low), std::min(1.0, high)}}};
}

}  // namespace

Routing::Routing(const RoutingOptions& options)
    : PolicyEnvironment(shares(stable(options)),
                        RoutingProcess{options.arrival_rate, options.first_rate,
                                       options.second_rate, options.patience}) {}

double Routing::mean_reward(Arm arm) const {
  const RoutingProcess& p = mdp();
  const double hurry = 1.0 / p.patience;
  const double share = arm[0];
  const double first = share / (p.first_rate + hurry - p.arrival_rate * share);
  const double second = (1.0 - share) / (p.second_rate + hurry - p.arrival_rate * (1.0 - share));
  return 1.0 - hurry * (first + second);
}

Optimum Routing::optimum() const {
  const RoutingProcess& p = mdp();
  const double hurry = 1.0 / p.patience;
  const double first = p.first_rate + hurry;
  const double second = p.second_rate + hurry;
  const double spare = first + second - p.arrival_rate;
  const double best =
      (first - spare * std::sqrt(first) / (std::sqrt(first) + std::sqrt(second))) / p.arrival_rate;
  const auto [low, high] = space().parameters()[0].domain.ends();
  const double share = std::clamp(best, low, high);  // f is concave
  return {{share}, mean_reward({&share, 1})};
}

}  // namespace canopy
