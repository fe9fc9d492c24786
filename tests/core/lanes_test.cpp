// Sines, cosines and angles of the lanes against the mathematics library, and lane by lane against one another.
#define ANTAEUS_LANES portable
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "antaeus/core/instruction_set.hpp"
#include "antaeus/core/lane_vectors.hpp"
#include "core/tolerances.hpp"

namespace antaeus {
namespace {

TEST(Lanes, SineAndCosineAreThoseOfTheLibrary) {
  std::mt19937_64 random(1);
  for (const double range : {4.0, 100.0, 1e5}) {
    std::uniform_real_distribution<double> angle(-range, range);
    double worst = 0.0;
    for (int k = 0; k < 100000; ++k) {
      const double x = angle(random);
      double sine, cosine;
      lanes::sine_cosine(x, sine, cosine);
      worst = std::max({worst, std::abs(sine - std::sin(x)), std::abs(cosine - std::cos(x))});
    }
    EXPECT_LE(worst, tolerance::kLastDigit) << "range " << range;
  }
}

TEST(Lanes, SpecialAnglesHaveTheirSigns) {
  double sine, cosine;
  lanes::sine_cosine(0.0, sine, cosine);
  EXPECT_EQ(sine, 0.0);
  EXPECT_EQ(cosine, 1.0);
  for (int quarter = -9; quarter <= 9; ++quarter) {
    lanes::sine_cosine(quarter * M_PI_2, sine, cosine);
    EXPECT_NEAR(sine, std::sin(quarter * M_PI_2), tolerance::kLastDigit) << quarter;
    EXPECT_NEAR(cosine, std::cos(quarter * M_PI_2), tolerance::kLastDigit) << quarter;
  }
}

TEST(Lanes, AngleIsThatOfTheLibraryInEveryQuadrant) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  double worst = 0.0;
  for (int k = 0; k < 100000; ++k) {
    const double y = number(random), x = number(random) * std::pow(10.0, 8.0 * number(random));
    worst = std::max(worst, std::abs(lanes::angle_of(y, x) - std::atan2(y, x)));
  }
  EXPECT_LE(worst, tolerance::kLastDigit);
  EXPECT_EQ(lanes::angle_of(0.0, 0.0), 0.0);
  EXPECT_NEAR(lanes::angle_of(0.0, -1.0), M_PI, tolerance::kLastDigit);
  EXPECT_NEAR(lanes::angle_of(-1.0, 0.0), -M_PI_2, tolerance::kLastDigit);
}

TEST(Lanes, TheMachineSaysWhatItHas) {
#if defined(__x86_64__)
  EXPECT_EQ(instruction_set() >= InstructionSet::avx2, __builtin_cpu_supports("avx2") != 0);
#endif
  EXPECT_EQ(to_string(InstructionSet::avx512), "avx512");
}

}  // namespace
}  // namespace antaeus
