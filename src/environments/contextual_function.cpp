#include "canopy/contextual_function.hpp"

#include "environments/checked.hpp"
#include "environments/maximum.hpp"
#include "environments/squared.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace canopy {
namespace {

constexpr std::uint64_t kBurst = 50;  // in pulls
constexpr double kRounds = 10.0;      // cycles per span

/// The fractional part of a number.
double rest_of(double x) {
  return x - std::floor(x);
}

/// A sine with one period for x from 0 to 1.
double turn(double x) {
  return 2.0 * std::numbers::pi * x;
}

// --- contexts ------------------------------------------------------------------------------------

ContextVariable number(std::string name) {
  return {std::move(name), Real{0.0, 1.0}};
}

ContextVariable hour() {
  return {"hour", Real{0.0, 24.0}, 24.0};
}

ContextVariable kind_of(std::size_t values) {
  Choice choice;
  for (std::size_t i = 0; i < values; ++i) {
    choice.choices.emplace_back(1, static_cast<char>('a' + i));
  }
  return {"kind", std::move(choice)};
}

// --- effects of contexts -------------------------------------------------------------------------

auto always(double value) {
  return [value](Context /*z*/) { return value; };
}

/// A function with one number for each value of the first variable.
auto by_kind(std::vector<double> values) {
  return [values = std::move(values)](Context z) { return values[static_cast<std::size_t>(z[0])]; };
}

/// A loss: factors times the squared offsets, or a factor times the absolute first offset.
auto bowl(double first, double second = 0.0) {
  return [=](Context /*z*/, const std::array<double, 2>& off) {
    return first * squared(off[0]) + second * squared(off[1]);
  };
}
auto cone(double factor) {
  return [factor](Context /*z*/, const std::array<double, 2>& off) {
    return factor * std::abs(off[0]);
  };
}

/// Mixes bits so that every output bit depends on every input bit (the finalizer of SplitMix64:
/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

}  // namespace

// --- problems ------------------------------------------------------------------------------------

ContextualFunction::Problem ContextualFunction::problem_of(ContextProblem problem) {
  switch (problem) {
    case ContextProblem::smooth:
      return {{number("z")},
              {[](Context z) { return 0.85 - 0.7 * squared(z[0]); }},
              [](Context z) { return 0.8 + 0.1 * z[0]; },
              [](Context /*z*/, const Offset& off) {
                return (off[0] > 0.0 ? 1.5 : 0.6) * std::pow(std::abs(off[0]), 1.5);
              }};
    case ContextProblem::line:
      return {{number("z")}, {[](Context z) { return 0.2 + 0.6 * z[0]; }}, always(0.9), bowl(1.2)};
    case ContextProblem::jump:
      return {{number("z")},
              {[](Context z) { return z[0] < 0.27   ? 0.6
                                      : z[0] < 0.71 ? 0.15
                                                    : 0.85; }},
              [](Context z) { return z[0] < 0.71 ? 0.9 : 0.8; },
              bowl(1.1)};
    case ContextProblem::step:
      return {{number("z")},
              {[](Context z) { return z[0] < 0.35 ? 0.25 : 0.7; }},
              always(0.85),
              cone(0.9)};
    case ContextProblem::half:
      return {{number("z")},
              {[](Context z) { return 0.3 + std::max(0.0, z[0] - 0.5); }},
              always(0.85),
              bowl(1.0)};
    case ContextProblem::sharp:
      return {{number("z")},
              {[](Context z) { return 0.5 + 0.3 * std::cos(turn(z[0])); }},
              always(0.85),
              [](Context /*z*/, const Offset& off) {
                return 0.7 * (1.0 - std::exp(-0.5 * squared(off[0] / 0.05)));
              }};
    case ContextProblem::tent:
      return {
          {number("z")},
          {[](Context z) { return 0.3 + 0.4 * z[0]; }},
          always(0.9),
          [](Context /*z*/, const Offset& off) { return std::min(0.8, 8.0 * std::abs(off[0])); }};
    case ContextProblem::load:
      return {{{"load", Real{0.1, 1.0, Scale::log}}},
              {[](Context z) { return z[0] - 0.05; }},
              [](Context z) { return 0.9 - 0.25 * (z[0] - 0.05); },
              [](Context z, const Offset& off) {
                const double capacity = z[0] + off[0];  // 0.05 + x
                const double use = z[0] / capacity;
                const double quality = std::min(1.0, use < 1.0 ? use + 0.15 : 1.65 - 0.5 * use);
                return 0.9 * (1.0 - quality * std::min(1.0, capacity / z[0])) + 0.25 * off[0];
              }};
    case ContextProblem::scale:
      return {
          {number("z")},
          {always(0.42)},
          [](Context z) { return 0.3 + 0.6 * z[0]; },
          [](Context z, const Offset& off) { return (0.3 + 0.6 * z[0]) * 1.2 * squared(off[0]); }};
    case ContextProblem::additive:
      return {{number("z")},
              {always(0.72)},
              [](Context z) { return 0.5 + (z[0] > 0.4 && z[0] < 0.8 ? 0.25 : 0.0) + 0.2 * z[0]; },
              cone(0.5)};
    case ContextProblem::day:
      return {{hour()},
              {always(0.37)},
              [](Context z) { return 0.65 + 0.3 * std::sin(turn(z[0] / 24.0)); },
              bowl(0.85)};
    case ContextProblem::irrelevant: {
      const auto f = [](double x) { return 0.5 + 0.35 * std::sin(13.0 * x) * std::sin(27.0 * x); };
      static const Optimum best = maximum(f, 0.0, 1.0);
      const double place = best.arm[0];
      const double top = best.value;
      return {{number("z")}, {always(place)}, always(top), [=](Context /*z*/, const Offset& off) {
                return top - f(place + off[0]);
              }};
    }
    case ContextProblem::ripples:
      return {{number("z")}, {always(0.37)}, always(0.8), [](Context /*z*/, const Offset& off) {
                return 1.5 * squared(off[0]) + 0.1 * (1.0 - std::cos(12.0 * off[0]));
              }};
    case ContextProblem::choice:
      return {{kind_of(5)},
              {by_kind({0.3, 0.3, 0.65, 0.65, 0.9})},
              by_kind({0.9, 0.6, 0.75, 0.8, 0.5}),
              cone(0.8)};
    case ContextProblem::choice_of_three:
      return {{kind_of(3)}, {by_kind({0.2, 0.55, 0.8})}, by_kind({0.9, 0.6, 0.75}), bowl(0.9)};
    case ContextProblem::choice_of_four:
      return {{kind_of(4)},
              {by_kind({0.7, 0.15, 0.7, 0.4})},
              by_kind({0.6, 0.85, 0.7, 0.9}),
              bowl(1.1)};
    case ContextProblem::choice_of_six:
      return {{kind_of(6)},
              {by_kind({0.2, 0.8, 0.2, 0.5, 0.8, 0.5})},
              by_kind({0.7, 0.85, 0.9, 0.6, 0.7, 0.8}),
              cone(0.7)};
    case ContextProblem::two_knobs:
      return {{number("z")},
              {[](Context z) { return 0.2 + 0.6 * z[0]; }, always(0.35)},
              always(0.85),
              bowl(0.9, 0.6)};
    case ContextProblem::opposite:
      return {
          {number("z")},
          {[](Context z) { return 0.3 + 0.4 * z[0]; }, [](Context z) { return 0.7 - 0.4 * z[0]; }},
          always(0.9),
          bowl(0.8, 0.8)};
    case ContextProblem::one_of_two:
      return {{number("z1"), number("z2")},
              {[](Context z) { return 0.2 + 0.6 * squared(z[0]); }},
              [](Context z) { return 0.85 + 0.1 * (z[1] - 0.5); },
              cone(0.9)};
    case ContextProblem::wave:
      return {{hour(), number("z")},
              {[](Context z) { return 0.5 + 0.3 * std::sin(turn(z[0] / 24.0)); }},
              always(0.9),
              bowl(1.2)};
    case ContextProblem::one_of_three:
      return {{number("z1"), number("z2"), number("z3")},
              {[](Context z) { return 0.25 + 0.5 * z[0]; }},
              [](Context z) { return 0.8 + 0.08 * std::sin(turn(z[1])); },
              bowl(1.1)};
    case ContextProblem::two_by_two:
      return {
          {number("z1"), number("z2")},
          {[](Context z) { return 0.2 + 0.6 * z[0]; }, [](Context z) { return 0.8 - 0.5 * z[1]; }},
          always(0.9),
          bowl(0.9, 0.7)};
    case ContextProblem::choice_of_two:
      return {{kind_of(2), number("z")},
              {by_kind({0.75, 0.3}), always(0.6)},
              [](Context z) { return 0.85 + 0.1 * z[1]; },
              bowl(0.8, 0.5)};
    case ContextProblem::additive_two:
      return {{number("z"), kind_of(4)},
              {always(0.25)},
              [](Context z) { return 0.55 + 0.2 * std::cos(turn(z[0])) + 0.08 * (z[1] - 1.5); },
              bowl(0.8)};
    case ContextProblem::irrelevant_two:
      return {{number("z1"), number("z2")},
              {always(0.62), always(0.21)},
              always(0.85),
              [](Context /*z*/, const Offset& off) {
                return 0.7 * squared(off[0]) + 0.5 * std::abs(off[1]);
              }};
    case ContextProblem::irrelevant_mixed:
      break;
  }
  return {{number("z"), kind_of(3)},
          {always(0.58)},
          always(0.75),
          [](Context /*z*/, const Offset& off) {
            return 0.5 * std::abs(off[0]) + 0.08 * (1.0 - std::cos(25.0 * off[0]));
          }};
}

// --- the environment -----------------------------------------------------------------------------

ContextualFunction::ContextualFunction(const Options& options)
    : problem_(problem_of(checked(options).problem)),
      arrival_(options.arrival),
      span_(static_cast<double>(options.span)),
      noise_(options.noise),
      noise_width_(options.noise_width),
      space_([this] {
        const std::size_t dimension = problem_.place.size();
        std::vector<Parameter> parameters;
        for (std::size_t i = 1; i <= dimension; ++i) {
          parameters.push_back({dimension == 1 ? "x" : "x" + std::to_string(i), Real{0.0, 1.0}});
        }
        return Space(std::move(parameters));
      }()),
      contexts_(problem_.contexts) {}

double ContextualFunction::uniform_at(std::uint64_t t, std::size_t variable) const {
  const std::uint64_t bits = mixed(key_ ^ mixed(ContextSpace::kMostVariables * t + variable));
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

double ContextualFunction::share_at(std::uint64_t t, std::size_t variable) const {
  const double u = uniform_at(t, variable);
  const double time = static_cast<double>(t - 1) / span_;
  switch (arrival_) {
    case ContextArrival::uniform:
      break;
    case ContextArrival::skewed:
      return u * u * u;
    case ContextArrival::cycle:
      return rest_of(kRounds * (variable == 0 ? 1.0 : 2.3) * time + 0.02 * u);
    case ContextArrival::bursts:
      return uniform_at((t - 1) / kBurst, variable);
    case ContextArrival::sorted:
      return rest_of(time + u / span_);
    case ContextArrival::appearing:
      return 0.5 * u + (rest_of(time) < 0.5 ? 0.0 : 0.5);
    case ContextArrival::clusters:
      return 0.1 * u + (u < 0.5 ? 0.1 : 0.7);
  }
  return u;
}

std::vector<double> ContextualFunction::context_at(std::uint64_t t) const {
  std::vector<double> context;
  for (std::size_t k = 0; k < contexts_.size(); ++k) {
    context.push_back(coordinate_at(t, k));
  }
  return context;
}

double ContextualFunction::coordinate_at(std::uint64_t t, std::size_t variable) const {
  return contexts_[variable].domain.at(share_at(t, variable));
}

double ContextualFunction::mean_reward_in(Context context, Arm arm) const {
  Offset offset{};
  for (std::size_t i = 0; i < arm.size(); ++i) {
    offset.at(i) = arm[i] - problem_.place[i](context);
  }
  return std::max(0.0, problem_.top(context) - problem_.loss(context, offset));
}

Optimum ContextualFunction::optimum_in(Context context) const {
  Optimum optimum{{}, problem_.top(context)};
  for (const OfContext& place : problem_.place) optimum.arm.push_back(place(context));
  return optimum;
}

void ContextualFunction::start(RandomStream& random) {
  key_ = random();
  t_ = 1;
}

double ContextualFunction::pull(Arm arm, RandomStream& random) {
  std::array<double, ContextSpace::kMostVariables> context{};
  for (std::size_t k = 0; k < contexts_.size(); ++k) context.at(k) = coordinate_at(t_, k);
  ++t_;
  const double f = mean_reward_in(Context(context.data(), contexts_.size()), arm);
  return noisy(f, noise_, noise_width_, random);
}

}  // namespace canopy
