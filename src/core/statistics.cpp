#include "canopy/statistics.hpp"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace canopy {

Estimate estimate(std::span<const double> values) {
  RunningEstimate running;
  for (const double value : values) running.add(value);
  return running.estimate();
}

namespace {

/// The mean with its 95 % interval.
Estimate with_interval(double mean, double squared_error, double degrees_of_freedom) {
  const boost::math::students_t t_distribution(degrees_of_freedom);
  const double reach = boost::math::quantile(t_distribution, 0.975) * std::sqrt(squared_error);
  return {mean, Estimate::Interval{mean - reach, mean + reach}};
}

}  // namespace

Estimate RunningEstimate::estimate() const {
  if (values_.count < 2.0) return {values_.mean, std::nullopt};
  return with_interval(values_.mean, squared_error(), values_.count - 1.0);
}

}  // namespace canopy
