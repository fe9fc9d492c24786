// Is the stated covariance neither too small nor too large? From both sides, with several seeds, and with friction that
// is drawn unlike the covariance's own.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <iostream>

#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "estimation/humanoid.hpp"
#include "robot/test_robots.hpp"
#include "support/noise.hpp"
#include "support/static_residual.hpp"

namespace antaeus {
namespace {

using test::kMotors;
using test::kPrior;
using test::kWrists;
using test::Noise;

constexpr int kDrawsEach = 4000;

/// How the error of a torque is drawn.
enum class Errors {
  as_stated,       ///< normal, with the variance that the residual states
  uniform_bound,   ///< dry friction anywhere within its bound: a joint that stands
  sliding,         ///< dry friction at its bound, either way: a joint that slides
  twice_the_sd,    ///< as stated, times two: what a covariance that is four times too small looks like
  half_of_the_sd,  ///< as stated, halved: what a covariance that is four times too large looks like
};

struct Calibration {
  double coverage = 0.0;  ///< share of draws in which the 95 % ellipsoid of the force holds the truth
  double nees = 0.0;      ///< mean of eᵀ C⁻¹ e of the force; 3 is right
  double nees_sd = 0.0;   ///< of one draw
};

class CalibrationOfThePosterior : public test::StaticResidual {
 protected:
  CalibrationOfThePosterior() : StaticResidual(kWrists) {}

  Calibration measure(const char* pose, Errors errors, unsigned seed) {
    static const double kInside = chi_squared_quantile(0.95, 3);
    load(robot_.pose(pose), VectorX::Zero(kMotors));
    Residual residual = load(robot_.pose(pose), now().gravity_torque());
    PosteriorEstimator posterior(reader_, {.sign = Sign::on_robot});
    Noise noise(seed);
    test::RandomStates uniform(seed + 1000);
    Calibration found;
    double squares = 0.0;
    for (int draw = 0; draw < kDrawsEach; ++draw) {
      const VectorX u = uniform.vector(kMotors);
      for (int m = 0; m < kMotors; ++m) {
        const JointFigures& f = robot_.profile.figures[static_cast<std::size_t>(m)];
        const double sd = std::sqrt(residual.variance[m]), n = noise();
        switch (errors) {
          case Errors::as_stated: residual.value[m] = sd * n; break;
          case Errors::uniform_bound: residual.value[m] = f.torque_sd * n + f.coulomb * u[m]; break;
          case Errors::sliding: residual.value[m] = f.torque_sd * n + std::copysign(f.coulomb, u[m]); break;
          case Errors::twice_the_sd: residual.value[m] = 2.0 * sd * n; break;
          case Errors::half_of_the_sd: residual.value[m] = 0.5 * sd * n; break;
        }
      }
      Vector6 truth[2];
      for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 6; ++i) truth[k][i] = kPrior[i] * noise();
        residual.value -= residual.instant.jacobian(k).transpose() * truth[k];
      }
      const WrenchEstimate& left = posterior.solve(residual)[0];
      const Vector3 e = left.wrench.force - truth[0].head<3>();
      const double nees = e.dot(left.uncertainty.covariance.topLeftCorner<3, 3>().ldlt().solve(e));
      found.coverage += nees <= kInside;
      found.nees += nees;
      squares += nees * nees;
    }
    found.coverage /= kDrawsEach;
    found.nees /= kDrawsEach;
    found.nees_sd = std::sqrt(squares / kDrawsEach - found.nees * found.nees);
    return found;
  }
};

TEST_F(CalibrationOfThePosterior, HoldsFromBothSidesUnderExactNoise) {
  for (const char* pose : {"zero", "arm_waist_target"}) {
    for (const unsigned seed : {151u, 152u, 153u, 154u, 155u}) {
      SCOPED_TRACE(std::string(pose) + ", seed " + std::to_string(seed));
      const Calibration c = measure(pose, Errors::as_stated, seed);
      EXPECT_NEAR(c.coverage, 0.95, 4 * std::sqrt(0.95 * 0.05 / kDrawsEach));
      EXPECT_NEAR(c.nees, 3.0, 4 * std::sqrt(6.0 / kDrawsEach));  // χ²₃ has the variance 6
    }
  }
}

/// The same test must find a covariance that is four times too small, and one that is four times too large.
TEST_F(CalibrationOfThePosterior, AWrongCovarianceIsFoundFromEitherSide) {
  const double four_sd = 4 * std::sqrt(0.95 * 0.05 / kDrawsEach);
  EXPECT_LT(measure("zero", Errors::twice_the_sd, 156).coverage, 0.95 - four_sd);
  EXPECT_GT(measure("zero", Errors::half_of_the_sd, 157).coverage, 0.95 + four_sd);
}

/// Friction unlike the covariance's own (normal, sd 0.8 of the bound). A joint that stands has any friction within its
/// bound: 0.58 of it rms, and the covariance is cautious. One that slides has all of it: 1 of it rms, and the
/// covariance is a little too small. Neither is far from right.
TEST_F(CalibrationOfThePosterior, WithOtherFrictionItIsOffByAsMuchAsTheFrictionIs) {
  for (const unsigned seed : {161u, 162u, 163u}) {
    SCOPED_TRACE(seed);
    const Calibration stands = measure("zero", Errors::uniform_bound, seed);
    const Calibration slides = measure("zero", Errors::sliding, seed + 10);
    std::cout << "friction within its bound: coverage " << stands.coverage << ", NEES " << stands.nees
              << "; sliding: coverage " << slides.coverage << ", NEES " << slides.nees << "\n";
    // Where friction is all of the error NEES is 3 (0.58/0.8)² = 1.6 and 3 (1/0.8)² = 4.7; the prior and the channel's
    // noise draw both towards 3.
    EXPECT_GT(stands.nees, 1.6 - 4 * stands.nees_sd / std::sqrt(kDrawsEach));
    EXPECT_LT(stands.nees, 3.0);
    EXPECT_GT(stands.coverage, 0.95);
    EXPECT_GT(slides.nees, 3.0);
    EXPECT_LT(slides.nees, 4.7 + 4 * slides.nees_sd / std::sqrt(kDrawsEach));
    EXPECT_LT(slides.coverage, 0.95);
    EXPECT_GT(slides.coverage, 0.80);
  }
}

}  // namespace
}  // namespace antaeus
