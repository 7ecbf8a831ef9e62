// Tests studies whose algorithm has changed its decisions since they were created.

#include "canopy/journal.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/study.hpp"

#include "stores/memory_store.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <gtest/gtest.h>

namespace canopy {
namespace {

std::uint64_t ways = 1;  // a parameter of the decisions of the test algorithm

/// An algorithm whose decisions these tests change, with or without a new revision.
OptimizerEntry& revised() {
  if (optimizers().find("revised") == nullptr) {
    OptimizerEntry entry = optimizers().at("random");
    entry.name = "revised";
    entry.make = [make = entry.make](OptionValues options, const Space& space,
                                     const PartitionRule& split, const Objective& objective) {
      options.set("seed", ways);
      return make(options, space, split, objective);
    };
    optimizers().add(entry);
  }
  // The entry is not const in the catalogue.
  return const_cast<OptimizerEntry&>(optimizers().at("revised"));
}

class RevisionTest : public ::testing::Test {
 protected:
  RevisionTest() {
    set(1, 1);
    Study study = Study::open(store_, specification(), {"a", {}});
    for (int i = 0; i < 10; ++i) {
      const Pull pull = study.ask();
      (void)study.tell(pull.ticket, pull.arm[0]);
    }
    (void)study.ask();
    study.commit();
    study.snapshot();
    saved_ = study.save();
  }

  static void set(std::uint32_t revision, std::uint64_t new_ways) {
    revised().revision = revision;
    ways = new_ways;
  }

  [[nodiscard]] static StudySpecification specification() {
    return parse_study(
        "[optimizer]\nname = \"revised\"\n[[space]]\nname = \"x\"\nlow = 0\nhigh = 1\n", "study");
  }

  template <class Do>
  [[nodiscard]] static std::string complaint(StudyError::Fault fault, Do&& command) {
    try {
      command();
    } catch (const StudyError& error) {
      EXPECT_EQ(error.fault(), fault) << error.what();
      return error.what();
    }
    return "";
  }

  MemoryStore store_;
  std::string saved_;
};

constexpr const char* kRefusal =
    "the study a was created with revision 1 of revised, and this canopy has revision 2, which "
    "decides differently";

TEST_F(RevisionTest, OfAnAlgorithmIsKeptWithTheStudy) {
  EXPECT_EQ(specification_of(find_study(store_, "a")).revision, 1U);
  EXPECT_EQ(Study::reopen(store_, {"a", {}}).save(), saved_);
}

TEST_F(RevisionTest, OnlyTheSameContinuesAStudy) {
  set(2, 2);
  EXPECT_EQ(complaint(StudyError::Fault::other_revision,
                      [&] {
                        (void)Study::reopen(store_, {"a", {}});
                      }),
            kRefusal);
  EXPECT_EQ(complaint(StudyError::Fault::other_revision,
                      [&] {
                        (void)Study::open(store_, specification(), {"a", {}});
                      }),
            kRefusal);
  const StudyRecord record = find_study(store_, "a");
  EXPECT_FALSE(store_.is_locked(record.id));
  EXPECT_EQ(record.events, 21U);
  EXPECT_EQ(specification_of(record).revision, 1U) << "nothing has changed";
  set(1, 1);
  EXPECT_EQ(Study::reopen(store_, {"a", {}}).save(), saved_);
}

TEST_F(RevisionTest, ASpecificationOfAnotherOneBeginsNothing) {
  StudySpecification other = specification();
  other.revision = 7;
  EXPECT_NE(complaint(StudyError::Fault::other_revision,
                      [&] {
                        (void)Study::open(store_, other, {"b", {}});
                      }),
            "");
  EXPECT_FALSE(store_.find("b").has_value());
}

TEST_F(RevisionTest, AnotherOneCanBeLookedAtWithAWarning) {
  set(2, 2);
  const StudyRecord record = find_study(store_, "a");
  const StudySpecification specification = specification_of(record);
  const LoadedOptimizer loaded = load_optimizer(store_, record, specification);
  EXPECT_EQ(loaded.warning, std::string(kRefusal) +
                                "; this is what the current revision learns from the same rewards");
  EXPECT_EQ(loaded.optimizer->summary().observed, 10U);
  EXPECT_EQ(loaded.optimizer->summary().in_flight, 0U);
  ASSERT_TRUE(loaded.optimizer->best().has_value());
  double best = 0.0;
  std::uint64_t rewards = 0;
  read_journal(store_, record, [&](const JournalEntry& entry, std::optional<Arm> arm) {
    if (!std::holds_alternative<Told>(entry.event)) return;
    best = std::max(best, arm->front());
    ++rewards;
  });
  EXPECT_EQ(rewards, 10U);
  EXPECT_EQ(loaded.optimizer->best()->arm[0], best);
}

TEST_F(RevisionTest, AForkCarriesTheHistoryOver) {
  set(2, 2);
  std::string saved;
  {
    Study fork = Study::reopen(store_, {"a", "b"});
    EXPECT_EQ(fork.specification().revision, 2U);
    EXPECT_EQ(fork.summary().observed, 10U);
    EXPECT_EQ(fork.record().forked_from, "a");
    (void)fork.tell(fork.ask().ticket, 0.5);
    fork.commit();
    saved = fork.save();
  }
  EXPECT_EQ(Study::reopen(store_, {"b", {}}).save(), saved);
  EXPECT_EQ(Study::reopen(store_, {"a", "b"}).save(), saved) << "the same command goes on";
  EXPECT_EQ(find_study(store_, "a").events, 21U) << "the old one is as it was";
}

TEST_F(RevisionTest, AStudyWithoutEventsIsBegunAnew) {
  { const Study empty = Study::open(store_, specification(), {"b", {}}); }
  set(2, 2);
  EXPECT_EQ(Study::open(store_, specification(), {"b", {}}).specification().revision, 2U);
}

TEST_F(RevisionTest, AnAlgorithmThatDecidesOtherwiseWithoutSayingSoIsFoundOut) {
  set(1, 2);
  store_.set_snapshot(find_study(store_, "a").id, {0, "", ""});
  EXPECT_EQ(complaint(StudyError::Fault::damaged,
                      [&] {
                        (void)Study::reopen(store_, {"a", {}});
                      }),
            "a: event 1 of its journal does not match: the optimizer would play another arm");
}

TEST_F(RevisionTest, AStudyOfAnAlgorithmThatIsNotKnownHereCanBeRead) {
  std::string specification = find_study(store_, "a").specification;
  const std::string name = "\"revised\"";
  specification.replace(specification.find(name), name.size(), "\"of another program\"");
  const StudyRecord record = find_study(store_, "a");
  store_.set_specification(record.id, specification);
  const StudySpecification read = specification_of(find_study(store_, "a"));
  EXPECT_EQ(read.optimizer.name, "of another program");
  EXPECT_EQ(read.space.dimension(), 1U);
  int arms = 0;
  read_journal(store_, record,
               [&](const JournalEntry&, std::optional<Arm> arm) { arms += arm ? 1 : 0; });
  EXPECT_EQ(arms, 21);
  EXPECT_THROW((void)Study::reopen(store_, {"a", {}}), std::exception);
}

}  // namespace
}  // namespace canopy
