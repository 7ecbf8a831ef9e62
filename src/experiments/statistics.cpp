#include "experiments/statistics.hpp"

#include <cmath>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

namespace canopy {

Estimate estimate(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return {mean, std::nullopt};
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double standard_error = std::sqrt(squares / (count - 1.0) / count);
  const boost::math::students_t t_distribution(count - 1.0);
  const double reach = boost::math::quantile(t_distribution, 0.975) * standard_error;
  return {mean, Estimate::Interval{mean - reach, mean + reach}};
}

}  // namespace canopy
