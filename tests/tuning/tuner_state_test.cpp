#include "tuning/tuner_state.hpp"

#include "canopy/state.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

/// A study with a baseline at 0.9 and a floor over four rewards.
StudySpecification specification(const std::string& system = "floor = 0.5\nfloor_window = 4\n") {
  return parse_study(
      "[[space]]\nname = \"x\"\nlow = 0\nhigh = 1\n[baseline]\nsetting = { x = 0.9 }\n[system]\n"
      "measure = \"m {x}\"\n" +
          system,
      "study.toml");
}

/// The state after these events, with one second between them.
TunerState after(const std::vector<Event>& events,
                 const StudySpecification& study = specification()) {
  TunerState state(study);
  for (std::size_t i = 0; i < events.size(); ++i) {
    state.apply({i + 1, 1000.0 + static_cast<double>(i), events[i]});
  }
  return state;
}

/// Random events with few different tickets, settings and rewards, so that equal ones occur.
rc::Gen<Event> random_tuner_event() {
  return rc::gen::exec([]() -> Event {
    const auto ticket = *rc::gen::inRange<Ticket>(0, 4);
    const double number = *rc::gen::element(0.0, 0.25, 0.5, 0.9);
    switch (*rc::gen::inRange(0, 19)) {
      case 12:
        return Penalized{ticket, number};
      case 13:
        return Deferred{ticket, {number}};
      case 14:
        return MetricsMeasured{ticket, {{"a b", number}, {"p99", 0.5}}, {}};
      case 15:
        return ComparisonBegun{10, 1, {number}};
      case 16:
        return Compared{ticket == 0, number};
      case 17:
        return ComparisonEnded{ticket == 0, "two words"};
      case 18:
        return Changed{{7, ticket == 0 ? Change::Kind::shape : Change::Kind::level, number}};
      case 0:
        return Asked{ticket, 1, 1, {number}};
      case 1:
        return Told{ticket, number};
      case 2:
        return Told{ticket, std::vector{number, 0.5}};
      case 3:
        return Dropped{ticket};
      case 4:
        return TunerStarted{number};
      case 5:
        return TunerStopped{"why", *rc::gen::arbitrary<bool>()};
      case 6:
      case 7:
        return Applied{ticket, {number}};
      case 8:
        return Observed{{number}, number, Role::warm_up};
      case 9:
        return Held{ticket, number};
      case 10:
        return Observed{{0.9}, number, Role::baseline};
      default:
        return Failed{ticket, "what", number == 0.5};
    }
  });
}

RC_GTEST_PROP(TunerState, FromASnapshotAndTheRestIsThatOfTheWholeJournal, ()) {
  const auto events = *rc::gen::container<std::vector<Event>>(random_tuner_event());
  const auto split = *rc::gen::inRange<std::size_t>(0, events.size() + 1);
  const StudySpecification study =
      specification(*rc::gen::element<std::string>("", "floor = 0.5\nfloor_window = 2\n"));
  double at = 0.0;
  std::vector<JournalEntry> journal;
  for (const Event& event : events) {
    at += *rc::gen::element(0.0, 1.0, 1800.0, 5000.0);
    journal.push_back({journal.size() + 1, at, event});
  }
  TunerState whole(study);
  TunerState first(study);
  for (std::size_t i = 0; i < journal.size(); ++i) {
    whole.apply(journal[i]);
    if (i < split) first.apply(journal[i]);
  }
  TunerState second(study);
  second.restore(first.save());
  RC_ASSERT(second.save() == first.save());
  for (std::size_t i = split; i < journal.size(); ++i) second.apply(journal[i]);
  RC_ASSERT(second.save() == whole.save());
  RC_ASSERT(second.held() == whole.held());
  RC_ASSERT(second.window() == whole.window());
  RC_ASSERT(second.setting() == whole.setting());
  RC_ASSERT(second.changes_after(at - 3600.0) == whole.changes_after(at - 3600.0));
  RC_ASSERT(second.seconds_so_far() == whole.seconds_so_far());
}

TEST(TunerState, KnowsTheSettingAndThePullsSinceThen) {
  const TunerState state =
      after({Applied{1, {0.25}}, Told{1, 0.1}, Observed{{0.25}, 0.1, Role::warm_up}, Held{2, 0.2},
             Applied{2, {0.25}}, Told{3, 0.3}});
  EXPECT_EQ(state.setting(), std::vector{0.25});
  EXPECT_EQ(state.changes(), 1U) << "the second was put back";
  EXPECT_EQ(state.pulls_here(), 3U) << "without the warm-up";
  EXPECT_EQ(after({Applied{1, {0.25}}, Told{1, 0.1}, Applied{2, {0.5}}}).pulls_here(), 0U);
}

TEST(TunerState, CountsTheChangesOfTheLastHour) {
  TunerState state(specification());
  std::uint64_t number = 0;
  for (const double at : {0.0, 1000.0, 4000.0, 4001.0}) {
    state.apply({++number, at, Applied{1, {at / 5000.0}}});
  }
  EXPECT_EQ(state.changes(), 4U);
  EXPECT_EQ(state.changes_after(4001.0 - 3600.0), 3U);
  EXPECT_EQ(state.changes_after(1000.0), 2U) << "later ones only";
}

TEST(TunerState, ARewardThatIsHeldIsPulledOnceAndToldLater) {
  const TunerState held = after({Applied{1, {0.25}}, Held{1, 0.2}, Held{2, 0.3}});
  EXPECT_EQ(held.held(), (std::map<Ticket, double>{{1, 0.2}, {2, 0.3}}));
  const TunerState told =
      after({Applied{1, {0.25}}, Held{1, 0.2}, Held{2, 0.3}, Told{1, 0.2}, Dropped{2}});
  EXPECT_TRUE(told.held().empty());
  EXPECT_EQ(told.pulls_here(), 2U);
  EXPECT_EQ(told.window().size(), 2U);
}

TEST(TunerState, TheWindowHasTheLastRewardsUntilTheFloorWasMet) {
  const std::vector<Event> rewards{Told{1, 0.1}, Told{2, 0.2}, Told{3, 0.3}, Told{4, 0.4},
                                   Told{5, 0.5}};
  EXPECT_EQ(after(rewards).window(), (std::deque{0.2, 0.3, 0.4, 0.5}));
  std::vector<Event> stopped = rewards;
  stopped.emplace_back(TunerStopped{"", false});
  EXPECT_EQ(after(stopped).window().size(), 4U);
  stopped.emplace_back(TunerStopped{"", true});
  EXPECT_TRUE(after(stopped).window().empty()) << "the next tuner gets a chance";
  EXPECT_TRUE(after(rewards, specification("")).window().empty()) << "there is no floor";
}

TEST(TunerState, ARewardOfTheBaselineShowsThatItWorksAndNothingElse) {
  const TunerState state =
      after({Applied{0, {0.9}}, Told{.ticket = 1, .rewards = 0.1, .is_baseline = true}});
  EXPECT_EQ(state.good_settings(), (std::vector<std::vector<double>>{{0.9}}));
  EXPECT_TRUE(state.window().empty());
  EXPECT_EQ(state.pulls_here(), 0U);
}

TEST(TunerState, SecondsAreThoseOfAllRunsUpToTheirLastEvent) {
  EXPECT_EQ(after({}).seconds_so_far(), 0.0);
  EXPECT_EQ(after({TunerStarted{5.0}, Told{1, 0.1}, Told{2, 0.1}}).seconds_so_far(), 7.0)
      << "killed, perhaps";
  EXPECT_EQ(after({TunerStarted{5.0}, TunerStopped{}, Told{1, 0.1}}).seconds_so_far(), 6.0)
      << "what others told is no time of tuning";
}

TEST(TunerState, AnObservationOfAnotherSettingDoesNotShowThatThePresentOneWorks) {
  const TunerState state = after({Applied{1, {0.25}}, Observed{{0.9}, 0.1, Role::baseline}});
  EXPECT_TRUE(state.good_settings().empty());
}

TEST(TunerState, AVerdictHoldsUntilMoreThanTheLevelIsSeenToChange) {
  const std::vector<Event> compared{ComparisonBegun{1, 2, {0.25}}, Compared{true, 0.5},
                                    Compared{false, 0.75}, ComparisonEnded{true, "better"}};
  std::vector<Event> events = compared;
  events.emplace_back(Changed{{100, Change::Kind::level, -1.0}});
  EXPECT_TRUE(after(events).verdict().has_value()) << "all settings are as much worse";
  events.emplace_back(Changed{{120, Change::Kind::shape, 0.5}});
  const TunerState state = after(events);
  EXPECT_FALSE(state.verdict().has_value());
  EXPECT_EQ(state.outdated_verdict()->text, "better");
  EXPECT_EQ(state.outdated_verdict()->before, 120U);
  events.insert(events.end(), compared.begin(), compared.end());
  EXPECT_TRUE(after(events).verdict().has_value());
  EXPECT_FALSE(after(events).verdict()->before.has_value());
}

TEST(TunerState, KeepsABoundedNumberOfMetrics) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < 2 * TunerState::kMostMetrics; ++i) {
    events.emplace_back(MetricsMeasured{1, {{"m" + std::to_string(i), 1.0}}, {0.25}});
  }
  EXPECT_EQ(after(events).metrics().size(), TunerState::kMostMetrics);
}

TEST(TunerState, IsNotTakenOverFromOtherSettingsNorFromGarbage) {
  TunerState saved = after({Applied{1, {0.25}}});
  TunerState other(specification("floor = 0.5\nfloor_window = 5\n"));
  EXPECT_THROW(other.restore(saved.save()), StateError);
  TunerState same(specification());
  EXPECT_THROW(same.restore("garbage"), StateError);
  EXPECT_THROW(TunerState(specification()).restore(""), StateError);
}

TEST(TunerState, KnowsTheContextsOfOpenTickets) {
  const StudySpecification study = parse_study(
      "[[context]]\nname = \"load\"\nlow = 0\nhigh = 1\n[[space]]\nname = \"x\"\nlow = 0\nhigh = "
      "1\n"
      "[system]\nmeasure = \"m {x}\"\n",
      "study.toml");
  const auto asked = [](Ticket ticket, double load) {
    return Asked{.ticket = ticket, .pulls = 1, .length = 1, .arm = {0.5}, .context = {load}};
  };
  TunerState state = after({asked(1, 0.25), asked(2, 0.5), asked(3, 0.75), asked(4, 1.0),
                            Told{1, 0.5}, Penalized{2, 0.5}, Dropped{3}},
                           study);
  EXPECT_EQ(state.last_context(), std::vector{1.0});
  for (Ticket ticket = 1; ticket <= 3; ++ticket)
    EXPECT_TRUE(state.context_of(ticket).empty()) << ticket;
  EXPECT_EQ(state.context_of(4), std::vector{1.0});
  const std::string saved = state.save();
  TunerState restored(study);
  restored.restore(saved);
  EXPECT_EQ(restored.context_of(4), std::vector{1.0});
  EXPECT_EQ(restored.last_context(), std::vector{1.0});
  EXPECT_EQ(restored.save(), saved);
}

}  // namespace
}  // namespace canopy
