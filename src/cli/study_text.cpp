#include "cli/study_text.hpp"

#include <array>
#include <ctime>

#include <fmt/format.h>

namespace canopy::cli {

std::string best_text(const Space& space, const Best& best) {
  return fmt::format("{}: {:.4g} ({:.4g} to {:.4g}), {} pulls", space.describe(best.arm), best.mean,
                     best.lower, best.upper, best.pulls);
}

std::string uplift_text(const Uplift& uplift, Direction direction) {
  const bool more = direction == Direction::maximize;
  const double mean = uplift.difference.mean;
  std::string reach = "too few measurements for an interval";
  if (const auto& interval = uplift.difference.interval) {
    reach = more ? fmt::format("95 % interval {:+.4g} to {:+.4g}", interval->low, interval->high)
                 : fmt::format("95 % interval {:.4g} to {:.4g}", -interval->high, -interval->low);
  }
  const std::string gain =
      more ? fmt::format("{:+.4g} over", mean) : fmt::format("{:.4g} below", -mean);
  return fmt::format("{} the baseline ({}; {:.4g} against {:.4g})", gain, reach, uplift.arm_mean,
                     uplift.baseline_mean);
}

Json best_and_uplift_json(const Space& space, const Best& best,
                          const std::optional<Uplift>& uplift) {
  Json json = best_json(space, best);
  if (!uplift) return json;
  Json& into = json["uplift"];
  into = {{"mean", uplift->difference.mean}};
  if (const auto& interval = uplift->difference.interval) {
    into["low"] = interval->low;
    into["high"] = interval->high;
  }
  into["arm_mean"] = uplift->arm_mean;
  into["baseline_mean"] = uplift->baseline_mean;
  into["arm_samples"] = uplift->arm_samples;
  into["baseline_samples"] = uplift->baseline_samples;
  return json;
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
