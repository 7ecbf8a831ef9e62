// Every optimizer goes on from what it saved exactly as if nothing had happened.

#include "canopy/random.hpp"
#include "canopy/state.hpp"

#include "optimizers/catalogue.hpp"
#include "support/random_hct.hpp"

#include <deque>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::RandomHct;

/// A conversation drawn at random: asks of any length, answers of all three kinds in any order,
/// tickets dropped.
class Conversation {
 public:
  explicit Conversation(std::uint64_t seed) : random_({.seed = seed}) {}

  /// One request to both; false when they answer differently.
  bool step(Optimizer& one, Optimizer& other) {
    const double what = random_.uniform();
    if (open_.empty() || what < 0.4) return ask(one, other);
    const std::size_t which = random_() % open_.size();
    Waiting& waiting = open_[which];
    if (what < 0.43) {
      const bool same = one.drop(waiting.ticket) == other.drop(waiting.ticket);
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
      return same;
    }
    const bool same = tell(waiting, one, other);
    if (waiting.length == 0) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    return same;
  }

 private:
  struct Waiting {
    Ticket ticket;
    std::uint64_t length;
  };

  bool ask(Optimizer& one, Optimizer& other) {
    const std::uint64_t pulls = 1 + random_() % 5;
    const Pull a = one.ask(pulls);
    const Pull b = other.ask(pulls);
    open_.push_back({a.ticket, a.length});
    return a.ticket == b.ticket && a.length == b.length && a.node == b.node && a.depth == b.depth &&
           std::equal(a.arm.begin(), a.arm.end(), b.arm.begin(), b.arm.end()) &&
           one.path(a.node) == other.path(b.node);
  }

  bool tell(Waiting& waiting, Optimizer& one, Optimizer& other) {
    const double reward = random_.uniform();
    if (waiting.length > 1 && random_.coin()) {
      const std::vector<double> rewards{reward, random_.uniform()};
      waiting.length -= 2;
      return one.tell(waiting.ticket, rewards) == other.tell(waiting.ticket, rewards);
    }
    --waiting.length;
    return one.tell(waiting.ticket, reward) == other.tell(waiting.ticket, reward);
  }

  RandomStream random_;
  std::deque<Waiting> open_;
};

void expect_going_on(const OptimizerOptions& options, const Space& space, std::uint64_t seed,
                     int before) {
  const auto fresh = [&] { return make_optimizer(options, space, SplitRule::cyclic, {}); };
  const auto one = fresh();
  const auto twin = fresh();
  Conversation conversation(seed);
  for (int i = 0; i < before; ++i) RC_ASSERT(conversation.step(*one, *twin));
  const auto restored = fresh();
  restored->restore(one->save());
  RC_ASSERT(restored->save() == one->save());
  RC_ASSERT(restored->in_flight().size() == one->summary().in_flight);
  for (int i = 0; i < 300; ++i) RC_ASSERT(conversation.step(*one, *restored));
  RC_ASSERT(restored->save() == one->save());
  RC_ASSERT(restored->best().has_value() == one->best().has_value());
  if (const auto best = one->best()) RC_ASSERT(restored->best()->lower == best->lower);
}

RC_GTEST_PROP(SaveRestore, HctGoesOnAsIfNothingHadHappened, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto before = *rc::gen::inRange(0, 1000);
  expect_going_on(config.options, RandomHct::make_space(config.space), seed, before);
}

RC_GTEST_PROP(SaveRestore, RivalsGoOnAsIfNothingHadHappened, ()) {
  const auto options = *rc::gen::element<OptimizerOptions>(
      HooOptions{.nu1 = 0.5}, ThooOptions{.horizon = 500}, ThooOptions{.nu1 = 2.0},
      PowerOptions{.window = 3, .rollout_length = 4}, GridOptions{.points = 5},
      RandomSearchOptions{.seed = 7});
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto before = *rc::gen::inRange(0, 500);
  expect_going_on(options, RandomHct::make_space(*rc::gen::inRange(0, 4)), seed, before);
}

std::unique_ptr<Optimizer> line(const OptimizerOptions& options = HctOptions{}) {
  return make_optimizer(options, {{"x", Real{0.0, 1.0}}}, SplitRule::cyclic, {});
}

std::string saved_after(int pulls) {
  const auto optimizer = line();
  for (int i = 0; i < pulls; ++i) {
    const Pull pull = optimizer->ask(1);
    (void)optimizer->tell(pull.ticket, pull.arm[0]);
  }
  return optimizer->save();
}

std::string complaint_about(const std::string& saved,
                            const OptimizerOptions& options = HctOptions{}) {
  try {
    line(options)->restore(saved);
  } catch (const StateError& error) {
    return error.what();
  }
  return "";
}

TEST(SaveRestore, DamageAnywhereIsNoticed) {
  const std::string saved = saved_after(100);
  for (std::size_t i = 0; i < saved.size(); i += 7) {
    std::string damaged = saved;
    damaged[i] = damaged[i] == '1' ? '2' : '1';
    EXPECT_NE(complaint_about(damaged), "") << "letter " << i;
    EXPECT_NE(complaint_about(saved.substr(0, i)), "") << "cut at " << i;
  }
  EXPECT_EQ(complaint_about(saved), "");
}

TEST(SaveRestore, AStateOfANewerVersionIsRefusedByName) {
  std::string saved = saved_after(10);
  saved.replace(saved.find(" 1 "), 3, " 2 ");
  EXPECT_EQ(complaint_about(saved),
            "the state was saved by a newer version of canopy (format 2, this one reads 1)");
}

TEST(SaveRestore, AStateOfAnotherOptimizerOrSpaceIsRefused) {
  const std::string saved = saved_after(10);
  EXPECT_EQ(complaint_about(saved, ThooOptions{}),
            "the saved state is that of another optimizer or space (\"hct\" where \"thoo\" is "
            "expected)");
  const auto plane = make_optimizer(HctOptions{}, {{"x", Real{0.0, 1.0}}, {"y", Real{0.0, 1.0}}},
                                    SplitRule::cyclic, {});
  EXPECT_THROW(plane->restore(saved), StateError);
}

TEST(SaveRestore, TicketsInFlightKeepTheirArms) {
  const auto optimizer = line();
  const Pull pull = optimizer->ask(1);
  const auto restored = line();
  restored->restore(optimizer->save());
  const std::vector<Pull> open = restored->in_flight();
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].ticket, pull.ticket);
  EXPECT_EQ(open[0].length, pull.length);
  EXPECT_EQ(open[0].arm[0], pull.arm[0]);
  EXPECT_EQ(restored->tell(pull.ticket, 0.5), Status::ok);
}

}  // namespace
}  // namespace canopy
