#include "tuning/leaving.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Candidate = ExitFacts::Candidate;

const std::vector<double> kConfirmed{1.0};
const std::vector<double> kProven{2.0};
const std::vector<double> kBaseline{3.0};
const std::vector<double> kBest{4.0};
const std::vector<double> kNearest{5.0};

/// The possible candidates: none, one that keeps its limits, and one that does not.
std::vector<Candidate> kinds_of(const std::vector<double>& arm) {
  return {{}, {arm, true}, {arm, false}};
}

/// Calls a function with every possible combination of facts.
template <class Do>
void for_all_facts(Do&& each) {
  for (const Candidate& confirmed : kinds_of(kConfirmed)) {
    for (const Candidate& proven : {Candidate{}, Candidate{kProven}}) {
      for (const Candidate& baseline : kinds_of(kBaseline)) {
        for (const bool has_best : {false, true}) {
          for (const bool has_nearest : {false, true}) {
            if (has_best && has_nearest) continue;  // these exclude each other
            ExitFacts facts{.confirmed = confirmed, .proven = proven, .baseline = baseline};
            if (has_best) facts.best = {kBest};
            if (has_nearest) facts.nearest = {kNearest, false};
            each(facts);
          }
        }
      }
    }
  }
}

/// The table in docs/tune.md.
std::vector<double> by_the_table(const ExitFacts& facts) {
  const std::vector<std::pair<bool, std::vector<double>>> table{
      {facts.confirmed.exists() && facts.confirmed.keeps_limits, kConfirmed},
      {facts.proven.exists(), kProven},
      {facts.baseline.exists() && facts.baseline.keeps_limits, kBaseline},
      {facts.best.exists(), kBest},
      {facts.baseline.exists(), kBaseline},
      {facts.nearest.exists(), kNearest},
  };
  for (const auto& [is_there, arm] : table) {
    if (is_there) return arm;
  }
  return {};
}

TEST(BestExit, IsTheFirstOfTheTableThatThereIs) {
  std::size_t combinations = 0;
  for_all_facts([&](const ExitFacts& facts) {
    ++combinations;
    const std::vector<double> wanted = by_the_table(facts);
    const ExitChoice choice = best_exit(facts);
    EXPECT_EQ(choice.arm, wanted);
    EXPECT_EQ(choice.arm.empty(), wanted.empty());
  });
  EXPECT_EQ(combinations, 3 * 2 * 3 * 3U);
}

TEST(BestExit, WithOnlyWhatIsConfirmedIsThatOrTheBaseline) {
  for_all_facts([](const ExitFacts& facts) {
    const bool is_confirmed = facts.confirmed.exists() && facts.confirmed.keeps_limits;
    EXPECT_EQ(best_exit(facts, true).arm, is_confirmed ? kConfirmed : facts.baseline.arm);
  });
}

TEST(BestExit, NeverIsASettingThatBreaksALimitWhereAnotherKeepsIt) {
  for_all_facts([](const ExitFacts& facts) {
    const std::vector<double> arm = best_exit(facts).arm;
    const bool breaks = arm == kNearest || (arm == kBaseline && !facts.baseline.keeps_limits);
    const bool another_keeps = (facts.confirmed.exists() && facts.confirmed.keeps_limits) ||
                               facts.proven.exists() || facts.best.exists();
    EXPECT_FALSE(breaks && another_keeps);
  });
}

}  // namespace
}  // namespace canopy
