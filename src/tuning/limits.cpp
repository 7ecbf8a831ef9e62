#include "tuning/limits.hpp"

#include "tuning/tuner_state.hpp"

#include <cstddef>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

std::string broken_text(const Limit& limit, double value) {
  return fmt::format("{} is {:.4g}, and must be {}", limit.metric, value, limit.text());
}

}  // namespace

std::string surely_broken_limit(const Study& study, Arm arm) {
  for (const Limit& limit : study.specification().system->limits) {
    const Evidence& evidence = tuner_state_of(study).metrics().at(limit.metric);
    const std::size_t index = *evidence.find(arm);
    if (limit.is_surely_broken(evidence.borrowed_interval(index))) {
      return broken_text(limit, evidence.mean(index));
    }
  }
  return "";
}

std::string far_broken_limit(const Study& study, const Reading& reading) {
  for (const Limit& limit : study.specification().system->limits) {
    const double value = reading.metrics.at(limit.metric);
    if (limit.is_far_broken_by(value)) return broken_text(limit, value);
  }
  return "";
}

void bar_broken_arms(Study& study, double reward) {
  const StudySpecification& specification = study.specification();
  for (const Limit& limit : specification.system->limits) {
    const Evidence& evidence = tuner_state_of(study).metrics().at(limit.metric);
    for (std::size_t i = 0; i < evidence.size(); ++i) {
      const std::vector<double> arm(evidence.arm(i).begin(), evidence.arm(i).end());
      if (specification.is_baseline(arm) || study.is_barred(arm)) continue;
      if (limit.is_surely_broken(evidence.borrowed_interval(i))) (void)study.bar(arm, reward);
    }
  }
}

}  // namespace canopy
