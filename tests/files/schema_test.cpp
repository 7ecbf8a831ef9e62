#include "files/schema.hpp"

#include "files/json.hpp"
#include "files/record.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

struct Visit {
  std::uint64_t guests = 0;
  double hours = 0.0;
  std::vector<double> arm;
};

template <class Each>
void visit_fields(Visit& stay, Each&& visit) {
  visit(Field{"guests", "who come"}, stay.guests);
  visit(Field{"hours", ""}.or_none(), stay.hours);
  visit(kArmField, stay.arm);
}

TEST(Schema, HasThePropertiesOfAStructAndWhichAreRequired) {
  SchemaWriter writer;
  writer.add_constant("kind", "visit");
  visit_fields_of(Visit{}, writer);
  EXPECT_EQ(json_text(writer.schema("A visitor.")),
            R"({"description":"A visitor.","type":"object","properties":{)"
            R"("kind":{"const":"visit"},)"
            R"("guests":{"$ref":"#/components/schemas/Whole","description":"who come"},)"
            R"("hours":{"type":"number"},)"
            R"("coordinates":{"$ref":"#/components/schemas/Coordinates"},)"
            R"("arm":{"$ref":"#/components/schemas/Arm"}},)"
            R"("required":["kind","guests","coordinates"]})");
}

/// With a nested struct, a setting by parameter names, and optional or infinite fields.
struct Stay {
  std::vector<double> room;
  double bill = 0.0;
  std::optional<Visit> first = std::nullopt;
  std::vector<double> shares = {};
};

template <class Each>
void visit_fields(Stay& stay, Each&& visit) {
  visit(SettingField{{"room", "where"}}, stay.room);
  visit(Field{"bill", ""}.or_null(), stay.bill);
  visit(Field{"first", ""}.or_none(), stay.first);
  visit(PerParameterField{{"shares", ""}}, stay.shares);
}

TEST(Schema, StructsWithinAStructAreObjects) {
  const std::string text = json_text(schema_of<Stay>(""));
  EXPECT_TRUE(text.starts_with(R"({"type":"object","properties":{"room":{"$ref":)")) << text;
  EXPECT_NE(text.find(R"("bill":{"type":["number","null"]},"first":{"type":"object")"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with(R"("required":["room","bill","shares"]})")) << text;
}

TEST(Record, StructsWithinAStructAreTables) {
  const Space space{{"x", Real{0.0, 1.0}}};
  const double nowhere = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json_text(record_of(space, Stay{{0.5}, nowhere, std::nullopt, {0.25}})),
            R"({"room":{"x":0.5},"bill":null,"shares":{"x":0.25}})");
  const Stay stay{{0.5}, 12.0, Visit{2, 3.0, {0.75}}, {}};
  EXPECT_EQ(json_text(record_of(space, stay)),
            R"({"room":{"x":0.5},"bill":12.0,"first":{"guests":2,"hours":3.0,)"
            R"("coordinates":[0.75],"arm":{"x":0.75}},"shares":null})");
}

}  // namespace
}  // namespace canopy
