#include "insight/change_text.hpp"

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Kind = Change::Kind;

TEST(ChangeText, SaysWhatHasChangedAndByHowMuch) {
  EXPECT_EQ(change_text({.kind = Kind::level, .size = -0.512}),
            "the level of all rewards fell by about 0.51");
  EXPECT_EQ(change_text({.kind = Kind::level, .size = 4.0}),
            "the level of all rewards rose by about 4");
  EXPECT_EQ(change_text({.kind = Kind::level}), "the level of all rewards is stable again");
  EXPECT_EQ(change_text({.kind = Kind::shape, .size = -2.0}),
            "rewards of settings changed by different amounts, about 2");
  EXPECT_EQ(change_text({.kind = Kind::memory}), "the noise is autocorrelated");
}

TEST(ChangesText, SaysWhenAndHowOftenAndWhereTheLevelIs) {
  Summary summary;
  EXPECT_EQ(changes_text(summary), "");
  summary.changes = 1;
  summary.last_change = Change{.pull = 424, .kind = Kind::shape, .size = 0.5};
  EXPECT_EQ(changes_text(summary),
            "rewards of settings changed by different amounts, about 0.5, detected after pull 424");
  summary.changes = 3;
  summary.last_change = Change{.pull = 424, .kind = Kind::level, .size = -1.0};
  summary.followed_level = -1.25;
  EXPECT_EQ(changes_text(summary),
            "the level of all rewards fell by about 1, detected after pull 424, the last of 3 "
            "changes; the level is tracked: -1.2 is subtracted from every reward");
}

}  // namespace
}  // namespace canopy
