#include "canopy/study_specification.hpp"

#include "core/text.hpp"

#include <cmath>

namespace canopy {

bool Limit::is_broken_by(double value) const {
  return (max && value > *max) || (min && value < *min);
}

bool Limit::is_far_broken_by(double value) const {
  const auto room = [this](double end) { return (factor - 1.0) * std::abs(end); };
  return (max && value > *max + room(*max)) || (min && value < *min - room(*min));
}

bool Limit::is_surely_broken(const Interval& interval) const {
  return (max && interval.lower > *max) || (min && interval.upper < *min);
}

bool Limit::is_surely_kept(const Interval& interval) const {
  return !(max && interval.upper > *max) && !(min && interval.lower < *min);
}

std::string Limit::text() const {
  if (min && max) return "from " + to_text(*min) + " to " + to_text(*max);
  return max ? "at most " + to_text(*max) : "at least " + to_text(min.value_or(0.0));
}

}  // namespace canopy
