#include "cli/study_text.hpp"

#include "core/text.hpp"
#include "insight/best_text.hpp"
#include "insight/policy_text.hpp"
#include "studies/answers.hpp"
#include "tuning/claims.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <utility>

#include <fmt/format.h>

namespace canopy::cli {

namespace {

std::string range_advice(const std::optional<RewardRange>& given, const RewardRange& fitting) {
  const auto text = [](const RewardRange& range) {
    const double resolution = 0.01 * (range.back() - range.front());
    return fmt::format("[{}, {}]", rounded_text(range.front(), resolution),
                       rounded_text(range.back(), resolution));
  };
  return fmt::format(
      "reward_range = {} does not fit: the rewards so far are in {}. Set reward_range = {} or "
      "leave it out; this needs no fork",
      given ? text(*given) : "\"auto\"", text(fitting), text(fitting));
}

}  // namespace

std::vector<std::string> advice(const Optimizer& optimizer) {
  std::vector<std::string> lines;
  const Summary summary = optimizer.summary();
  if (const auto& fitting = summary.fitting_range) {
    lines.push_back(range_advice(optimizer.reward_range(), *fitting));
  }
  if (const auto& settling = summary.settling) {
    lines.push_back(
        fmt::format("rewards seem to take about {0} pulls to settle after a change. Set "
                    "optimizer.settle = {0} and fork the study with --fork",
                    *settling));
  }
  return lines;
}

namespace {

/// Adds the result of a comparison, and the cost of tuning.
void add_more(std::vector<KnownLine>& lines, const Optimizer& optimizer,
              const StudySpecification& specification, const TunerState& tuner,
              const std::optional<Uplift>& uplift) {
  const std::string compared = verdict_line(specification.space, tuner, uplift);
  if (!compared.empty()) lines.push_back({"compared", compared});
  if (const auto loss = optimizer.loss()) {
    lines.push_back({"loss", loss_text(specification, *loss)});
  }
}

}  // namespace

std::vector<KnownLine> best_lines(const Optimizer& optimizer, const Best& best,
                                  const StudySpecification& specification,
                                  const TunerState& tuner) {
  const Space& space = specification.space;
  const std::optional<Uplift> uplift = strongest_uplift(optimizer, specification, tuner);
  std::vector<KnownLine> lines{{"", best_text(space, best)}};
  const auto add = [&](std::string about, std::string text) {
    if (!text.empty()) lines.push_back({std::move(about), std::move(text)});
  };
  for (std::string& line : metric_lines(best, specification, tuner)) {
    add("", std::move(line));
  }
  add("uplift", uplift_line(uplift, best, specification));
  if (uplift && uplift->rounds != 0) add("level", level_text(*uplift));
  add_more(lines, optimizer, specification, tuner, uplift);
  return lines;
}

std::vector<KnownLine> lines_without_best(const Optimizer& optimizer,
                                          const StudySpecification& specification,
                                          const TunerState& tuner) {
  std::vector<KnownLine> lines;
  if (optimizer.nearest()) lines.push_back({"", no_best_text(specification.space, optimizer)});
  add_more(lines, optimizer, specification, tuner, std::nullopt);
  return lines;
}

std::vector<KnownLine> context_lines(const ContextSpace& contexts, const Policy& policy) {
  std::vector<KnownLine> lines;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    lines.push_back({contexts[i].name, weight_text(policy.weights[i])});
    const std::string effect = effect_text(contexts, i, policy.effects[i]);
    if (!effect.empty()) lines.push_back({"", "effect on all rewards: " + effect});
  }
  const std::string moved = moved_text(policy);
  if (!moved.empty()) lines.push_back({"moved", moved});
  return lines;
}

std::string depends_text(const Optimizer& optimizer, const std::string& study) {
  if (optimizer.contexts().empty()) return "";
  const std::optional<Policy> policy = optimizer.policy();
  if (!policy || policy->rows.front().arm.empty()) return "";
  return fmt::format("{}; `canopy policy {}` shows {}",
                     policy_summary(optimizer.contexts(), *policy), study,
                     policy->rows.size() > 1 ? "them" : "it");
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
