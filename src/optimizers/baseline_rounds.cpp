#include "optimizers/baseline_rounds.hpp"

#include "canopy/errors.hpp"
#include "canopy/random.hpp"

namespace canopy {

void throw_unless_usable(const BaselineRule& rule, const Space& space,
                         const std::vector<double>& baseline) {
  if (!space.contains(baseline)) {
    throw ConfigurationError({{"baseline.setting", "", "must be a setting of the search space"}});
  }
  if (rule.pulls == 0 || rule.pairs == 0 || rule.visit == 0) {
    throw ConfigurationError({{"baseline.pulls", "0", "must be 1 or more"}});
  }
}

std::uint64_t pulls_between(const BaselineRule& rule, std::uint64_t round) {
  RandomStream random({.seed = rule.seed, .purpose = "gap", .run = round});
  const auto choices = static_cast<double>(rule.every) + 1.0;
  return (rule.every + 1) / 2 + static_cast<std::uint64_t>(choices * random.uniform());
}

Uplift::Verdict verdict_of(const Pairs& pairs, double alpha, Direction direction) {
  using Verdict = Uplift::Verdict;
  if (const auto is_above = pairs.is_above(alpha)) {
    return *is_above == (direction == Direction::maximize) ? Verdict::better : Verdict::worse;
  }
  return pairs.count() < Pairs::fewest(alpha) ? Verdict::too_few : Verdict::open;
}

bool is_still_open(const Pairs& pairs, double alpha, Direction direction) {
  constexpr std::uint64_t kPairsOfPatience = 8;
  if (pairs.is_above(alpha)) return false;
  const double evidence = direction == Direction::maximize ? pairs.above() : pairs.below();
  return pairs.count() < kPairsOfPatience || evidence >= 0.0;
}

Best beside_baseline(Best best) {
  best.is_compared = true;
  best.lower = -kInfinity;
  best.upper = kInfinity;
  best.assumes = Assumption::none;
  best.rivals = 0;
  best.unknown = best.arms - 1;
  best.by_model.reset();
  return best;
}

}  // namespace canopy
