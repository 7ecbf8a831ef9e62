#include "stores/postgres_array.hpp"

#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(ArrayInDatabase, IsWrittenAsPostgresqlReadsIt) {
  EXPECT_EQ(PostgresArray().text(), "{}");
  PostgresArray numbers;
  numbers.add(std::int64_t{-7});
  numbers.add(0.1);
  EXPECT_EQ(numbers.text(), "{-7,0.1}");
  PostgresArray texts;
  for (const std::string_view text : {"", "NULL", R"(a "b" \c, {d})", ""}) texts.add(text);
  EXPECT_EQ(texts.text(), R"({"","NULL","a \"b\" \\c, {d}",""})");
}

}  // namespace
}  // namespace canopy
