#include "canopy/auction.hpp"

#include "environments/checked.hpp"
#include "environments/maximum.hpp"

#include <cmath>

namespace canopy {
namespace {

Space reserves() {
  return Space{{"reserve", Real{0.0, 1.0}}};
}

/// The mean revenue when each of n bidders attends with probability p > 0. A bid is below v with
/// probability y = 1 - p + p v. The reserve is paid when exactly one bid reaches it; the second
/// bid, with density n (n - 1) y^(n - 2) (1 - y) in y, is paid when at least two bids reach it.
double mean_revenue(double n, double p, double reserve) {
  const double y = 1.0 - p + p * reserve;
  const auto second_bid_moment = [n](double at) {  // moment of y up to `at`
    return (n - 1.0) * std::pow(at, n) - n * (n - 1.0) / (n + 1.0) * std::pow(at, n + 1.0);
  };
  const auto second_bid_share = [n](double at) {
    return n * std::pow(at, n - 1.0) - (n - 1.0) * std::pow(at, n);
  };
  const double one = reserve * n * std::pow(y, n - 1.0) * (1.0 - y);
  const double moment = second_bid_moment(1.0) - second_bid_moment(y);
  const double share = second_bid_share(1.0) - second_bid_share(y);
  return one + (moment - (1.0 - p) * share) / p;  // v = (y - 1 + p) / p
}

}  // namespace

Auction::Auction(const AuctionOptions& options)
    : space_(reserves()), bidders_(checked(options).bidders) {}

double Auction::mean_reward(Arm arm) const {
  return mean_revenue(static_cast<double>(bidders_), 1.0, arm[0]);
}

Optimum Auction::optimum() const {
  constexpr double kBest = 0.5;
  return {{kBest}, mean_reward({&kBest, 1})};
}

ReactiveAuction::ReactiveAuction(const ReactiveAuctionOptions& options)
    : PolicyEnvironment(reserves(), ReactiveAuctionProcess{checked(options).bidders,
                                                           options.aversion, options.beta}),
      optimum_(maximum(
          [this](double reserve) {
            return mean_reward({&reserve, 1});
          },
          0.0, 1.0)) {}

double ReactiveAuction::mean_reward(Arm arm) const {
  const double attendance = 1.0 - mdp().aversion * arm[0];
  if (attendance <= 0.0) return 0.0;
  return mean_revenue(static_cast<double>(mdp().bidders), attendance, arm[0]);
}

std::optional<double> ReactiveAuction::mixing_time() const {
  return static_cast<double>(mdp().bidders) * mdp().aversion / mdp().beta;
}

}  // namespace canopy
