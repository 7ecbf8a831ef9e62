#include "canopy/catalogue.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

struct Drink {
  std::string name;
  std::string line = {};
  std::vector<OptionField> fields = {};
};

struct Infusion {
  double strength = 0.5;
  std::uint64_t minutes = 3;
};

template <class Visit>
void visit_fields(Infusion& infusion, Visit&& visit) {
  visit(Field{"strength", "how strong", kOpenUnit}, infusion.strength);
  visit(Field{"minutes", "how long", kMillion}, infusion.minutes);
}

Catalogue<Drink> drinks() {
  return {"drink", {{"tea", "leaves in water", fields_of<Infusion>()}, {"water", "nothing in it"}}};
}

using Names = std::vector<std::string_view>;

/// The message of the exception; empty if nothing is thrown.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "";
}

TEST(Catalogue, FindsEntriesByName) {
  const Catalogue<Drink> all = drinks();
  ASSERT_NE(all.find("tea"), nullptr);
  EXPECT_EQ(all.find("tea")->line, "leaves in water");
  EXPECT_EQ(all.find("Tea"), nullptr);
  EXPECT_EQ(all.find(""), nullptr);
  EXPECT_EQ(&all.at("water"), all.find("water"));
  EXPECT_EQ(all.kind(), "drink");
}

TEST(Catalogue, SaysWhatWasProbablyMeant) {
  const Catalogue<Drink> all = drinks();
  EXPECT_EQ(refusal([&] { (void)all.at("watr"); }),
            "drink = watr: unknown drink, did you mean \"water\"?");
  EXPECT_EQ(refusal([&] { (void)all.at("champagne"); }),
            "drink = champagne: unknown drink; known: tea water");
}

TEST(Catalogue, KeepsTheOrderInWhichEntriesWereAdded) {
  Catalogue<Drink> all = drinks();
  all.add({"coffee"});
  EXPECT_EQ(all.names(), (Names{"tea", "water", "coffee"}));
  Names walked;
  for (const Drink& drink : all) walked.push_back(drink.name);
  EXPECT_EQ(walked, all.names());
  EXPECT_EQ(refusal([&] { (void)all.at("cofee"); }),
            "drink = cofee: unknown drink, did you mean \"coffee\"?");
}

TEST(Catalogue, RefusesANameThatIsTakenAndNoName) {
  Catalogue<Drink> all = drinks();
  EXPECT_EQ(refusal([&] { all.add({"tea", "another"}); }), "drink = tea: already exists");
  EXPECT_EQ(refusal([&] { all.add({""}); }), "drink = \"\": must have a name");
  EXPECT_EQ(all.names().size(), 2U);
  EXPECT_EQ(all.at("tea").line, "leaves in water");
}

TEST(Catalogue, EntriesStayWhereTheyAre) {
  Catalogue<Drink> all = drinks();
  const Drink* tea = all.find("tea");
  const std::string_view name = all.names().front();
  for (int i = 0; i < 1000; ++i) all.add({"mixture " + std::to_string(i)});
  EXPECT_EQ(all.find("tea"), tea);
  EXPECT_EQ(tea->line, "leaves in water");
  EXPECT_EQ(name, "tea");
}

TEST(Catalogue, CompletesASelection) {
  const Catalogue<Drink> all = drinks();
  const Selection completed = all.completed({"tea", {{"strength", 0.25}}});
  EXPECT_EQ(completed, (Selection{"tea", {{"strength", 0.25}, {"minutes", std::uint64_t{3}}}}));
  EXPECT_EQ(all.text_of(completed), "strength 0.25, minutes 3");
  EXPECT_EQ(all.text_of({"tea", {{"strength", 0.25}}}), "strength 0.25");
  EXPECT_EQ(all.completed({"water"}), (Selection{"water"}));
}

TEST(Catalogue, NamesEverythingThatIsWrongWithASelection) {
  const Catalogue<Drink> all = drinks();
  EXPECT_EQ(refusal([&] { (void)all.completed({"tee"}); }),
            "drink = tee: unknown drink, did you mean \"tea\"?");
  EXPECT_EQ(refusal([&] {
              (void)all.completed({"tea", {{"strength", 2.0}, {"minuets", 1.0}}});
            }),
            "drink.strength = 2: must be in (0, 1); "
            "drink.minuets = 1: unknown option, did you mean \"minutes\"?");
}

}  // namespace
}  // namespace canopy
