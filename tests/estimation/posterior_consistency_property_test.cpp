// The posterior's tests: their statistics against dense algebra, and their rates under noise that is exactly as stated.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <iostream>

#include "antaeus/signal/chi_squared.hpp"
#include "antaeus/trust/reliability.hpp"
#include "estimation/humanoid.hpp"
#include "estimation/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/noise.hpp"
#include "support/static_residual.hpp"

namespace antaeus {
namespace {

using test::kMotors;
using test::kPrior;
using test::kTorso;
using test::kWrists;
using test::Noise;
using test::RandomStates;

class Consistency : public test::StaticResidual {
 protected:
  Consistency() : StaticResidual(kWrists) {}

  /// Torques that hold the robot in \p q. \param still  whether it is known to stand
  Residual quiet(const VectorX& q, bool still) {
    Observation o;
    o.q = q;
    if (still) o.v = VectorX::Zero(kMotors);
    o.tau = VectorX::Zero(kMotors);
    reader_.at(o);
    o.tau = now().gravity_torque();
    EXPECT_EQ(reader_.at(o).status(), Status::ok);
    return residual_.form(now());
  }
  /// Draws the noise that the residual states, and contacts from the prior.
  void draw(Noise& noise, bool contacts, Residual& residual) const {
    for (int m = 0; m < kMotors; ++m) residual.value[m] = std::sqrt(residual.variance[m]) * noise();
    for (int k = 0; contacts && k < 2; ++k) {
      Vector6 w;
      for (int i = 0; i < 6; ++i) w[i] = kPrior[i] * noise();
      residual.value -= residual.instant.jacobian(k).transpose() * w;
    }
  }
};

/// E5: rows 12 to 26 against S = R + Σ A P₀ Aᵀ of all of them, in random poses and with any torques.
TEST_F(Consistency, RowTestsAreThoseOfTheWholeInnovationCovariance) {
  RandomStates random(131);
  SCOPED_TRACE(random.text());
  for (const ReferenceUse use : {ReferenceUse::exclude, ReferenceUse::trust, ReferenceUse::innovation}) {
    PosteriorEstimator posterior(
        reader_, {.rows = use == ReferenceUse::exclude ? PosteriorRows::own : PosteriorRows::all, .reference = use});
    ReliabilityEstimator reliability(reader_, posterior);
    for (int i = 0; i < 30; ++i) {
      Residual residual = load(random.vector(kMotors, 1.0), random.vector(kMotors, 5.0));
      if (i > 20) residual.variance[15] = kInfinity, residual.value[15] = 1e3;
      const PosteriorEstimates& found = posterior.solve(residual);
      VectorX r = residual.value.tail(15), R = residual.variance.tail(15);
      if (i > 20) r[3] = 0.0, R[3] = 1e12;  // a row that says nothing
      MatrixX S = R.asDiagonal();
      for (int k = 0; k < 2; ++k) {
        const MatrixX A = residual.instant.jacobian(k).rightCols(15).transpose() * kPrior.asDiagonal();
        S += A * A.transpose();
      }
      const MatrixX P = S.inverse();
      const VectorX solved = S.ldlt().solve(r);
      for (int j = 0; j < 15; ++j) {
        if (i > 20 && j == 3) {
          EXPECT_TRUE(std::isnan(found.row_precision[15]) && std::isnan(found.row_test[15]));
          continue;
        }
        const double test = solved[j] / std::sqrt(P(j, j));
        EXPECT_NEAR(found.row_precision[12 + j] / P(j, j), 1.0, tolerance::kSameRowTest) << j;
        EXPECT_NEAR(found.row_test[12 + j], test, tolerance::kSameRowTest * (1 + std::abs(test))) << j;
      }
      EXPECT_TRUE(found.row_test.head(12).array().isNaN().all()) << "a leg speaks for no wrist";
      const Uncertainty& left = found[0].uncertainty;
      EXPECT_NEAR(left.reference.value, found.row_test[kTorso] * found.row_test[kTorso],
                  tolerance::kByHand * (1 + left.reference.value));
      EXPECT_NEAR(left.innovation_sd, 1.0 / std::sqrt(P(0, 0)), tolerance::kSameRowTest * left.innovation_sd);
      // E1: redundancy and minimal detectable bias are those of this test.
      const EndpointReliability& trust = reliability.judge(found)[0];
      EXPECT_NEAR(trust.redundancy[kTorso], R[0] * P(0, 0), tolerance::kSameRowTest);
      EXPECT_NEAR(trust.minimal_detectable_bias[kTorso] * std::sqrt(P(0, 0)), kBaardaNoncentrality,
                  tolerance::kSameRowTest);
    }
  }
}

/// E4: misfit and wrench-against-prior are the two parts of an endpoint's own NIS, split by its columns' span.
TEST_F(Consistency, MisfitAndPriorPartSplitTheNis) {
  RandomStates random(132);
  SCOPED_TRACE(random.text());
  PosteriorEstimator posterior(reader_);
  for (int i = 0; i < 50; ++i) {
    const Residual residual = load(random.vector(kMotors, 1.0), random.vector(kMotors, 5.0));
    const auto& found = posterior.solve(residual);
    for (int k = 0; k < 2; ++k) {
      const auto& rows = posterior.rows(k);
      MatrixX B(7, 6);
      VectorX y(7);
      for (int j = 0; j < 7; ++j) {
        const double sd = std::sqrt(residual.variance[rows[static_cast<std::size_t>(j)]]);
        B.row(j) =
            residual.instant.jacobian(k).col(rows[static_cast<std::size_t>(j)]).transpose() * kPrior.asDiagonal() / sd;
        y[j] = residual.value[rows[static_cast<std::size_t>(j)]] / sd;
      }
      const Eigen::JacobiSVD<MatrixX> svd(B, Eigen::ComputeThinU);
      double contact = 0.0;
      int felt = 0;
      for (int d = 0; d < 6; ++d) {
        const double s = svd.singularValues()[d];
        if (s < GaussianPosterior::kFelt) continue;
        contact += std::pow(svd.matrixU().col(d).dot(y), 2) / (1 + s * s);
        ++felt;
      }
      const Uncertainty& u = found[static_cast<std::size_t>(k)].uncertainty;
      const double nis = y.dot((MatrixX::Identity(7, 7) + B * B.transpose()).ldlt().solve(y));
      EXPECT_EQ(u.contact.dof, felt);
      EXPECT_EQ(u.misfit.dof, 7 - felt);
      EXPECT_NEAR(u.contact.value, contact, tolerance::kSamePosterior * (1 + nis));
      EXPECT_NEAR(u.misfit.value, nis - contact, tolerance::kSamePosterior * (1 + nis));
      EXPECT_EQ(u.misfit.limit, chi_squared_threshold(0.005, 7 - felt));
    }
  }
}

/// E4: two-sided. In the zero pose and in the incident's, at rest and not, with contacts from the prior and without.
TEST_F(Consistency, TestsAlarmAtTheirStatedRate) {
  constexpr double kRate = 0.02;
  constexpr int kDraws = 12000;
  PosteriorEstimator posterior(reader_, {.false_alarm = kRate});
  Noise noise(133);
  const double four_sd = 4 * std::sqrt(kRate * (1 - kRate) / kDraws);
  for (const char* pose : {"zero", "arm_waist_target"}) {
    for (const bool still : {true, false}) {
      for (const bool contacts : {false, true}) {
        SCOPED_TRACE(std::string(pose) + (still ? ", at rest" : "") + (contacts ? ", contacts" : "") + ", seed 133");
        Residual residual = quiet(robot_.pose(pose), still);
        double misfit = 0, reference = 0, contact = 0, any = 0;
        for (int i = 0; i < kDraws; ++i) {
          draw(noise, contacts, residual);
          const Uncertainty& u = posterior.solve(residual)[0].uncertainty;
          misfit += !u.misfit.passes(), reference += !u.reference.passes(), contact += !u.contact.passes();
          any += !u.consistent();
        }
        misfit /= kDraws, reference /= kDraws, contact /= kDraws, any /= kDraws;
        std::cout << pose << (still ? ", at rest" : ", moving") << (contacts ? ", contacts" : ", nobody") << ": misfit "
                  << 100 * misfit << " %, reference row " << 100 * reference << " %, contact " << 100 * contact
                  << " %, inconsistent " << 100 * any << " %\n";
        EXPECT_NEAR(misfit, kRate, four_sd) << "whatever the contact";
        if (contacts) {
          EXPECT_NEAR(reference, kRate, four_sd);
          EXPECT_NEAR(contact, kRate, four_sd);
        } else {
          EXPECT_LT(reference, kRate + four_sd);
          EXPECT_LT(contact, kRate + four_sd);
        }
        EXPECT_GT(any, 0.5 * kRate);
        EXPECT_LT(any, 2.0 * kRate + four_sd);
      }
    }
  }
}

/// E5: power against a fault of the torso in the zero pose, the residual static and motion not excluded.
TEST_F(Consistency, ATorsoFaultOf12NmIsFoundInTheZeroPose) {
  PosteriorEstimator posterior(reader_);
  Noise noise(134);
  constexpr int kDraws = 6000;
  for (const auto& [pose, least] : {std::pair{"zero", 0.94}, std::pair{"arm_waist_target", 0.70}}) {
    Residual residual = quiet(robot_.pose(pose), false);
    double found = 0;
    for (int i = 0; i < kDraws; ++i) {
      draw(noise, false, residual);
      residual.value[kTorso] += 12.0;
      found += !posterior.solve(residual)[0].uncertainty.consistent();
    }
    std::cout << pose << ": a fault of 12 N·m is found in " << 100 * found / kDraws << " % of samples\n";
    // By the normal tables: 1 − (1 − Φ(12/2.728 − 2.807)) (1 − 0.005) = 0.944, and 0.71 in the incident's pose.
    EXPECT_GE(found / kDraws, least) << pose;
  }
}

/// E1: what is called the smallest detectable error is found in 80 % of cases by the test of its row, at 0.1 %.
TEST_F(Consistency, TheSmallestDetectableErrorIsFoundAsOftenAsStated) {
  PosteriorEstimator posterior(reader_);
  ReliabilityEstimator reliability(reader_, posterior);
  Noise noise(135);
  constexpr int kDraws = 3000;
  const double limit = std::sqrt(chi_squared_threshold(0.001, 1));
  for (const char* pose : {"zero", "arm_waist_target"}) {
    Residual residual = quiet(robot_.pose(pose), true);
    const VectorX bias = reliability.judge(posterior.solve(residual))[0].minimal_detectable_bias;
    for (const int motor : {kTorso, 14, 18}) {
      SCOPED_TRACE(robot_.model.motor_names()[static_cast<std::size_t>(motor)] + std::string(", ") + pose +
                   ", seed 135");
      int found = 0;
      for (int i = 0; i < kDraws; ++i) {
        draw(noise, true, residual);
        residual.value[motor] += bias[motor];
        found += std::abs(posterior.solve(residual).row_test[motor]) > limit;
      }
      EXPECT_NEAR(found / double{kDraws}, 0.8, 4 * std::sqrt(0.8 * 0.2 / kDraws));
    }
  }
}

/// A 90 N push is no fault of a joint: it is beyond what the prior allows for, and is named so.
TEST_F(Consistency, APushBeyondThePriorIsNotBlamedOnAJoint) {
  PosteriorEstimator posterior(reader_, {});
  quiet(robot_.pose("zero"), true);
  const Vector6 push = (Vector6() << 80.0, 0.0, 40.0, 0.0, 0.0, 0.0).finished();
  const Residual residual = load(robot_.pose("zero"), now().gravity_torque() - now().jacobian(0).transpose() * push);
  const WrenchEstimate& left = posterior.solve(residual)[0];
  EXPECT_TRUE(left.reasons.has(Reason::beyond_prior));
  EXPECT_FALSE(left.reasons.has_any(Reason::inconsistent | Reason::contradiction));
  EXPECT_LT((left.wrench.force - push.head<3>()).norm(), 5.0);
}

/// E10: a static residual of a robot whose tilt nobody measures. The columns are gravity's, by turning the base.
TEST_F(Consistency, AnUnknownTiltIsInTheCovariance) {
  constexpr double kTilt = 0.035;
  ResidualEstimator tilted(robot_, {.kind = ResidualChoice::static_gravity});
  PosteriorEstimator posterior(reader_);
  RandomStates random(136);
  SCOPED_TRACE(random.text());
  Dynamics dynamics(robot_.model);
  for (int i = 0; i < 20; ++i) {
    Observation o;
    o.q = random.vector(kMotors, 0.8);
    o.v = VectorX::Zero(kMotors);
    o.tau = random.vector(kMotors, 5.0);
    ASSERT_EQ(reader_.at(o).status(), Status::ok);
    const Residual residual = tilted.form(now());
    ASSERT_TRUE(residual.tilted);
    MatrixX T(kMotors, 2);
    for (int axis = 0; axis < 2; ++axis) {
      VectorX g[2] = {VectorX(kMotors), VectorX(kMotors)};
      for (int side = 0; side < 2; ++side) {
        const double half = (side == 0 ? -0.25 : 0.25) * tolerance::kTiltStep;  // half of the angle
        Eigen::Vector4d xyzw(0, 0, 0, std::cos(half));
        xyzw[axis] = std::sin(half);
        VectorX q(robot_.model.nq()), full(robot_.model.nv());
        robot_.model.position_from_motors(o.q, xyzw, q);
        dynamics.at(q).gravity_torque(full);
        robot_.model.select_motor_rows(full, g[side]);
      }
      T.col(axis) = kTilt * (g[1] - g[0]) / tolerance::kTiltStep;
    }
    // The sign of a tilt is a convention; its covariance is not.
    EXPECT_LT((residual.tilt * residual.tilt.transpose() - T * T.transpose()).norm(), tolerance::kDifferencedTilt);
    const auto& found = posterior.solve(residual);
    for (int k = 0; k < 2; ++k) {
      const MatrixX A = residual.instant.jacobian(k).middleCols(13 + 7 * k, 7).transpose(),
                    t = residual.tilt.middleRows(13 + 7 * k, 7);
      MatrixX R = residual.variance.segment(13 + 7 * k, 7).asDiagonal();
      R += t * t.transpose();
      const Matrix6 C =
          (A.transpose() * R.inverse() * A + Matrix6(kPrior.cwiseAbs2().cwiseInverse().asDiagonal())).inverse();
      const Vector6 w = -C * A.transpose() * R.inverse() * residual.value.segment(13 + 7 * k, 7);
      const WrenchEstimate& estimate = found[static_cast<std::size_t>(k)];
      EXPECT_LT((estimate.uncertainty.covariance - C).norm(), tolerance::kSameRowTest);
      EXPECT_LT((estimate.wrench.to_vector() - w).norm(), tolerance::kSamePosterior * (1e3 + w.norm()));
    }
    // With an orientation the vertical is known.
    o.has_imu = true;
    o.imu_quaternion_xyzw = Eigen::Vector4d(0, 0, 0, 1);
    reader_.at(o);
    EXPECT_FALSE(tilted.form(now()).tilted);
  }
}

}  // namespace
}  // namespace antaeus
