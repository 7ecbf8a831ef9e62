// Every optimizer continues from its saved state exactly as if it had not been interrupted.

#include "canopy/hct.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"
#include "canopy/state.hpp"

#include "support/conversation.hpp"
#include "support/random_hct.hpp"
#include "support/sealed.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::Conversation;
using testing::RandomHct;
using testing::sealed;
using testing::unsealed;

void expect_going_on(const Selection& optimizer, const Space& space, const Objective& objective,
                     std::uint64_t seed, int before, bool observes) {
  const auto fresh = [&] { return make_optimizer(optimizer, space, SplitRule::cyclic, objective); };
  const auto one = fresh();
  const auto twin = fresh();
  Conversation conversation(seed);
  if (observes) conversation.observe(space);
  for (int i = 0; i < before; ++i) RC_ASSERT(conversation.step({one.get(), twin.get()}));
  const auto restored = fresh();
  restored->restore(one->save());
  RC_ASSERT(restored->save() == one->save());
  RC_ASSERT(restored->in_flight().size() == one->summary().in_flight);
  RC_ASSERT(restored->summary().observed == conversation.observed());
  for (int i = 0; i < 300; ++i) RC_ASSERT(conversation.step({one.get(), restored.get()}));
  RC_ASSERT(restored->save() == one->save());
  RC_ASSERT(restored->best().has_value() == one->best().has_value());
  if (const auto best = one->best()) RC_ASSERT(restored->best()->lower == best->lower);
}

RC_GTEST_PROP(SaveRestore, HctContinuesAsIfUninterrupted, (const RandomHct& config)) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto before = *rc::gen::inRange(0, 1000);
  RC_LOG() << config << " seed " << seed << " before " << before;
  expect_going_on({"hct", values_of(config.options)}, RandomHct::make_space(config.space),
                  config.objective, seed, before, *rc::gen::arbitrary<bool>());
}

RC_GTEST_PROP(SaveRestore, OtherOptimizersContinueAsIfUninterrupted, ()) {
  const auto optimizer = *rc::gen::elementOf(std::vector<Selection>{
      {"adaptive", {{"coverage", 0.5}}},
      {"hoo", {{"nu1", 0.5}}},
      {"thoo", {{"horizon", std::uint64_t{500}}}},
      {"thoo", {{"nu1", 2.0}}},
      {"power", {{"window", std::uint64_t{3}}, {"rollout_length", std::uint64_t{4}}}},
      {"grid", {{"points", std::uint64_t{5}}}},
      {"poo", {{"base", "hct"}}},
      {"pct", {{"horizon", std::uint64_t{300}}}},
      {"random", {{"seed", std::uint64_t{7}}}}});
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto before = *rc::gen::inRange(0, 500);
  RC_LOG() << optimizer.name << " seed " << seed << " before " << before;
  const auto config = *rc::gen::arbitrary<RandomHct>();
  expect_going_on(optimizer, RandomHct::make_space(config.space), config.objective, seed, before,
                  *rc::gen::arbitrary<bool>());
}

std::unique_ptr<Optimizer> on_a_line(const Selection& optimizer = {"hct"}) {
  return make_optimizer(optimizer, {{"x", Real{0.0, 1.0}}});
}

std::string saved_after(int pulls) {
  const auto optimizer = on_a_line();
  for (int i = 0; i < pulls; ++i) {
    const Pull pull = optimizer->ask(1);
    (void)optimizer->tell(pull.ticket, pull.arm[0]);
  }
  return optimizer->save();
}

/// One pull at a time, which uses the fast paths of optimizers.
TEST(SaveRestore, WhatIsSavedDoesNotTellHowOftenItWasRestored) {
  for (const std::string name : {"hct", "vhct", "adaptive", "pct"}) {
    const auto one = on_a_line({name});
    auto restored = on_a_line({name});
    RandomStream random({.seed = 8});
    for (int i = 0; i < 2000; ++i) {
      const double noise = 0.3 * random.uniform();
      for (Optimizer* optimizer : {one.get(), restored.get()}) {
        const Pull pull = optimizer->ask(1);
        ASSERT_EQ(optimizer->tell(pull.ticket, pull.arm[0] + noise), Status::ok);
      }
      ASSERT_EQ(restored->save(), one->save()) << name << " after " << i;
      if (i % 7 != 0) continue;
      restored = on_a_line({name});
      restored->restore(one->save());
    }
  }
}

std::string of_version(const std::string& version, std::string saved) {
  return saved.replace(saved.find(" 5 "), 3, " " + version + " ");
}

std::string complaint_about(const std::string& saved, const Selection& optimizer = {"hct"}) {
  try {
    on_a_line(optimizer)->restore(saved);
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
  const std::string newer = sealed(of_version("6", unsealed(saved_after(10))));
  EXPECT_EQ(complaint_about(newer),
            "the state was saved by a newer version of canopy (format 6, this one reads 5)");
  EXPECT_THROW(on_a_line()->restore(newer), NewerStateError);
}

TEST(SaveRestore, AnotherVersionWithAWrongChecksumIsDamage) {
  EXPECT_EQ(complaint_about(of_version("6", saved_after(10))), "the saved state is damaged");
}

TEST(SaveRestore, AnOlderVersionHadAnotherChecksumAndIsStillKnown) {
  const std::string saved = "canopy-state 3 hct 1 0 907060870";
  EXPECT_EQ(complaint_about(saved),
            "the state was saved by an older version of canopy (format 3, this one reads 5)");
}

TEST(SaveRestore, AStateOfAnotherOptimizerOrSpaceIsRefused) {
  const std::string saved = saved_after(10);
  EXPECT_EQ(complaint_about(saved, {"thoo"}),
            "the saved state is that of another optimizer or space (\"hct\" where \"thoo\" is "
            "expected)");
  const auto plane = make_optimizer({"hct"}, {{"x", Real{0.0, 1.0}}, {"y", Real{0.0, 1.0}}});
  EXPECT_THROW(plane->restore(saved), StateError);
}

TEST(SaveRestore, TicketsInFlightKeepTheirArms) {
  const auto optimizer = on_a_line();
  const Pull pull = optimizer->ask(1);
  const auto restored = on_a_line();
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
