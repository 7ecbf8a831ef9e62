#include "canopy/detail/settling.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

Settling::Settling(std::uint64_t pulls, bool by_distance)
    : pulls_(pulls),
      kept_(by_distance && pulls != 0 ? std::exp(-3.0 / static_cast<double>(pulls)) : 0.0) {}

bool Settling::measures_settled_arm(const Partition& partition, std::span<const double> cell,
                                    Arm arm) const {
  if (pulls_ == 0) return true;
  if (kept_ == 0.0) {
    return since_ >= pulls_ && std::equal(arm.begin(), arm.end(), place_.begin(), place_.end());
  }
  for (std::size_t axis = 0; axis < place_.size(); ++axis) {
    const Partition::Reach reach = *partition.reach(cell, axis);
    const double away = place_[axis] - reach.arm;
    if (!(std::abs(away * kept_) <= 0.5 * reach.half_side)) return false;
  }
  return true;
}

bool Settling::play(const Partition& partition, std::span<const double> cell, Arm arm,
                    std::uint64_t pulls) {
  if (pulls_ == 0) return true;
  const bool is_settled = measures_settled_arm(partition, cell, arm);
  if (kept_ == 0.0) {
    if (!std::equal(arm.begin(), arm.end(), place_.begin(), place_.end())) since_ = 0;
    place_.assign(arm.begin(), arm.end());
    since_ += pulls;
    return is_settled;
  }
  const bool is_first = place_.empty();
  place_.resize(partition.dimension());
  const double left = std::pow(kept_, static_cast<double>(pulls));
  for (std::size_t axis = 0; axis < place_.size(); ++axis) {
    const double target = partition.reach(cell, axis)->arm;
    place_[axis] = target + (is_first ? 0.0 : (place_[axis] - target) * left);
  }
  return is_settled;
}

void Settling::transfer(State& state) {
  state(place_, since_);
  state.require_restored(
      std::all_of(place_.begin(), place_.end(), [](double each) { return std::isfinite(each); }));
}

}  // namespace canopy
