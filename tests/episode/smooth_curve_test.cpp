#include "../../src/episode/smooth_curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "episode/tolerances.hpp"

namespace antaeus {
namespace {

// Knots: the incident report's torso residuals at its time stamps. References: SciPy's PchipInterpolator and its
// antiderivatives.
const std::vector<double> kTimes = {0.0, 0.007, 0.025, 0.044, 0.064, 0.084, 0.105, 0.125, 0.144};
const std::vector<double> kResiduals = {0.12, 0.0, 0.47, 4.22, 8.32, 14.24, 10.61, -5.27, -34.45};

struct Reference {
  double x, value, integral, double_integral;
};
constexpr Reference kReferences[] = {
    {0.003, 0.044112730806608345, 0.00023953862973760928, 4.1643134110787173e-07},
    {0.0135, 0.07091282459883691, 0.0004571373026652891, 3.7671786449647084e-06},
    {0.05, 5.391556202759749, 0.07203823558082581, 0.0006832575367625251},
    {0.0951, 13.058989257543487, 0.5544015181014924, 0.013084849213093112},
    {0.11, 8.310127171425705, 0.7202884217165226, 0.02266336373241811},
    {0.1399, -26.90476658345784, 0.5249349039712913, 0.04386727471776403},
};

TEST(Pchip, AgreesWithScipy) {
  const Pchip curve(kTimes, kResiduals);
  for (const Reference& reference : kReferences) {
    EXPECT_NEAR(curve.value(reference.x), reference.value, tolerance::kCurve);
    EXPECT_NEAR(curve.integral(reference.x), reference.integral, tolerance::kCurve);
    EXPECT_NEAR(curve.double_integral(reference.x), reference.double_integral, tolerance::kCurve);
  }
  const Pchip small({0.0, 1.0, 2.5, 3.0}, {0.0, 5.0, 1.0, 2.0});
  EXPECT_NEAR(small.value(0.25), 1.915625, tolerance::kCurve);
  EXPECT_NEAR(small.value(1.7), 3.1997037037037037, tolerance::kCurve);
  EXPECT_NEAR(small.value(2.8), 1.42, tolerance::kCurve);
}

TEST(Pchip, PassesThroughKnotsWithoutOvershoot) {
  const Pchip curve(kTimes, kResiduals);
  for (std::size_t i = 0; i < kTimes.size(); ++i) EXPECT_DOUBLE_EQ(curve.value(kTimes[i]), kResiduals[i]);
  for (std::size_t i = 0; i + 1 < kTimes.size(); ++i) {
    for (int k = 1; k < 20; ++k) {
      const double value = curve.value(kTimes[i] + (kTimes[i + 1] - kTimes[i]) * k / 20.0);
      EXPECT_GE(value, std::min(kResiduals[i], kResiduals[i + 1]));
      EXPECT_LE(value, std::max(kResiduals[i], kResiduals[i + 1]));
    }
  }
}

TEST(Pchip, IsConstantOutsideAndIntegratedSo) {
  const Pchip curve({1.0, 2.0}, {3.0, 5.0});  // a straight line between
  EXPECT_DOUBLE_EQ(curve.value(0.0), 3.0);
  EXPECT_DOUBLE_EQ(curve.value(4.0), 5.0);
  EXPECT_DOUBLE_EQ(curve.integral(2.0), 4.0);
  EXPECT_DOUBLE_EQ(curve.integral(4.0), 14.0);
  EXPECT_DOUBLE_EQ(curve.integral(0.0), -3.0);
  EXPECT_DOUBLE_EQ(curve.double_integral(0.0), 1.5);
  EXPECT_DOUBLE_EQ(curve.double_integral(4.0), 3.0 / 2 + 2.0 / 6 + 4.0 * 2 + 5.0 * 2);
}

TEST(SmoothStep, DerivativesAndIntegralBelongTogether) {
  constexpr double kFrom = 0.3, kTo = 1.1, kStep = 1e-5;
  for (double t = 0.2; t < 1.3; t += 0.037) {
    const Motion before = smooth_step(t - kStep, kFrom, kTo), now = smooth_step(t, kFrom, kTo),
                 after = smooth_step(t + kStep, kFrom, kTo);
    EXPECT_NEAR((after.position - before.position) / (2 * kStep), now.velocity, tolerance::kCurveDerivative);
    EXPECT_NEAR((after.velocity - before.velocity) / (2 * kStep), now.acceleration, tolerance::kCurveDerivative);
    const double difference = smooth_step_integral(t + kStep, kFrom, kTo) - smooth_step_integral(t - kStep, kFrom, kTo);
    EXPECT_NEAR(difference / (2 * kStep), now.position, tolerance::kCurveDerivative);
  }
  EXPECT_DOUBLE_EQ(smooth_step(kTo, kFrom, kTo).position, 1.0);
}

TEST(Motion, ProductRule) {
  const double t = 0.37, step = 1e-5;
  const auto product = [](double x) { return sine(x, 0.8) * cosine(x, 1.9); };
  const Motion now = product(t);
  EXPECT_NEAR(now.velocity, (product(t + step).position - product(t - step).position) / (2 * step),
              tolerance::kCurveDerivative);
  EXPECT_NEAR(now.acceleration, (product(t + step).velocity - product(t - step).velocity) / (2 * step),
              tolerance::kCurveDerivative);
}

}  // namespace
}  // namespace antaeus
