#include "antaeus/core/number_text.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "antaeus/core/numbers.hpp"

namespace antaeus {
namespace {

TEST(NumberText, ShortestReadsBackEqual) {
  EXPECT_EQ(shortest_text(0.1), "0.1");
  EXPECT_EQ(shortest_text(-0.0), "-0");
  EXPECT_EQ(shortest_text(5e-324), "5e-324");
  EXPECT_EQ(shortest_text(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(shortest_text(-kNaN), "nan");
  EXPECT_EQ(shortest_text(-kInfinity), "-inf");
  std::string text = "x ";
  append_shortest(text, -std::numeric_limits<double>::max());
  EXPECT_EQ(text, "x -1.7976931348623157e+308");
}

TEST(NumberText, DigitsAreThoseOfPrintf) {
  for (const double value : {0.0, -0.0, 0.1, 2.5, 0.125, 999.5, 1e5, 123456.789, 1e-5, -3.3e-12, 1e300, kInfinity}) {
    for (const int digits : {1, 3, 9, 17}) {
      char text[400];
      std::snprintf(text, sizeof text, "%.*g", digits, value);
      EXPECT_EQ(significant_text(value, digits), text);
      std::snprintf(text, sizeof text, "%.*f", digits, value);
      EXPECT_EQ(fixed_text(value, digits), text);
      std::snprintf(text, sizeof text, "%.*e", digits, value);
      EXPECT_EQ(scientific_text(value, digits), text);
    }
  }
  EXPECT_EQ(fixed_text(-kNaN, 2), "nan");
}

TEST(NumberText, RoundingLeavesTheDigits) {
  EXPECT_EQ(rounded_to(123456.0, 2), 120000.0);
  EXPECT_EQ(rounded_to(-0.0123456, 3), -0.0123);
  EXPECT_EQ(rounded_to(0.1 + 0.2, 9), 0.3);
  EXPECT_EQ(rounded_to(0.0, 9), 0.0);
  EXPECT_EQ(rounded_to(kInfinity, 3), kInfinity);
  EXPECT_EQ(shortest_text(rounded_to(kNaN, 3)), "nan");
}

TEST(NumberText, EndZerosAndPowers) {
  EXPECT_EQ(without_end_zeros("2.50"), "2.5");
  EXPECT_EQ(without_end_zeros("-3.000"), "-3");
  EXPECT_EQ(without_end_zeros("100"), "100");
  EXPECT_EQ(without_end_zeros("–"), "–");
  EXPECT_EQ(raised_text(-12), "⁻¹²");
  EXPECT_EQ(raised_text(0), "⁰");
}

TEST(NumberText, IsWrittenForPeople) {
  EXPECT_EQ(display_number(-532.94, 1), "−532.9");
  EXPECT_EQ(display_number(-0.001, 1), "0.0") << "no minus zero";
  EXPECT_EQ(display_number(kNaN, 1), "–");
  EXPECT_EQ(display_number(kInfinity, 1), "–");
  for (const auto& [value, digits] : {std::pair(0.0, 3), std::pair(532.0, 0), std::pair(-12.3, 1), std::pair(1.2, 2),
                                      std::pair(0.012, 3), std::pair(0.00003, 6), std::pair(1e-30, 12)}) {
    EXPECT_EQ(display_digits(value), digits) << value;
  }
}

}  // namespace
}  // namespace antaeus
