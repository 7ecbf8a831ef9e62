#include "files/server_address.hpp"

#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(ServerAddress, IsReadWithItsPortAndItsBase) {
  const auto plain = ServerAddress::parse("http://localhost:8080");
  ASSERT_TRUE(plain);
  EXPECT_EQ(*plain, (ServerAddress{false, "localhost", "8080"}));
  const auto secure = ServerAddress::parse("https://canopy.example/tuning/");
  ASSERT_TRUE(secure);
  EXPECT_EQ(*secure, (ServerAddress{true, "canopy.example", "443", "/tuning"}));
  const auto six = ServerAddress::parse("http://[::1]:9000/");
  ASSERT_TRUE(six);
  EXPECT_EQ(*six, (ServerAddress{false, "::1", "9000"}));
}

TEST(ServerAddress, ReadsBackFromItsText) {
  for (const std::string url : {"http://localhost:8080", "https://canopy.example/tuning",
                                "http://[::1]:9000", "http://10.0.0.1", "https://[fe80::1]"}) {
    const auto address = ServerAddress::parse(url);
    ASSERT_TRUE(address) << url;
    EXPECT_EQ(address->text(), url);
  }
}

TEST(ServerAddress, RefusesWhatIsNone) {
  for (const std::string url :
       {"", "localhost:8080", "ftp://a", "http://", "http://:80", "http://a:", "http://a:0",
        "http://a:65536", "http://a:b", "http://[::1", "http://[::1]8", "http://a b",
        "http://a/b?c", "http://a/b#c", "http://a\r\nX: y", "http://user@a", "http://a/\x01"}) {
    EXPECT_FALSE(ServerAddress::parse(url)) << url;
  }
}

}  // namespace
}  // namespace canopy
