#include "journal/act_text.hpp"

#include "canopy/specification_error.hpp"

#include "support/random_document.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

std::string wrong_with_act(const std::string& text) {
  try {
    (void)act_from(text);
  } catch (const SpecificationError& error) {
    return error.what();
  }
  return "";
}

TEST(ActText, IsAShortTable) {
  EXPECT_EQ(act_text({Act::pause, "alice"}), R"({"act":"pause","by":"alice"})");
  EXPECT_EQ(act_text({Act::confirm, "bob", 40}), R"({"act":"confirm","by":"bob","pulls":40})");
  EXPECT_EQ(act_from(R"({"act":"end"})"), (WantedAct{Act::end, "somebody"}));
}

RC_GTEST_PROP(ActText, EveryActReadsBack, ()) {
  const WantedAct wanted{static_cast<Act>(*rc::gen::inRange(0, 6)), *testing::random_text(),
                         *rc::gen::inRange<std::uint64_t>(0, INT64_MAX)};
  RC_ASSERT(act_from(act_text(wanted)) == wanted);
}

RC_GTEST_PROP(ActText, WhateverElseIsPostedIsRefusedWithAReason, ()) {
  const std::string text = *rc::gen::arbitrary<std::string>();
  RC_ASSERT(!wrong_with_act(text).empty());
}

TEST(ActText, SaysWhatIsWrong) {
  EXPECT_EQ(wrong_with_act(R"({"by":"alice"})"), "act: act: is missing");
  EXPECT_EQ(wrong_with_act(R"({"act":"pause","pulls":-1})"),
            "act: pulls = -1: must be a whole number, 0 or more");
  EXPECT_EQ(wrong_with_act(R"({"act":"pause","for":1})"),
            "act: for = 1: unknown key; known: act by pulls");
  EXPECT_EQ(wrong_with_act("[]"), "act: act = []: must be a table; act: act: is missing");
}

}  // namespace
}  // namespace canopy
