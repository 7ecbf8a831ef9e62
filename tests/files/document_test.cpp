#include "files/document.hpp"

#include "support/random_document.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using Kind = Document::Kind;
using testing::random_document;

constexpr std::int64_t kTwoTo53 = std::int64_t{1} << 53;

TEST(Document, KnowsWhatItWasMadeFrom) {
  EXPECT_EQ(Document().kind(), Kind::nothing);
  EXPECT_EQ(Document(true).as_bool(), true);
  EXPECT_EQ(Document(-3).as_whole(), -3);
  EXPECT_EQ(Document(std::uint64_t{7}).as_whole(), 7);
  EXPECT_EQ(Document(0.5).as_number(), 0.5);
  EXPECT_EQ(*Document("iid").as_text(), "iid");
  EXPECT_EQ(Document(Document::List{1, "two"}).as_list()->size(), 2U);
  EXPECT_EQ(Document(Document::Table{{"a", 1}, {"b", "two"}}).as_table()->size(), 2U);
  EXPECT_EQ(*Document::other("07:32:00").as_other(), "07:32:00");
  static_assert(!std::is_convertible_v<int*, Document>, "a pointer is not true");
  static_assert(!std::is_convertible_v<char, Document>, "a letter is no number");
}

TEST(Document, IsOfOneKindOnly) {
  const Document text("1");
  EXPECT_FALSE(text.as_bool() || text.as_whole() || text.as_number());
  EXPECT_EQ(text.as_list(), nullptr);
  EXPECT_EQ(text.as_table(), nullptr);
  EXPECT_EQ(text.as_other(), nullptr);
  EXPECT_EQ(Document::other("x").as_text(), nullptr);
  EXPECT_FALSE(Document(1.0).as_whole()) << "1.0 is written as a number";
}

TEST(Document, WholeNumbersCountAsNumbersWhereADoubleHoldsThemAll) {
  EXPECT_EQ(Document(3).as_number(), 3.0);
  EXPECT_EQ(Document(kTwoTo53).as_number(), 0x1p53);
  EXPECT_EQ(Document(-kTwoTo53).as_number(), -0x1p53);
  EXPECT_FALSE(Document(kTwoTo53 + 1).as_number());
  EXPECT_FALSE(Document(std::numeric_limits<std::int64_t>::min()).as_number());
}

TEST(Document, WholeNumbersBeyond63BitsBecomeNumbers) {
  const Document large(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(large.kind(), Kind::number);
  EXPECT_EQ(large.as_number(), 0x1p64);
}

TEST(Document, TablesKeepTheOrderOfTheirKeys) {
  Document table;
  table.set("z", 1);
  table.set("a", 2);
  table.set("m", 3);
  table.set("a", 4);
  std::string keys;
  for (const auto& [key, value] : *table.as_table()) keys += key;
  EXPECT_EQ(keys, "zam");
  EXPECT_EQ(table.find("a")->as_whole(), 4);
  table.erase("z");
  table.erase("none");
  EXPECT_FALSE(table.contains("z"));
  EXPECT_EQ(table.as_table()->size(), 2U);
}

TEST(Document, OnlyTablesHaveKeysAndOnlyListsGrow) {
  Document list;
  list.push_back(1);
  list.push_back("two");
  EXPECT_EQ(list.as_list()->size(), 2U);
  EXPECT_EQ(list.find("a"), nullptr);
  EXPECT_THROW(list.set("a", 1), std::logic_error);
  EXPECT_THROW(Document("x").push_back(1), std::logic_error);
  list.erase("a");
  EXPECT_EQ(list.as_list()->size(), 2U);
}

TEST(Document, ListsOfTablesAreNotEmptyAndHoldNothingElse) {
  const Document table{Document::Table{}};
  EXPECT_NE(Document(Document::List{table, table}).as_tables(), nullptr);
  EXPECT_EQ(Document(Document::List{table, 1}).as_tables(), nullptr);
  EXPECT_EQ(Document(Document::List{}).as_tables(), nullptr);
  EXPECT_EQ(table.as_tables(), nullptr);
}

TEST(Document, EqualsTheSameValue) {
  EXPECT_EQ(Document(Document::Table{{"a", 1}, {"b", 2}}),
            Document(Document::Table{{"b", 2}, {"a", 1}}));
  EXPECT_NE(Document(Document::Table{{"a", 1}}), Document(Document::Table{{"a", 2}}));
  EXPECT_NE(Document(Document::Table{{"a", 1}}), Document(Document::Table{{"b", 1}}));
  EXPECT_NE(Document(Document::Table{}), Document(Document::List{}));
  EXPECT_NE(Document(1), Document(1.0)) << "they are written differently";
  EXPECT_NE(Document("07:32:00"), Document::other("07:32:00"));
  EXPECT_EQ(Document(std::numeric_limits<double>::quiet_NaN()),
            Document(std::numeric_limits<double>::quiet_NaN()));
  Document elsewhere(1);
  elsewhere.set_line(7);
  EXPECT_EQ(elsewhere, Document(1));
  EXPECT_EQ(elsewhere.line(), 7U);
}

RC_GTEST_PROP(Document, EqualsItsCopy, ()) {
  const Document document = *random_document(3);
  RC_ASSERT(Document(document) == document);
}

TEST(Document, ExcerptsReadAsToml) {
  EXPECT_EQ(Document(true).excerpt(), "true");
  EXPECT_EQ(Document(-3).excerpt(), "-3");
  EXPECT_EQ(Document(1.0).excerpt(), "1.0");
  EXPECT_EQ(Document(1e-7).excerpt(), "1e-07");
  EXPECT_EQ(Document(0.1).excerpt(), "0.1");
  EXPECT_EQ(Document("").excerpt(), "''");
  EXPECT_EQ(Document("iid").excerpt(), "'iid'");
  EXPECT_EQ(Document("say \"iid\"").excerpt(), "'say \"iid\"'");
  EXPECT_EQ(Document("it's").excerpt(), "\"it's\"");
  EXPECT_EQ(Document::other("1979-05-27").excerpt(), "1979-05-27");
  EXPECT_EQ(Document().excerpt(), "null");
  EXPECT_EQ(Document(Document::List{}).excerpt(), "[]");
  EXPECT_EQ(Document(Document::List{1, 2.0, Document::List{}, Document::Table{}}).excerpt(),
            "[ 1, 2.0, [], {} ]");
  EXPECT_EQ(Document(Document::List{Document::Table{{"a", 1}, {"b c", "d"}}}).excerpt(),
            "[ { a = 1, \"b c\" = 'd' } ]");
  EXPECT_EQ(Document(Document::Table{{"a", 1}}).excerpt(), "{...}");
}

TEST(Document, ExcerptsAreOneShortLine) {
  EXPECT_EQ(Document("two\nlines").excerpt(), "\"two\\nlines\"");
  EXPECT_EQ(Document(std::string(58, 'x')).excerpt(), "'" + std::string(58, 'x') + "'");
  EXPECT_EQ(Document(std::string(59, 'x')).excerpt(), "'" + std::string(56, 'x') + "...");
  EXPECT_EQ(Document(std::string(1'000'000, 'x')).excerpt().size(), 60U);
  EXPECT_EQ(Document(Document::List(1'000'000, Document(1))).excerpt(),
            "[ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1...");
  const std::string cut = Document("a" + std::string(40, 'x') + "ääääääääääääääääääää").excerpt();
  EXPECT_EQ(cut, "'a" + std::string(40, 'x') + "äääääää...") << "no half of a character";
  EXPECT_EQ(Document("\xff\xfe").excerpt(), "\"\uFFFD\uFFFD\"");
}

RC_GTEST_PROP(Document, AnyExcerptIsOneLineOf60BytesAtMost, ()) {
  const std::string line = (*random_document(3)).excerpt();
  RC_ASSERT(line.size() <= 60U);
  RC_ASSERT(line.find_first_of(std::string("\n\r\0", 3)) == std::string::npos);
}

}  // namespace
}  // namespace canopy
