#pragma once

#include "environments/fields.hpp"

#include <memory>
#include <string_view>
#include <variant>

namespace canopy {

/// The class that options are for, its name everywhere, and a line about it.
template <class Options>
struct EnvironmentEntry;

template <>
struct EnvironmentEntry<GarlandOptions> {
  using Type = Garland;
  static constexpr std::string_view name = "garland";
  static constexpr std::string_view line = "many local maxima; the paper's first experiment";
};
template <>
struct EnvironmentEntry<GarlandMdpOptions> {
  using Type = GarlandMdp;
  static constexpr std::string_view name = "garland-mdp";
  static constexpr std::string_view line =
      "garland of a state that follows the arm; the paper's second";
};
template <>
struct EnvironmentEntry<LqrOptions> {
  using Type = Lqr;
  static constexpr std::string_view name = "lqr";
  static constexpr std::string_view line = "the gain of a linear-quadratic regulator";
};
template <>
struct EnvironmentEntry<Lqr2dOptions> {
  using Type = Lqr2d;
  static constexpr std::string_view name = "lqr-2d";
  static constexpr std::string_view line = "two gains: the regulator of a mass that is pushed";
};
template <>
struct EnvironmentEntry<LqrPartialOptions> {
  using Type = LqrPartial;
  static constexpr std::string_view name = "lqr-partial";
  static constexpr std::string_view line = "the regulator seen through noise and a Kalman filter";
};
template <>
struct EnvironmentEntry<RoutingOptions> {
  using Type = Routing;
  static constexpr std::string_view name = "routing";
  static constexpr std::string_view line = "the share of jobs sent to the first of two queues";
};
template <>
struct EnvironmentEntry<AuctionOptions> {
  using Type = Auction;
  static constexpr std::string_view name = "auction";
  static constexpr std::string_view line = "the reserve price of a second-price auction";
};
template <>
struct EnvironmentEntry<ReactiveAuctionOptions> {
  using Type = ReactiveAuction;
  static constexpr std::string_view name = "auction-reactive";
  static constexpr std::string_view line = "the same, with bidders who remember past reserves";
};
template <>
struct EnvironmentEntry<CartPoleOptions> {
  using Type = CartPole;
  static constexpr std::string_view name = "cart-pole";
  static constexpr std::string_view line = "two gains that balance a pole which is pushed";
};
template <>
struct EnvironmentEntry<DoubleSine::Options> {
  using Type = DoubleSine;
  static constexpr std::string_view name = "double-sine";
  static constexpr std::string_view line = "a test function between two smoothnesses";
};
template <>
struct EnvironmentEntry<Difficult::Options> {
  using Type = Difficult;
  static constexpr std::string_view name = "difficult";
  static constexpr std::string_view line = "a test function that no smoothness fits";
};
template <>
struct EnvironmentEntry<Himmelblau::Options> {
  using Type = Himmelblau;
  static constexpr std::string_view name = "himmelblau";
  static constexpr std::string_view line = "a test function of two numbers with four maxima";
};
template <>
struct EnvironmentEntry<Rastrigin::Options> {
  using Type = Rastrigin;
  static constexpr std::string_view name = "rastrigin";
  static constexpr std::string_view line = "a test function of any dimension, a lattice of hills";
};
template <>
struct EnvironmentEntry<Ackley::Options> {
  using Type = Ackley;
  static constexpr std::string_view name = "ackley";
  static constexpr std::string_view line = "a test function of any dimension, one needle";
};

/// The class behind the options.
template <class Options>
using EnvironmentOf = typename EnvironmentEntry<std::remove_cvref_t<Options>>::Type;

/// Throws ConfigurationError.
[[nodiscard]] std::unique_ptr<KnownEnvironment> make_environment(const EnvironmentOptions& options);

}  // namespace canopy
