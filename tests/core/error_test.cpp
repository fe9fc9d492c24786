#include "antaeus/core/error.hpp"

#include <gtest/gtest.h>

namespace antaeus {
namespace {

TEST(Printable, WhatSteersATerminalIsShown) {
  EXPECT_EQ(printable("ünïcødé ☃ 😀 N·m"), "ünïcødé ☃ 😀 N·m");
  EXPECT_EQ(printable("a\nb\x1b[31m\x7f"), "a\\x0ab\\x1b[31m\\x7f");
  EXPECT_EQ(printable("x\u009b31m\u0085"), "x\\x9b31m\\x85") << "C1 in UTF-8";
  EXPECT_EQ(printable("\x9b\xff\xc3"), "\\x9b\\xff\\xc3") << "bytes that are no UTF-8";
  EXPECT_EQ(printable("\xc0\x80\xed\xa0\x80"), "\\xc0\\x80\\xed\\xa0\\x80") << "overlong form, surrogate";
  EXPECT_EQ(printable("\u202e\u202a\u2066\u2069\u200e\u200f\u061c"),
            "\\u202e\\u202a\\u2066\\u2069\\u200e\\u200f\\u061c");
  EXPECT_EQ(printable("\u2028"), "\\u2028");
  EXPECT_EQ(printable("\u00a0\u202f\u2065"), "\u00a0\u202f\u2065") << "their neighbours steer nothing";
}

TEST(Error, IsOneLineThatSteersNothing) {
  EXPECT_STREQ(Error("a\u202e", "b\n", "c\x9b").what(), "a\\u202e: b\\x0a; c\\x9b");
}

}  // namespace
}  // namespace antaeus
