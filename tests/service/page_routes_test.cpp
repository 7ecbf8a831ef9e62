#include "service/page_files.hpp"
#include "service/server.hpp"
#include "support/http_exchange.hpp"
#include "support/test_server.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

using testing::HttpAnswer;
using testing::TestServer;

class Page : public ::testing::Test {
 protected:
  void SetUp() override {
    if (page_files().empty()) GTEST_SKIP() << "this canopy was built without Node.js";
  }
};

TEST_F(Page, MayLoadNothingButItsOwnFiles) {
  const TestServer server;
  const HttpAnswer page = server.exchange("GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("Content-Type"), "text/html; charset=utf-8");
  const std::string policy = page.headers.at("Content-Security-Policy");
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos) << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
  EXPECT_EQ(policy.find("http"), std::string::npos) << policy;
  EXPECT_EQ(page.body.find("://"), std::string::npos) << page.body;
  EXPECT_EQ(page.body.find("<script>"), std::string::npos) << page.body;
}

TEST_F(Page, EveryFileIsServedAndKeptByTheBrowser) {
  const TestServer server;
  int files = 0;
  for (const PageFile& file : page_files()) {
    if (!file.name.starts_with("page/")) continue;
    SCOPED_TRACE(file.name);
    ++files;
    const std::string target = "/" + std::string(file.name);
    const HttpAnswer whole = server.exchange("GET", target);
    EXPECT_EQ(whole.status, 200);
    EXPECT_EQ(whole.body, file.plain);
    EXPECT_EQ(whole.headers.count("Content-Encoding"), 0U);
    const HttpAnswer packed = server.exchange("GET", target, "", "Accept-Encoding: br, gzip\r\n");
    EXPECT_EQ(packed.body, file.packed.empty() ? file.plain : file.packed);
    EXPECT_EQ(packed.headers.count("Content-Encoding"), file.packed.empty() ? 0U : 1U);
    const HttpAnswer again =
        server.exchange("GET", target, "", "If-None-Match: " + whole.headers.at("ETag") + "\r\n");
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(again.body, "");
  }
  EXPECT_GE(files, 3);
  EXPECT_EQ(server.exchange("GET", "/page/nothing.js").status, 404);
  EXPECT_EQ(server.exchange("GET", "/page/..%2Findex.html").status, 404);
  EXPECT_EQ(server.exchange("POST", "/").status, 405);
}

TEST_F(Page, IsSmall) {
  std::size_t sent = 0;
  for (const PageFile& file : page_files()) {
    if (file.name != "report.html")
      sent += file.packed.empty() ? file.plain.size() : file.packed.size();
  }
  EXPECT_LT(sent, 250'000U);
}

TEST(ReadOnlyServer, ShowsStudiesAndChangesNothing) {
  ServerOptions options;
  testing::TemporaryFolder folder;
  options.store = folder.path("studies.db");
  {
    const TestServer writer(options);
    writer.make_study("a");
  }
  options.read_only = true;
  const TestServer server(options);
  EXPECT_EQ(server.exchange("GET", "/v1/me").json().at("role"), "read");
  EXPECT_EQ(server.exchange("GET", "/v1/studies").json().at("studies").size(), 1U);
  EXPECT_EQ(server.exchange("POST", "/v1/studies/a/asks", "{}").code(), "forbidden");
  EXPECT_EQ(server.exchange("POST", "/v1/studies/a/commands", R"({"command":"pause"})").code(),
            "forbidden");
  EXPECT_EQ(server.exchange("DELETE", "/v1/studies/a").code(), "forbidden");
  EXPECT_EQ(server.exchange("GET", "/v1/studies").json().at("studies").size(), 1U);
}

TEST(ReadOnlyServer, NeedsAStoreThatIsThere) {
  ServerOptions options;
  testing::TemporaryFolder folder;
  options.store = folder.path("none.db");
  options.read_only = true;
  EXPECT_THROW(TestServer{options}, StoreError);
  EXPECT_FALSE(std::filesystem::exists(options.store));
}

}  // namespace
}  // namespace canopy::service
