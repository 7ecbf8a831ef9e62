#include "service/catalogue.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/space.hpp"
#include "canopy/study_specification.hpp"

#include "files/json.hpp"
#include "service/openapi.hpp"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

std::set<std::string> names_in(const Document& list, const char* key) {
  std::set<std::string> names;
  for (const Document& each : *list.as_list()) names.insert(*each.find(key)->as_text());
  return names;
}

/// The names that visit_fields lists.
template <class Struct>
std::set<std::string> names_of() {
  std::set<std::string> names;
  visit_fields_of(Struct{}, [&](const Field& field, const auto&) { names.emplace(field.name); });
  return names;
}

TEST(Catalogue, TheDocumentOfTheServiceHasTheKeysOfRequestsAndQueries) {
  const Document document = parse_json(openapi_document(), "openapi");
  const auto properties = [&](const char* schema) {
    std::set<std::string> names;
    const Document* found = document.find("components")->find("schemas")->find(schema);
    for (const auto& [name, type] : *found->find("properties")->as_table()) names.insert(name);
    return names;
  };
  EXPECT_EQ(properties("HttpApply"), names_of<HttpApply>());
  EXPECT_EQ(properties("PrometheusSource"), names_of<PrometheusSource>());
  EXPECT_EQ(properties("Secret"), names_of<Secret>());
}

TEST(Catalogue, HasWhateverCanBeChosen) {
  const Document catalogue = catalogue_document();
  const auto known = optimizers().names();
  EXPECT_EQ(names_in(*catalogue.find("optimizers"), "name"),
            std::set<std::string>(known.begin(), known.end()));
  const auto kinds = Domain::names();
  EXPECT_EQ(names_in(*catalogue.find("parameters"), "type"),
            std::set<std::string>(kinds.begin(), kinds.end()));
  EXPECT_FALSE(catalogue.find("environments")->as_list()->empty());
  const Document& real = catalogue.find("parameters")->as_list()->front();
  const Document& scale = real.find("fields")->as_list()->back();
  EXPECT_EQ(*scale.find("name")->as_text(), "scale");
  EXPECT_EQ(*scale.find("words"), Document(Document::List{"linear", "log"}));
}

TEST(Catalogue, SaysWhatAnOptionIsUsuallyAndMeans) {
  const Document catalogue = catalogue_document();
  for (const Document& optimizer : *catalogue.find("optimizers")->as_list()) {
    for (const Document& option : *optimizer.find("options")->as_list()) {
      SCOPED_TRACE(*optimizer.find("name")->as_text() + "." + *option.find("name")->as_text());
      EXPECT_FALSE(option.find("help")->as_text()->empty());
      EXPECT_FALSE(option.find("must_be")->as_text()->empty());
    }
  }
  const Document& adaptive = catalogue.find("optimizers")->as_list()->front();
  EXPECT_EQ(*adaptive.find("name")->as_text(), "adaptive");
  EXPECT_EQ(adaptive.find("options")->as_list()->front().find("default")->as_whole(), 0);
}

TEST(Catalogue, SaysWhatIsChosenWhereAStudyFileDoesNotSay) {
  const Document catalogue = catalogue_document();
  const Document& defaults = *catalogue.find("defaults");
  const StudySpecification study = resolved(parse_study("[[space]]\nname='x'\nlow=0\nhigh=1", ""));
  EXPECT_EQ(*defaults.find("optimizer")->as_text(), study.optimizer.name);
  EXPECT_EQ(*defaults.find("parameter")->as_text(), study.space.parameters()[0].domain.name());
  EXPECT_EQ(*defaults.find("direction")->as_text(), name_of(study.objective.direction));
}

/// Whether each option of a study has its default: {"optimizer.rho": true, ...}.
std::map<std::string, bool> defaults_in(const std::string& toml, std::size_t dimension = 1) {
  std::string text = toml;
  for (std::size_t i = 0; i < dimension; ++i) {
    text += "\n[[space]]\nname = 'x" + std::to_string(i) + "'\nlow = 0.0\nhigh = 1.0\n";
  }
  std::map<std::string, bool> found;
  const Document options = options_of(json_of(resolved(parse_study(text, "study"))));
  for (const auto& [section, list] : *options.as_table()) {
    for (const Document& option : *list.as_list()) {
      found[section + "." + *option.find("name")->as_text()] =
          *option.find("is_default")->as_bool();
    }
  }
  return found;
}

TEST(Catalogue, TellsTheOptionsOfAStudyThatDifferFromTheirDefaults) {
  const auto usual = defaults_in("");
  EXPECT_FALSE(usual.empty());
  for (const auto& [name, is_default] : usual) EXPECT_TRUE(is_default) << name;
  for (const std::string_view name : optimizers().names()) {
    for (const auto& [option, is_default] :
         defaults_in("optimizer.name = '" + std::string(name) + "'", 2)) {
      EXPECT_TRUE(is_default) << name << ": " << option;
    }
  }
  const auto chosen = defaults_in(
      "optimizer = {settle = 3, partition = 'longest_side'}\n"
      "[system]\nmeasure = 'echo 1'\ntimeout_seconds = 5\nshell = true");
  EXPECT_FALSE(chosen.at("optimizer.settle"));
  EXPECT_FALSE(chosen.at("optimizer.partition"));
  EXPECT_TRUE(chosen.at("optimizer.coverage"));
  EXPECT_FALSE(chosen.at("system.timeout_seconds"));
  EXPECT_FALSE(chosen.at("system.shell"));
  EXPECT_TRUE(chosen.at("system.on_exit"));
  EXPECT_FALSE(chosen.contains("system.measure"));
}

TEST(Catalogue, KnowsDefaultsThatDependOnOtherOptionsAndOnTheSpace) {
  EXPECT_TRUE(defaults_in("optimizer = {name = 'kl-ucb', points = 10}", 3).at("optimizer.points"));
  EXPECT_FALSE(defaults_in("optimizer = {name = 'kl-ucb', points = 10}", 1).at("optimizer.points"));
  const auto longer = defaults_in("optimizer = {name = 'stosoo', horizon = 90000}");
  EXPECT_FALSE(longer.at("optimizer.horizon"));
  EXPECT_TRUE(longer.at("optimizer.depth_limit"));
}

TEST(Catalogue, TakesNoOptionOfAnUnknownOptimizerForADefault) {
  const Document options = options_of(
      R"({"optimizer":{"name":"of the future","power":9},"space":[{"name":"x","low":0,"high":1}]})");
  const Document& power = options.find("optimizer")->as_list()->front();
  EXPECT_EQ(power.find("value")->as_whole(), 9);
  EXPECT_FALSE(*power.find("is_default")->as_bool());
}

}  // namespace
}  // namespace canopy::service
