#pragma once

#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include "journal/replay.hpp"

#include <cstdint>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace canopy::testing {

/// Checks that every acknowledged reward is in the journal once, and that the tree equals that of
/// an undisturbed run with the same rewards.
inline void expect_all_there(const std::string& store_name, const std::string& study,
                             const std::map<std::uint64_t, double>& acknowledged) {
  const auto store = open_store(store_name, Store::Mode::open);
  const StudyRecord record = find_study(*store, study);
  const StudySpecification specification = specification_of(record);
  const auto undisturbed = make_optimizer(specification);
  std::map<std::uint64_t, double> told;
  std::uint64_t number = 0;
  store->read(record.id, {}, [&](const JournalEntry& entry) {
    EXPECT_EQ(entry.number, ++number);
    (void)replay_event(*undisturbed, entry.event);
    if (const auto* one = std::get_if<Told>(&entry.event)) {
      EXPECT_TRUE(told.emplace(one->ticket, std::get<double>(one->rewards)).second) << "told twice";
    }
  });
  for (const auto& [ticket, reward] : acknowledged) {
    ASSERT_TRUE(told.contains(ticket)) << "ticket " << ticket << " is lost";
    EXPECT_EQ(told.at(ticket), reward);
  }
  const LoadedOptimizer loaded = load_optimizer(*store, record, specification);
  EXPECT_EQ(loaded.optimizer->save(), undisturbed->save());
}

}  // namespace canopy::testing
