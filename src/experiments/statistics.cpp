#include "experiments/statistics.hpp"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace canopy {

Estimate estimate(std::span<const double> values) {
  RunningEstimate running;
  for (const double value : values) running.add(value);
  return running.estimate();
}

Estimate RunningEstimate::estimate() const {
  if (count_ < 2.0) return {mean_, std::nullopt};
  const double standard_error = std::sqrt(squares_ / (count_ - 1.0) / count_);
  const boost::math::students_t t_distribution(count_ - 1.0);
  const double reach = boost::math::quantile(t_distribution, 0.975) * standard_error;
  return {mean_, Estimate::Interval{mean_ - reach, mean_ + reach}};
}

}  // namespace canopy
