#include "files/toml.hpp"

#include "support/random_document.hpp"
#include "support/values.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::line;
using testing::repeated;

using Kind = Document::Kind;

std::string refusal_of_toml(const std::string& toml) {
  try {
    (void)parse_toml(toml, "s.toml");
    return "accepted";
  } catch (const SpecificationError& error) {
    return error.what();
  }
}

TEST(ParseToml, ReadsEveryKindOfValue) {
  const Document root = parse_toml(R"(truth = true
whole = -3
number = 2.5
text = "it's"
list = [1, [2.0], {}]
day = 1979-05-27
time = 07:32:00
moment = 1979-05-27T07:32:00Z
[table]
a.b = 1
)",
                                   "s.toml");
  EXPECT_EQ(root, Document(Document::Table{
                      {"truth", true},
                      {"whole", -3},
                      {"number", 2.5},
                      {"text", "it's"},
                      {"list", Document::List{1, Document::List{2.0}, Document::Table{}}},
                      {"day", Document::other("1979-05-27")},
                      {"time", Document::other("07:32:00")},
                      {"moment", Document::other("1979-05-27T07:32:00Z")},
                      {"table", Document::Table{{"a", Document::Table{{"b", 1}}}}},
                  }));
}

TEST(ParseToml, KeepsTheOrderOfKeys) {
  const Document root = parse_toml("z = 1\na = 2\n[y]\n[b.c]\n[[x]]\n[b]\nq = 1\n", "s.toml");
  std::string keys;
  for (const auto& [key, value] : *root.as_table()) keys += key;
  EXPECT_EQ(keys, "zaybx");
  const Document one_line = parse_toml("t = { c = 1, b = 2, a = 3 }", "s.toml");
  keys.clear();
  for (const auto& [key, value] : *one_line.find("t")->as_table()) keys += key;
  EXPECT_EQ(keys, "cba");
}

TEST(ParseToml, RemembersLines) {
  const Document root = parse_toml("\na = 1\n[t]\nb = [\n  2]\n[[l]]\n[[l]]\nc = 3\n", "s.toml");
  EXPECT_EQ(root.line(), 1U);
  EXPECT_EQ(root.find("a")->line(), 2U);
  EXPECT_EQ(root.find("t")->line(), 3U);
  EXPECT_EQ(root.find("t")->find("b")->line(), 4U);
  EXPECT_EQ(root.find("t")->find("b")->as_list()->front().line(), 5U);
  EXPECT_EQ(root.find("l")->as_list()->at(1).line(), 7U);
  EXPECT_EQ(root.find("l")->as_list()->at(1).find("c")->line(), 8U);
}

TEST(ParseToml, TellsLineAndColumnOfASyntaxError) {
  EXPECT_EQ(refusal_of_toml("a = \n").substr(0, 29), "s.toml:1:5: not valid TOML: E");
  EXPECT_EQ(refusal_of_toml("a = 1\na = 2\n").substr(0, 27), "s.toml:2:5: not valid TOML:");
}

TEST(ParseToml, RefusesHostileText) {
  for (const std::string& toml :
       {std::string("a = \"\0\"", 7), std::string("a = 1\0", 6), std::string("\0", 1),
        std::string("a = '\xff\xfe'"), std::string("a = '\xed\xa0\x80'"), std::string("a = 1e999"),
        std::string("a = 99999999999999999999"), std::string("a = 1\na = 1"), std::string("[.]"),
        std::string("a = {b = 1, b = 2}"), std::string("[a]\n[a]"), std::string(R"(a = "\ud800")"),
        std::string("\x80\x80\x80"), std::string("a = \"\n\""),
        "a = '" + std::string(1'000'000, 'x'), "a = " + std::string(1'000'000, '9')}) {
    const std::string message = refusal_of_toml(toml);
    EXPECT_NE(message.find(": not valid TOML: "), std::string::npos) << message;
    EXPECT_EQ(message.find_first_of(std::string("\n\0", 2)), std::string::npos) << message;
    EXPECT_LT(message.size(), 240U) << message;
  }
}

TEST(ParseToml, CutsNoCharacterOfAMessageInTwo) {
  for (const char* before : {"", "x", "xx"}) {
    const std::string header = "['" + std::string(before) + repeated("€", 1000) + "']\n";
    const std::string message = refusal_of_toml(header + header);
    EXPECT_TRUE(message.ends_with("€...")) << message;
  }
}

TEST(ParseToml, RefusesWhatIsNestedTooDeeply) {
  EXPECT_EQ(refusal_of_toml("a = " + repeated("[", 100) + repeated("]", 100)),
            "s.toml:1: nested more than 100 levels deep");
  EXPECT_EQ(refusal_of_toml("a = " + repeated("[", 99) + repeated("]", 99)), "accepted");
  EXPECT_NE(refusal_of_toml("a = " + repeated("[", 100'000)), "accepted");
  EXPECT_NE(refusal_of_toml("a = " + repeated("{a=", 100'000)), "accepted");
}

TEST(ParseToml, RefusesKeysOfManyParts) {
  const std::string why = ": not valid TOML: a key has more than 16 parts";
  EXPECT_EQ(refusal_of_toml(repeated("a.", 15) + "a = 1"), "accepted");
  EXPECT_EQ(refusal_of_toml("\n" + repeated("a.", 16) + "a = 1"), "s.toml:2" + why);
  EXPECT_EQ(refusal_of_toml(repeated("a.", 500'000) + "a = 1"), "s.toml:1" + why);
  EXPECT_EQ(refusal_of_toml("[" + repeated("a.", 500'000) + "a]"), "s.toml:1" + why);
  EXPECT_EQ(refusal_of_toml(repeated("'#' . \"=\" . ", 50'000) + "a = 1"), "s.toml:1" + why);
  EXPECT_EQ(refusal_of_toml("a = [\"\"\"\n\\\"\"\"\"\"\", {" + repeated("a.", 20) + "a = 1}]"),
            "s.toml:2" + why);
  EXPECT_EQ(
      refusal_of_toml("a = '" + repeated("a.", 20) + "'\nb = [" + repeated("0.5, ", 40) + "] # " +
                      repeated("a.", 20) + "\nc = '''\n" + repeated("a.", 20) + "'''"),
      "accepted")
      << "neither strings nor numbers nor comments are keys";
  std::string deepest = "a = ";
  for (int i = 0; i < 250; ++i) deepest += "{" + repeated("a.", 15) + "a = ";
  EXPECT_EQ(refusal_of_toml(deepest + "1" + repeated("}", 250)),
            "s.toml:1: nested more than 100 levels deep");
}

TEST(ParseToml, RefusesLettersBeyondAsciiOutsideOfQuotes) {
  const std::string why = ": not valid TOML: non-ASCII characters outside quotes";
  EXPECT_EQ(refusal_of_toml("\nä = 1"), "s.toml:2" + why);
  EXPECT_EQ(refusal_of_toml("a = \"\"\"\n\"\"\" ä"), "s.toml:2" + why);
  EXPECT_EQ(
      refusal_of_toml("\uFEFF'ä' = \"ä\" # ä\nb = \"\"\"ä\\\"\nä\"\"\"\"\"\nc = ''''ä'''' # ä"),
      "accepted");
}

TEST(ParseToml, ReadsLongText) {
  const std::string text(1'000'000, 'x');
  EXPECT_EQ(*parse_toml("a = '" + text + "'", "s.toml").find("a")->as_text(), text);
  const Document list = parse_toml("a = [" + repeated("1,", 100'000) + "]", "s.toml");
  EXPECT_EQ(list.find("a")->as_list()->size(), 100'000U);
}

TEST(TomlText, IsPleasantToRead) {
  const Document x(Document::Table{{"name", "x"}, {"low", 0.0}, {"high", 1.0}});
  const Document n(Document::Table{
      {"name", "n"}, {"type", "choice"}, {"choices", Document::List{"a", "say \"b\""}}});
  const Document study(Document::Table{
      {"optimizer", Document::Table{{"name", "hct"}, {"rho", 0.5}, {"unset", Document()}}},
      {"name", "small"},
      {"space", Document::List{x, n}},
      {"system", Document::Table{{"measure", "it's {x}"},
                                 {"baseline", Document::Table{{"x", 1.0}, {"n", "a"}}}}},
      {"reward_range", Document::List{-1, 3.5}}});
  EXPECT_EQ(toml_text(study), R"(name = "small"
reward_range = [-1, 3.5]

[optimizer]
name = "hct"
rho = 0.5

[[space]]
name = "x"
low = 0.0
high = 1.0

[[space]]
name = "n"
type = "choice"
choices = ["a", 'say "b"']

[system]
measure = "it's {x}"
baseline = { x = 1.0, n = "a" }
)");
}

TEST(TomlText, WritesListsOfTablesInListsOfTables) {
  const Document grid(
      Document::Table{{"nu1", Document::List{0.5, 1}}, {"rho", Document::List{0.5}}});
  const Document algorithm(Document::Table{{"name", "hct"}, {"grid", grid}});
  const Document comparison(
      Document::Table{{"name", "iid"},
                      {"algorithm", Document::List{algorithm, Document::Table{{"name", "thoo"}}}}});
  EXPECT_EQ(toml_text(Document(Document::Table{{"comparison", Document::List{comparison}}})),
            R"([[comparison]]
name = "iid"

[[comparison.algorithm]]
name = "hct"
grid = { nu1 = [0.5, 1], rho = [0.5] }

[[comparison.algorithm]]
name = "thoo"
)");
}

TEST(TomlText, BreaksLongLists) {
  const Document lists(
      Document::Table{{"words", Document::List(3, Document(std::string(40, 'x')))}});
  const std::string word = "  \"" + std::string(40, 'x') + "\",\n";
  EXPECT_EQ(toml_text(lists), "words = [\n" + word + word + word + "]\n");
}

TEST(TomlText, WritesNumbersThatReadBackAsNumbers) {
  EXPECT_EQ(toml_number(1.0), "1.0");
  EXPECT_EQ(toml_number(-0.0), "-0.0");
  EXPECT_EQ(toml_number(1e-7), "1e-07");
  EXPECT_EQ(toml_number(1e300), "1e+300");
  EXPECT_EQ(toml_number(0.1), "0.1");
  EXPECT_EQ(toml_number(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(toml_number(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(toml_number(std::copysign(std::nan(""), -1.0)), "nan");
}

TEST(TomlText, EscapesOnlyWhatItMust) {
  EXPECT_EQ(toml_string(""), R"("")");
  EXPECT_EQ(toml_string("iid ä"), R"("iid ä")");
  EXPECT_EQ(toml_string("it's"), R"("it's")");
  EXPECT_EQ(toml_string("C:\\ \"x\""), R"('C:\ "x"')");
  EXPECT_EQ(toml_string("it's \"x\""), R"("it's \"x\"")");
  EXPECT_EQ(toml_string(std::string("\0\b\t\n\f\r\x1b\x7f", 8)),
            R"("\u0000\b\t\n\f\r\u001B\u007F")");
  EXPECT_EQ(toml_string("a\u2028b\u0085"), R"("a\u2028b\u0085")");
  EXPECT_EQ(toml_string("\xff \xc0\x80 \xed\xa0\x80 \xe2\x82"),
            "\"\uFFFD \uFFFD\uFFFD \uFFFD\uFFFD\uFFFD \uFFFD\uFFFD\"");
  EXPECT_EQ(toml_key("a-b_1"), "a-b_1");
  EXPECT_EQ(toml_key("a.b"), "\"a.b\"");
  EXPECT_EQ(toml_key(""), "\"\"");
  EXPECT_EQ(toml_key("ä"), "\"ä\"");
}

TEST(TomlText, SaysWhatItCannotWrite) {
  EXPECT_THROW((void)toml_text(Document(1)), std::invalid_argument);
  EXPECT_THROW((void)toml_text(Document(Document::Table{{"a", Document::List{Document()}}})),
               std::invalid_argument);
}

TEST(TomlText, KeepsWhatJsonHasNot) {
  const std::string toml = "a = inf\nb = -inf\nc = nan\nd = 1979-05-27T07:32:00Z\n";
  const Document document = parse_toml(toml, "s.toml");
  EXPECT_EQ(toml_text(document), toml);
}

RC_GTEST_PROP(TomlText, ReadsBackAsTheSameTable, ()) {
  const Document table = *testing::random_table(4);
  const std::string text = toml_text(table);
  RC_ASSERT(parse_toml(text, "s.toml") == table);
  RC_ASSERT(toml_text(parse_toml(text, "s.toml")) == text);
}

RC_GTEST_PROP(TomlText, AnyNumberReadsBackAsItself, ()) {
  const double number = *testing::random_finite();
  const Document read = parse_toml("a = " + toml_number(number), "s.toml");
  RC_ASSERT(read.find("a")->kind() == Kind::number);
  RC_ASSERT(*read.find("a")->as_number() == number);
  RC_ASSERT(std::signbit(*read.find("a")->as_number()) == std::signbit(number));
}

RC_GTEST_PROP(ParseToml, RefusesOrReadsAnyText, ()) {
  std::string text = toml_text(*testing::random_table(3));
  const auto changes = *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
      rc::gen::pair(rc::gen::arbitrary<std::size_t>(), rc::gen::arbitrary<char>()));
  for (const auto& [at, letter] : changes) {
    if (!text.empty()) text[at % text.size()] = letter;
  }
  const std::string message = refusal_of_toml(text);
  RC_ASSERT(message == "accepted" || message.starts_with("s.toml:"));
}

}  // namespace
}  // namespace canopy
