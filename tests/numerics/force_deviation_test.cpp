#include "antaeus/numerics/force_deviation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "antaeus/numerics/gaussian_posterior.hpp"
#include "numerics/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::RandomStates;

TEST(ForceDeviation, IsThePosteriorsWorst) {
  RandomStates random(1330);
  for (int i = 0; i < 20; ++i) {
    const Eigen::Index n = 4 + i % 5;
    Matrix6X J = Eigen::Map<const Matrix6X>(random.vector(6 * n).data(), 6, n);
    if (i % 4 == 0) J.row(2).setZero();  // nothing tells the vertical force: its prior stays
    VectorX variance = random.vector(n).cwiseAbs2().array() + 0.01;
    if (i % 3 == 0) variance[0] = kInfinity;
    const WrenchPriorSd prior{.force = 15.0, .moment = 2.0};
    ForceDeviation worst;
    ASSERT_EQ(worst_force_deviation(J, variance.cwiseInverse(), prior, worst), Status::ok);
    GaussianPosterior posterior(static_cast<int>(n), 6);
    const Vector6 sd = (Vector6() << Vector3::Constant(15.0), Vector3::Constant(2.0)).finished();
    ASSERT_EQ(posterior.compute(J.transpose(), VectorX::Zero(n), variance, MatrixX(sd.asDiagonal())), Status::ok);
    const PrincipalDeviations same = principal_deviations(posterior.covariance().topLeftCorner<3, 3>());
    EXPECT_LE(std::abs(worst.deviation - same.worst()), tolerance::kForceDeviation * same.worst());
    EXPECT_LE(worst.deviation, 15.0 + 1e-12);
    if (i % 4 == 0) {
      EXPECT_LE(std::abs(worst.deviation - 15.0), tolerance::kForceDeviation * 15.0);
    }
    EXPECT_LE(std::abs(worst.direction.dot(worst.leverage.head<3>()) - worst.deviation * worst.deviation),
              tolerance::kForceDeviation * 225.0);
  }
}

TEST(ForceDeviation, RefusesWhatItCannotRead) {
  ForceDeviation worst;
  const Matrix6X J = Matrix6X::Ones(6, 3);
  EXPECT_EQ(worst_force_deviation(J, VectorX::Ones(2), {}, worst), Status::wrong_size);
  EXPECT_TRUE(std::isnan(worst.deviation));
  EXPECT_EQ(worst_force_deviation(J, -VectorX::Ones(3), {}, worst), Status::not_finite);
  EXPECT_EQ(worst_force_deviation(kNaN * J, VectorX::Ones(3), {}, worst), Status::not_finite);
  EXPECT_EQ(worst_force_deviation(J, VectorX::Ones(3), {.force = 0.0}, worst), Status::not_finite);
}

TEST(ForceDeviation, DoesNotAllocate) {
  RandomStates random(1331);
  for (const Eigen::Index n : {7, 33}) {
    const Matrix6X J = Eigen::Map<const Matrix6X>(random.vector(6 * n).data(), 6, n);
    const VectorX information = VectorX::Ones(n);
    ForceDeviation worst;
    test::AllocationCounter counter;
    worst_force_deviation(J, information, {}, worst);
    EXPECT_EQ(counter.count(), 0);
  }
}

}  // namespace
}  // namespace antaeus
