#include "canopy/auction.hpp"
#include "canopy/cart_pole.hpp"
#include "canopy/contextual_function.hpp"
#include "canopy/environments.hpp"
#include "canopy/garland.hpp"
#include "canopy/lqr.hpp"
#include "canopy/lqr_partial.hpp"
#include "canopy/moving.hpp"
#include "canopy/routing.hpp"
#include "canopy/test_functions.hpp"

namespace canopy {
namespace {

template <class Function>
EnvironmentEntry function_entry(std::string name, std::string line) {
  return environment_entry<Function, typename Function::Options>(std::move(name), std::move(line));
}

/// The built-in environments, in the order in which they are listed.
std::vector<EnvironmentEntry> built_in() {
  return {
      function_entry<Garland>("garland", "many local maxima; the paper's first experiment"),
      environment_entry<GarlandMdp, GarlandMdpOptions>(
          "garland-mdp",
          "garland with a state that follows the arm; the paper's second experiment"),
      environment_entry<Lqr, LqrOptions>("lqr", "the gain of a linear-quadratic regulator"),
      environment_entry<Lqr2d, Lqr2dOptions>("lqr-2d", "two gains of a regulator for a mass"),
      environment_entry<LqrPartial, LqrPartialOptions>(
          "lqr-partial", "the gain of a regulator with noisy measurements and a Kalman filter"),
      environment_entry<Routing, RoutingOptions>(
          "routing", "the fraction of jobs sent to the first of two queues"),
      environment_entry<Auction, AuctionOptions>("auction",
                                                 "the reserve price of a second-price auction"),
      environment_entry<ReactiveAuction, ReactiveAuctionOptions>(
          "auction-reactive", "the reserve price with bidders who remember past reserves"),
      environment_entry<CartPole, CartPoleOptions>("cart-pole", "two gains that balance a pole"),
      function_entry<DoubleSine>("double-sine",
                                 "a test function between two degrees of smoothness"),
      function_entry<Difficult>("difficult", "a test function without a degree of smoothness"),
      function_entry<Himmelblau>("himmelblau",
                                 "a test function of two parameters with four maxima"),
      function_entry<Rastrigin>("rastrigin",
                                "a test function of any dimension, a lattice of hills"),
      function_entry<Ackley>("ackley", "a test function of any dimension, a single sharp peak"),
      function_entry<Counterexample>("counterexample",
                                     "a test function too steep for any nu1 rho^h"),
      function_entry<Cliff>("cliff", "a test function that rises, then drops to zero"),
      function_entry<Branin>("branin", "a test function of two parameters with three maxima"),
      function_entry<Peaks>("peaks", "a test function of two parameters, three hills on a plain"),
      function_entry<Rosenbrock>("rosenbrock", "a test function of any dimension, a curved ridge"),
      function_entry<Hartmann3>("hartmann-3", "a test function of three parameters, four bells"),
      function_entry<Hartmann6>("hartmann-6", "a test function of six parameters, four bells"),
      environment_entry<Moving, MovingOptions>(
          "moving", "a hill with a moving maximum, a moving level or autocorrelated noise"),
      environment_entry<Moving, TrafficDayOptions>(
          "traffic-day", "a day of traffic: a wave, and three deploys that move the best arm"),
      function_entry<ContextualFunction>("contextual",
                                         "a function whose best arm depends on a context"),
  };
}

}  // namespace

Catalogue<EnvironmentEntry>& environments() {
  static Catalogue<EnvironmentEntry> all("environment", built_in());
  return all;
}

std::unique_ptr<KnownEnvironment> make_environment(const Selection& environment) {
  return environments().at(environment.name).make(environment.options);
}

}  // namespace canopy
