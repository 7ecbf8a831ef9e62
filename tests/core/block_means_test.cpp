#include "canopy/detail/block_means.hpp"

#include "canopy/random.hpp"
#include "canopy/state.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using Batch = std::vector<double>;

/// The rewards of one visit to an arm, batch by batch.
struct Visit {
  std::vector<Batch> batches;
  double mean = 0.0;   ///< mean of the arm, over all its visits
  double pulls = 0.0;  ///< pulls of the arm
};

double mean_of(std::span<const double> rewards) {
  return std::accumulate(rewards.begin(), rewards.end(), 0.0) / static_cast<double>(rewards.size());
}

void play_visit(BlockMeans& means, const Visit& visit) {
  means.begin_run(visit.batches.front().front());
  for (const Batch& batch : visit.batches) {
    BlockMeans::Sums sums;
    for (const double reward : batch) {
      const double off = reward - means.reference();
      sums.add({1.0, off, off * off});
    }
    means.add(batch, sums);
  }
}

/// The means of blocks of this length in a visit: short ones within a batch, from the first 1024
/// batches of all visits and every sixteenth later one; long ones within consecutive full batches.
std::vector<double> plain_means(const Visit& visit, std::size_t before, std::size_t length) {
  std::vector<double> means;
  const auto cut = [&](std::span<const double> rewards) {
    for (std::size_t i = 0; i + length <= rewards.size(); i += length) {
      means.push_back(mean_of(rewards.subspan(i, length)));
    }
  };
  Batch joined;
  for (std::size_t i = 0; i < visit.batches.size(); ++i) {
    const Batch& batch = visit.batches[i];
    const bool is_taken = before + i < 1024 || (before + i) % 16 == 0;
    if (length == 1 || (length < BlockMeans::kBatch && is_taken)) cut(batch);
    if (length < BlockMeans::kBatch) continue;
    if (batch.size() == BlockMeans::kBatch) joined.insert(joined.end(), batch.begin(), batch.end());
    if (batch.size() != BlockMeans::kBatch || i + 1 == visit.batches.size()) {
      cut(joined);
      joined.clear();
    }
  }
  return means;
}

struct PlainVariation {
  double blocks = 0.0;
  double squares = 0.0;
  double freedom = 0.0;
};

PlainVariation plain_variation(const std::vector<Visit>& visits, std::size_t length) {
  PlainVariation variation;
  std::size_t before = 0;
  for (const Visit& visit : visits) {
    const std::vector<double> means = plain_means(visit, before, length);
    before += visit.batches.size();
    const double share = 1.0 - static_cast<double>(length) / visit.pulls;
    if (share <= 0.0) continue;
    for (const double mean : means) {
      variation.blocks += 1.0;
      variation.squares += (mean - visit.mean) * (mean - visit.mean);
      variation.freedom += share;
    }
  }
  return variation;
}

double plain_inflation(const std::vector<Visit>& visits) {
  const PlainVariation single = plain_variation(visits, 1);
  double inflation = 1.0;
  for (std::size_t length = 2; length <= 4096; length *= 2) {
    const PlainVariation blocks = plain_variation(visits, length);
    if (blocks.blocks < 32.0) continue;
    const double ratio = static_cast<double>(length) * (blocks.squares / blocks.freedom) /
                         (single.squares / single.freedom);
    const bool is_sure = ratio - 1.0 > 3.0 * std::sqrt(2.0 / (blocks.blocks - 1.0));
    if (is_sure) inflation = std::max(inflation, ratio);
  }
  return inflation;
}

std::size_t at_most(std::size_t most, RandomStream& random) {
  return 1 + static_cast<std::size_t>(random.uniform() * static_cast<double>(most));
}

/// Autocorrelated rewards, with coefficient `phi`.
std::vector<Visit> some_visits(std::uint64_t seed, double phi) {
  RandomStream random({.seed = seed});
  std::vector<Visit> visits(5);
  double now = 0.0;
  for (Visit& visit : visits) {
    Batch all;
    visit.batches.resize(at_most(500, random));
    for (Batch& batch : visit.batches) {
      const bool is_full = random.uniform() < 0.9;
      batch.resize(is_full ? BlockMeans::kBatch : at_most(BlockMeans::kBatch, random));
      for (double& reward : batch) {
        now = phi * now + random.uniform() - 0.5;
        reward = now;
      }
      all.insert(all.end(), batch.begin(), batch.end());
    }
    visit.mean = mean_of(all);
    visit.pulls = static_cast<double>(all.size());
  }
  return visits;
}

RC_GTEST_PROP(BlockMeans, InflationIsThatOfAllMeansKeptAndComputedFromScratch, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double phi = *rc::gen::element(0.0, 0.5, 0.9, 0.99);
  const std::vector<Visit> visits = some_visits(seed, phi);
  BlockMeans means;
  for (const Visit& visit : visits) {
    play_visit(means, visit);
    means.end_run(visit.mean, visit.pulls);
  }
  const double expected = plain_inflation(visits);
  RC_LOG() << "phi " << phi << ", expected " << expected << '\n';
  RC_ASSERT(std::abs(means.inflation(0.0, 0.0) - expected) < 1e-9 * expected);
}

TEST(BlockMeans, TheRunThatHasNotEndedCountsAsIfItHad) {
  const std::vector<Visit> visits = some_visits(1, 0.9);
  BlockMeans ended;
  for (const Visit& visit : visits) {
    play_visit(ended, visit);
    const BlockMeans open = ended;
    ended.end_run(visit.mean, visit.pulls);
    EXPECT_FALSE(ended.is_running());
    EXPECT_EQ(open.inflation(visit.mean, visit.pulls), ended.inflation(0.0, 0.0));
  }
  EXPECT_GT(ended.inflation(0.0, 0.0), 5.0);
}

TEST(BlockMeans, NothingIsInflatedBeforeAnythingIsSeen) {
  EXPECT_EQ(BlockMeans().inflation(0.0, 0.0), 1.0);
}

TEST(BlockMeans, EqualRewardsAreNotInflated) {
  BlockMeans means;
  play_visit(means, {.batches = std::vector<Batch>(100, Batch(BlockMeans::kBatch, 3.0))});
  EXPECT_EQ(means.inflation(3.0, 6400.0), 1.0);
}

TEST(BlockMeans, SavedAndRestoredInTheMiddleOfARunItGoesOnAsBefore) {
  const std::vector<Visit> visits = some_visits(2, 0.9);
  BlockMeans means;
  play_visit(means, visits[0]);
  State saving;
  saving.mark("means");
  means.transfer(saving);
  const std::string saved = saving.text();
  State restoring(saved);
  restoring.mark("means");
  BlockMeans other;
  other.transfer(restoring);
  restoring.end();
  for (BlockMeans* each : {&means, &other}) {
    each->end_run(visits[0].mean, visits[0].pulls);
    play_visit(*each, visits[1]);
  }
  EXPECT_EQ(means.inflation(visits[1].mean, visits[1].pulls),
            other.inflation(visits[1].mean, visits[1].pulls));
}

}  // namespace
}  // namespace canopy
