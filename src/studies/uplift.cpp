#include "studies/uplift.hpp"

#include "studies/arm_json.hpp"

#include <algorithm>
#include <variant>

namespace canopy {
namespace {

/// Rewards of one setting, as samples that may be taken for independent.
class Samples {
 public:
  explicit Samples(bool by_visit) : by_visit_(by_visit) {}

  void add(double sum, double count) {
    if (by_visit_) {
      visit_sum_ += sum;
      visit_count_ += count;
    } else {
      samples_.add(sum / count);
    }
  }

  void end_visit() {
    if (visit_count_ > 0.0) samples_.add(visit_sum_ / visit_count_);
    visit_sum_ = visit_count_ = 0.0;
  }

  [[nodiscard]] const RunningEstimate& samples() const { return samples_; }

 private:
  bool by_visit_;
  RunningEstimate samples_;
  double visit_sum_ = 0.0;
  double visit_count_ = 0.0;
};

bool is_correlated(const StudySpecification& specification) {
  const auto* hct = std::get_if<HctOptions>(&specification.optimizer);
  return hct != nullptr && hct->feedback == Feedback::correlated;
}

/// How many rewards an event tells of, and their sum.
std::pair<double, double> rewards_of(const Event& event) {
  if (event.kind == EventKind::tell_list) {
    const std::vector<double> rewards = rewards_in(event);
    double sum = 0.0;
    for (const double reward : rewards) sum += reward;
    return {static_cast<double>(rewards.size()), sum};
  }
  return {static_cast<double>(event.count), event.value};
}

}  // namespace

std::optional<Uplift> uplift_of(Store& store, const StudyRecord& record,
                                const StudySpecification& specification, Arm arm) {
  const std::vector<double> wanted(arm.begin(), arm.end());
  const bool has_baseline = specification.system && specification.system->baseline;
  if (!has_baseline) return std::nullopt;
  const std::string baseline = arm_text(specification.space, *specification.system->baseline);
  std::string setting;  // that the system has
  Samples of_arm(is_correlated(specification));
  Samples of_baseline(is_correlated(specification));
  replay(store, record, specification, [&](const Event& event, std::optional<Arm> told) {
    switch (event.kind) {
      case EventKind::baseline:
        if (setting == baseline) of_baseline.add(event.value, 1.0);
        break;
      case EventKind::tell:
      case EventKind::tell_list:
      case EventKind::tell_sums:
        if (told && std::equal(told->begin(), told->end(), wanted.begin(), wanted.end())) {
          const auto [count, sum] = rewards_of(event);
          if (count > 0.0) of_arm.add(sum, count);
        }
        break;
      case EventKind::apply:
        if (event.text == setting) break;  // put back after a restart
        setting = event.text;
        of_arm.end_visit();
        of_baseline.end_visit();
        break;
      default:
        break;
    }
  });
  of_arm.end_visit();
  of_baseline.end_visit();
  if (of_arm.samples().count() == 0.0 || of_baseline.samples().count() == 0.0) return std::nullopt;
  return Uplift{of_arm.samples().mean(), of_baseline.samples().mean(),
                difference(of_arm.samples(), of_baseline.samples()),
                static_cast<std::uint64_t>(of_arm.samples().count()),
                static_cast<std::uint64_t>(of_baseline.samples().count())};
}

}  // namespace canopy
