#include "stores/postgres_text.hpp"

#include "support/random_document.hpp"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

TEST(TextInDatabase, IsKeptAsItIsWhereThatIsPossible) {
  for (const std::string text :
       {"", "0.1 0.2", "ä \U0001F333 \uffff", R"(a 'quote', a "quote" and a \)", "\U0010FEFF"}) {
    EXPECT_EQ(to_postgres(text), text);
    EXPECT_EQ(from_postgres(text), text);
  }
}

TEST(TextInDatabase, BytesThatNoTextHoldsAreCharactersOfTheirOwn) {
  EXPECT_EQ(to_postgres(std::string("a\0b", 3)), "a\U0010FF00b");
  EXPECT_EQ(to_postgres("\xFF"), "\U0010FFFF");
  EXPECT_EQ(to_postgres("\xC3"), "\U0010FFC3") << "half a character";
  EXPECT_EQ(to_postgres("\xED\xA0\x80").size(), 12U) << "a surrogate";
  EXPECT_EQ(to_postgres("\xC0\x80").size(), 8U) << "longer than it need be";
  EXPECT_EQ(to_postgres("\U0010FFFF").size(), 16U) << "or it would be read as a byte";
}

RC_GTEST_PROP(TextInDatabase, AnyBytesComeBack, (const std::string& bytes)) {
  RC_ASSERT(from_postgres(to_postgres(bytes)) == bytes);
}

RC_GTEST_PROP(TextInDatabase, AnyTextComesBack, ()) {
  const std::string text = *testing::random_text();
  RC_ASSERT(from_postgres(to_postgres(text)) == text);
  RC_ASSERT(to_postgres(text).find('\0') == std::string::npos);
}

TEST(TextInDatabase, ArraysAreWrittenAsPostgresqlReadsThem) {
  PostgresArray numbers;
  EXPECT_EQ(PostgresArray().text(), "{}");
  numbers.add(-7LL);
  numbers.add(0.1);
  EXPECT_EQ(numbers.text(), "{-7,0.1}");
  PostgresArray texts;
  texts.add(std::string_view("NULL"));
  texts.add(std::string_view(R"(a "b" \c, {d})"));
  texts.add(std::string_view(""));
  EXPECT_EQ(texts.text(), R"({"NULL","a \"b\" \\c, {d}",""})");
}

}  // namespace
}  // namespace canopy
