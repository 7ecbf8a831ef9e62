// The rules of the first format against what its own optimizers did. The checksums were recorded
// from that version (commit bb93be9). A difference means that stores would be migrated wrongly:
// mend the code, never the checksum.

#include "studies/first_format.hpp"

#include "canopy/errors.hpp"
#include "canopy/random.hpp"

#include "support/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy::first_format {
namespace {

using testing::kNan;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Units {
  bool minimizes;
  std::array<double, 2> range;
};

Units up(double low, double high) {
  return {false, {low, high}};
}

Units down(double low, double high) {
  return {true, {low, high}};
}

/// What is played, and the checksum of what the first version did.
struct Case {
  std::string name;
  std::string optimizer;
  OptionValues options;
  Space space;
  SplitRule split;
  Units units;
  std::uint64_t checksum;

  [[nodiscard]] std::unique_ptr<Player> player() const {
    return make_player(optimizer, options, space, split, units.minimizes, units.range);
  }
};

std::ostream& operator<<(std::ostream& out, const Case& played) {
  return out << played.name;
}

std::uint64_t whole(std::uint64_t number) {
  return number;
}

std::vector<Case> cases() {
  constexpr auto kCyclic = SplitRule::cyclic;
  constexpr auto kLongest = SplitRule::longest_side;
  const Space line{{"x", Real{0.0, 1.0}}};
  const Space plane{{"x", Real{-3.0, 5.0}}, {"y", Real{-1.0, 1.0}}};
  const Space few{{"n", Integer{0, 6}}};
  const Space mixed{{"x", Real{0.0, 2.0}},
                    {"n", Integer{-2, 9}},
                    {"c", Choice{{"a", "b", "c"}}},
                    {"y", Real{1e-3, 10.0, Scale::log}}};
  const OptionValues none;
  const OptionValues wide{{"confidence_scale", 0.2}};
  const OptionValues paper{{"preset", "paper"}};
  const OptionValues set{{"nu1", 0.3}, {"rho", 0.8}, {"confidence_scale", 0.01}, {"delta", 0.5}};
  const OptionValues correlated{{"feedback", "correlated"}};
  const OptionValues supplement{
      {"feedback", "correlated"}, {"constants", "supplement"}, {"mixing_time", 0.2}};
  const OptionValues quick{
      {"feedback", "correlated"}, {"preset", "paper"}, {"confidence_scale", 0.002}};
  const OptionValues seeded{{"seed", whole(7)}};
  const OptionValues horizon{{"horizon", whole(900)}, {"nu1", 0.5}, {"rho", 0.6}};
  const OptionValues fine{{"nu1", 0.1}, {"rho", 0.7}};
  const OptionValues rollouts{
      {"sigma", 0.4}, {"window", whole(3)}, {"rollout_length", whole(4)}, {"seed", whole(11)}};
  const OptionValues three{{"points", whole(3)}};
  return {
      {"HctOnALine", "hct", none, line, kCyclic, up(0.0, 1.0), 0x71584b267f597da3},
      {"HctMixed", "hct", none, mixed, kLongest, down(-3.0, 5.0), 0xef4bdf267cde9eda},
      {"HctOfFewArms", "hct", wide, few, kCyclic, up(2.0, 3.0), 0xe1de68b30bf7109},
      {"HctOfThePaper", "hct", paper, plane, kLongest, up(-1.0, 0.0), 0xe9302b87efeb613d},
      {"HctWithOptions", "hct", set, plane, kCyclic, down(0.0, 1.0), 0x38e27cf38ba8b757},
      {"HctCorrelated", "hct", correlated, line, kCyclic, down(0.0, 9.0), 0x1b75180ca23ffe65},
      {"HctCorrelatedMixed", "hct", supplement, mixed, kCyclic, up(-0.5, 0.25), 0x33d558483c5f5465},
      {"HctCorrelatedOfFewArms", "hct", quick, few, kCyclic, up(0.0, 1.0), 0x70bd25fdd7f99ee2},
      {"ThooOnALine", "thoo", none, line, kCyclic, up(0.0, 1.0), 0x1a04533bc51fcc02},
      {"ThooMixed", "thoo", seeded, mixed, kLongest, down(-3.0, 5.0), 0xe5202bd8dca51495},
      {"ThooWithAHorizon", "thoo", horizon, plane, kCyclic, down(0.0, 1.0), 0x3e36431ef18549bc},
      {"HooOnALine", "hoo", none, line, kCyclic, up(0.0, 1.0), 0xc1d2f1073997a2e8},
      {"HooMixed", "hoo", seeded, mixed, kLongest, down(-3.0, 5.0), 0xf0466318f5abe188},
      {"HooOfFewArms", "hoo", fine, few, kCyclic, down(2.0, 3.0), 0xd11ad7ce0343fdb1},
      {"PowerOnALine", "power", none, line, kCyclic, up(0.0, 1.0), 0x3180ae8f453e9e82},
      {"PowerMixed", "power", rollouts, mixed, kCyclic, down(-3.0, 5.0), 0xf8fe25c1bf84ceb1},
      {"GridOnALine", "grid", none, line, kCyclic, up(0.0, 1.0), 0x18ae7a659335fbba},
      {"GridMixed", "grid", three, mixed, kCyclic, down(-3.0, 5.0), 0x4fb66ce277f1a81e},
      {"GridOfFewArms", "grid", wide, few, kCyclic, up(-9.0, 0.0), 0xefd48b3cb8dd0cac},
      {"RandomOnALine", "random", none, line, kCyclic, up(0.0, 1.0), 0x327d955b892c5ac5},
      {"RandomMixed", "random", seeded, mixed, kCyclic, down(-3.0, 5.0), 0x86f272e041b7a1a0},
  };
}

enum class Rewards {
  smooth,  // a function of the arm, and noise
  coarse,  // one of few values: bounds and means tie
};

/// Asks, tells (lists, single rewards, sums), drops and finishes at random, with many tickets in
/// flight.
class Drive {
 public:
  Drive(const Case& played, std::uint64_t seed, Rewards rewards = Rewards::smooth)
      : case_(played),
        player_(played.player()),
        random_({.seed = seed, .algorithm = "drive"}),
        rewards_(rewards) {}

  void steps(int count) {
    for (int i = 0; i < count; ++i) step();
  }

  void step() {
    const double what = random_.uniform();
    if (open_.empty() || what < 0.45) {
      ask();
    } else if (what < 0.95) {
      tell(pick());
    } else if (what < 0.985) {
      drop(pick());
    } else {
      player_->finish();
    }
  }

  /// All that the first version refused, or took without learning anything.
  void try_in_vain() {
    const std::vector<double> plain{case_.units.range[0]};
    for (const std::uint64_t ticket : {whole(0), closed_, last_ticket_ + 1}) {
      expect(!player_->tell(ticket, {}));
      expect(!player_->tell(ticket, plain));
      expect(!player_->tell_sums(ticket, 1, 0.0, 0.0));
      expect(!player_->drop(ticket));
    }
    for (const auto& [ticket, remaining, place] : open_) {
      expect(player_->tell(ticket, {}));
      for (const double bad : {kNan, -kInfinity, 1e120, -1e120}) {
        expect(!player_->tell(ticket, std::vector{bad}));
        expect(!player_->tell_sums(ticket, 1, bad, bad * bad));
      }
      expect(!player_->tell_sums(ticket, 0, 0.0, 0.0));
      expect(!player_->tell_sums(ticket, 1, 1.0, kInfinity));
      expect(!player_->tell_sums(ticket, 1, 3.0, 8.9));
      expect(!player_->tell_sums(ticket, remaining + 1, 0.0, 1.0));
      if (remaining < 100) expect(!player_->tell(ticket, std::vector(remaining + 1, plain[0])));
    }
  }

  /// FNV-1a over the bits of all tickets, lengths and arms.
  [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

  /// How often an answer was refused that was in order, or taken that was not.
  [[nodiscard]] int surprises() const { return surprises_; }

 private:
  struct Open {
    std::uint64_t ticket;
    std::uint64_t remaining;
    double place;  // of the arm, from 0 to about 1
  };

  void ask() {
    const std::uint64_t pulls = random_.coin() ? 1 + random_() % 6 : UINT64_MAX;
    const Played played = player_->ask(pulls);
    last_ticket_ = played.ticket;
    add(played.ticket);
    add(played.length);
    double place = 0.0;
    for (std::size_t i = 0; i < played.arm.size(); ++i) {
      add(std::bit_cast<std::uint64_t>(played.arm[i]));
      place += 0.3 * std::abs(played.arm[i] - 0.2 * static_cast<double>(i + 1));
    }
    open_.push_back({played.ticket, played.length, place});
  }

  void tell(std::size_t which) {
    auto& [ticket, remaining, place] = open_[which];
    const std::uint64_t most = random_.uniform() < 0.3 ? 5000 : 1 + random_() % 4;
    const std::uint64_t count = std::min(remaining, most);
    bool taken = false;
    if (count > 50 || random_.uniform() < 0.3) {
      const double sum = static_cast<double>(count) * reward(place);
      taken = player_->tell_sums(ticket, count, sum, sum * sum / static_cast<double>(count));
    } else {
      std::vector<double> rewards;
      for (std::uint64_t i = 0; i < count; ++i) rewards.push_back(reward(place));
      taken = player_->tell(ticket, rewards);
    }
    expect(taken);
    remaining -= count;
    if (remaining == 0) close(which);
  }

  void drop(std::size_t which) {
    expect(player_->drop(open_[which].ticket));
    close(which);
  }

  void close(std::size_t which) {
    closed_ = open_[which].ticket;
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  /// A ticket that is open: often the newest.
  std::size_t pick() { return random_.coin() ? open_.size() - 1 : random_() % open_.size(); }

  /// In the user's units.
  double reward(double place) {
    const double noise = random_.uniform();
    const double smooth = 1.0 - place * place + 0.4 * (noise - 0.5);
    const double coarse = noise < 0.5 ? 0.25 : (noise < 0.8 ? 0.5 : 0.75);
    const double mapped = rewards_ == Rewards::smooth ? smooth : coarse;
    const auto& [minimizes, range] = case_.units;
    const double length = mapped * (range[1] - range[0]);
    return minimizes ? range[1] - length : range[0] + length;
  }

  void expect(bool as_expected) { surprises_ += as_expected ? 0 : 1; }

  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte, number >>= 8) {
      checksum_ = (checksum_ ^ (number & 0xff)) * 0x100000001b3ULL;
    }
  }

  const Case& case_;
  std::unique_ptr<Player> player_;
  RandomStream random_;
  Rewards rewards_;
  std::vector<Open> open_;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t closed_ = 0;  // a ticket that is closed, or 0
  std::uint64_t checksum_ = 0xcbf29ce484222325ULL;
  int surprises_ = 0;
};

class FirstFormatGolden : public ::testing::TestWithParam<Case> {};

TEST_P(FirstFormatGolden, PlaysWhatTheFirstVersionPlayed) {
  Drive smooth(GetParam(), 2014);
  Drive coarse(GetParam(), 2011, Rewards::coarse);
  smooth.steps(6000);
  coarse.steps(6000);
  EXPECT_EQ(smooth.surprises() + coarse.surprises(), 0);
  const std::uint64_t checksum = smooth.checksum() ^ coarse.checksum();
  EXPECT_EQ(checksum, GetParam().checksum) << std::hex << "0x" << checksum;
}

TEST_P(FirstFormatGolden, AskedAgainGivesTheSameArmOnANewTicket) {
  const auto player = GetParam().player();
  const Played first = player->ask(UINT64_MAX);
  player->finish();  // which does nothing to a turn without an answer
  const Played second = player->ask(1);
  EXPECT_EQ(first.ticket, 1U);
  EXPECT_EQ(second.ticket, 2U);
  EXPECT_EQ(first.arm, second.arm);
  EXPECT_EQ(second.length, 1U);
}

INSTANTIATE_TEST_SUITE_P(All, FirstFormatGolden, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

RC_GTEST_PROP(FirstFormat, WhatIsRefusedChangesNothing, ()) {
  const Case played = *rc::gen::elementOf(cases());
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RC_LOG() << played << " seed " << seed;
  Drive undisturbed(played, seed);
  Drive disturbed(played, seed);
  RandomStream random({.seed = seed});
  for (int i = 0; i < 300; ++i) {
    undisturbed.step();
    disturbed.step();
    if (random.uniform() < 0.1) disturbed.try_in_vain();
  }
  RC_ASSERT(disturbed.surprises() == 0);
  RC_ASSERT(disturbed.checksum() == undisturbed.checksum());
}

RC_GTEST_PROP(FirstFormat, DefaultsMayBeWrittenOut, ()) {
  const Case brief = *rc::gen::elementOf(cases());
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RC_LOG() << brief << " seed " << seed;
  Case full = brief;
  full.options = completed_options(brief.optimizer, brief.options, brief.space.dimension());
  RC_ASSERT(completed_options(full.optimizer, full.options, full.space.dimension()) ==
            full.options);
  Drive one(brief, seed);
  Drive other(full, seed);
  one.steps(300);
  other.steps(300);
  RC_ASSERT(one.checksum() == other.checksum());
}

std::unique_ptr<Player> player_on_a_line() {
  const Space line{{"x", Real{0.0, 1.0}}};
  return make_player("random", {}, line, SplitRule::cyclic, false, {0.0, 1.0});
}

TEST(FirstFormat, TakesRewardsUpTo1e100OnceMapped) {
  const auto player = player_on_a_line();
  const std::uint64_t ticket = player->ask(1).ticket;
  EXPECT_FALSE(player->tell(ticket, std::vector{std::nextafter(1e100, kInfinity)}));
  EXPECT_TRUE(player->tell(ticket, std::vector{1e100}));
}

TEST(FirstFormat, ForgivesSumsThatWereRounded) {
  const auto player = player_on_a_line();
  const std::uint64_t ticket = player->ask(1).ticket;
  EXPECT_FALSE(player->tell_sums(ticket, 1, 1.0, 1.0 - 2e-6));
  EXPECT_TRUE(player->tell_sums(ticket, 1, 1.0, 1.0 - 0.5e-6));
}

TEST(FirstFormat, HasTheDefaultsOfItsOptimizers) {
  const auto completed = [](const std::string& optimizer, const OptionValues& given) {
    return completed_options(optimizer, given, 2);
  };
  const double rho = std::pow(2.0, -0.5);
  const OptionValues::Named seed{"seed", whole(1)};
  EXPECT_EQ(completed("hct", {}), (OptionValues{{"feedback", "iid"},
                                                {"mixing_time", 1.0},
                                                {"preset", "practical"},
                                                {"nu1", 4.0},
                                                {"rho", 0.5},
                                                {"confidence_scale", 0.025},
                                                {"delta", 0.05},
                                                {"constants", "main"}}));
  EXPECT_EQ(
      completed("thoo", {}),
      (OptionValues{{"horizon", {}}, {"nu1", 1.0}, {"rho", rho}, {"confidence_scale", 0.2}, seed}));
  EXPECT_EQ(completed("hoo", {{"rho", {}}}),
            (OptionValues{{"nu1", 1.0}, {"rho", rho}, {"confidence_scale", 0.2}, seed}));
  EXPECT_EQ(
      completed("power", {}),
      (OptionValues{{"sigma", 0.1}, {"window", whole(10)}, {"rollout_length", whole(10)}, seed}));
  EXPECT_EQ(completed("grid", {}),
            (OptionValues{{"points", whole(32)}, {"confidence_scale", 0.1}}));
  EXPECT_EQ(completed("random", {{"seed", whole(9)}}), (OptionValues{{"seed", whole(9)}}));
}

TEST(FirstFormat, ThePresetOfHctSetsWhatIsNotGiven) {
  const OptionValues paper =
      completed_options("hct", {{"preset", "paper"}, {"confidence_scale", 0.5}}, 4);
  EXPECT_EQ(*paper.find("nu1"), OptionValue(1.0));
  EXPECT_EQ(*paper.find("rho"), OptionValue(std::pow(2.0, -0.25)));
  EXPECT_EQ(*paper.find("confidence_scale"), OptionValue(0.5));
  const OptionValues correlated = completed_options("hct", {{"feedback", "correlated"}}, 4);
  EXPECT_EQ(*correlated.find("confidence_scale"), OptionValue(0.006));
}

TEST(FirstFormat, KnowsNoOtherOptimizer) {
  EXPECT_THROW((void)completed_options("annealing", {}, 1), ConfigurationError);
}

}  // namespace
}  // namespace canopy::first_format
