// Commands of the tool on a store in PostgreSQL.

#include "support/postgres_server.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

#include <csignal>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using testing::PostgresServer;
using testing::Process;
using testing::run_tool;

class PostgresCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    address_ = PostgresServer::shared().new_database();
    folder_.write("s.toml",
                  "name = \"a\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\n"
                  "measure = \"awk -v x={x} 'BEGIN {{ print 1 - (x - 0.3)^2 }}'\"\n"
                  "max_crashes = 0\n[budget]\npulls = 100\n");
  }

  [[nodiscard]] std::string store() const { return " --store " + address_; }

  [[nodiscard]] std::string tree(const std::string& where) const {
    return run_tool("tree a --json --store " + where).out;
  }

  testing::TemporaryFolder folder_;
  std::string address_;
};

TEST_F(PostgresCommands, TuneIsKilledAndEndsWithTheTreeOfAnUndisturbedRun) {
  const std::string file = folder_.path("s.toml");
  ASSERT_EQ(run_tool("tune " + file + " --store " + folder_.path("s.db")).status, 0);
  {
    Process process({"tune", file, "--store", address_});
    json now;
    while (now.is_null() || now["pulls"] < 20) {
      usleep(20'000);
      const auto shown = run_tool("studies show a --json" + store());
      if (shown.status == 0) now = json::parse(shown.out);
    }
    process.signal(SIGKILL);
    EXPECT_NE(process.finish().status, 0) << "it was done before";
  }
  const auto last = run_tool("tune " + file + store());
  ASSERT_EQ(last.status, 0) << last.err;
  EXPECT_NE(last.err.find("a: continuing after"), std::string::npos) << last.err;
  EXPECT_EQ(tree(address_), tree(folder_.path("s.db")));
}

TEST_F(PostgresCommands, EveryCommandKnowsSuchAStore) {
  Process pipe({"pipe", folder_.path("s.toml"), "--study", "a", "--store", address_});
  for (int ticket = 1; ticket <= 20; ++ticket) {
    pipe.write(R"({"op":"ask","pulls":1})"
               "\n");
    EXPECT_EQ(json::parse(pipe.read_line())["ticket"], ticket);
    pipe.write(json{{"op", "tell"}, {"ticket", ticket}, {"reward", 0.5}}.dump() + "\n");
    EXPECT_EQ(json::parse(pipe.read_line())["t"], ticket + 1);
  }
  const auto second = run_tool("pipe --study a" + store());
  EXPECT_NE(second.err.find("the study a is open elsewhere: pid "), std::string::npos)
      << second.err;
  EXPECT_TRUE(json::parse(run_tool("studies show a --json" + store()).out).contains("open_by"));
  EXPECT_EQ(pipe.finish().status, 0);
  EXPECT_EQ(json::parse(run_tool("best a --json" + store()).out)["pulls"], 2);
  EXPECT_EQ(json::parse(run_tool("studies list --json" + store()).out)["studies"][0]["events"], 40);
  EXPECT_EQ(run_tool("studies verify" + store()).out, "a: 40 events, sound\n");
  const auto report = run_tool("report a --out " + folder_.path("a.html") + store());
  EXPECT_EQ(report.status, 0) << report.err;
  const auto journal = run_tool("studies export a --format jsonl" + store());
  EXPECT_EQ(std::count(journal.out.begin(), journal.out.end(), '\n'), 40) << journal.err;
  EXPECT_EQ(run_tool("studies delete a" + store()).out, "deleted a and its 40 events\n");
  EXPECT_NE(run_tool("best --help").out.find("postgresql://"), std::string::npos);
}

TEST_F(PostgresCommands, AStoreThatCannotBeReachedIsNamedWithoutItsPassword) {
  const auto result = run_tool("best a --store postgresql://me:secret@127.0.0.1:1/db");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err.find("canopy best: postgresql://me:***@127.0.0.1:1/db: "), 0U) << result.err;
  EXPECT_EQ(result.err.find("secret"), std::string::npos) << result.err;
  const auto empty = run_tool("best a" + store());
  EXPECT_NE(empty.err.find("the database is empty; give another one with --store"),
            std::string::npos)
      << empty.err;
}

}  // namespace
}  // namespace canopy
