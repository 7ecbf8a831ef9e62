#include "studies/uplift.hpp"

#include "canopy/optimizers.hpp"

#include "studies/told.hpp"

#include <algorithm>
#include <variant>
#include <vector>

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

}  // namespace

std::optional<Uplift> uplift_of(Store& store, const StudyRecord& record,
                                const StudySpecification& specification, Arm arm) {
  const std::vector<double> wanted(arm.begin(), arm.end());
  if (!specification.system || !specification.system->baseline) return std::nullopt;
  const std::vector<double>& baseline = *specification.system->baseline;
  const bool by_visit = expects_correlated_feedback(specification.optimizer);
  std::vector<double> setting;  // that the system has
  Samples of_arm(by_visit);
  Samples of_baseline(by_visit);
  read_journal(store, record, [&](const JournalEntry& entry, std::optional<Arm> about) {
    if (const auto* applied = std::get_if<Applied>(&entry.event)) {
      if (applied->arm == setting) return;  // put back after a restart
      setting = applied->arm;
      of_arm.end_visit();
      of_baseline.end_visit();
    } else if (const auto* measured = std::get_if<BaselineMeasured>(&entry.event)) {
      if (setting == baseline) of_baseline.add(measured->reward, 1.0);
    } else if (const auto rewards = rewards_of(entry.event); rewards && about) {
      if (!std::equal(about->begin(), about->end(), wanted.begin(), wanted.end())) return;
      of_arm.add(rewards->sum, static_cast<double>(rewards->count));
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
