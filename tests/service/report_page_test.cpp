#include "service/report_page.hpp"

#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include "service/page_files.hpp"
#include "support/temporary_folder.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy::service {
namespace {

using nlohmann::json;

class ReportPage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (page_files().empty()) GTEST_SKIP() << "this canopy was built without Node.js";
  }

  [[nodiscard]] std::string page_of(const std::string& name, const std::string& specification,
                                    int pulls) const {
    const std::string file = folder_.path("studies.db");
    std::shared_ptr<Store> store = open_store(file, Store::Mode::create);
    {
      StudySpecification given = parse_study(specification, "study");
      given.name = name;
      Study study = Study::open(*store, given, {name, std::nullopt});
      for (int i = 0; i < pulls; ++i) {
        const Pull pull = study.ask(1);
        EXPECT_EQ(study.tell(pull.ticket, 0.5 + 0.01 * (i % 7)), Status::ok);
      }
      study.commit();
    }
    return report_page(std::move(store), name);
  }

  /// The answers embedded in the page.
  static json answers_in(const std::string& page) {
    const std::string mark = R"(<script id="answers" type="application/json">)";
    const std::size_t begin = page.find(mark) + mark.size();
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }

 private:
  testing::TemporaryFolder folder_;
};

const std::string kTwoKnobs =
    "[[space]]\nname = \"a b\"\nlow = 0.0\nhigh = 1.0\n[[space]]\nname = \"n\"\ntype = "
    "\"integer\"\nlow = 1\nhigh = 9\n";

TEST_F(ReportPage, HasTheAnswersToAllThatThePageAsks) {
  const json answers = answers_in(page_of("s", kTwoKnobs, 50));
  for (const char* what :
       {"", "/summary", "/best", "/specification", "/history?by=pulls&buckets=5000",
        "/history?by=time&buckets=5000", "/arms?limit=2000", "/tree?limit=5000&cells=true",
        "/events?order=newest&limit=1000", "/knobs", "/estimate?x=a%20b", "/estimate?x=n",
        "/estimate?x=a%20b&y=n"}) {
    EXPECT_TRUE(answers.contains("/v1/studies/s" + std::string(what))) << what;
  }
  EXPECT_EQ(answers.at("/v1/studies/s/summary").at("pulls"), 50);
}

TEST_F(ReportPage, OfAStudyWithoutRewardsHasNoBestArm) {
  const json answers = answers_in(page_of("s", kTwoKnobs, 0));
  EXPECT_FALSE(answers.contains("/v1/studies/s/best"));
  EXPECT_TRUE(answers.contains("/v1/studies/s/summary"));
}

TEST_F(ReportPage, NamesCannotEndItsScripts) {
  const std::string hostile = "<script>alert(1)\"'&>";
  const std::string page =
      page_of(hostile, "[[space]]\nname = \"</script>\"\nlow = 0.0\nhigh = 1.0\n", 5);
  EXPECT_EQ(page.find("<script>alert(1)"), std::string::npos);
  EXPECT_TRUE(answers_in(page).is_object());
  EXPECT_NE(page.find("data-study=\"&lt;script&gt;alert(1)&quot;"), std::string::npos);
}

TEST_F(ReportPage, LoadsNothingFromElsewhere) {
  const std::string page = page_of("s", kTwoKnobs, 5);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_EQ(page.find("href=\"http"), std::string::npos);
}

}  // namespace
}  // namespace canopy::service
