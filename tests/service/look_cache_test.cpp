#include "service/look_cache.hpp"

#include <string>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

StudyRecord study(StudyId id, std::uint64_t events) {
  return {.id = id,
          .name = "a",
          .specification = "{}",
          .forked_from = "",
          .created = 1.0,
          .updated = 2.0,
          .events = events,
          .pulls = 0,
          .holder = ""};
}

TEST(LookCache, AnAnswerIsGoodUntilSomethingHappens) {
  LookCache cache;
  EXPECT_FALSE(cache.find(study(1, 5), "/best"));
  cache.keep(study(1, 5), "/best", "a");
  EXPECT_EQ(cache.find(study(1, 5), "/best"), "a");
  EXPECT_FALSE(cache.find(study(1, 5), "/tree"));
  EXPECT_FALSE(cache.find(study(2, 5), "/best"));
  EXPECT_FALSE(cache.find(study(1, 6), "/best"));
  EXPECT_EQ(cache.bytes(), 0U) << "what is of no use any more is gone";
}

TEST(LookCache, AllThatIsKeptIsCounted) {
  constexpr std::size_t kMost = 100'000;
  LookCache cache(kMost);
  for (int i = 0; i < 10'000; ++i) {
    cache.keep(study(1, 5), "/arms?limit=" + std::to_string(i), "");
    ASSERT_LE(cache.bytes(), kMost);
  }
  EXPECT_GT(cache.bytes(), kMost / 2);
}

TEST(LookCache, TheLeastRecentlyUsedAnswerIsDroppedFirst) {
  LookCache cache(8000);
  cache.keep(study(1, 5), "first", std::string(3000, 'a'));
  cache.keep(study(1, 5), "second", std::string(3000, 'b'));
  EXPECT_TRUE(cache.find(study(1, 5), "first"));
  cache.keep(study(1, 5), "third", std::string(3000, 'c'));
  EXPECT_TRUE(cache.find(study(1, 5), "first"));
  EXPECT_FALSE(cache.find(study(1, 5), "second"));
  EXPECT_TRUE(cache.find(study(1, 5), "third"));
}

TEST(LookCache, AStudyThatIsDeletedLeavesNothing) {
  LookCache cache;
  for (const char* what : {"a", "b", "c"}) cache.keep(study(7, 1), what, "x");
  cache.keep(study(8, 1), "a", "x");
  cache.forget(7);
  EXPECT_FALSE(cache.find(study(7, 1), "b"));
  EXPECT_TRUE(cache.find(study(8, 1), "a"));
}

TEST(LookCache, AnAnswerThatIsTooLargeIsNotKept) {
  LookCache cache(1000);
  cache.keep(study(1, 1), "a", std::string(2000, 'a'));
  EXPECT_FALSE(cache.find(study(1, 1), "a"));
  EXPECT_EQ(cache.bytes(), 0U);
}

}  // namespace
}  // namespace canopy::service
