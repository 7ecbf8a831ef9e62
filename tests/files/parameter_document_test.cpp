#include "files/parameter_document.hpp"

#include "canopy/specification_error.hpp"

#include "files/json.hpp"
#include "support/domain_laws.hpp"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

std::string json_of_parameter(const Domain& domain) {
  return json_text(parameter_document({"x", domain}));
}

Parameter parameter_in(const std::string& json) {
  DocumentReader reader("p.json");
  const Parameter parameter = read_parameter(reader, parse_json(json, "p.json"), 0);
  reader.throw_if_any();
  return parameter;
}

std::string wrong_in_parameter(const std::string& json) {
  try {
    (void)parameter_in(json);
  } catch (const SpecificationError& error) {
    return error.what();
  }
  return "";
}

TEST(ParameterDocument, HasTheFieldsOfTheKind) {
  EXPECT_EQ(json_of_parameter(Real{0.0, 2.5}),
            R"({"name":"x","type":"real","low":0.0,"high":2.5,"scale":"linear"})");
  EXPECT_EQ(json_of_parameter(Integer{1, 9}), R"({"name":"x","type":"integer","low":1,"high":9})")
      << "scale and step only where they say something";
  EXPECT_EQ(json_of_parameter(Integer{1, 9, Scale::log}),
            R"({"name":"x","type":"integer","low":1,"high":9,"scale":"log"})");
  EXPECT_EQ(json_of_parameter(Integer{1, 9, Scale::linear, 4}),
            R"({"name":"x","type":"integer","low":1,"high":9,"step":4})");
  EXPECT_EQ(json_of_parameter(Choice{{"a", "b"}}),
            R"({"name":"x","type":"choice","choices":["a","b"]})");
}

TEST(ParameterDocument, AParameterIsRealUnlessItSaysOtherwise) {
  EXPECT_EQ(parameter_in(R"({"name":"x","low":1,"high":2})").domain, Domain(Real{1.0, 2.0}));
}

TEST(ParameterDocument, WhatCannotBeReadIsNamed) {
  EXPECT_NE(wrong_in_parameter(R"({"name":"x","type":"reel"})")
                .find(R"(space.x.type = 'reel': must be "real", "integer" or "choice")"),
            std::string::npos);
  EXPECT_NE(wrong_in_parameter(R"({"name":"x","type":"integer","low":1})")
                .find("space.x.high: is missing"),
            std::string::npos);
  EXPECT_NE(wrong_in_parameter(R"({"name":"x","type":"choice","choices":["a"],"low":1})")
                .find("space.x.low = 1: unknown key"),
            std::string::npos);
  EXPECT_NE(wrong_in_parameter(R"({"low":"1","high":2})").find("space[0].name: is missing"),
            std::string::npos);
}

RC_GTEST_PROP(ParameterDocument, EveryDomainAndItsValuesAreReadBackFromText, ()) {
  const Domain domain = testing::random_domain();
  RC_ASSERT(parameter_in(json_of_parameter(domain)).domain == domain);
  const double coordinate = domain.at(*rc::gen::inRange(0, 1001) / 1000.0);
  const std::string text = json_text(value_document(domain, coordinate));
  RC_ASSERT(coordinate_of(domain, parse_json(text, "value")) == coordinate);
}

}  // namespace
}  // namespace canopy
