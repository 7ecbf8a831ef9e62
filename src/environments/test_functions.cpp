#include "canopy/test_functions.hpp"

#include "canopy/errors.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace canopy {
namespace {

using std::numbers::e;
using std::numbers::pi;

/// [0, 1] with a fraction cut off at its lower end.
Space unit_interval(double crop = 0.0) {
  return Space{{"x", Real{crop, 1.0}}};
}

/// [low, high]^dimension with a fraction cut off at the lower ends.
Space cube(std::size_t dimension, double low, double high, double crop = 0.0) {
  std::vector<Parameter> parameters;
  parameters.reserve(dimension);
  for (std::size_t i = 1; i <= dimension; ++i) {
    parameters.push_back({"x" + std::to_string(i), Real{std::lerp(low, high, crop), high}});
  }
  return Space(std::move(parameters));
}

constexpr double square(double x) {
  return x * x;
}

const double kCliffEdge = 1.0 / std::numbers::sqrt2;

/// One of the four bells of a Hartmann function.
template <std::size_t kDimension>
struct Bell {
  double height;
  std::array<double, kDimension> steepness;
  std::array<double, kDimension> middle;
};

template <std::size_t kDimension>
struct Bells {
  std::array<Bell<kDimension>, 4> bells;
  std::array<double, kDimension> best;
  double largest;  // maximum of their sum, rounded up
};

template <std::size_t kDimension>
constexpr Bells<kDimension> kHartmann{};

template <>
constexpr Bells<3> kHartmann<3>{{{{1.0, {3.0, 10.0, 30.0}, {0.3689, 0.1170, 0.2673}},
                                  {1.2, {0.1, 10.0, 35.0}, {0.4699, 0.4387, 0.7470}},
                                  {3.0, {3.0, 10.0, 30.0}, {0.1091, 0.8732, 0.5547}},
                                  {3.2, {0.1, 10.0, 35.0}, {0.0381, 0.5743, 0.8828}}}},
                                {0.114588893, 0.555648894, 0.852546985},
                                3.862779787332664};

template <>
constexpr Bells<6> kHartmann<6>{
    {{{1.0, {10.0, 3.0, 17.0, 3.5, 1.7, 8.0}, {0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886}},
      {1.2, {0.05, 10.0, 17.0, 0.1, 8.0, 14.0}, {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991}},
      {3.0, {3.0, 3.5, 1.7, 10.0, 17.0, 8.0}, {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650}},
      {3.2, {17.0, 8.0, 0.05, 10.0, 0.1, 14.0}, {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}}}},
    {0.201689512, 0.150010695, 0.476873978, 0.275332428, 0.311651617, 0.657300535},
    3.322368011415516};

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

Space DoubleSineFunction::space() const {
  return unit_interval(crop_);
}

double DifficultFunction::operator()(Arm arm) const {
  const double distance = std::abs(arm[0] - 0.5);
  if (distance == 0.0) return 1.0;
  const double scale = std::log2(distance);
  const bool high = scale - std::floor(scale) <= 0.5;
  return 1.0 - (high ? std::numbers::sqrt2 * distance * distance : std::sqrt(2.0 * distance));
}

Space DifficultFunction::space() const {
  return unit_interval(crop_);
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
  return cube(dimension_, -5.12, 5.12, crop_);
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
  return cube(dimension_, -32.768, 32.768, crop_);
}

double CounterexampleFunction::operator()(Arm arm) const {
  return arm[0] == 0.0 ? 1.0 : 1.0 + 1.0 / std::log(arm[0]);
}

Space CounterexampleFunction::space() {
  return Space{{"x", Real{0.0, 1.0 / e}}};
}

double CliffFunction::operator()(Arm arm) const {
  return arm[0] <= kCliffEdge ? arm[0] / kCliffEdge : 0.0;
}

Space CliffFunction::space() {
  return unit_interval();
}

Optimum CliffFunction::optimum() {
  return {{kCliffEdge}, 1.0};
}

double BraninFunction::operator()(Arm arm) const {
  const double x = arm[0];
  const double valley = arm[1] - 5.1 / (4.0 * pi * pi) * x * x + 5.0 / pi * x - 6.0;
  const double value = square(valley) + 10.0 * (1.0 - 1.0 / (8.0 * pi)) * std::cos(x) + 10.0;
  return 1.0 - (value - kBraninLeast) / (kBraninLargest - kBraninLeast);
}

Space BraninFunction::space() {
  return Space{{"x", Real{-5.0, 10.0}}, {"y", Real{0.0, 15.0}}};
}

Optimum BraninFunction::optimum() {
  return {{pi, 2.275}, 1.0};
}

double PeaksFunction::operator()(Arm arm) const {
  const double x = arm[0];
  const double y = arm[1];
  const double value = 3.0 * square(1.0 - x) * std::exp(-x * x - square(y + 1.0)) -
                       10.0 * (x / 5.0 - x * x * x - y * y * y * y * y) * std::exp(-x * x - y * y) -
                       std::exp(-square(x + 1.0) - y * y) / 3.0;
  return (value - kPeaksLeast) / (kPeaksLargest - kPeaksLeast);
}

Space PeaksFunction::space() {
  return Space{{"x", Real{-3.0, 3.0}}, {"y", Real{-3.0, 3.0}}};
}

RosenbrockFunction::RosenbrockFunction(const AnyDimensionOptions<RosenbrockFunction>& options)
    : dimension_(options.dimension), crop_(options.crop) {
  if (dimension_ > 1) return;
  throw ConfigurationError(
      {{"environment.dimension", std::to_string(dimension_), "must be at least 2"}});
}

double RosenbrockFunction::operator()(Arm arm) const {
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < dimension_; ++i) {
    sum += 100.0 * square(arm[i + 1] - square(arm[i])) + square(1.0 - arm[i]);
  }
  return 1.0 - sum / (kRosenbrockLargest * static_cast<double>(dimension_ - 1));
}

Space RosenbrockFunction::space() const {
  return cube(dimension_, -2.048, 2.048, crop_);
}

template <std::size_t kDimension>
double HartmannFunction<kDimension>::operator()(Arm arm) const {
  double sum = 0.0;
  for (const Bell<kDimension>& bell : kHartmann<kDimension>.bells) {
    double distance = 0.0;
    for (std::size_t i = 0; i < kDimension; ++i) {
      distance += bell.steepness[i] * square(arm[i] - bell.middle[i]);
    }
    sum += bell.height * std::exp(-distance);
  }
  return sum / kHartmann<kDimension>.largest;
}

template <std::size_t kDimension>
Space HartmannFunction<kDimension>::space() {
  return cube(kDimension, 0.0, 1.0);
}

template <std::size_t kDimension>
Optimum HartmannFunction<kDimension>::optimum() {
  const auto& best = kHartmann<kDimension>.best;
  return {{best.begin(), best.end()}, 1.0};
}

template struct HartmannFunction<3>;
template struct HartmannFunction<6>;

}  // namespace canopy
