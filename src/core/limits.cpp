#include "canopy/limits.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <utility>

namespace canopy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double Limit::room(double value) const {
  double room = kInfinity;
  if (max) room = std::min(room, *max - value);
  if (min) room = std::min(room, value - *min);
  return room;
}

bool Limit::is_far_broken_by(double value) const {
  const auto reach = [this](double end) { return (factor - 1.0) * std::abs(end); };
  return (max && value > *max + reach(*max)) || (min && value < *min - reach(*min));
}

bool Limit::is_surely_broken(const Interval& interval) const {
  return (max && interval.lower > *max) || (min && interval.upper < *min);
}

bool Limit::is_at_end(double smallest, double largest) const {
  return (max && *max <= smallest) || (min && *min >= largest);
}

std::string Limit::text() const {
  if (min && max) return "from " + to_text(*min) + " to " + to_text(*max);
  return max ? "at most " + to_text(*max) : "at least " + to_text(min.value_or(0.0));
}

std::vector<Violation> violations(const std::vector<Limit>& limits) {
  constexpr double kLargest = 1e100;
  std::vector<Violation> found;
  std::set<std::string> metrics;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const Limit& limit = limits[i];
    const auto complain = [&](const std::string& key, const std::string& value,
                              const std::string& what) {
      found.push_back({"limit[" + std::to_string(i) + "]." + key, value, what});
    };
    if (limit.metric.empty()) {
      complain("metric", "", "is required");
    } else if (limit.metric == "reward") {
      complain("metric", limit.metric,
               "must not be the reward: use system.floor to limit the reward");
    } else if (!metrics.insert(limit.metric).second) {
      complain("metric", limit.metric, "has two limits: give min and max in a single limit");
    }
    for (const auto& [name, end] : {std::pair("min", limit.min), std::pair("max", limit.max)}) {
      if (end && !(std::abs(*end) <= kLargest)) {
        complain(name, to_text(*end), "must be a finite number (at most 1e100)");
      }
    }
    if (!limit.min && !limit.max) {
      complain("max", "", "is required, unless min is given");
    } else if (limit.min && limit.max && *limit.min > *limit.max) {
      complain("min", to_text(*limit.min), "must not be above max");
    }
    if (!(limit.factor >= 1.0)) {
      complain("factor", to_text(limit.factor), "must be a number of at least 1");
    }
  }
  return found;
}

LimitCheck check_of(const Limit& limit, double estimate, double deviations, double spread,
                    std::uint64_t pulls) {
  LimitCheck check{.metric = limit.metric,
                   .limit = limit.text(),
                   .probability = 0.5 * std::erfc(-deviations / std::numbers::sqrt2),
                   .deviations = deviations,
                   .estimate = estimate,
                   .pulls = pulls};
  const double beyond = std::max(0.0, -limit.room(estimate));
  check.excess = spread > 0.0 ? beyond / spread : beyond;
  if (deviations >= 0.0) {
    const bool is_sure = deviations >= LimitCheck::kSure && pulls != 0;
    check.state = is_sure ? LimitState::kept : LimitState::probably_kept;
  } else {
    check.state =
        deviations > -LimitCheck::kSure ? LimitState::probably_broken : LimitState::broken;
  }
  return check;
}

std::string limit_text(const LimitCheck& check) {
  constexpr double kNoNoise = 1e3;  // deviations of a metric without noise
  std::string text = check.metric + " " + significant_text(check.estimate, 4);
  if (std::abs(check.deviations) >= kNoNoise && check.pulls > 1) {
    text += " in all " + std::to_string(check.pulls) + " pulls";
  }
  text += " (" + check.limit + "): ";
  switch (check.state) {
    case LimitState::kept:
      return text + "kept";
    case LimitState::broken:
      return text + "broken";
    case LimitState::probably_kept:
      return text + "probably kept (p " + significant_text(check.probability, 2) + ")";
    case LimitState::probably_broken:
      return text + "probably broken (p " + significant_text(1.0 - check.probability, 2) + ")";
  }
  return text;
}

const LimitCheck* worst_of(const std::vector<LimitCheck>& checks) {
  const auto worst = std::min_element(
      checks.begin(), checks.end(),
      [](const LimitCheck& a, const LimitCheck& b) { return a.deviations < b.deviations; });
  return worst == checks.end() ? nullptr : &*worst;
}

bool is_probably_broken(const std::vector<LimitCheck>& checks) {
  const LimitCheck* worst = worst_of(checks);
  return worst != nullptr && worst->deviations < 0.0;
}

double required_deviations(const std::vector<double>& of_arms) {
  const auto most = std::max_element(of_arms.begin(), of_arms.end());
  if (most == of_arms.end() || *most < 0.0) return kInfinity;
  return std::min(*most, LimitCheck::kEnough);
}

}  // namespace canopy
