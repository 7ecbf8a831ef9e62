#include "service/message.hpp"

#include "files/percent_encoding.hpp"

#include <string>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

using Parts = std::vector<std::string>;

TEST(Paths, AreCutAndDecoded) {
  EXPECT_EQ(parts_of_path("/v1/studies/a%20b"), (Parts{"v1", "studies", "a b"}));
  EXPECT_EQ(parts_of_path("/v1/%2e%2e/x"), (Parts{"v1", "..", "x"}));
  EXPECT_EQ(parts_of_path("/a%2Fb"), (Parts{"a/b"})) << "a slash in a name does not cut";
  EXPECT_EQ(parts_of_path("/a+b"), (Parts{"a+b"}));
  EXPECT_EQ(parts_of_path("/"), (Parts{""}));
  EXPECT_EQ(parts_of_path("//"), (Parts{"", ""}));
}

TEST(Paths, ThatAreBadlyEncodedAreNone) {
  for (const char* path : {"", "v1", "/%", "/%4", "/%zz", "/%00", "*", "http://a/b"}) {
    EXPECT_FALSE(parts_of_path(path)) << path;
  }
}

TEST(Parameters, AreReadOnceEach) {
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(parameters_of("a=1&b=x+y%26&c"), (Map{{"a", "1"}, {"b", "x y&"}, {"c", ""}}));
  EXPECT_EQ(parameters_of("&&a=1&"), (Map{{"a", "1"}}));
  EXPECT_FALSE(parameters_of("a=1&a=2"));
  EXPECT_FALSE(parameters_of("a=%"));
}

TEST(Paths, AreEncodedSoThatTheyAreDecodedTheSame) {
  const std::string name = "a/b ä\"%?#&\n";
  EXPECT_EQ(parts_of_path("/" + percent_encoded(name)), (Parts{name}));
}

}  // namespace
}  // namespace canopy::service
