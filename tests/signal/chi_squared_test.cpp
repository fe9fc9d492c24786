#include "antaeus/signal/chi_squared.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "signal/random_signals.hpp"
#include "signal/tolerances.hpp"

namespace antaeus {
namespace {

// Upper critical values as printed in the tables of textbooks (NIST/SEMATECH e-Handbook 1.3.6.7.4): three decimals.
TEST(ChiSquared, PrintedTable) {
  struct Row {
    double dof, at_10, at_5, at_2_5, at_1, at_0_1;
  };
  const Row rows[] = {{1, 2.706, 3.841, 5.024, 6.635, 10.828},      {2, 4.605, 5.991, 7.378, 9.210, 13.816},
                      {3, 6.251, 7.815, 9.348, 11.345, 16.266},     {6, 10.645, 12.592, 14.449, 16.812, 22.458},
                      {10, 15.987, 18.307, 20.483, 23.209, 29.588}, {27, 36.741, 40.113, 43.195, 46.963, 55.476}};
  for (const Row& row : rows) {
    EXPECT_NEAR(chi_squared_threshold(0.10, row.dof), row.at_10, tolerance::kPrintedTable);
    EXPECT_NEAR(chi_squared_threshold(0.05, row.dof), row.at_5, tolerance::kPrintedTable);
    EXPECT_NEAR(chi_squared_threshold(0.025, row.dof), row.at_2_5, tolerance::kPrintedTable);
    EXPECT_NEAR(chi_squared_threshold(0.01, row.dof), row.at_1, tolerance::kPrintedTable);
    EXPECT_NEAR(chi_squared_threshold(0.001, row.dof), row.at_0_1, tolerance::kPrintedTable);
    EXPECT_NEAR(chi_squared_quantile(0.95, row.dof), row.at_5, tolerance::kPrintedTable);
  }
}

TEST(ChiSquared, TwoDegreesOfFreedomAreAnExponential) {
  for (const double x : {1e-12, 1e-3, 0.5, 2.0, 50.0, 300.0, 1200.0}) {
    EXPECT_NEAR(chi_squared_survival(x, 2.0) / std::exp(-0.5 * x), 1.0, tolerance::kTail) << x;
    EXPECT_NEAR(chi_squared_cdf(x, 2.0) / -std::expm1(-0.5 * x), 1.0, tolerance::kTail) << x;
  }
}

TEST(ChiSquared, OneDegreeOfFreedomIsASquaredNormal) {
  for (const double z : {1e-6, 0.1, 1.0, 3.0, 8.0, 30.0})
    EXPECT_NEAR(chi_squared_survival(z * z, 1.0) / (2.0 * normal_cdf(-z)), 1.0, tolerance::kTail) << z;
}

TEST(ChiSquared, QuantileInvertsBothTails) {
  test::RandomSignals random(41);
  for (int trial = 0; trial < 2000; ++trial) {
    const double dof = std::pow(10.0, random.uniform(-1.0, 4.0)), p = std::pow(10.0, random.uniform(-100.0, 0.0));
    EXPECT_NEAR(chi_squared_survival(chi_squared_threshold(p, dof), dof) / p, 1.0, tolerance::kTail) << p << " " << dof;
    const double x = chi_squared_quantile(p, dof);
    if (x > 1e-300) {  // below, x itself has lost its digits
      EXPECT_NEAR(chi_squared_cdf(x, dof) / p, 1.0, tolerance::kTail) << p << " " << dof;
    }
    const double z = normal_quantile(p);
    EXPECT_NEAR(normal_cdf(z) / p, 1.0, tolerance::kTail) << p;
  }
}

TEST(ChiSquared, TailsAddToOneAndAreMonotonic) {
  for (const double dof : {0.5, 1.0, 6.0, 27.0, 300.0, 1e5}) {
    double before = 0.0;
    for (double x = 0.01 * dof; x < 4.0 * dof; x += 0.03 * dof) {
      const double lower = chi_squared_cdf(x, dof), upper = chi_squared_survival(x, dof);
      EXPECT_NEAR(lower + upper, 1.0, tolerance::kArithmetic);
      EXPECT_GE(lower, before);
      before = lower;
    }
  }
}

TEST(ChiSquared, EndsAndNonsense) {
  EXPECT_EQ(chi_squared_cdf(0.0, 3.0), 0.0);
  EXPECT_EQ(chi_squared_cdf(-1.0, 3.0), 0.0);
  EXPECT_EQ(chi_squared_survival(-1.0, 3.0), 1.0);
  EXPECT_EQ(chi_squared_cdf(kInfinity, 3.0), 1.0);
  EXPECT_EQ(chi_squared_survival(kInfinity, 3.0), 0.0);
  EXPECT_EQ(chi_squared_quantile(0.0, 3.0), 0.0);
  EXPECT_EQ(chi_squared_quantile(1.0, 3.0), kInfinity);
  EXPECT_EQ(chi_squared_threshold(0.0, 3.0), kInfinity);
  EXPECT_EQ(chi_squared_threshold(1.0, 3.0), 0.0);
  EXPECT_EQ(normal_quantile(0.0), -kInfinity);
  EXPECT_EQ(normal_quantile(1.0), kInfinity);
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_EQ(normal_cdf(-kInfinity), 0.0);
  for (const double dof : {0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_TRUE(std::isnan(chi_squared_cdf(1.0, dof)));
    EXPECT_TRUE(std::isnan(chi_squared_survival(1.0, dof)));
    EXPECT_TRUE(std::isnan(chi_squared_quantile(0.5, dof)));
    EXPECT_TRUE(std::isnan(chi_squared_threshold(0.5, dof)));
  }
  EXPECT_TRUE(std::isnan(chi_squared_cdf(kNaN, 3.0)));
  EXPECT_TRUE(std::isnan(normal_cdf(kNaN)));
  for (const double p : {-0.1, 1.1, kNaN}) {
    EXPECT_TRUE(std::isnan(chi_squared_quantile(p, 3.0)));
    EXPECT_TRUE(std::isnan(chi_squared_threshold(p, 3.0)));
    EXPECT_TRUE(std::isnan(normal_quantile(p)));
  }
}

}  // namespace
}  // namespace antaeus
