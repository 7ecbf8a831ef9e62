#include "insight/reward_history.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Journal = std::vector<JournalEntry>;

RewardHistory history_of(const Journal& journal) {
  RewardHistory history;
  for (const JournalEntry& entry : journal) history.take(entry);
  return history;
}

ReadEntries reader_of(const Journal& journal) {
  return [&journal](std::uint64_t after, std::uint64_t limit, const auto& visit) {
    for (std::uint64_t i = after; i < journal.size() && i - after < limit; ++i) visit(journal[i]);
  };
}

/// A random journal as workers and tuners may write it, with pauses.
Journal random_journal(std::mt19937_64& random, std::size_t events) {
  const auto below = [&](std::uint64_t most) { return random() % most; };
  std::normal_distribution<double> reward(0.0, 1.0);
  Journal journal;
  Ticket last = 0;
  double at = 1e9;
  std::vector<double> arm{0.5};
  while (journal.size() < events) {
    at += below(300) == 0 ? 1000.0 : 0.25 * static_cast<double>(below(8));
    if (below(4) == 0) arm = {static_cast<double>(below(16)) / 16.0};
    const Ticket told = last == 0 ? 0 : last - std::min<Ticket>(last - 1, below(5));
    Event event = Asked{++last, 1, 1, arm};
    switch (below(40)) {
      case 0:
        event = Failed{told, "broken", below(2) == 0};
        break;
      case 1:
        event = Penalized{told, -3.0};
        break;
      case 2:
        event = Observed{{0.5}, reward(random), Role::baseline};
        break;
      case 3:
        event = Compared{below(2) == 0, reward(random)};
        break;
      case 4:
        event = Told{told, std::vector{reward(random), reward(random), reward(random)}};
        break;
      case 5:
        event = Told{told, Rewards::of(std::vector{reward(random), reward(random)})};
        break;
      case 6:
        if (below(10) == 0) event = CommandAccepted{1, RunnerCommand::pause, 0, "alice"};
        break;
      default:
        if (told != 0 && below(2) == 0) event = Told{told, reward(random)};
    }
    if (event.index() != 0) --last;
    journal.push_back({journal.size() + 1, at, event});
  }
  return journal;
}

/// All rewards, one part per event, computed by a simple reference implementation.
struct Plain {
  std::vector<double> pull, at;
  std::vector<Rewards> rewards, baseline;
  std::vector<int> failures;

  explicit Plain(const Journal& journal) {
    double pulls = 0.0;
    for (const JournalEntry& entry : journal) {
      Rewards learnt;
      Rewards measured;
      if (const auto* told = std::get_if<Told>(&entry.event)) learnt = sums_of(told->rewards);
      if (const auto* each = std::get_if<Observed>(&entry.event)) measured = sums_of(each->rewards);
      if (const auto* each = std::get_if<Compared>(&entry.event)) {
        (each->is_baseline ? measured : learnt) = Rewards::one(each->reward);
      }
      const auto* failed = std::get_if<Failed>(&entry.event);
      const bool fails = std::holds_alternative<Penalized>(entry.event) ||
                         (failed != nullptr && (!failed->for_good || failed->ticket == 0));
      const bool is_penalized = std::holds_alternative<Penalized>(entry.event);
      const auto count = static_cast<double>(learnt.count) + (is_penalized ? 1.0 : 0.0);
      pull.push_back(pulls + count / 2);
      at.push_back(entry.at);
      rewards.push_back(learnt);
      baseline.push_back(measured);
      failures.push_back(fails ? 1 : 0);
      pulls += count;
    }
  }
};

Rewards sum_of(const std::vector<HistoryPart>& parts, Rewards HistoryPart::*which) {
  Rewards all;
  for (const HistoryPart& part : parts) all += part.*which;
  return all;
}

void expect_same(const Rewards& a, const Rewards& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_NEAR(a.sum, b.sum, 1e-9 * (1.0 + std::abs(b.sum)));
  EXPECT_NEAR(a.squared_deviations, b.squared_deviations, 1e-7 * (1.0 + b.squared_deviations));
}

class RandomHistories : public ::testing::Test {
 protected:
  RandomHistories() : seed_(std::random_device{}()), random_(seed_) {
    RecordProperty("seed", std::to_string(seed_));
  }
  [[nodiscard]] std::string seed() const { return "seed " + std::to_string(seed_); }

  std::uint64_t seed_;
  std::mt19937_64 random_;
};

TEST_F(RandomHistories, ASmallRangeIsExactlyWhatAPlainLoopFinds) {
  SCOPED_TRACE(seed());
  for (int run = 0; run < 40; ++run) {
    const Journal journal = random_journal(random_, 1 + random_() % 3000);
    const RewardHistory history = history_of(journal);
    const Plain plain(journal);
    const bool by_time = random_() % 2 == 0;
    const double low = by_time ? history.first_at() : 0.0;
    const double high = by_time ? history.last_at() : static_cast<double>(history.pulls());
    std::uniform_real_distribution<double> any(low - 1.0, high + 1.0);
    double from = any(random_);
    double to = any(random_);
    if (from > to) std::swap(from, to);
    const std::size_t buckets = 100 + random_() % 500;
    const HistoryPicture picture =
        picture_of(history, {.by_time = by_time, .from = from, .to = to, .buckets = buckets},
                   reader_of(journal));
    if (journal.size() > buckets * RewardHistory::kEventsInBlock) continue;
    Rewards rewards;
    Rewards baseline;
    std::uint64_t events = 0;
    int failures = 0;
    for (std::size_t i = 0; i < journal.size(); ++i) {
      const double x = by_time ? plain.at[i] : plain.pull[i];
      if (x < from || x > to) continue;
      rewards += plain.rewards[i];
      baseline += plain.baseline[i];
      if (plain.rewards[i].count > 0) ++events;
      failures += plain.failures[i];
    }
    expect_same(sum_of(picture.rewards, &HistoryPart::rewards), rewards);
    expect_same(sum_of(picture.baseline, &HistoryPart::baseline), baseline);
    EXPECT_LE(picture.rewards.size(), std::max<std::size_t>(buckets, 1));
    EXPECT_EQ(picture.is_raw, events <= buckets);
    if (picture.is_raw) {
      EXPECT_EQ(picture.rewards.size(), events);
      EXPECT_EQ(picture.arms.size(), events);
    }
    int seen = 0;
    for (const HistoryPart& part : picture.rewards) seen += static_cast<int>(part.failures);
    if (events > 0) {
      EXPECT_EQ(seen, failures);
    }
    // Each bucket by itself.
    if (picture.is_raw) continue;
    std::size_t i = 0;
    for (const HistoryPart& part : picture.rewards) {
      Rewards bucket;
      const auto bucket_of = [&](double x) {
        return std::min(
            static_cast<std::size_t>((x - from) / (to - from) * static_cast<double>(buckets)),
            buckets - 1);
      };
      while (i < journal.size() && journal[i].number < part.first) ++i;
      const std::size_t here = bucket_of(by_time ? plain.at[i] : plain.pull[i]);
      for (; i < journal.size(); ++i) {
        const double x = by_time ? plain.at[i] : plain.pull[i];
        if (plain.rewards[i].count == 0) continue;
        if (x > to || bucket_of(x) != here) break;
        bucket += plain.rewards[i];
      }
      expect_same(part.rewards, bucket);
    }
  }
}

TEST_F(RandomHistories, ThinnedOutTheExtremesAndTheMeanAreStillThere) {
  SCOPED_TRACE(seed());
  for (int run = 0; run < 10; ++run) {
    const Journal journal = random_journal(random_, 20'000);
    const RewardHistory history = history_of(journal);
    const Plain plain(journal);
    Rewards all;
    Rewards baseline;
    for (const Rewards& each : plain.rewards) all += each;
    for (const Rewards& each : plain.baseline) baseline += each;
    for (const std::size_t buckets : {1U, 7U, 100U, 600U, 5000U}) {
      for (const bool by_time : {false, true}) {
        const HistoryPicture picture =
            picture_of(history, {.by_time = by_time, .buckets = buckets}, reader_of(journal));
        EXPECT_LE(picture.rewards.size(), buckets);
        expect_same(sum_of(picture.rewards, &HistoryPart::rewards), all);
        expect_same(sum_of(picture.baseline, &HistoryPart::baseline), baseline);
        for (std::size_t i = 1; i < picture.rewards.size(); ++i) {
          EXPECT_LT(picture.rewards[i - 1].first, picture.rewards[i].first);
          EXPECT_LE(picture.rewards[i - 1].pull(), picture.rewards[i].pull());
          EXPECT_LE(picture.rewards[i - 1].at(), picture.rewards[i].at());
        }
      }
    }
  }
}

TEST_F(RandomHistories, EntriesTakenInBitByBitGiveTheSame) {
  SCOPED_TRACE(seed());
  const Journal journal = random_journal(random_, 5000);
  RewardHistory bit_by_bit;
  for (std::size_t i = 0; i < journal.size(); ++i) {
    bit_by_bit.take(journal[i]);
    if (random_() % 500 != 0) continue;  // render a picture now and then
    const Journal so_far(journal.begin(), journal.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    const HistoryRange range{.buckets = 1 + random_() % 200};
    const HistoryPicture a = picture_of(bit_by_bit, range, reader_of(so_far));
    const HistoryPicture b = picture_of(history_of(so_far), range, reader_of(so_far));
    ASSERT_EQ(a.rewards.size(), b.rewards.size());
    for (std::size_t k = 0; k < a.rewards.size(); ++k) {
      EXPECT_EQ(a.rewards[k].rewards, b.rewards[k].rewards);
      EXPECT_EQ(a.rewards[k].first, b.rewards[k].first);
      EXPECT_EQ(a.rewards[k].changes, b.rewards[k].changes);
    }
    EXPECT_EQ(a.arms, b.arms);
    EXPECT_EQ(a.marks.size(), b.marks.size());
  }
}

TEST_F(RandomHistories, EntriesOfSomeKindsAreFoundFromBothEnds) {
  SCOPED_TRACE(seed());
  for (int run = 0; run < 20; ++run) {
    const Journal journal = random_journal(random_, 1 + random_() % 4000);
    const RewardHistory history = history_of(journal);
    const std::uint64_t place = random_() % (journal.size() + 2);
    const std::size_t most = 1 + random_() % 50;
    const auto kinds = static_cast<std::uint32_t>(random_() & random_());
    const auto is_wanted = [&](const JournalEntry& entry) {
      return (kinds >> entry.event.index() & 1U) != 0;
    };
    std::vector<std::uint64_t> oldest;
    std::vector<std::uint64_t> newest;
    for (const JournalEntry& entry : journal) {
      if (entry.number > place && is_wanted(entry) && oldest.size() < most) {
        oldest.push_back(entry.number);
      }
    }
    for (const JournalEntry& entry : Journal(journal.rbegin(), journal.rend())) {
      if (entry.number < place && is_wanted(entry) && newest.size() < most) {
        newest.push_back(entry.number);
      }
    }
    std::vector<std::uint64_t> found;
    const auto visit = [&](const JournalEntry& entry) {
      found.push_back(entry.number);
      return found.size() < most;
    };
    visit_oldest(history, kinds, place, reader_of(journal), visit);
    EXPECT_EQ(found, oldest);
    found.clear();
    visit_newest(history, kinds, place, reader_of(journal), visit);
    EXPECT_EQ(found, newest);
  }
}

TEST(RewardHistory, OfNothingIsEmpty) {
  const HistoryPicture picture = picture_of({}, {}, reader_of({}));
  EXPECT_TRUE(picture.rewards.empty());
  EXPECT_TRUE(picture.marks.empty());
}

TEST(RewardHistory, ASingleRewardHasNoWidth) {
  const Journal journal{{1, 10.0, Asked{1, 1, 1, {0.25}}}, {2, 12.0, Told{1, 0.5}}};
  const HistoryPicture picture = picture_of(history_of(journal), {}, reader_of(journal));
  ASSERT_EQ(picture.rewards.size(), 1U);
  EXPECT_TRUE(picture.is_raw);
  EXPECT_EQ(picture.rewards[0].first, 2U);
  EXPECT_EQ(picture.rewards[0].pull(), 0.5);
  EXPECT_EQ(picture.rewards[0].at(), 12.0);
  EXPECT_EQ(picture.arms, (std::vector<std::vector<double>>{{0.25}}));
}

TEST(RewardHistory, AnArmThatWasAskedForLongAgoIsFound) {
  Journal journal{{1, 0.0, Asked{1, 1, 1, {0.125}}}};
  for (Ticket ticket = 2; ticket < 1000; ++ticket) {
    journal.push_back({journal.size() + 1, 0.0, Asked{ticket, 1, 1, {0.5}}});
    journal.push_back({journal.size() + 1, 0.0, Told{ticket, 1.0}});
  }
  journal.push_back({journal.size() + 1, 0.0, Told{1, 2.0}});
  const HistoryPicture picture =
      picture_of(history_of(journal), {.from = 990.0, .buckets = 50}, reader_of(journal));
  ASSERT_TRUE(picture.is_raw);
  EXPECT_EQ(picture.arms.front(), std::vector{0.5});
  EXPECT_EQ(picture.arms.back(), std::vector{0.125});
}

TEST(RewardHistory, TheArmOfAComparisonIsThatOfItsBeginning) {
  Journal journal{{1, 0.0, ComparisonBegun{100, 1, {0.75}}}};
  for (int i = 0; i < 200; ++i) {
    journal.push_back({journal.size() + 1, 0.0, Compared{i % 2 == 0, 1.0 * i}});
  }
  const HistoryPicture picture =
      picture_of(history_of(journal), {.from = 90.0}, reader_of(journal));
  ASSERT_FALSE(picture.arms.empty());
  EXPECT_EQ(picture.arms.front(), std::vector{0.75});
  EXPECT_FALSE(picture.baseline.empty());
}

TEST(RewardHistory, EveryComparisonHasItsOwnArm) {
  Journal journal;
  for (const double arm : {0.25, 0.5, 0.75}) {
    journal.push_back({journal.size() + 1, 0.0, ComparisonBegun{100, 1, {arm}}});
    for (int i = 0; i < 3; ++i) {
      journal.push_back({journal.size() + 1, 0.0, Compared{false, arm}});
    }
  }
  const RewardHistory history = history_of(journal);
  for (const double from : {0.0, 1.0, 4.0}) {
    const HistoryPicture picture = picture_of(history, {.from = from}, reader_of(journal));
    ASSERT_TRUE(picture.is_raw);
    ASSERT_EQ(picture.arms.size(), picture.rewards.size());
    for (std::size_t i = 0; i < picture.arms.size(); ++i) {
      EXPECT_EQ(picture.arms[i], std::vector{picture.rewards[i].rewards.mean()}) << from;
    }
  }
}

TEST(RewardHistory, FailuresGoWithTheRewardThatComesNext) {
  const Journal journal{{1, 0.0, Told{1, 1.0}},
                        {2, 0.0, Failed{2, "no answer", false}},
                        {3, 0.0, Failed{2, "no answer", true}},
                        {4, 0.0, Penalized{2, 0.0}},
                        {5, 0.0, Told{3, 2.0}},
                        {6, 0.0, Failed{0, "the system is down", true}}};
  const HistoryPicture picture = picture_of(history_of(journal), {}, reader_of(journal));
  ASSERT_EQ(picture.rewards.size(), 2U);
  EXPECT_EQ(picture.rewards[0].failures, 0U);
  EXPECT_EQ(picture.rewards[1].failures, 3U) << "one try, one penalty, and the last";
  ASSERT_EQ(picture.marks.size(), 4U);
  EXPECT_EQ(picture.marks[0].text, "no answer (will be retried)");
  EXPECT_EQ(picture.marks[1].text, "no answer");
}

TEST(RewardHistory, ChangesAreThoseOfTheSystemWhereATunerSetsIt) {
  const Journal journal{{1, 0.0, Applied{0, {0.5}}},      {2, 0.0, Asked{1, 1, 1, {0.25}}},
                        {3, 0.0, Applied{1, {0.25}}},     {4, 0.0, Told{1, 1.0}},
                        {5, 0.0, Asked{2, 1, 1, {0.25}}}, {6, 0.0, Told{2, 1.0}}};
  const HistoryPicture picture = picture_of(history_of(journal), {}, reader_of(journal));
  ASSERT_EQ(picture.rewards.size(), 2U);
  EXPECT_EQ(picture.rewards[0].changes, 1U);
  EXPECT_EQ(picture.rewards[1].changes, 0U);
}

TEST(RewardHistory, RareMarksSurviveAndCommonOnesAreSpreadEvenly) {
  Journal journal;
  for (std::uint64_t i = 1; i <= 50'000; ++i) {
    Event event = Told{i, 0.0};
    if (i % 5 == 0) event = Penalized{i, 0.0};
    if (i % 10'000 == 3) event = CommandAccepted{i, RunnerCommand::hold, 0, "bob"};
    journal.push_back({i, 0.0, event});
  }
  for (const double from : {0.0, 30'000.0}) {
    const HistoryPicture picture =
        picture_of(history_of(journal), {.from = from}, reader_of(journal));
    std::uint64_t commands = 0;
    std::vector<double> penalties;
    for (const HistoryMark& mark : picture.marks) {
      if (mark.text == "hold, by bob") ++commands;
      if (mark.text == "learnt as 0") penalties.push_back(mark.pull);
    }
    EXPECT_EQ(commands, from == 0.0 ? 5U : 1U);
    EXPECT_LE(picture.marks.size(), kMostMarks);
    EXPECT_GE(penalties.size(), 200U);
    EXPECT_NEAR(static_cast<double>(picture.marks_left_out + picture.marks.size()),
                from == 0.0 ? 10'005.0 : 4001.0, 4.0);
    const double width =
        (penalties.back() - penalties.front()) / static_cast<double>(penalties.size() - 1);
    for (std::size_t i = 1; i < penalties.size(); ++i) {
      EXPECT_NEAR(penalties[i] - penalties[i - 1], width, 0.5 * width + 8.0);
    }
  }
}

TEST(RewardHistory, APauseIsNotDrawnInto) {
  Journal journal;
  for (std::uint64_t i = 1; i <= 2000; ++i) {
    journal.push_back({i, i <= 1000 ? 0.001 * static_cast<double>(i) : 1e5, Told{i, 0.0}});
  }
  const HistoryPicture picture =
      picture_of(history_of(journal), {.by_time = true, .buckets = 10}, reader_of(journal));
  for (const HistoryPart& part : picture.rewards) {
    EXPECT_TRUE(part.at() <= 1.0 || part.at() == 1e5) << part.at();
  }
}

}  // namespace
}  // namespace canopy
