// A store of the first format, brought up to date: nothing is lost, and everything goes on. What
// the first version said of its own store is in tests/fixtures.

#include "canopy/random.hpp"
#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include "core/text.hpp"
#include "files/json.hpp"
#include "studies/answers.hpp"
#include "studies/requests.hpp"
#include "studies/system_document.hpp"
#include "support/sqlite.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using testing::execute;

const std::filesystem::path kFixtures{CANOPY_SOURCE_DIR "/tests/fixtures"};

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// What the first version said, by the names of the studies.
const json& expected() {
  static const json all = json::parse(content(kFixtures / "first_format/expected.json"));
  return all;
}

/// A line of CSV, cut into its cells.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

/// A line of the journal as the first version exported it.
struct ExportedLine {
  std::string number, at, kind, ticket, count, value, squares, text;
  std::vector<std::string> arm;
};

std::vector<ExportedLine> exported(const std::string& csv) {
  std::ifstream file(kFixtures / "first_format" / csv);
  std::vector<ExportedLine> lines;
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    const std::vector<std::string> cells = cells_of(line);
    lines.push_back({cells.at(0),
                     cells.at(1),
                     cells.at(2),
                     cells.at(3),
                     cells.at(4),
                     cells.at(5),
                     cells.at(6),
                     cells.at(7),
                     {cells.begin() + 8, cells.end()}});
  }
  return lines;
}

std::vector<std::string> arm_cells(const Space& space, std::optional<Arm> arm) {
  std::vector<std::string> cells(space.dimension());
  for (std::size_t i = 0; arm && i < space.dimension(); ++i) {
    const Value value = space.value(*arm, i);
    if (const auto* text = std::get_if<std::string>(&value)) cells[i] = *text;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) cells[i] = std::to_string(*whole);
    if (const auto* number = std::get_if<double>(&value)) cells[i] = to_text(*number);
  }
  return cells;
}

/// Compares what is in an event with what the first version had.
struct CompareEvent {
  const ExportedLine& line;
  const Space& space;

  void operator()(const Asked& event) const {
    EXPECT_EQ(std::to_string(event.ticket), line.ticket);
    EXPECT_EQ(std::to_string(event.pulls), line.count);
    EXPECT_GE(event.length, 1U);
    EXPECT_EQ(arm_cells(space, event.arm), line.arm);
  }
  void operator()(const ToldList& event) const {
    EXPECT_EQ(std::to_string(event.ticket), line.ticket);
    EXPECT_EQ(to_columns(event).data, line.text);
  }
  void operator()(const ToldSums& event) const {
    EXPECT_EQ(std::to_string(event.ticket), line.ticket);
    EXPECT_EQ(std::to_string(event.rewards.count), line.count);
    EXPECT_EQ(to_text(event.rewards.sum), line.value);
    const double squares = std::stod(line.squares);
    EXPECT_NEAR(event.rewards.squared_deviations + event.rewards.sum * event.rewards.mean(),
                squares, 1e-12 * squares);
  }
  void operator()(const Dropped& event) const {
    EXPECT_EQ(std::to_string(event.ticket), line.ticket);
  }
  void operator()(const TunerStarted& event) const {
    EXPECT_EQ(to_text(event.earlier_seconds), line.value);
  }
  void operator()(const TunerStopped& event) const {
    EXPECT_EQ(event.why, line.text);
    EXPECT_EQ(event.at_limit, line.value == "1");
  }
  void operator()(const Applied& event) const {
    EXPECT_EQ(std::to_string(event.ticket), line.ticket);
    EXPECT_EQ(json::parse(arm_text(space, event.arm)), json::parse(line.text));
  }
  void operator()(const BaselineMeasured& event) const {
    EXPECT_EQ(to_text(event.reward), line.value);
  }
  void operator()(const Failed& event) const {
    EXPECT_EQ(std::to_string(event.ticket), line.ticket);
    EXPECT_EQ(event.what, line.text);
  }
  void operator()(const Finished& /*event*/) const {}
  void operator()(const Observed& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const PassedOver& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const Penalized& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const Barred& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const PutOff& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const MetricsMeasured& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const ComparisonBegun& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const Compared& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const ComparisonEnded& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const ActTaken& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const AskedAgain& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const Remembered& /*event*/) const { FAIL() << "the first format had none"; }
  void operator()(const RangeSet& /*event*/) const { FAIL() << "the first format had none"; }
  template <class Measured>  // Told, WarmedUp, Held
  void operator()(const Measured& event) const {
    EXPECT_EQ(std::to_string(event.ticket), line.ticket);
    EXPECT_EQ(to_text(event.reward), line.value);
  }
};

/// Best arms and summaries: all that was known then is the same now, means up to rounding.
void expect_same_facts(const json& now, const json& then) {
  for (const auto& [key, value] : then.items()) {
    if (key == "lower" || key == "upper") continue;  // which are not learnt
    if (key == "mean") {
      EXPECT_NEAR(now.at(key).get<double>(), value.get<double>(), 1e-12);
    } else {
      EXPECT_EQ(now.at(key), value) << key;
    }
  }
}

class MigrationTest : public ::testing::Test {
 protected:
  MigrationTest() { copy(path()); }

  static void copy(const std::string& path) {
    for (const char* more : {"", "-wal", "-shm", "-lock"}) std::filesystem::remove(path + more);
    std::filesystem::copy_file(kFixtures / "first_format.db", path);
  }

  [[nodiscard]] std::string path() const { return folder_.path("s.db"); }
  [[nodiscard]] std::unique_ptr<Store> open() const {
    return open_store(path(), Store::Mode::open);
  }

  /// All that a store of this version holds, in words.
  [[nodiscard]] static std::vector<std::string> everything(const std::string& path) {
    std::vector<std::string> all = execute(
        path,
        "SELECT study || ' ' || number || ' ' || printf('%!.17g', at) || ' ' || kind || ' ' || "
        "ticket || ' ' || printf('%!.17g', value) || ' ' || data FROM events ORDER BY study, "
        "number");
    for (std::string& each :
         execute(path,
                 "SELECT id || name || specification || forked_from || created || ' ' || updated "
                 "|| ' ' || events || ' ' || pulls || holder FROM studies ORDER BY id")) {
      all.push_back(std::move(each));
    }
    return all;
  }

  /// The same of the first format.
  [[nodiscard]] static std::vector<std::string> everything_before(const std::string& path) {
    std::vector<std::string> all = execute(
        path,
        "SELECT study || ' ' || number || ' ' || printf('%!.17g', at) || ' ' || kind || ' ' || "
        "ticket || ' ' || count || printf(' %!.17g %!.17g ', value, squares) || text FROM events "
        "ORDER BY study, number");
    for (std::string& each :
         execute(path, "SELECT name || source || events || ' ' || pulls FROM studies ORDER BY id"))
      all.push_back(std::move(each));
    return all;
  }

  [[nodiscard]] static std::string version(const std::string& path) {
    return execute(path, "SELECT MAX(version) FROM canopy_version").at(0);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(MigrationTest, IsDoneOnceAndInPlace) {
  EXPECT_EQ(version(path()), "1");
  EXPECT_EQ(open()->list().size(), expected().size());
  const std::vector<std::string> first = everything(path());
  EXPECT_EQ(open()->list().size(), expected().size());
  EXPECT_EQ(everything(path()), first);
  EXPECT_EQ(execute(path(), "SELECT version FROM canopy_version"),
            (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(execute(path(), "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"),
            (std::vector<std::string>{"acts", "answers", "canopy_version", "events", "snapshots",
                                      "studies"}));
}

TEST_F(MigrationTest, KeepsEveryEventWithItsTimeAndFindsItsArm) {
  const std::unique_ptr<Store> store = open();
  for (const auto& [name, facts] : expected().items()) {
    SCOPED_TRACE(name);
    const StudyRecord record = find_study(*store, name);
    const Space space = specification_of(record).space;
    const std::vector<ExportedLine> lines = exported(facts["csv"]);
    ASSERT_EQ(record.events, lines.size());
    std::size_t at = 0;
    read_journal(*store, record, [&](const JournalEntry& entry, std::optional<Arm> arm) {
      const ExportedLine& line = lines.at(at++);
      SCOPED_TRACE("event " + line.number);
      EXPECT_EQ(std::to_string(entry.number), line.number);
      EXPECT_EQ(fmt::format("{:.6f}", entry.at), line.at);
      EXPECT_EQ(kind_name(entry.event), line.kind);
      std::visit(CompareEvent{line, space}, entry.event);
      // These had none for the baseline.
      if (!std::holds_alternative<Applied>(entry.event) &&
          !std::holds_alternative<BaselineMeasured>(entry.event)) {
        EXPECT_EQ(arm_cells(space, arm), line.arm);
      }
    });
    EXPECT_EQ(at, lines.size());
  }
}

TEST_F(MigrationTest, KeepsWhatIsSaidOfAStudy) {
  const std::unique_ptr<Store> store = open();
  EXPECT_EQ(find_study(*store, "hct fork").forked_from, "hct mixed");
  const StudyRecord tuned = find_study(*store, "tuned");
  EXPECT_EQ(tuned.pulls, 45U);
  EXPECT_EQ(tuned.holder, "pid 4711 on elsewhere");
  const StudySpecification specification = specification_of(tuned);
  EXPECT_EQ(specification.name, "tuned");
  EXPECT_EQ(specification.revision, 1U);
  EXPECT_EQ(specification.system->options.warmup_pulls, 1U);
  EXPECT_EQ(specification.system->baseline, std::vector{0.9});
  EXPECT_EQ(specification.budget.pulls, 45U);
  const StudySpecification mixed = specification_of(find_study(*store, "hct mixed"));
  EXPECT_EQ(mixed.objective.direction, Direction::minimize);
  EXPECT_EQ(mixed.objective.reward_range, (std::array{-1.0, 4.0}));
  EXPECT_EQ(mixed.partition, SplitRule::longest_side);
  EXPECT_EQ(*mixed.optimizer.options.find("nu1"), OptionValue(4.0)) << "the default of that time";
}

TEST_F(MigrationTest, AStudyKnowsWhatItKnew) {
  const std::unique_ptr<Store> store = open();
  for (const auto& [name, facts] : expected().items()) {
    SCOPED_TRACE(name);
    const StudyRecord record = find_study(*store, name);
    const StudySpecification specification = specification_of(record);
    const LoadedOptimizer loaded = load_optimizer(*store, record, specification);
    const Summary summary = loaded.optimizer->summary();
    EXPECT_EQ(loaded.warning.empty(), name == "random") << "the others decide differently now";
    EXPECT_EQ(summary.t - 1 + summary.observed, facts["summary"]["t"].get<std::uint64_t>() - 1);
    const auto best = loaded.optimizer->best();
    ASSERT_EQ(best.has_value(), !facts["best"].is_null());
    if (!best || name == "power") continue;  // which recommends what it never played
    const json& then = facts["best"]["arm"];
    const auto arm = arm_from(specification.space, parse_json(then.dump(), "best"));
    const auto known = loaded.optimizer->estimate(arm.value());
    ASSERT_TRUE(known.has_value() || name.starts_with("hoo") || name.starts_with("thoo"));
    if (!known) continue;  // the best of those was the arm of a subtree
    if (specification.objective.direction == Direction::maximize) {
      EXPECT_GE(best->lower, known->interval.lower);
    } else {
      EXPECT_LE(best->upper, known->interval.upper);
    }
  }
}

TEST_F(MigrationTest, OnlyAForkGoesOnWithAnOlderRevision) {
  const std::unique_ptr<Store> store = open();
  for (const auto& [name, facts] : expected().items()) {
    if (name == "random") continue;  // it is the same still
    SCOPED_TRACE(name);
    try {
      (void)Study::reopen(*store, {name, {}});
      ADD_FAILURE();
    } catch (const StudyError& error) {
      EXPECT_EQ(error.fault(), StudyError::Fault::other_revision);
    }
    Study fork = Study::reopen(*store, {name, name + " again"});
    EXPECT_EQ(fork.summary().observed, facts["summary"]["t"].get<std::uint64_t>() - 1);
    const Pull pull = fork.ask(1);
    EXPECT_EQ(fork.tell(pull.ticket, 0.5), Status::ok);
    fork.commit();
  }
}

TEST_F(MigrationTest, AStudyOfTheSameRevisionGoesOnAsItWouldHaveGoneOn) {
  const std::unique_ptr<Store> store = open();
  for (const auto& [name, facts] : expected().items()) {
    if (name != "random") continue;
    SCOPED_TRACE(name);
    Study study = Study::reopen(*store, {name, {}});
    int asks = 0;
    for (const json& exchange : facts["conversation"]) {
      if (exchange[0]["op"] == "best") continue;  // which is another one now
      const json& then = exchange[1];
      const std::string line = exchange[0].dump();
      const json now = json::parse(answer_request(line, study.specification().space, study));
      SCOPED_TRACE(line);
      expect_same_facts(now, then);
      if (exchange[0]["op"] == "ask") ++asks;
    }
    EXPECT_GE(asks, 10);
    study.commit();
  }
}

TEST_F(MigrationTest, WhatWasChangedByHandIsCarriedOverAndNamedByWhoeverGoesOn) {
  const std::string hct = "study = (SELECT id FROM studies WHERE name = 'hct')";
  const std::string changed =
      execute(path(), "SELECT MIN(number) FROM events WHERE kind = 1 AND number > 40 AND " + hct)
          .at(0);
  execute(path(), "UPDATE events SET ticket = 7777 WHERE number = " + changed + " AND " + hct);
  execute(path(),
          "DELETE FROM events WHERE number = 50 AND study = (SELECT id FROM studies WHERE name = "
          "'random')");
  const std::unique_ptr<Store> store = open();
  try {
    (void)Study::reopen(*store, {"random", {}});
    ADD_FAILURE();
  } catch (const StudyError& error) {
    EXPECT_EQ(error.fault(), StudyError::Fault::damaged);
    EXPECT_STREQ(error.what(),
                 "random: event 51 of its journal does not match: an event is missing before it");
  }
  // Up to there the arms are those that were played; what follows is there all the same.
  const StudyRecord record = find_study(*store, "hct");
  const std::vector<ExportedLine> lines = exported(expected()["hct"]["csv"]);
  std::size_t at = 0;
  read_journal(*store, record, [&](const JournalEntry& entry, std::optional<Arm> arm) {
    const ExportedLine& line = lines.at(at++);
    const auto* asked = std::get_if<Asked>(&entry.event);
    if (asked != nullptr && at < std::stoul(changed)) {
      EXPECT_EQ(arm_cells(Space{{"x", Real{}}}, arm), line.arm);
    }
    if (asked != nullptr && at > std::stoul(changed)) {
      EXPECT_FALSE(arm.has_value()) << "nobody knows any more";
    }
  });
  EXPECT_EQ(at, lines.size());
}

/// What opening the store complains of.
std::string refusal(const std::string& path) {
  try {
    (void)open_store(path, Store::Mode::open);
  } catch (const StoreError& error) {
    EXPECT_EQ(error.fault(), StoreError::Fault::damaged);
    return error.what();
  }
  return "";
}

TEST_F(MigrationTest, AStoreThatCannotBeUnderstoodIsLeftAsItWas) {
  execute(path(), "UPDATE studies SET source = 'space = [' WHERE name = 'hoo'");
  const std::vector<std::string> before = everything_before(path());
  const std::string said = refusal(path());
  EXPECT_NE(said.find("cannot be migrated, and was left as it is: the study hoo: "),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find(path()), 0U);
  EXPECT_EQ(version(path()), "1");
  EXPECT_EQ(everything_before(path()), before);
  EXPECT_EQ(refusal(path()), said) << "the next time as well";
}

TEST_F(MigrationTest, AnEventThatMeansNothingIsNamedAndTheStoreLeftAsItWas) {
  execute(path(),
          "UPDATE events SET kind = 99 WHERE number = 12 AND study = (SELECT id FROM studies "
          "WHERE name = 'grid')");
  const std::vector<std::string> before = everything_before(path());
  const std::string said = refusal(path());
  EXPECT_NE(said.find("the study grid: event 12: there was no event of kind 99"), std::string::npos)
      << said;
  EXPECT_EQ(everything_before(path()), before);
}

/// Opens a store in a process of its own, which is killed after so many nanoseconds; 0: never.
/// Returns whether it came to its end.
bool open_in_a_child(const std::string& path, long nanoseconds) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      (void)open_store(path, Store::Mode::open);
      _exit(0);
    } catch (const StoreError&) {
      _exit(1);
    }
  }
  if (nanoseconds > 0) {
    const timespec time{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    nanosleep(&time, nullptr);
    kill(child, SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(MigrationTest, KilledAtAnyMomentItHasHappenedOrNot) {
  const std::vector<std::string> before = everything_before(path());
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(open_in_a_child(path(), 0));
  const auto took = std::chrono::steady_clock::now() - started;
  const std::vector<std::string> after = everything(path());
  const std::uint64_t seed = std::random_device{}();
  RandomStream random({.seed = seed});
  int finished = 0;
  for (int i = 0; i < 200; ++i) {
    copy(path());
    const double longest = static_cast<double>(std::chrono::nanoseconds(took).count()) * 1.2;
    (void)open_in_a_child(path(), static_cast<long>(1.0 + random.uniform() * longest));
    if (version(path()) == "1") {
      ASSERT_EQ(everything_before(path()), before) << "seed " << seed;
    } else {
      ++finished;
    }
    ASSERT_TRUE(open_in_a_child(path(), 0)) << "seed " << seed;
    ASSERT_EQ(everything(path()), after) << "seed " << seed;
  }
  std::cout << "seed " << seed << ": " << finished << " of 200 were done when they were killed\n";
}

TEST_F(MigrationTest, TwoThatOpenItAtOnceDoNotDisturbEachOther) {
  ASSERT_TRUE(open_in_a_child(path(), 0));
  const std::vector<std::string> after = everything(path());
  for (int i = 0; i < 10; ++i) {
    copy(path());
    std::array<int, 2> gate{};
    ASSERT_EQ(pipe(gate.data()), 0);
    std::array<pid_t, 3> children{};
    for (pid_t& child : children) {
      child = fork();
      if (child != 0) continue;
      close(gate[1]);
      char ignored = 0;
      [[maybe_unused]] const auto got = read(gate[0], &ignored, 1);  // until the parent closes it
      try {
        (void)open_store(path(), Store::Mode::open);
        _exit(0);
      } catch (const StoreError&) {
        _exit(1);
      }
    }
    close(gate[0]);
    close(gate[1]);
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    ASSERT_EQ(everything(path()), after);
  }
}

}  // namespace
}  // namespace canopy
