#include "files/document_reader.hpp"

#include "files/json.hpp"
#include "files/toml.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {

enum class Cup { glass, mug, bowl };
template <>
struct EnumNames<Cup> {
  static constexpr std::array<std::string_view, 3> names{"glass", "mug", "bowl"};
};

namespace {

struct Tea {
  double strength = 0.5;
  std::optional<double> sugar = std::nullopt;
  std::optional<std::uint64_t> minutes = std::nullopt;
  Cup cup = Cup::mug;
  std::uint64_t seed = 7;
};

template <class Visit>
void visit_fields(Tea& tea, Visit&& visit) {
  visit(Field{"strength", "how strong", kOpenUnit}, tea.strength);
  visit(Field{"sugar", "how sweet", kNotNegative}, tea.sugar);
  visit(Field{"minutes", "how long", kMillion, "for ever"}, tea.minutes);
  visit(Field{"cup", "from what"}, tea.cup);
  visit(Field{"seed", "of the leaves", kAnyWhole}, tea.seed);
}

/// Returns the complaints when `read` reads a TOML text.
template <class Read>
std::string complaints(const std::string& toml, Read read) {
  const Document root = parse_toml(toml, "s.toml");
  DocumentReader reader("s.toml");
  read(reader, root);
  try {
    reader.throw_if_any();
    return "";
  } catch (const SpecificationError& error) {
    return error.what();
  }
}

template <class Value>
std::string reading(const std::string& toml, Value& into) {
  return complaints(toml, [&](DocumentReader& reader, const Document& root) {
    reader.read(root, "tea.", "x", into);
  });
}

std::string reading_tea(const std::string& toml, OptionValues* given = nullptr) {
  return complaints(toml, [&](DocumentReader& reader, const Document& root) {
    const OptionValues values = reader.read_options(root, "tea.", fields_of<Tea>());
    if (given != nullptr) *given = values;
  });
}

TEST(DocumentReader, ReadsKeysThatAreThere) {
  double number = 0.5;
  std::int64_t whole = 1;
  std::uint64_t count = 2;
  std::string text = "before";
  bool truth = false;
  Cup cup = Cup::mug;
  EXPECT_EQ(reading("", number), "");
  EXPECT_EQ(number, 0.5) << "left alone";
  EXPECT_EQ(reading("x = 2.5", number) + reading("x = -3", whole) + reading("x = 4", count), "");
  EXPECT_EQ(reading("x = 'after'", text) + reading("x = true", truth), "");
  EXPECT_EQ(reading("x = 'bowl'", cup), "");
  EXPECT_EQ(number, 2.5);
  EXPECT_EQ(whole, -3);
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(text, "after");
  EXPECT_TRUE(truth);
  EXPECT_EQ(cup, Cup::bowl);
  EXPECT_EQ(reading("x = 3", number), "");
  EXPECT_EQ(number, 3.0) << "a whole number is a number";
}

TEST(DocumentReader, NamesSourceLineFieldValueAndExpectation) {
  double number = 0.5;
  std::int64_t whole = 1;
  std::uint64_t count = 2;
  std::string text = "before";
  bool truth = false;
  Cup cup = Cup::mug;
  EXPECT_EQ(reading("\nx = 'one'", number), "s.toml:2: tea.x = 'one': must be a number");
  EXPECT_EQ(reading("x = 9007199254740993", number),
            "s.toml:1: tea.x = 9007199254740993: must be a number");
  EXPECT_EQ(reading("x = 0.5", whole), "s.toml:1: tea.x = 0.5: must be a whole number");
  EXPECT_EQ(reading("x = -1", count), "s.toml:1: tea.x = -1: must be a whole number, 0 or more");
  EXPECT_EQ(reading("x = 1.0", count), "s.toml:1: tea.x = 1.0: must be a whole number, 0 or more");
  EXPECT_EQ(reading("x = 1979-05-27", text), "s.toml:1: tea.x = 1979-05-27: must be a string");
  EXPECT_EQ(reading("x = 1", truth), "s.toml:1: tea.x = 1: must be true or false");
  EXPECT_EQ(reading("x = 'vase'", cup),
            R"(s.toml:1: tea.x = 'vase': must be "glass", "mug" or "bowl")");
  EXPECT_EQ(reading("x = [1, 2]", cup),
            R"(s.toml:1: tea.x = [ 1, 2 ]: must be "glass", "mug" or "bowl")");
  EXPECT_EQ(text, "before") << "what is wrong is not read";
}

TEST(DocumentReader, SuggestsTheNearestKnownKey) {
  constexpr std::array<std::string_view, 2> kKnown{"strength", "sugar"};
  const auto check = [&](DocumentReader& reader, const Document& root) {
    reader.check_keys(root, "tea.", kKnown);
  };
  EXPECT_EQ(complaints("sugar = 1\nstrenght = 2\nmilk = true\n", check),
            "s.toml:2: tea.strenght = 2: unknown key, did you mean \"strength\"?; "
            "s.toml:3: tea.milk = true: unknown key; known: strength sugar");
  EXPECT_EQ(complaints(R"("a\nb" = 1)"
                       "\n'a b' = 2\n",
                       check),
            "s.toml:1: tea.\"a\\nb\" = 1: unknown key; known: strength sugar; "
            "s.toml:2: tea.a b = 2: unknown key; known: strength sugar");
  EXPECT_LT(complaints(std::string(1'000'000, 'x') + " = 1", check).size(), 200U);
}

TEST(DocumentReader, FindsTablesAndMissesKeys) {
  const std::string toml = "tea = 1\n[water]\n";
  EXPECT_EQ(complaints(toml,
                       [](DocumentReader& reader, const Document& root) {
                         EXPECT_EQ(reader.read_table(root, "tea"), nullptr);
                         EXPECT_EQ(reader.read_table(root, "milk"), nullptr);
                         const Document* water = reader.read_table(root, "water");
                         ASSERT_NE(water, nullptr);
                         EXPECT_TRUE(reader.require(root, "", "tea"));
                         EXPECT_FALSE(reader.require(*water, "water.", "degrees"));
                         EXPECT_EQ(reader.complaints(), 2U);
                       }),
            "s.toml:1: tea = 1: must be a table: [tea]; s.toml:2: water.degrees: is missing");
}

TEST(DocumentReader, SaysEveryMistakeOnceOnTheLineWhereItsFieldWasFirstSeen) {
  const auto read = [](DocumentReader& reader, const Document& root) {
    reader.note_line("a", *root.find("a"));
    for (int i = 0; i < 3; ++i) reader.complain({{"a", "1", "is odd"}, {"b", "", "is nowhere"}});
    reader.complain("c", nullptr, "is missing", root.find("a"));
  };
  EXPECT_EQ(complaints("\n\na = 1\n", read),
            "s.toml:3: a = 1: is odd; s.toml: b: is nowhere; s.toml:3: c: is missing");
}

TEST(DocumentReader, LeavesOutLinesThatAreNotKnown) {
  const Document root = parse_json(R"({"x": "one"})", "s.json");
  DocumentReader reader("s.json");
  double number = 0.0;
  reader.read(root, "", "x", number);
  try {
    reader.throw_if_any();
    FAIL();
  } catch (const SpecificationError& error) {
    EXPECT_STREQ(error.what(), "s.json: x = 'one': must be a number");
  }
}

TEST(DocumentReader, NamesTheFirstOfVeryManyMistakes) {
  std::string toml;
  for (int i = 0; i < 50'000; ++i) toml += "key" + std::to_string(i) + " = 1\n";
  constexpr std::array<std::string_view, 1> kKnown{"x"};
  const std::string all = complaints(toml, [&](DocumentReader& reader, const Document& root) {
    reader.check_keys(root, "", kKnown);
    EXPECT_EQ(reader.complaints(), DocumentReader::kMostMistakes);
    EXPECT_TRUE(reader.is_full());
  });
  EXPECT_TRUE(all.ends_with("s.toml:50: key49 = 1: unknown key; known: x"));
}

TEST(ReadOptions, GivesOnlyWhatIsThere) {
  OptionValues given;
  EXPECT_EQ(reading_tea("", &given), "");
  EXPECT_EQ(given, OptionValues{});
  EXPECT_EQ(reading_tea("cup = 'bowl'\nminutes = 5e3\nsugar = 2\nmilk = true\n", &given), "");
  EXPECT_EQ(given,
            (OptionValues{{"sugar", 2.0}, {"minutes", std::uint64_t{5000}}, {"cup", "bowl"}}))
      << "in the order of the fields";
  EXPECT_EQ(reading_tea("minutes = 'for ever'\n", &given), "");
  EXPECT_EQ(given, (OptionValues{{"minutes", OptionValue{}}}));
}

TEST(ReadOptions, ComplainsAboutKindsAndRanges) {
  const auto refused = [](const std::string& toml, const std::string& message) {
    OptionValues given;
    EXPECT_EQ(reading_tea("\n" + toml, &given), "s.toml:2: tea." + message);
    EXPECT_EQ(given.size(), 0U) << "what is wrong is not given";
  };
  const std::string minutes = ": must be a whole number from 1 to 1000000 or \"for ever\"";
  const std::string cup = R"(: must be "glass", "mug" or "bowl")";
  const std::string seed = ": must be a whole number from 0 to 9007199254740992";
  refused("strength = 2.0", "strength = 2: must be in (0, 1)");
  refused("strength = -1", "strength = -1: must be in (0, 1)");
  refused("strength = 'a'", "strength = 'a': must be in (0, 1)");
  refused("strength = nan", "strength = nan: must be in (0, 1)");
  refused("strength = inf", "strength = inf: must be in (0, 1)");
  refused("strength = true", "strength = true: must be in (0, 1)");
  refused("strength = [0.5]", "strength = [ 0.5 ]: must be in (0, 1)");
  refused("strength = {}", "strength = {...}: must be in (0, 1)");
  refused("strength = 1979-05-27", "strength = 1979-05-27: must be in (0, 1)");
  refused("minutes = 0", "minutes = 0" + minutes);
  refused("minutes = 2.5", "minutes = 2.5" + minutes);
  refused("minutes = -3", "minutes = -3" + minutes);
  refused("minutes = 'for evr'", "minutes = 'for evr'" + minutes);
  refused("seed = 9007199254740993", "seed = 9007199254740993" + seed);
  refused("seed = 1e300", "seed = 1e+300" + seed);
  refused("cup = 'vase'", "cup = 'vase'" + cup);
  refused("cup = 1", "cup = 1" + cup);
}

TEST(ReadOptions, TakesNullForNoValueWhereThereNeedBeNone) {
  const Document root = parse_json(R"({"sugar": null, "minutes": null})", "s.json");
  DocumentReader reader("s.json");
  EXPECT_EQ(reader.read_options(root, "", fields_of<Tea>()),
            (OptionValues{{"sugar", OptionValue{}}, {"minutes", OptionValue{}}}));
  (void)reader.read_options(parse_json(R"({"seed": null})", "s.json"), "", fields_of<Tea>());
  EXPECT_EQ(reader.complaints(), 1U);
}

TEST(DocumentOf, WritesTheWordForNoValue) {
  EXPECT_EQ(toml_text(document_of(values_of(Tea{}), fields_of<Tea>())),
            "strength = 0.5\nminutes = \"for ever\"\ncup = \"mug\"\nseed = 7\n");
  EXPECT_EQ(document_of({}, fields_of<Tea>()), Document(Document::Table{}));
}

RC_GTEST_PROP(DocumentOf, ReadsBackAsTheSameOptions, ()) {
  Tea tea;
  tea.strength = *rc::gen::inRange(1, 1'000'000) / 1e6;
  if (*rc::gen::arbitrary<bool>()) tea.sugar = *rc::gen::inRange(0, 1000) / 7.0;
  if (*rc::gen::arbitrary<bool>()) tea.minutes = *rc::gen::inRange<std::uint64_t>(1, 1'000'001);
  tea.cup = *rc::gen::element(Cup::glass, Cup::mug, Cup::bowl);
  tea.seed = *rc::gen::inRange<std::uint64_t>(0, (std::uint64_t{1} << 53U) + 1);
  const std::vector<OptionField> fields = fields_of<Tea>();
  const Document document = document_of(values_of(tea), fields);
  for (const Document& read :
       {parse_toml(toml_text(document), "s.toml"), parse_json(json_text(document), "s.json")}) {
    DocumentReader reader("s");
    const OptionValues given = reader.read_options(read, "", fields);
    reader.throw_if_any();
    RC_ASSERT(completed(fields, given) == values_of(tea));
  }
}

}  // namespace
}  // namespace canopy
