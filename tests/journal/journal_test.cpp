#include "canopy/journal.hpp"

#include "canopy/study.hpp"

#include "journal/told.hpp"
#include "stores/memory_store.hpp"
#include "support/traffic.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using Arms = std::vector<std::optional<std::vector<double>>>;

/// The arms that reading a journal assigns to these events.
Arms arms_of(const std::vector<Event>& events) {
  MemoryStore store;
  std::vector<JournalEntry> entries;
  for (const Event& event : events) entries.push_back({entries.size() + 1, 1.0, event});
  const StudyRecord record = store.create({"a", "", 0.0, "", {}, entries}).value();
  Arms arms;
  read_journal(store, record, [&](const JournalEntry& entry, std::optional<Arm> arm) {
    EXPECT_EQ(entry.number, arms.size() + 1);
    arms.emplace_back();
    if (arm) arms.back().emplace(arm->begin(), arm->end());
  });
  return arms;
}

const std::vector<double> kOne{0.25, 1.0};
const std::vector<double> kOther{0.75, 2.0};

TEST(Journal, GivesAnswersTheArmOfTheirTicket) {
  EXPECT_EQ(arms_of({Asked{1, 0, 4, kOne}, Asked{2, 1, 1, kOther}, Told{2, 0.5}, Told{1, 0.5},
                     Told{1, std::vector{0.5, 0.6}}, Told{1, Rewards::one(0.5)}}),
            (Arms{kOne, kOther, kOther, kOne, kOne, kOne}));
}

TEST(Journal, GivesAnswersTheContextOfTheirTicket) {
  const std::vector<double> night{2.0};
  const std::vector<double> noon{12.0};
  const auto asked = [](Ticket ticket, const std::vector<double>& context) {
    return Asked{.ticket = ticket, .pulls = 1, .length = 1, .arm = kOne, .context = context};
  };
  Asked again = asked(3, {});
  again.again = true;
  const std::vector<Event> events{asked(1, night),
                                  asked(2, noon),
                                  again,
                                  Told{2, 0.5},
                                  Told{1, 0.5},
                                  Told{3, 0.5},
                                  Observed{kOne, 0.5, Role::search, night},
                                  Finished{},
                                  Told{1, 0.5}};
  MemoryStore store;
  std::vector<JournalEntry> entries;
  for (const Event& event : events) entries.push_back({entries.size() + 1, 1.0, event});
  const StudyRecord record = store.create({"a", "", 0.0, "", {}, entries}).value();
  std::vector<std::vector<double>> contexts;
  read_journal(store, record,
               [&](const JournalEntry& /*entry*/, std::optional<Arm> /*arm*/, Context context) {
                 contexts.emplace_back(context.begin(), context.end());
               });
  EXPECT_EQ(contexts, (std::vector<std::vector<double>>{
                          night, noon, noon, noon, night, noon, night, {}, {}}));
}

TEST(Journal, ATicketIsClosedByItsLastRewardAndByADrop) {
  EXPECT_EQ(arms_of({Asked{1, 0, 2, kOne}, Told{1, std::vector{0.1, 0.2}}, Failed{1, "late"},
                     Asked{2, 0, 5, kOther}, Dropped{2}, Failed{2, "late"}}),
            (Arms{kOne, kOne, std::nullopt, kOther, kOther, std::nullopt}));
}

TEST(Journal, ObservationsAndSettingsBringTheirOwnArms) {
  EXPECT_EQ(arms_of({Observed{kOther, Rewards::one(0.5)}, Applied{0, kOne}, Applied{9, {}}}),
            (Arms{kOther, kOne, std::nullopt}));
}

TEST(Journal, WhatATunerMeasuresIsOfTheArmThatIsAsked) {
  EXPECT_EQ(
      arms_of({TunerStarted{}, Asked{1, 0, 1, kOne}, Applied{1, kOne},
               Observed{kOne, 0.1, Role::warm_up}, Failed{1, "oops"}, Held{1, 0.2}, Told{1, 0.2},
               Observed{kOne, 0.3, Role::baseline}, Finished{}, TunerStopped{"", false}}),
      (Arms{std::nullopt, kOne, kOne, kOne, kOne, kOne, kOne, kOne, std::nullopt, std::nullopt}));
}

TEST(Journal, WithoutAnArmOfTheAskThereIsNone) {
  EXPECT_EQ(arms_of({Asked{1, 0, 1, {}}, Told{1, 0.5}}), (Arms{std::nullopt, std::nullopt}));
}

TEST(Journal, RewardsAreThoseThatWereLearnt) {
  EXPECT_EQ(rewards_of(Told{1, 0.5}), Rewards::one(0.5));
  EXPECT_EQ(rewards_of(Told{1, std::vector{0.5, 1.5}})->sum, 2.0);
  EXPECT_FALSE(rewards_of(Told{1, 0.5, true}).has_value()) << "skipped";
  EXPECT_EQ(rewards_of(Observed{kOne, Rewards::one(0.25)}), Rewards::one(0.25));
  EXPECT_FALSE(rewards_of(Held{1, 0.5}).has_value());
  EXPECT_FALSE(rewards_of(Observed{kOne, 0.5, Role::warm_up}).has_value());
  EXPECT_FALSE(rewards_of(Observed{kOne, 0.5, Role::baseline}).has_value());
}

RC_GTEST_PROP(Journal, TellsOfEveryRewardWhatItWasThatEarnedItAlsoBeyondTheEndOfATurn, ()) {
  const auto file = *rc::gen::elementOf(testing::all_kinds_of_studies());
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  MemoryStore store;
  Study study = Study::open(store, parse_study(file, "study.toml"), {"a", {}});
  testing::Traffic traffic(seed);
  std::map<std::uint64_t, std::vector<double>> expected;  // by event number
  for (int i = 0; i < 200; ++i) {
    std::map<Ticket, std::vector<double>> before;
    for (const Pull& pull : study.in_flight()) before[pull.ticket] = OwnedPull(pull).arm;
    traffic.step(study);
    study.commit();
    store.read(study.record().id, {study.events() - 1}, [&](const JournalEntry& entry) {
      std::visit(
          [&]<class Kind>(const Kind& event) {
            if constexpr (
                requires { event.ticket; } && !requires { event.arm; }) {
              expected[entry.number] = before.at(event.ticket);
            }
          },
          entry.event);
    });
  }
  std::size_t found = 0;
  read_journal(store, study.record(), [&](const JournalEntry& entry, std::optional<Arm> arm) {
    if (const auto* asked = std::get_if<Asked>(&entry.event)) {
      RC_ASSERT(std::vector<double>(arm->begin(), arm->end()) == asked->arm);
    }
    if (!expected.contains(entry.number)) return;
    RC_ASSERT(arm.has_value());
    RC_ASSERT(std::vector<double>(arm->begin(), arm->end()) == expected.at(entry.number));
    ++found;
  });
  RC_ASSERT(found == expected.size());
}

}  // namespace
}  // namespace canopy
