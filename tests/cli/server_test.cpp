// Commands of the tool on studies of a running server.

#include "support/process.hpp"
#include "support/temporary_folder.hpp"

#include <arpa/inet.h>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using testing::Process;
using testing::run_tool;
using testing::TemporaryFolder;

/// A free port.
std::string free_port() {
  const int number = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool bound = bind(number, any, length) == 0 && getsockname(number, any, &length) == 0;
  close(number);
  if (!bound) throw std::runtime_error("no port");
  return std::to_string(ntohs(address.sin_port));
}

class ServerCommand : public ::testing::Test {
 protected:
  ~ServerCommand() override {
    if (server_) server_->signal(SIGKILL);
  }

  void serve(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"serve", "--listen", "127.0.0.1:" + port_, "--store",
                                   folder_.path("s.db")};
    words.insert(words.end(), more.begin(), more.end());
    server_ = std::make_unique<Process>(words);
  }

  void kill_server() {
    server_->signal(SIGKILL);
    (void)server_->finish();
    server_.reset();
  }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + port_; }
  [[nodiscard]] std::string on_server() const { return " --server " + url(); }
  [[nodiscard]] std::string in_store() const { return " --store " + folder_.path("s.db"); }

  [[nodiscard]] std::string study(const std::string& name, const std::string& pulls,
                                  const std::string& sleep = "0") const {
    folder_.write(
        name + ".toml",
        "name = \"" + name +
            "\"\n[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\n"
            "apply = \"true $CANOPY_x\"\n"
            "shell = true\nmeasure = \"sleep " +
            sleep +
            "; awk -v x=$CANOPY_x 'BEGIN { print 1 - (x - 0.3)^2 }'\"\n[baseline]\nsetting = { x = "
            "0.9 }\nseed = 7\n[budget]\npulls = " +
            pulls + "\n");
    return folder_.path(name + ".toml");
  }

  [[nodiscard]] std::string tree(const std::string& name, const std::string& where) const {
    return run_tool("tree " + name + " --json" + where).out;
  }

  template <class Condition>
  static void wait_for(Condition&& condition) {
    for (int tries = 0; tries < 1000; ++tries) {
      if (condition()) return;
      usleep(20'000);
    }
    FAIL() << "waited in vain";
  }

  [[nodiscard]] std::uint64_t pulls_of(const std::string& name) const {
    const json shown =
        json::parse(run_tool("studies show " + name + " --json" + in_store()).out, nullptr, false);
    return shown.is_object() ? shown["pulls"].get<std::uint64_t>() : 0;
  }

  TemporaryFolder folder_;
  std::string port_ = free_port();
  std::unique_ptr<Process> server_;
};

TEST_F(ServerCommand, TunesAStudyThatIsOnAServerAsIfItWereInAFile) {
  serve();
  const auto here = run_tool("tune " + study("here", "60") + " --store " + folder_.path("h.db"));
  ASSERT_EQ(here.status, 0) << here.err;
  const auto there = run_tool("tune " + study("there", "60") + on_server());
  ASSERT_EQ(there.status, 0) << there.err;
  EXPECT_EQ(there.out.find("there: the budget of 60 pulls is used, after 60 pulls\nbest "), 0U)
      << there.out;
  EXPECT_EQ(here.out.substr(here.out.find("\nbest")), there.out.substr(there.out.find("\nbest")));
  EXPECT_EQ(tree("there", on_server()), tree("here", " --store " + folder_.path("h.db")));
  for (const std::string words :
       {"best there", "explain there", "studies list", "studies show there", "studies export there",
        "studies export --format study", "tree there", "best there --json"}) {
    const auto asked = run_tool(words + on_server());
    EXPECT_EQ(asked.status, 0) << words << asked.err;
    EXPECT_EQ(asked.out, run_tool(words + in_store()).out) << words;
  }
  EXPECT_EQ(run_tool("report there --out " + folder_.path("report") + on_server()).status, 0);
  EXPECT_EQ(run_tool("confirm there --pulls 20" + on_server()).status, 0);
  EXPECT_EQ(run_tool("tune " + study("there", "70") + on_server())
                .err.find("there: continuing after 60 pulls\n"),
            0U);
  EXPECT_EQ(run_tool("studies delete there" + on_server()).status, 0);
  EXPECT_EQ(run_tool("best there" + on_server()).err,
            "canopy best: " + url() + ": has no studies yet\n");
}

TEST_F(ServerCommand, ATunerWaitsForAServerThatWasKilledAndLosesNothing) {
  const auto undisturbed =
      run_tool("tune " + study("whole", "60") + " --store " + folder_.path("h.db"));
  ASSERT_EQ(undisturbed.status, 0) << undisturbed.err;
  serve();
  wait_for([&] { return run_tool("studies list" + on_server()).status == 0; });
  Process tuner({"tune", study("a", "60", "0.03"), "--server", url()});
  for (const std::uint64_t pulls : {5U, 20U, 35U}) {
    wait_for([&] { return pulls_of("a") >= pulls; });
    kill_server();
    usleep(300'000);
    serve();
  }
  const auto end = tuner.finish();
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_NE(end.err.find(" cannot be reached: "), std::string::npos) << end.err;
  EXPECT_NE(end.err.find("canopy tune: " + url() + " answers again\n"), std::string::npos)
      << end.err;
  EXPECT_EQ(tree("a", in_store()), tree("whole", " --store " + folder_.path("h.db")));
}

TEST_F(ServerCommand, ATunerThatWasKilledGoesOnOnceTheServerHasFoundOut) {
  serve();
  wait_for([&] { return run_tool("studies list" + on_server()).status == 0; });
  const std::string file = study("a", "40", "0.02");
  {
    Process tuner({"tune", file, "--server", url()});
    wait_for([&] { return pulls_of("a") >= 5; });
    tuner.signal(SIGKILL);
  }
  const auto again = run_tool("tune " + file + on_server());
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(pulls_of("a"), 40U);
}

TEST_F(ServerCommand, AForkMayBeLongerThanARequest) {
  serve({"--max-body", "3000"});
  const auto first = run_tool("tune " + study("long", "40") + on_server());
  ASSERT_EQ(first.status, 0) << first.err;
  folder_.write("other.toml", folder_.content("long.toml") + "[optimizer]\nname = \"hct\"\n");
  const auto fork = run_tool("tune " + folder_.path("other.toml") + " --fork new" + on_server());
  ASSERT_EQ(fork.status, 0) << fork.err;
  const json shown = json::parse(run_tool("studies show new --json" + in_store()).out);
  EXPECT_EQ(shown.at("forked_from"), "long");
  EXPECT_GT(shown.at("summary").at("observed"), 30) << shown;
}

TEST_F(ServerCommand, CommandsReachATunerThroughTheServer) {
  serve();
  wait_for([&] { return run_tool("studies list" + on_server()).status == 0; });
  Process tuner({"tune", study("a", "100000", "0.02"), "--server", url()});
  wait_for([&] { return pulls_of("a") >= 3; });
  EXPECT_EQ(run_tool("steer a end" + on_server()).out, "a: end was posted as command 1\n");
  const auto end = tuner.finish();
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_EQ(end.out.find("a: ended by anonymous, after "), 0U) << end.out;
}

TEST_F(ServerCommand, NeedsATokenWhereTheServerDoes) {
  const std::string tokens = folder_.path("tokens.toml");
  const auto made = run_tool("token new --name alice --role work --file " + tokens);
  ASSERT_EQ(made.status, 0) << made.err;
  serve({"--tokens", tokens});
  wait_for([&] {
    return run_tool("studies list" + on_server()).err.find("cannot be reached") ==
           std::string::npos;
  });
  EXPECT_EQ(run_tool("studies list" + on_server())
                .err.find("canopy studies: " + url() + ": this request needs a token"),
            0U);
  folder_.write("token", made.out);
  const std::string token = " --token-file " + folder_.path("token");
  const auto tuned = run_tool("tune " + study("a", "20") + on_server() + token);
  EXPECT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_EQ(run_tool("steer a pause" + on_server() + token)
                .err.find("canopy steer: " + url() + ": this request needs the role admin"),
            0U);
  setenv("CANOPY_TOKEN", made.out.substr(0, made.out.find('\n')).c_str(), 1);
  EXPECT_EQ(run_tool("best a" + on_server()).status, 0);
  setenv("CANOPY_TOKEN", "a b", 1);
  EXPECT_EQ(
      run_tool("best a" + on_server()).err,
      "canopy best: $CANOPY_TOKEN: invalid token: contains whitespace or control characters\n");
  unsetenv("CANOPY_TOKEN");
}

TEST_F(ServerCommand, RefusesWordsThatDoNotGoTogether) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"best a --server http://a --store b", "best: --store and --server: give only one of them"},
      {"best a --server localhost:8731",
       "best: --server localhost:8731: must be an address such as "
       "http://localhost:8731"},
      {"best a --token-file b", "best: --token-file: needs --server"},
      {"best a --ca b", "best: --ca: needs --server"},
      {"steer a pause --by me --server http://a",
       "steer: --by: cannot be combined with --server, which takes the name from the token"}};
  for (const auto& [words, complaint] : wrong) {
    const auto result = run_tool(words);
    EXPECT_EQ(result.status, 2) << words;
    EXPECT_EQ(result.err, "canopy " + complaint + "\n");
  }
  const auto gone = run_tool("best a" + on_server());
  EXPECT_EQ(gone.status, 1);
  EXPECT_NE(gone.err.find("canopy best: " + url() + " cannot be reached: Connection refused\n"),
            std::string::npos)
      << gone.err;
}

}  // namespace
}  // namespace canopy
