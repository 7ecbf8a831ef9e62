#include "core/excerpt.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(Excerpt, AShortTextIsShownAsItIs) {
  EXPECT_EQ(excerpt("connection refused"), "connection refused");
  EXPECT_EQ(excerpt(""), "");
  EXPECT_EQ(excerpt("naïve “quotes” 🙂"), "naïve “quotes” 🙂");
}

TEST(Excerpt, ItIsOneLineWithoutBlanksAround) {
  EXPECT_EQ(excerpt("  one\ntwo\tthree\r\n"), "one two three");
  EXPECT_EQ(excerpt(" \n "), "");
}

TEST(Excerpt, ALongTextEndsInDots) {
  EXPECT_EQ(excerpt(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(excerpt(std::string(61, 'x')), std::string(57, 'x') + "...");
  EXPECT_EQ(excerpt("abcdefgh", 5), "ab...");
}

TEST(Excerpt, CharactersAreCountedNotBytes) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "ü";
  EXPECT_EQ(excerpt(text), text);
}

TEST(Excerpt, NothingInItSteersATerminal) {
  EXPECT_EQ(excerpt("a\x1b[31mb\x7f"), "a?[31mb?");
  EXPECT_EQ(excerpt(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(excerpt("a\u009b31mb"), "a?31mb");
  const std::string first_bytes = "\xe2\x80";
  EXPECT_EQ(excerpt("a" + first_bytes + "\xae!" + first_bytes + "\xa8!"), "a?!?!");
}

TEST(Excerpt, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(excerpt("a\xff"
                    "b"),
            "a?b");
  EXPECT_EQ(excerpt("\xc3"), "?");
  EXPECT_EQ(excerpt("\xc0\x80"), "??");
  EXPECT_EQ(excerpt("\xe2\x82"), "??");
  EXPECT_EQ(excerpt("\xed\xa0\x80"), "?");
  EXPECT_EQ(excerpt("\xe0\x80\x80"), "?");
  EXPECT_EQ(excerpt("\xf4\x90\x80\x80"), "?");
}

}  // namespace
}  // namespace canopy
