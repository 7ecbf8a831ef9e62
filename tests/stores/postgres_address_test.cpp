#include "stores/postgres_address.hpp"

#include "canopy/store.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using namespace std::chrono_literals;

TEST(Address, NeverShowsAPassword) {
  const auto name = [](const std::string& address) { return PostgresAddress(address).name(); };
  EXPECT_EQ(name("postgresql://me@host:5432/db"), "postgresql://me@host:5432/db");
  EXPECT_EQ(name("postgresql://me:secret@host:5432/db"), "postgresql://me:***@host:5432/db");
  EXPECT_EQ(name("postgres://me:se?cret@host/db"), "postgres://me:***@host/db");
  EXPECT_EQ(name("postgresql:///db?host=/x&password=secret&user=me"),
            "postgresql:///db?host=/x&password=***&user=me");
  EXPECT_EQ(name("postgresql:///db?sslpassword=secret"), "postgresql:///db?sslpassword=***");
}

TEST(Address, OneThatCannotBeReadIsRefusedWithoutItsPassword) {
  for (const char* address :
       {"postgresql://me:sec@ret@host/db", "postgresql://me:sec/ret@host/db",
        "postgresql://me:sec%zzret@host/db", "postgresql://me:secret@host/db?nonsense=1",
        "postgresql://me:sec@r?ret@host/db", "postgresql:///db?password=sec&nonsense"}) {
    try {
      const PostgresAddress refused{address};
      ADD_FAILURE() << address;
    } catch (const StoreError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find("sec"), std::string::npos) << what;
      EXPECT_EQ(what.find("ret"), std::string::npos) << what;
      EXPECT_NE(what.find("is not a PostgreSQL address"), std::string::npos) << what;
    }
  }
}

TEST(Address, WhatItSaysComesBeforeWhatCanopySays) {
  const std::string plain = PostgresAddress("postgresql://me@host/db").connection(7s);
  EXPECT_NE(plain.find("connect_timeout=5&"), std::string::npos) << plain;
  EXPECT_NE(plain.find("statement_timeout%3D7000"), std::string::npos) << plain;
  const std::string own =
      PostgresAddress("postgresql://me@host/db?connect_timeout=60&options=-c%20a%3Db")
          .connection(7s);
  EXPECT_NE(own.find("connect_timeout=60&"), std::string::npos) << own;
  EXPECT_TRUE(own.ends_with("-c%20a%3Db")) << own;
}

}  // namespace
}  // namespace canopy
