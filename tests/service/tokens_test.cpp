#include "service/tokens.hpp"

#include "canopy/specification_error.hpp"

#include "support/temporary_folder.hpp"

#include <string>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

TEST(Tokens, AreKeptAsHashesAndReadBack) {
  const std::string secret = new_secret();
  const Token token{.name = "it's me",
                    .hash = hash_of(secret),
                    .role = Role::work,
                    .studies = {"cache-*", "b"},
                    .expires = 12345.5,
                    .requests_per_second = 3.0};
  const testing::TemporaryFolder folder;
  const std::string text = text_of({token, {.name = "b", .hash = hash_of("x")}});
  EXPECT_EQ(text.find(secret), std::string::npos);
  folder.write("tokens.toml", text);
  const std::vector<Token> read = load_tokens(folder.path("tokens.toml"));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].name, token.name);
  EXPECT_EQ(read[0].hash, token.hash);
  EXPECT_EQ(read[0].role, Role::work);
  EXPECT_EQ(read[0].studies, token.studies);
  EXPECT_EQ(read[0].expires, token.expires);
  EXPECT_EQ(read[0].requests_per_second, 3.0);
  EXPECT_EQ(read[1].role, Role::read);
}

TEST(Tokens, EverythingThatIsWrongWithAFileIsSaid) {
  const testing::TemporaryFolder folder;
  folder.write("t.toml", "[[token]]\nname = 1\nhash = \"x\"\nrole = \"king\"\ncolour = 2\n");
  try {
    (void)load_tokens(folder.path("t.toml"));
    FAIL();
  } catch (const SpecificationError& error) {
    const std::string what = error.what();
    for (const char* word : {"name", "hash", "64 hexadecimal", "role", "king", "colour"}) {
      EXPECT_NE(what.find(word), std::string::npos) << what;
    }
  }
}

TEST(Tokens, SecretsAreLongAndNeverTheSame) {
  EXPECT_NE(new_secret(), new_secret());
  EXPECT_GE(new_secret().size(), 64U);
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Tokens, CoverStudiesByPattern) {
  const Token token{.name = "a", .hash = "", .studies = {"cache-*", "exactly"}};
  EXPECT_TRUE(token.covers("cache-7"));
  EXPECT_TRUE(token.covers("exactly"));
  EXPECT_FALSE(token.covers("my-cache-7"));
  EXPECT_FALSE(token.covers("exactly not"));
}

TEST(Tokens, EveryQuotaIsWrittenAndReadBack) {
  const testing::TemporaryFolder folder;
  Token token{.name = "a", .hash = hash_of("a")};
  double value = 1.5;
  for (const Quota& quota : kQuotas) token.*quota.limit = value++;
  folder.write("tokens.toml", text_of({token}));
  const std::vector<Token> read = load_tokens(folder.path("tokens.toml"));
  ASSERT_EQ(read.size(), 1U);
  for (const Quota& quota : kQuotas) EXPECT_EQ(read[0].*quota.limit, token.*quota.limit);
}

TEST(AccessControl, TooManyBytesHaveToBeWaitedFor) {
  const Token token{.name = "a", .hash = hash_of("a"), .bytes_per_second = 1000.0};
  AccessControl control({token});
  EXPECT_FALSE(control.too_many(token));
  control.count_bytes(token, 900);
  EXPECT_FALSE(control.too_many(token)) << "a second's worth at once";
  control.count_bytes(token, 100'000);
  const auto wait = control.too_many(token);
  ASSERT_TRUE(wait);
  EXPECT_GT(*wait, 90.0);
  EXPECT_LT(*wait, 101.0);
}

TEST(AccessControl, KnowsWhoASecretBelongsTo) {
  const AccessControl access(
      {{.name = "a", .hash = hash_of("secret a")}, {.name = "b", .hash = hash_of("secret b")}});
  EXPECT_EQ(access.find("secret b")->name, "b");
  for (const char* wrong : {"", "secret", "secret a ", "SECRET A"}) {
    EXPECT_FALSE(access.find(wrong)) << wrong;
  }
  EXPECT_FALSE(access.find(hash_of("secret a"))) << "the hash is no secret";
}

TEST(AccessControl, CountsRequestsOfEachToken) {
  const Token slow{.name = "a", .hash = hash_of("a"), .requests_per_second = 2.0};
  const Token other{.name = "b", .hash = hash_of("b"), .requests_per_second = 1e6};
  const Token free{.name = "c", .hash = hash_of("c")};
  AccessControl access({slow, other, free});
  EXPECT_FALSE(access.too_many(slow));
  EXPECT_FALSE(access.too_many(slow));
  const auto wait = access.too_many(slow);
  ASSERT_TRUE(wait);
  EXPECT_GT(*wait, 0.0);
  EXPECT_LE(*wait, 0.5);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(access.too_many(other));
    EXPECT_FALSE(access.too_many(free));
  }
}

}  // namespace
}  // namespace canopy::service
