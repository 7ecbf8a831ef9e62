// Stores that released versions of canopy wrote (tests/stores/fixtures): this version opens, reads
// and continues them.

#include "canopy/journal.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include "studies/verify.hpp"
#include "support/postgres_server.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

namespace fs = std::filesystem;
using testing::PostgresServer;
using testing::TemporaryFolder;

const fs::path kFixtures = fs::path(CANOPY_SOURCE_DIR) / "tests/stores/fixtures";

std::vector<fs::path> fixtures(const std::string& extension) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kFixtures)) {
    if (entry.path().extension() == extension) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The content that make.sh puts into every fixture, for all versions.
struct Content {
  std::string name;
  std::uint64_t pulls;
  std::set<std::string> kinds;  ///< kinds of events that must be in the journal
  std::size_t open_tickets;
};
const std::vector<Content> kContents{
    {"batches", 200, {"ask", "tell", "drop", "observe"}, 1},
    {"cache",
     150,
     {"ask", "tell", "apply", "metrics", "failure", "confirm", "compare", "verdict"},
     0},
    {"price", 10, {"ask", "tell", "observe", "bar"}, 1},
};

void expect_complete(Store& store, const Content& content) {
  const StudyRecord record = find_study(store, content.name);
  EXPECT_EQ(record.pulls, content.pulls);
  std::uint64_t events = 0;
  std::set<std::string> kinds;
  read_journal(store, record, [&](const JournalEntry& entry, std::optional<Arm> /*arm*/) {
    ++events;
    kinds.emplace(kind_name(entry.event));
  });
  EXPECT_EQ(events, record.events);
  for (const std::string& kind : content.kinds) EXPECT_TRUE(kinds.contains(kind)) << kind;
  EXPECT_EQ(verify_study(store, record)->faults, std::vector<std::string>{});
}

/// Continues the study, or a fork of it if its algorithm has another revision by now.
void expect_continues(Store& store, const Content& content) {
  const StudyRecord record = find_study(store, content.name);
  const StudySpecification begun = specification_of(record);
  const bool is_same = begun.revision == optimizers().at(begun.optimizer.name).revision;
  OpenOptions options{.name = content.name, .fork = std::nullopt};
  if (!is_same) options.fork = content.name + "-continued";
  Study study = Study::reopen(store, options);
  if (is_same) {
    EXPECT_EQ(study.in_flight().size(), content.open_tickets);
  }
  const std::vector<double> context(study.contexts().size(), 0.5);
  const auto before = study.summary().t;
  const Pull pull = context.empty() ? study.ask(1) : study.ask_in(context, 1);
  EXPECT_EQ(study.tell(pull.ticket, std::vector<double>(pull.length, 0.5)), Status::ok);
  study.commit();
  EXPECT_GT(study.summary().t, before);
  EXPECT_TRUE(context.empty() ? study.best().has_value() : study.best_in(context).has_value());
}

void expect_usable(const std::string& name) {
  {
    const auto store = open_store(name, Store::Mode::open);
    for (const Content& content : kContents) {
      SCOPED_TRACE(content.name);
      expect_complete(*store, content);
    }
  }
  const auto store = open_store(name, Store::Mode::open);
  for (const Content& content : kContents) {
    SCOPED_TRACE(content.name);
    expect_continues(*store, content);
  }
}

TEST(EarlierVersions, StoresInSqliteAreReadAndContinued) {
  ASSERT_FALSE(fixtures(".db").empty());
  for (const fs::path& fixture : fixtures(".db")) {
    SCOPED_TRACE(fixture.filename());
    const TemporaryFolder folder;
    fs::copy_file(fixture, folder.path("store.db"));
    expect_usable(folder.path("store.db"));
  }
}

TEST(EarlierVersionsPostgres, StoresInPostgresAreReadAndContinued) {
  ASSERT_FALSE(fixtures(".sql").empty());
  for (const fs::path& fixture : fixtures(".sql")) {
    SCOPED_TRACE(fixture.filename());
    std::ifstream file(fixture);
    const std::string dump{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::string database = PostgresServer::shared().new_database();
    PostgresServer::execute(database, dump);
    expect_usable(database);
  }
}

}  // namespace
}  // namespace canopy
