#include "canopy/options.hpp"

#include "support/values.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using testing::kNan;

enum class Leaf { black, green };

}  // namespace

template <>
struct EnumNames<Leaf> {
  static constexpr std::array<std::string_view, 2> names{"black", "green"};
};

namespace {

struct Tea {
  double strength = 0.5;
  std::optional<double> sugar = std::nullopt;
  std::optional<std::uint64_t> minutes = std::nullopt;
  Leaf leaf = Leaf::green;
  std::uint64_t seed = 7;
};

template <class Visit>
void visit_fields(Tea& tea, Visit&& visit) {
  visit(Field{"strength", "how strong", kOpenUnit}, tea.strength);
  visit(Field{"sugar", "how sweet", kNotNegative}, tea.sugar);
  visit(Field{"minutes", "how long", kMillion, "for ever"}, tea.minutes);
  visit(Field{"leaf", "of which kind"}, tea.leaf);
  visit(Field{"seed", "of the leaves", kAnyWhole}, tea.seed);
}

const OptionValue kNone;

const OptionField& field(const std::string& name) {
  static const std::vector<OptionField> fields = fields_of<Tea>();
  for (const OptionField& field : fields) {
    if (field.name == name) return field;
  }
  throw std::out_of_range(name);
}

std::string line_of(const Tea& tea) {
  return options_text(fields_of<Tea>(), values_of(tea));
}

std::vector<std::string> sentences(const std::vector<Violation>& violations) {
  std::vector<std::string> texts;
  for (const Violation& violation : violations) texts.push_back(violation.text());
  return texts;
}

using Sentences = std::vector<std::string>;

TEST(Options, AStructIsDescribedFieldByField) {
  const std::vector<OptionField> fields = fields_of<Tea>();
  ASSERT_EQ(fields.size(), 5U);
  EXPECT_EQ(fields[0].name, "strength");
  EXPECT_EQ(fields[0].help, "how strong");
  EXPECT_EQ(fields[0].kind, OptionField::Kind::real);
  EXPECT_FALSE(fields[0].optional);
  EXPECT_EQ(fields[0].standard, OptionValue(0.5));
  EXPECT_TRUE(fields[1].optional);
  EXPECT_EQ(fields[1].standard, kNone);
  EXPECT_EQ(fields[2].kind, OptionField::Kind::whole);
  EXPECT_EQ(fields[2].unset, "for ever");
  EXPECT_EQ(fields[3].kind, OptionField::Kind::word);
  EXPECT_EQ(fields[3].words, (std::vector<std::string>{"black", "green"}));
  EXPECT_EQ(fields[3].standard, OptionValue("green"));
  EXPECT_EQ(fields[4].standard, OptionValue(std::uint64_t{7}));
  EXPECT_EQ(fields_of(Tea{.strength = 0.9})[0].standard, OptionValue(0.9));
}

TEST(Options, FieldsSayWhatTheyMustBe) {
  EXPECT_EQ(field("strength").must_be(), "must be in (0, 1)");
  EXPECT_EQ(field("minutes").must_be(), "must be a whole number from 1 to 1000000 or \"for ever\"");
  EXPECT_EQ(field("leaf").must_be(), "must be \"black\" or \"green\"");
  const OptionField three{.kind = OptionField::Kind::word, .words = {"a", "b", "c"}};
  EXPECT_EQ(three.must_be(), "must be \"a\", \"b\" or \"c\"");
}

TEST(Options, AreWrittenOnOneLine) {
  EXPECT_EQ(line_of({}), "strength 0.5, minutes for ever, leaf green");
  EXPECT_EQ(line_of({.sugar = 2.0, .minutes = 3}), "strength 0.5, sugar 2, minutes 3, leaf green");
  EXPECT_EQ(options_text(fields_of<Tea>(), {{"sugar", 1.0}}), "sugar 1") << "what is given";
}

TEST(Options, EveryOneOutOfRangeIsFound) {
  EXPECT_TRUE(violations_of(Tea{}, "tea.").empty()) << "an option without a value is in order";
  EXPECT_EQ(sentences(violations_of(Tea{.strength = 1.0, .sugar = -1.0, .minutes = 0}, "tea.")),
            (Sentences{"tea.strength = 1: must be in (0, 1)",
                       "tea.sugar = -1: must be a number from 0 to 1e50",
                       "tea.minutes = 0: must be a whole number from 1 to 1000000 or "
                       "\"for ever\""}));
}

TEST(Options, WrongNamesKindsAndWordsAreFound) {
  const std::vector<OptionField> fields = fields_of<Tea>();
  EXPECT_EQ(sentences(violations(fields, {{"strenght", 0.5}}, "tea.")),
            Sentences{"tea.strenght = 0.5: unknown option, did you mean \"strength\"?"});
  EXPECT_EQ(sentences(violations(fields, {{"strength", "much"}}, "")),
            Sentences{"strength = much: must be in (0, 1)"});
  EXPECT_EQ(sentences(violations(fields, {{"leaf", "red"}}, "")),
            Sentences{"leaf = red: must be \"black\" or \"green\""});
  EXPECT_EQ(sentences(violations(fields, {{"strength", kNone}}, "")),
            Sentences{"strength: must be in (0, 1)"});
  EXPECT_EQ(sentences(violations(fields, {{"strength", kNan}}, "")),
            Sentences{"strength = nan: must be in (0, 1)"});
  EXPECT_TRUE(violations(fields, {{"minutes", kNone}, {"sugar", 2.0}}, "").empty());
  EXPECT_TRUE(violations(fields, {}, "").empty()) << "what is not given is in order";
}

TEST(Options, StructsBecomeValuesAndValuesStructs) {
  const Tea given{.strength = 0.25, .sugar = 1.5, .leaf = Leaf::black, .seed = 1};
  const OptionValues values = values_of(given);
  ASSERT_EQ(values.size(), 5U);
  EXPECT_EQ(*values.find("leaf"), OptionValue("black"));
  EXPECT_EQ(*values.find("minutes"), kNone);
  EXPECT_EQ(values.find("milk"), nullptr);
  const auto back = options_from<Tea>(values, "tea.");
  EXPECT_EQ(values_of(back), values);
  const auto some = options_from<Tea>({{"strength", 0.75}, {"minutes", std::uint64_t{4}}}, "tea.");
  EXPECT_EQ(some.strength, 0.75);
  EXPECT_EQ(some.minutes, 4U);
  EXPECT_EQ(some.leaf, Leaf::green) << "the default";
}

TEST(Options, WrongValuesDoNotBecomeAStruct) {
  try {
    (void)options_from<Tea>({{"strength", 2.0}, {"leaf", "red"}}, "tea.");
    FAIL() << "must not be accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_STREQ(error.what(),
                 "tea.strength = 2: must be in (0, 1); "
                 "tea.leaf = red: must be \"black\" or \"green\"");
  }
}

TEST(Options, ASetValueReplacesTheOneBefore) {
  OptionValues values{{"a", 1.0}, {"b", 2.0}};
  values.set("a", 3.0);
  values.set("c", std::string("x"));
  EXPECT_EQ(values, (OptionValues{{"a", 3.0}, {"b", 2.0}, {"c", "x"}}));
}

TEST(Options, WhatWasWrittenIsFittedToTheField) {
  EXPECT_EQ(fitted(field("strength"), std::uint64_t{1}), OptionValue(1.0));
  EXPECT_EQ(fitted(field("seed"), 3.0), OptionValue(std::uint64_t{3}));
  EXPECT_EQ(fitted(field("seed"), 3.5), std::nullopt);
  EXPECT_EQ(fitted(field("seed"), -1.0), std::nullopt);
  EXPECT_EQ(fitted(field("seed"), 1e300), std::nullopt);
  EXPECT_EQ(fitted(field("minutes"), "for ever"), kNone);
  EXPECT_EQ(fitted(field("strength"), "for ever"), std::nullopt) << "not its word";
  EXPECT_EQ(fitted(field("leaf"), "black"), OptionValue("black"));
  EXPECT_EQ(fitted(field("leaf"), "red"), std::nullopt);
  EXPECT_EQ(fitted(field("leaf"), 1.0), std::nullopt);
  EXPECT_EQ(fitted(field("sugar"), kNone), kNone);
  EXPECT_EQ(fitted(field("strength"), kNone), std::nullopt);
  EXPECT_EQ(fitted(field("strength"), kNan), std::nullopt);
  EXPECT_EQ(fitted(field("strength"), 7.0), OptionValue(7.0)) << "ranges are checked elsewhere";
}

TEST(Options, TextIsParsedAsTheFieldHasIt) {
  EXPECT_EQ(parsed(field("strength"), "0.25"), OptionValue(0.25));
  EXPECT_EQ(parsed(field("strength"), "1"), OptionValue(1.0));
  EXPECT_EQ(parsed(field("seed"), "1e5"), OptionValue(std::uint64_t{100'000}));
  EXPECT_EQ(parsed(field("seed"), "18446744073709551615"), OptionValue(UINT64_MAX));
  EXPECT_EQ(parsed(field("seed"), "-1"), std::nullopt);
  EXPECT_EQ(parsed(field("seed"), "1.5"), std::nullopt);
  EXPECT_EQ(parsed(field("minutes"), "for ever"), kNone);
  EXPECT_EQ(parsed(field("leaf"), "green"), OptionValue("green"));
  EXPECT_EQ(parsed(field("leaf"), "3"), std::nullopt);
  EXPECT_EQ(parsed(field("strength"), "strong"), std::nullopt);
  EXPECT_EQ(parsed(field("strength"), "nan"), std::nullopt);
  EXPECT_EQ(parsed(field("strength"), "0.5 "), std::nullopt);
  EXPECT_EQ(parsed(field("strength"), ""), std::nullopt);
}

TEST(Options, ValuesAreWrittenAsTheyAreParsed) {
  EXPECT_EQ(text_of(field("minutes"), kNone), "for ever");
  EXPECT_EQ(text_of(field("sugar"), kNone), "");
  EXPECT_EQ(text_of(field("sugar"), 0.1), "0.1");
  EXPECT_EQ(text_of(field("seed"), std::uint64_t{12}), "12");
  EXPECT_EQ(text_of(field("leaf"), std::string("black")), "black");
}

TEST(Options, CompletedHasEveryFieldInItsOrder) {
  const OptionValues all = completed(fields_of<Tea>(), {{"leaf", "black"}, {"strength", 0.1}});
  EXPECT_EQ(all, values_of(Tea{.strength = 0.1, .leaf = Leaf::black}));
}

}  // namespace
}  // namespace canopy
