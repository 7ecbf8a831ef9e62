#include "studies/study_file.hpp"

#include "canopy/specification_error.hpp"

#include "stores/memory_store.hpp"
#include "support/random_event.hpp"
#include "support/traffic.hpp"

#include <array>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

const std::string kFile =
    "[optimizer]\nname = \"hct\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n";

std::vector<std::string> exported(Store& store, const std::string& name) {
  std::vector<std::string> lines;
  export_study(store, find_study(store, name),
               [&](const std::string& line) { lines.push_back(line); });
  return lines;
}

std::vector<StudyRecord> imported(Store& store, const std::vector<std::string>& lines,
                                  const std::string& name = "") {
  std::vector<StudyRecord> made;
  auto line = lines.begin();
  import_studies(
      store, "file", name,
      [&]() -> std::optional<std::string> {
        return line != lines.end() ? std::optional(*line++) : std::nullopt;
      },
      [&](const StudyRecord& record) { made.push_back(record); });
  return made;
}

std::string import_complaint(const std::vector<std::string>& lines) {
  MemoryStore store;
  try {
    (void)imported(store, lines);
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(store.list({}).empty());
    return error.what();
  }
  return "";
}

/// A store with a study that has been used.
class StudyFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto seed = std::random_device{}();
    std::cout << "seed " << seed << "\n";
    Study study = Study::open(store_, parse_study(kFile, "study.toml"), {"a", {}});
    testing::Traffic traffic(seed);
    for (int i = 0; i < 300; ++i) traffic.step(study);
    study.note(Failed{3, "it \"broke\"\n", true});
    study.commit();
    saved_ = study.save();
  }

  MemoryStore store_;
  std::string saved_;
};

TEST_F(StudyFile, TakesAWholeStudyToAnotherStore) {
  MemoryStore other;
  const auto made = imported(other, exported(store_, "a"));
  ASSERT_EQ(made.size(), 1U);
  const StudyRecord before = find_study(store_, "a");
  const StudyRecord after = find_study(other, "a");
  EXPECT_EQ(after.specification, before.specification);
  EXPECT_EQ(after.created, before.created);
  EXPECT_EQ(after.updated, before.updated);
  EXPECT_EQ(after.pulls, before.pulls);
  EXPECT_EQ(after.events, before.events);
  std::array<std::vector<JournalEntry>, 2> journals;
  store_.read(before.id, {}, [&](const JournalEntry& entry) { journals[0].push_back(entry); });
  other.read(after.id, {}, [&](const JournalEntry& entry) { journals[1].push_back(entry); });
  EXPECT_EQ(journals[0], journals[1]);
  Study study = Study::reopen(other, {"a", {}});
  EXPECT_EQ(study.save(), saved_);
}

TEST_F(StudyFile, HoldsManyStudies) {
  (void)Study::open(store_, parse_study(kFile, "study.toml"), {"empty", {}});
  std::vector<std::string> lines = exported(store_, "a");
  for (const std::string& line : exported(store_, "empty")) lines.push_back(line);
  MemoryStore other;
  EXPECT_EQ(imported(other, lines).size(), 2U);
  EXPECT_EQ(other.list({}).size(), 2U);
  EXPECT_THROW((void)imported(other, exported(store_, "empty")), StudyError) << "it is there";
  EXPECT_EQ(imported(other, exported(store_, "empty"), "new").front().name, "new");
}

TEST_F(StudyFile, IsRefusedWithTheLineThatIsWrong) {
  const std::vector<std::string> good = exported(store_, "a");
  EXPECT_EQ(import_complaint({}), "file: is empty");
  EXPECT_NE(import_complaint({"{}"}).find("file, line 1: is not the first line"),
            std::string::npos);
  std::vector<std::string> lines(good.begin(), good.end() - 1);
  EXPECT_NE(import_complaint(lines).find("ends after"), std::string::npos);
  lines = good;
  lines[5] = "{";
  EXPECT_NE(import_complaint(lines).find("file, line 6"), std::string::npos);
  lines = good;
  std::swap(lines[5], lines[6]);
  EXPECT_NE(import_complaint(lines).find("file, line 6: number: must be 5"), std::string::npos);
}

}  // namespace
}  // namespace canopy
