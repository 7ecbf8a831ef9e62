#include "canopy/test_functions.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace canopy {
namespace {

using std::numbers::e;
using std::numbers::pi;

Space unit_interval() {
  return Space{{"x", Real{0.0, 1.0}}};
}

/// [-half_width, half_width]^dimension
Space cube(std::size_t dimension, double half_width) {
  std::vector<Parameter> parameters;
  parameters.reserve(dimension);
  for (std::size_t i = 1; i <= dimension; ++i) {
    parameters.push_back({"x" + std::to_string(i), Real{-half_width, half_width}});
  }
  return Space(std::move(parameters));
}

}  // namespace

double DoubleSineFunction::operator()(Arm arm) const {
  static const double outer = std::log2(1.0 / 0.8);
  static const double inner = std::log2(1.0 / 0.3);
  const double u = 2.0 * std::abs(arm[0] - 0.5);
  if (u == 0.0) return 1.0;
  const double lower = std::pow(u, outer);
  const double wave = 0.5 * (1.0 + std::sin(pi * std::log2(u)));
  return 1.0 - lower + wave * (lower - std::pow(u, inner));
}

Space DoubleSineFunction::space() {
  return unit_interval();
}

double DifficultFunction::operator()(Arm arm) const {
  const double distance = std::abs(arm[0] - 0.5);
  if (distance == 0.0) return 1.0;
  const double scale = std::log2(distance);
  const bool high = scale - std::floor(scale) <= 0.5;
  return 1.0 - (high ? std::numbers::sqrt2 * distance * distance : std::sqrt(2.0 * distance));
}

Space DifficultFunction::space() {
  return unit_interval();
}

double HimmelblauFunction::operator()(Arm arm) const {
  const double x = arm[0];
  const double y = arm[1];
  const double first = x * x + y - 11.0;
  const double second = x + y * y - 7.0;
  return 1.0 - (first * first + second * second) / 890.0;
}

Space HimmelblauFunction::space() {
  return Space{{"x", Real{-5.0, 5.0}}, {"y", Real{-5.0, 5.0}}};
}

double RastriginFunction::operator()(Arm arm) const {
  double sum = 0.0;
  for (const double x : arm) sum += 10.0 + x * x - 10.0 * std::cos(2.0 * pi * x);
  return 1.0 - sum / (kRastriginLargest * static_cast<double>(dimension_));
}

Space RastriginFunction::space() const {
  return cube(dimension_, 5.12);
}

double AckleyFunction::operator()(Arm arm) const {
  const auto dimension = static_cast<double>(dimension_);
  double squares = 0.0;
  double cosines = 0.0;
  for (const double x : arm) {
    squares += x * x;
    cosines += std::cos(2.0 * pi * x);
  }
  const double value = 20.0 * (1.0 - std::exp(-0.2 * std::sqrt(squares / dimension))) + e -
                       std::exp(cosines / dimension);
  return 1.0 - value / (20.0 + e - 1.0 / e);
}

Space AckleyFunction::space() const {
  return cube(dimension_, 32.768);
}

}  // namespace canopy
