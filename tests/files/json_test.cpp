#include "files/json.hpp"

#include "support/random_document.hpp"
#include "support/values.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::kNan;
using testing::line;
using testing::repeated;

using Kind = Document::Kind;

std::string refusal_of_json(const std::string& json) {
  try {
    (void)parse_json(json, "s.json");
    return "accepted";
  } catch (const SpecificationError& error) {
    return error.what();
  }
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const Document root = parse_json(
      R"({"z": null, "truth": true, "whole": -3, "number": 2.5, "text": "it's \u00e4",
          "list": [1, [2.0], {}, []], "table": {"b": 1, "a": 2}})",
      "s.json");
  EXPECT_EQ(
      root,
      Document(Document::Table{
          {"z", Document()},
          {"truth", true},
          {"whole", -3},
          {"number", 2.5},
          {"text", "it's ä"},
          {"list", Document::List{1, Document::List{2.0}, Document::Table{}, Document::List{}}},
          {"table", Document::Table{{"b", 1}, {"a", 2}}},
      }));
  std::string keys;
  for (const auto& [key, value] : *root.find("table")->as_table()) keys += key;
  EXPECT_EQ(keys, "ba") << "in their order";
  EXPECT_EQ(root.find("whole")->line(), 0U);
  EXPECT_EQ(parse_json("3", "s.json"), Document(3)) << "not only tables";
}

TEST(ParseJson, ReadsLargeNumbersAsFarAsTheyGo) {
  EXPECT_EQ(parse_json("9223372036854775807", "s").as_whole(),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_json("-9223372036854775808", "s").as_whole(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_json("9223372036854775808", "s"), Document(0x1p63));
  EXPECT_EQ(parse_json("18446744073709551616", "s"), Document(0x1p64));
  EXPECT_EQ(parse_json("1e-999", "s"), Document(0.0));
  EXPECT_EQ(refusal_of_json("[1e999]"), "s.json:1:6: not valid JSON: a number is too large");
  EXPECT_EQ(refusal_of_json(std::string(1'000'000, '9')),
            "s.json:1:1000000: not valid JSON: a number is too large");
}

TEST(JsonText, WritesNumbersWithAsFewDigitsAsReadBackTheSame) {
  const auto text = [](double value) { return json_text(Document(value)); };
  EXPECT_EQ(text(0.0), "0.0");
  EXPECT_EQ(text(-0.0), "-0.0");
  EXPECT_EQ(text(1.0), "1.0");
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(-1e5), "-100000.0");
  EXPECT_EQ(text(0.00001), "0.00001");
  EXPECT_EQ(text(0.000001), "1e-06");
  EXPECT_EQ(text(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(text(1e15), "1e+15");
  EXPECT_EQ(text(0x1p-1074), "5e-324");
  EXPECT_EQ(text(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(text(kNan), "null");
  EXPECT_EQ(json_text(Document(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
}

TEST(JsonText, WritesWithAnIndentForPeople) {
  const Document document(Document::Table{{"a", Document::List{1, Document::Table{}}},
                                          {"b\n", Document::List{}},
                                          {"c", Document::Table{{"d", "\"\x01\xff"}}}});
  EXPECT_EQ(json_text(document), R"({"a":[1,{}],"b\n":[],"c":{"d":"\"\u0001)"
                                 "\xEF\xBF\xBD\"}}");
  EXPECT_EQ(json_text(document, 2), R"({
  "a": [
    1,
    {}
  ],
  "b\n": [],
  "c": {
    "d": "\"\u0001)"
                                    "\xEF\xBF\xBD\"\n  }\n}");
}

TEST(ParseJson, TellsLineAndColumnOfASyntaxError) {
  EXPECT_EQ(refusal_of_json("{\n  \"a\": x}"),
            "s.json:2:8: not valid JSON: syntax error while parsing value - invalid literal");
  EXPECT_EQ(refusal_of_json("").substr(0, 28), "s.json:1:1: not valid JSON: ");
  EXPECT_EQ(refusal_of_json("{} {").substr(0, 28), "s.json:1:4: not valid JSON: ");
}

TEST(ParseJson, RefusesKeysThatStandTwice) {
  EXPECT_EQ(refusal_of_json(R"({"a": {"b": 1}, "b": 2, "a": 3})"),
            "s.json: not valid JSON: the key 'a' appears twice in a table");
  EXPECT_EQ(refusal_of_json(R"([{"a": 1}, {"a": 1}])"), "accepted");
  EXPECT_EQ(refusal_of_json(R"({"": 1, "": 1})"),
            "s.json: not valid JSON: the key '' appears twice in a table");
}

TEST(ParseJson, RefusesWhatIsNestedTooDeeply) {
  EXPECT_EQ(refusal_of_json(repeated("[", 100) + repeated("]", 100)), "accepted");
  EXPECT_EQ(refusal_of_json(repeated("[", 101) + repeated("]", 101)),
            "s.json: nested more than 100 levels deep");
  EXPECT_EQ(refusal_of_json(repeated("[", 1'000'000)), "s.json: nested more than 100 levels deep");
  EXPECT_EQ(refusal_of_json(repeated("{\"a\":", 1'000'000)),
            "s.json: nested more than 100 levels deep");
}

TEST(ParseJson, RefusesHostileText) {
  for (const std::string& json :
       {std::string("\"\0\"", 3), std::string("1\0 and more", 11), std::string("\"\xff\""),
        std::string("\"\xed\xa0\x80\""), std::string(R"("\ud800")"), std::string("\"\n\""),
        std::string("NaN"), std::string("[1,]"), std::string("'a'"), std::string("{a: 1}"),
        std::string("// comment\n1"), "\"" + std::string(1'000'000, 'x'),
        std::string(1'000'000, 'x')}) {
    const std::string message = refusal_of_json(json);
    EXPECT_NE(message.find(": not valid JSON: "), std::string::npos) << message;
    EXPECT_EQ(message.find_first_of(std::string("\n\0", 2)), std::string::npos) << message;
    EXPECT_LT(message.size(), 200U) << message;
  }
}

TEST(ParseJson, ReadsLongText) {
  const std::string text(1'000'000, 'x');
  EXPECT_EQ(*parse_json("\"" + text + "\"", "s.json").as_text(), text);
  std::string table = "{\"k\":0";
  for (int i = 0; i < 100'000; ++i) table += ",\"" + std::to_string(i) + "\":1";
  const Document many = parse_json(table + "}", "s.json");
  EXPECT_EQ(many.as_table()->size(), 100'001U);
  EXPECT_EQ(json_text(many), table + "}");
}

TEST(JsonText, IsOneLineOrManyWithKeysInTheirOrder) {
  const Document table(Document::Table{
      {"z", Document::List{1, 2.0, "ä\n"}}, {"a", Document()}, {"m", Document::Table{}}});
  EXPECT_EQ(json_text(table), R"({"z":[1,2.0,"ä\n"],"a":null,"m":{}})");
  EXPECT_EQ(json_text(Document(Document::Table{{"b", 1}, {"a", Document::List{}}}), 2),
            "{\n  \"b\": 1,\n  \"a\": []\n}");
}

TEST(JsonText, IsValidForAnyDocument) {
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json_text(Document(Document::List{kEndless, -kEndless, kNan})), "[null,null,null]");
  EXPECT_EQ(json_text(Document("a\xff")), "\"a\uFFFD\"");
  EXPECT_EQ(json_text(Document::other("07:32:00")), "\"07:32:00\"");
  EXPECT_EQ(json_text(Document(std::string(1, '\0'))), R"("\u0000")");
}

RC_GTEST_PROP(JsonText, ReadsBackAsTheSameDocument, ()) {
  const Document document = *testing::random_document(4);
  RC_ASSERT(parse_json(json_text(document), "s.json") == document);
  RC_ASSERT(parse_json(json_text(document, 2), "s.json") == document);
}

RC_GTEST_PROP(ParseJson, RefusesOrReadsAnyText, ()) {
  std::string text = json_text(*testing::random_document(3));
  const auto changes = *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
      rc::gen::pair(rc::gen::arbitrary<std::size_t>(), rc::gen::arbitrary<char>()));
  for (const auto& [at, letter] : changes) text[at % text.size()] = letter;
  const std::string message = refusal_of_json(text);
  RC_ASSERT(message == "accepted" || message.starts_with("s.json:"));
}

}  // namespace
}  // namespace canopy
