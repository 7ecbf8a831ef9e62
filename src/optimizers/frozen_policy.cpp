#include "canopy/detail/frozen_policy.hpp"

#include <algorithm>

namespace canopy {

bool FrozenPolicy::Row::has(ContextBins context, std::size_t count) const {
  for (std::size_t k = 0; k < count; ++k) {
    if (((bins.at(k) >> ContextSpace::bin(context, k)) & 1U) == 0) return false;
  }
  return true;
}

void FrozenPolicy::Row::transfer(State& state) {
  for (BinSet& set : bins) state(set);
  state(arm);
}

const std::vector<double>& FrozenPolicy::arm_in(ContextBins context) const {
  static const std::vector<double> none;
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Row& row) { return row.has(context, variables); });
  return found != rows.end() ? found->arm : none;
}

bool FrozenPolicy::is_everywhere(const std::vector<double>& arm) const {
  return std::all_of(rows.begin(), rows.end(),
                     [&](const Row& row) { return row.arm.empty() || row.arm == arm; });
}

bool FrozenPolicy::is_same_as(const FrozenPolicy& other) const {
  const auto overlap = [&](const Row& a, const Row& b) {
    for (std::size_t k = 0; k < variables; ++k) {
      if ((a.bins.at(k) & b.bins.at(k)) == 0) return false;
    }
    return true;
  };
  for (const Row& own : rows) {
    for (const Row& theirs : other.rows) {
      if (own.arm != theirs.arm && overlap(own, theirs)) return false;
    }
  }
  return true;
}

}  // namespace canopy
