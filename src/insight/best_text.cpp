#include "insight/best_text.hpp"

#include "core/text.hpp"
#include "insight/best_answer.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Digits are worth showing down to two of those of the interval's half-width.
double resolution_of(double low, double high) {
  return 0.05 * (high - low);
}

/// A number with four digits, or as many as an interval of that resolution is worth.
std::string number_text(double value, double resolution) {
  return resolution > 0.0 ? rounded_text(value, resolution) : significant_text(value, 4);
}

std::string signed_text(double value, double resolution) {
  return (value < 0.0 ? "" : "+") + number_text(value, resolution);
}

}  // namespace

std::string best_text(const Space& space, const Best& best) {
  const bool bounded = std::isfinite(best.lower);
  const double resolution = bounded ? resolution_of(best.lower, best.upper) : 0.0;
  std::string text =
      fmt::format("{}: {}", space.describe(best.arm), number_text(best.mean, resolution));
  if (bounded) {
    text += fmt::format(" ({} to {} at {:.4g} %)", number_text(best.lower, resolution),
                        number_text(best.upper, resolution), 100.0 * best.level);
  }
  text += fmt::format(", {} {}", best.pulls, best.pulls == 1 ? "pull" : "pulls");
  if (const auto& model = best.by_model) {
    const double fine = resolution_of(model->lower, model->upper);
    text += fmt::format("; {} to {} by the model ({:.4g} % at this look)",
                        number_text(model->lower, fine), number_text(model->upper, fine),
                        100.0 * kModelLevel);
  }
  if (best.basis == Best::Basis::no_noise) {
    text += "; rewards of an arm never differ";
  } else if (!bounded) {
    text += "; too few pulls for an interval";
  } else if (best.rivals != 0) {
    text += fmt::format("; {} other {} cannot be ruled out yet", best.rivals,
                        best.rivals == 1 ? "arm" : "arms");
  }
  if (bounded && best.unknown != 0) {
    text += fmt::format("; {} {} too few pulls to say", best.unknown,
                        best.unknown == 1 ? "has" : "have");
  }
  if (best.rare_extremes) text += "; rewards have rare extreme values";
  return text;
}

std::string uplift_text(const Uplift& uplift, Direction direction) {
  const bool more = direction == Direction::maximize;
  const double mean = more ? uplift.difference : -uplift.difference;
  double resolution = 0.0;
  std::string reach = uplift.basis == Best::Basis::no_noise ? "rewards of an arm never differ"
                                                            : "too few pulls for an interval";
  if (uplift.interval.bounded()) {
    const double low = more ? uplift.interval.lower : -uplift.interval.upper;
    const double high = more ? uplift.interval.upper : -uplift.interval.lower;
    resolution = resolution_of(low, high);
    const auto end = more ? signed_text : number_text;
    reach = fmt::format("{:.4g} % interval {} to {}", 100.0 * uplift.level, end(low, resolution),
                        end(high, resolution));
  }
  const std::string gain =
      more ? signed_text(mean, resolution) + " over" : number_text(mean, resolution) + " below";
  return fmt::format("{} the baseline ({}; {} against {})", gain, reach,
                     number_text(uplift.arm_mean, resolution),
                     number_text(uplift.baseline_mean, resolution));
}

std::string uplift_line(const Optimizer& optimizer, const Best& best,
                        const StudySpecification& specification) {
  const auto& system = specification.system;
  if (system && system->baseline && best.arm == *system->baseline) {
    return "none: the best arm is the baseline";
  }
  const auto uplift = uplift_of(optimizer, best, specification);
  return uplift ? uplift_text(*uplift, specification.objective.direction) : "";
}

std::vector<std::string> metric_lines(const StudySpecification& specification,
                                      const TunerState& tuner, Arm arm) {
  std::vector<std::string> lines;
  for (const KnownMetric& metric : metrics_at(specification, tuner, arm)) {
    const Interval& interval = metric.estimate.interval;
    const double resolution =
        interval.bounded() ? resolution_of(interval.lower, interval.upper) : 0.0;
    std::string line =
        fmt::format("{}: {}", metric.name, number_text(metric.estimate.mean, resolution));
    if (interval.bounded()) {
      line += fmt::format(" ({} to {} at {:.4g} %)", number_text(interval.lower, resolution),
                          number_text(interval.upper, resolution),
                          100.0 * specification.objective.confidence);
    }
    if (metric.limit != nullptr) {
      line += ", must be " + metric.limit->text();
      if (metric.limit_state() == LimitState::unsure) line += "; whether it is, is not certain";
      if (metric.limit_state() == LimitState::broken) line += ", which it is not";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string verdict_line(const Space& space, const Verdict& verdict) {
  return space.describe(verdict.arm) + ": " + verdict.text;
}

}  // namespace canopy
