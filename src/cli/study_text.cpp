#include "cli/study_text.hpp"

#include "core/text.hpp"

#include <array>
#include <ctime>
#include <utility>

#include <fmt/format.h>

namespace canopy::cli {

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
  const double resolution = resolution_of(best.lower, best.upper);
  return fmt::format("{}: {} ({} to {}), {} {}", space.describe(best.arm),
                     number_text(best.mean, resolution), number_text(best.lower, resolution),
                     number_text(best.upper, resolution), best.pulls,
                     best.pulls == 1 ? "pull" : "pulls");
}

std::string uplift_text(const Uplift& uplift, Direction direction) {
  const bool more = direction == Direction::maximize;
  const double mean = more ? uplift.difference.mean : -uplift.difference.mean;
  double resolution = 0.0;
  std::string reach = "too few measurements for an interval";
  if (const auto& interval = uplift.difference.interval) {
    const double low = more ? interval->low : -interval->high;
    const double high = more ? interval->high : -interval->low;
    resolution = resolution_of(low, high);
    reach = more ? fmt::format("95 % interval {} to {}", signed_text(low, resolution),
                               signed_text(high, resolution))
                 : fmt::format("95 % interval {} to {}", number_text(low, resolution),
                               number_text(high, resolution));
  }
  const std::string gain =
      more ? signed_text(mean, resolution) + " over" : number_text(mean, resolution) + " below";
  return fmt::format("{} the baseline ({}; {} against {})", gain, reach,
                     number_text(uplift.arm_mean, resolution),
                     number_text(uplift.baseline_mean, resolution));
}

Document best_and_uplift_document(const Space& space, const Best& best,
                                  const std::optional<Uplift>& uplift) {
  Document table = best_document(space, best);
  if (!uplift) return table;
  Document::Table gain{{"mean", uplift->difference.mean}};
  if (const auto& interval = uplift->difference.interval) {
    gain.emplace_back("low", interval->low);
    gain.emplace_back("high", interval->high);
  }
  gain.emplace_back("arm_mean", uplift->arm_mean);
  gain.emplace_back("baseline_mean", uplift->baseline_mean);
  gain.emplace_back("arm_samples", uplift->arm_samples);
  gain.emplace_back("baseline_samples", uplift->baseline_samples);
  table.set("uplift", std::move(gain));
  return table;
}

std::string date_text(double seconds_since_1970) {
  const auto time = static_cast<std::time_t>(seconds_since_1970);
  std::tm parts{};
  localtime_r(&time, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%F %T", &parts);
  return {text.data(), size};
}

}  // namespace canopy::cli
