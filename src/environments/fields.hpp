#pragma once

#include "canopy/auction.hpp"
#include "canopy/cart_pole.hpp"
#include "canopy/garland.hpp"
#include "canopy/lqr.hpp"
#include "canopy/lqr_partial.hpp"
#include "canopy/routing.hpp"
#include "canopy/test_functions.hpp"

#include "core/fields.hpp"

#include <variant>

namespace canopy {

template <>
struct EnumNames<Noise> {
  static constexpr std::array<std::string_view, 3> names{"uniform", "gaussian", "bernoulli"};
};

inline constexpr Range kThousand{"a whole number from 1 to 1000",
                                 [](double x) { return x >= 1.0 && x <= 1000.0; }};
inline constexpr Range kUpToTen{"a number from 0 to 10",
                                [](double x) { return x >= 0.0 && x <= 10.0; }};
inline constexpr Range kUpToHundred{"a number from 0 to 100",
                                    [](double x) { return x >= 0.0 && x <= 100.0; }};
inline constexpr Range kAroundOne{"a number from 0.001 to 1000",
                                  [](double x) { return x >= 0.001 && x <= 1000.0; }};

/// The options of one environment: which one is meant by the type.
using EnvironmentOptions =
    std::variant<GarlandOptions, GarlandMdpOptions, LqrOptions, Lqr2dOptions, LqrPartialOptions,
                 RoutingOptions, AuctionOptions, ReactiveAuctionOptions, CartPoleOptions,
                 DoubleSine::Options, Difficult::Options, Himmelblau::Options, Rastrigin::Options,
                 Ackley::Options>;

/// The one list of the options of all environments; see Field.
template <AlternativeOf<EnvironmentOptions> Options, class Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  if constexpr (requires { options.dimension; }) {
    visit(Field{"dimension", "parameters of the function", kThousand}, options.dimension);
  }
  if constexpr (requires { options.noise; }) {
    visit(Field{"noise", "of a reward: uniform, gaussian or bernoulli"}, options.noise);
    visit(Field{"noise_width", "width of uniform noise, or what multiplies the other kinds",
                kNotNegative},
          options.noise_width);
  }
  if constexpr (requires { options.bidders; }) {
    visit(Field{"bidders", "how many there are", kThousand}, options.bidders);
  }
  if constexpr (requires { options.aversion; }) {
    visit(Field{"aversion", "of bidders to a reserve of 1: the probability to stay away", kUnit},
          options.aversion);
  }
  if constexpr (requires { options.beta; }) {
    visit(Field{"beta", "how much of the state is new after a pull", kRate}, options.beta);
  }
  if constexpr (requires { options.pole; }) {
    visit(Field{"pole", "by what factor the state grows when left alone", kUpToTen}, options.pole);
    visit(Field{"control_cost", "the price of acting", kUpToHundred}, options.control_cost);
  }
  if constexpr (requires { options.observation_noise; }) {
    visit(Field{"observation_noise", "standard deviation of what is measured", kAroundOne},
          options.observation_noise);
  }
  if constexpr (requires { options.arrival_rate; }) {
    visit(Field{"arrival_rate", "jobs in a unit of time", kAroundOne}, options.arrival_rate);
    visit(Field{"first_rate", "jobs the first queue serves in it", kAroundOne}, options.first_rate);
    visit(Field{"second_rate", "jobs the second queue serves in it", kAroundOne},
          options.second_rate);
    visit(Field{"patience", "the delay at which a job is worth 1/e", kAroundOne}, options.patience);
  }
}

/// The options, once they are in order. Throws ConfigurationError.
template <class Options>
const Options& checked(const Options& options) {
  throw_if_any(field_violations(options, "environment."));
  return options;
}

}  // namespace canopy
