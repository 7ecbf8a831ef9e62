#include "systems/text_template.hpp"

#include "files/json.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

const std::vector<std::string> kNames{"workers", "batch size", "mode"};

TextTemplate text_of(const std::string& text, ValueCoding coding = ValueCoding::plain) {
  return {text, kNames, coding};
}

std::string filled(const std::string& text, ValueCoding coding, const std::string& mode) {
  return text_of(text, coding).filled({{"mode", mode}, {"workers", "4"}, {"batch size", "8"}});
}

TEST(TextTemplate, PutsValuesWhereTheirNamesAreInBraces) {
  EXPECT_EQ(filled("{workers}/{mode} {batch size}", ValueCoding::plain, "fast"), "4/fast 8");
  EXPECT_EQ(filled("", ValueCoding::plain, "fast"), "");
  EXPECT_TRUE(text_of("a{workers}").uses("workers"));
  EXPECT_FALSE(text_of("a{workers}").uses("mode"));
}

TEST(TextTemplate, LeavesTheBracesOfJsonAndPromqlAlone) {
  EXPECT_EQ(filled(R"({"a": {"b": {workers}}, "c": {}})", ValueCoding::json, ""),
            R"({"a": {"b": 4}, "c": {}})");
  EXPECT_EQ(filled(R"(sum(rate(a{job="x", b=~".*"}[5m])) by (c))", ValueCoding::promql, ""),
            R"(sum(rate(a{job="x", b=~".*"}[5m])) by (c))");
  EXPECT_EQ(filled("a } b { c", ValueCoding::plain, ""), "a } b { c");
  EXPECT_TRUE(text_of(R"({"a": {workers}} {a="b"} { x })").unknown().empty());
}

TEST(TextTemplate, AWordThatIsNotKnownIsProbablyAMistake) {
  EXPECT_EQ(text_of("{worker} {workers} {Mode.2}").unknown(),
            (std::vector<std::string>{"worker", "Mode.2"}));
}

TEST(TextTemplate, DoubleBracesStandForAWordInBraces) {
  EXPECT_EQ(filled("{{workers}} {{other}}", ValueCoding::plain, ""), "{workers} {other}");
  EXPECT_TRUE(text_of("{{other}}").unknown().empty());
  EXPECT_FALSE(text_of("{{workers}}").uses("workers"));
}

TEST(TextTemplate, EscapesAsThePlaceNeeds) {
  const std::string odd = "a\"b\\c d'é\n";
  EXPECT_EQ(filled("/{mode}?m={mode}", ValueCoding::percent, "a b/é"),
            "/a%20b%2F%C3%A9?m=a%20b%2F%C3%A9");
  EXPECT_EQ(parse_json(filled(R"({"m": "{mode}"})", ValueCoding::json, odd), "body"),
            Document(Document::Table{{"m", odd}}));
  EXPECT_EQ(filled(R"({"m": {mode}, "n\"": {mode}})", ValueCoding::json, "true"),
            R"({"m": true, "n\"": true})");
  EXPECT_EQ(filled(R"(a{m="{mode}"} + b{m='{mode}'})", ValueCoding::promql, "x\"y'z\\"),
            R"(a{m="x\"y'z\\"} + b{m='x"y\'z\\'})");
  EXPECT_EQ(filled("{mode}", ValueCoding::plain, odd), odd);
}

TEST(TextTemplate, ABodyIsWrittenAsItsTypeSays) {
  EXPECT_EQ(coding_of("application/json"), ValueCoding::json);
  EXPECT_EQ(coding_of("application/merge-patch+json"), ValueCoding::json);
  EXPECT_EQ(coding_of("application/x-www-form-urlencoded; charset=utf-8"), ValueCoding::percent);
  EXPECT_EQ(coding_of("text/plain"), ValueCoding::plain);
}

RC_GTEST_PROP(TextTemplate, AnyTextBetweenQuotesStaysJson, (const std::string& raw)) {
  std::string value;
  for (const char letter : raw) {
    if (letter > 0) value += letter;  // ASCII: JSON is UTF-8
  }
  const Document read = parse_json(filled(R"({"m": "{mode}"})", ValueCoding::json, value), "body");
  RC_ASSERT(*read.find("m")->as_text() == value);
}

}  // namespace
}  // namespace canopy
