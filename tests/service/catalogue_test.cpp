#include "service/catalogue.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/space.hpp"

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

TEST(Catalogue, HasWhateverCanBeChosen) {
  const Document catalogue = catalogue_document();
  const auto known = optimizers().names();
  EXPECT_EQ(names_in(*catalogue.find("optimizers"), "name"),
            std::set<std::string>(known.begin(), known.end()));
  const auto kinds = Domain::names();
  EXPECT_EQ(names_in(*catalogue.find("parameters"), "type"),
            std::set<std::string>(kinds.begin(), kinds.end()));
  EXPECT_FALSE(catalogue.find("environments")->as_list()->empty());
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

}  // namespace
}  // namespace canopy::service
