#include "antaeus/estimation/published/wrench_estimator.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "robot/test_robots.hpp"
#include "support/largest.hpp"
#include "support/printed_digits.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::largest;
using test::RandomStates;

const std::vector<std::string> kLimbs = {"left_wrist_yaw_link", "right_wrist_yaw_link", "left_ankle_roll_link",
                                         "right_ankle_roll_link"};

/// Motor torques with which the robot rests under wrenches of the environment on it: τ = g − Σ Jᵀ w.
VectorX torque_at_rest(const Robot& robot, const VectorX& q_motor, const std::vector<std::string>& endpoints,
                       const std::vector<Vector6>& wrenches) {
  InstantReader reader(robot, endpoints);
  Observation observation;
  observation.q = q_motor;
  observation.tau = VectorX::Zero(robot.model.motor_count());
  EXPECT_EQ(reader.at(observation).status(), Status::ok);
  VectorX tau = reader.instant().gravity_torque();
  for (std::size_t k = 0; k < endpoints.size(); ++k) {
    tau -= reader.instant().jacobian(static_cast<int>(k)).transpose() * wrenches[k];
  }
  return tau;
}

Observation observed(const VectorX& q, const VectorX& tau) {
  Observation observation;
  observation.q = q;
  observation.tau = tau;
  return observation;
}

TEST(DeployedEstimator, SignIsTheOneThatItNames) {
  const Robot robot = test::own_robot("h1_2");
  const VectorX q = robot.pose("zero");
  // Somebody pushes the left wrist 20 N to the right, with some moment.
  const Vector6 push = (Vector6() << 5, -20, 3, 0.5, -0.2, 0.1).finished();
  const VectorX tau = torque_at_rest(robot, q, {kLimbs[0]}, {push});
  InstantReader reader(robot, {kLimbs[0]});
  ASSERT_EQ(reader.at(observed(q, tau)).status(), Status::ok);
  for (const Sign sign : {Sign::on_environment, Sign::on_robot}) {
    DeployedEstimator estimator(reader, {.sign = sign});
    const WrenchEstimate& estimate = estimator.solve(reader.instant()).front();
    EXPECT_EQ(estimate.sign, sign);
    EXPECT_EQ(estimate.status, Status::ok);
    EXPECT_EQ(estimate.verdict, Verdict::ok);
    EXPECT_TRUE(estimate.reasons.empty());
    EXPECT_EQ(estimate.residual_kind, ResidualKind::static_gravity);
    EXPECT_FALSE(estimate.has_covariance);
    const Vector6 expected = sign == Sign::on_robot ? push : Vector6(-push);
    EXPECT_LE(largest(estimate.wrench.to_vector() - expected), tolerance::kRecoveredWrench) << to_string(sign);
    EXPECT_LE(largest(estimate.gain * reader.instant().static_residual() - expected), tolerance::kRecoveredWrench);
    EXPECT_EQ(estimate.reference_residual, reader.instant().static_residual()[12]);
    EXPECT_EQ(estimate.reference_gain, estimate.gain.col(12));
  }
}

TEST(DeployedEstimator, EachEndpointIsTheOnlyOneByItself) {
  const Robot robot = test::own_robot("h1_2");
  RandomStates random(801);
  SCOPED_TRACE(random.text());
  InstantReader all(robot, kLimbs);
  const Observation observation = observed(random.vector(27), random.vector(27, 50.0));
  ASSERT_EQ(all.at(observation).status(), Status::ok);
  DeployedEstimator together(all, {.characteristic_length = 0.3});
  const WrenchEstimates& estimates = together.solve(all.instant());
  ASSERT_EQ(estimates.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    const MatrixX A = all.instant().jacobian(static_cast<int>(k)).transpose();
    // Against Eigen's decomposition of the same matrix.
    const MatrixX inverse = A.completeOrthogonalDecomposition().pseudoInverse();
    const Eigen::JacobiSVD<MatrixX> svd(A);
    const auto& sigma = svd.singularValues();
    EXPECT_LE(largest(estimates[k].gain - inverse), tolerance::kRecoveredWrench * sigma[0] / sigma[5]);
    EXPECT_NEAR(estimates[k].sigma_max, sigma[0], tolerance::kSameQuantity);
    EXPECT_NEAR(estimates[k].sigma_min, sigma[5], tolerance::kSameQuantity);
    EXPECT_NEAR(estimates[k].kappa, sigma[0] / sigma[5], tolerance::kSameQuantity * sigma[0] / sigma[5] / sigma[5]);
    EXPECT_NEAR(estimates[k].manipulability, sigma.prod(), tolerance::kSameQuantity);
    MatrixX scaled = A;
    scaled.leftCols(3) /= 0.3;
    const VectorX sigma_scaled = Eigen::JacobiSVD<MatrixX>(scaled).singularValues();
    EXPECT_NEAR(estimates[k].kappa_scaled, sigma_scaled[0] / sigma_scaled[5],
                tolerance::kSameQuantity * sigma_scaled[0] / sigma_scaled[5] / sigma_scaled[5]);
    EXPECT_EQ(estimates[k].rank, 6);
  }
}

TEST(DeployedEstimator, KappaScaledIsNaNWhereNotAskedFor) {
  const Robot robot = test::own_robot("h1_2");
  InstantReader reader(robot, {kLimbs[0]});
  ASSERT_EQ(reader.at(observed(robot.pose("zero"), VectorX::Zero(27))).status(), Status::ok);
  DeployedEstimator estimator(reader);
  EXPECT_TRUE(std::isnan(estimator.solve(reader.instant())[0].kappa_scaled));
}

TEST(DeployedEstimator, RankDeficientPoseIsUnobservableAndSaysWhy) {
  // Three joints about z never see more than a force in their plane and the moment about its normal.
  const Robot robot = test::own_robot("planar_3r");
  InstantReader reader(robot, {"tool"});
  DeployedEstimator estimator(reader);
  StackedEstimator stacked(reader);
  const VectorX q = robot.pose("bent");
  const auto estimate_under = [&](auto& chosen, const Vector6& push) -> const WrenchEstimate& {
    EXPECT_EQ(reader.at(observed(q, torque_at_rest(robot, q, {"tool"}, {push}))).status(), Status::ok);
    const WrenchEstimate& estimate = chosen.solve(reader.instant())[0];
    EXPECT_EQ(estimate.status, Status::ok);
    EXPECT_EQ(estimate.verdict, Verdict::unobservable);
    EXPECT_EQ(estimate.reasons, Reason::rank_deficient);
    // The components that move a joint come back; the others are zero.
    EXPECT_NEAR(estimate.wrench.force.x(), -3, tolerance::kRecoveredWrench);
    EXPECT_NEAR(estimate.wrench.force.y(), -4, tolerance::kRecoveredWrench);
    EXPECT_EQ(estimate.wrench.force.z(), 0.0);
    EXPECT_TRUE(std::isnan(estimate.reference_residual) && estimate.reference_gain.array().isNaN().all());
    return estimate;
  };
  const WrenchEstimate& force = estimate_under(estimator, (Vector6() << 3, 4, 50, 7, 8, 0).finished());
  EXPECT_EQ(force.rank, 2);
  EXPECT_EQ(force.wrench.torque, Vector3::Zero()) << "a force explains the torques of a planar arm";
  const WrenchEstimate& wrench = estimate_under(stacked, (Vector6() << 3, 4, 50, 7, 8, 0.5).finished());
  EXPECT_EQ(wrench.rank, 3);
  EXPECT_NEAR(wrench.wrench.torque.z(), -0.5, tolerance::kRecoveredWrench);
}

TEST(DeployedEstimator, DirectionsBelowTheToleranceAreLostCountedAndNamed) {
  const Robot robot = test::own_robot("h1_2");
  InstantReader reader(robot, {kLimbs[0]});
  ASSERT_EQ(reader.at(observed(robot.pose("zero"), VectorX::Ones(27))).status(), Status::ok);
  DeployedEstimator as_deployed(reader), strict(reader, {.relative_tolerance = 0.5});
  const WrenchEstimate& all = as_deployed.solve(reader.instant())[0];
  const WrenchEstimate& some = strict.solve(reader.instant())[0];
  EXPECT_EQ(all.verdict, Verdict::ok);
  EXPECT_EQ(some.verdict, Verdict::unobservable);
  EXPECT_EQ(some.reasons, Reason::rank_deficient);
  EXPECT_LT(some.rank, 6);
  EXPECT_EQ(some.sigma_min, all.sigma_min) << "the pose is the same";
}

TEST(DeployedEstimator, TenAndSeventyOneNewtonOfThePlanarArm) {
  // Incident report, Figure 1: 5 N·m too much at the first joint of the three-link arm, J the 2 × 3 of x and y.
  const Robot robot = test::own_robot("planar_3r");
  InstantReader reader(robot, {"tool"});
  DeployedEstimator estimator(reader);
  for (const auto& [pose, printed] : {std::pair("bent", "10"), std::pair("straight", "71")}) {
    ASSERT_EQ(reader.at(observed(robot.pose(pose), 5.0 * VectorX::Unit(3, 0))).status(), Status::ok);
    const WrenchEstimate& estimate = estimator.solve(reader.instant())[0];
    EXPECT_PRINTED(estimate.wrench.force.norm(), printed) << pose;
    EXPECT_PRINTED(5.0 * estimate.gain.col(0).head<3>().norm(), printed) << pose;
    // The published code, with Eigen's decomposition of the same 2 × 3 matrix.
    const MatrixX A = reader.instant().jacobian(0).topRows<2>().transpose();
    const VectorX w = A.completeOrthogonalDecomposition().pseudoInverse() * (5.0 * VectorX::Unit(3, 0));
    EXPECT_LE(largest(VectorX(estimate.wrench.force.head<2>()) - w), tolerance::kRecoveredWrench) << pose;
    EXPECT_NEAR(estimate.sigma_min, Eigen::JacobiSVD<MatrixX>(A).singularValues()[1], tolerance::kSameQuantity);
  }
}

TEST(DeployedEstimator, AnyPlaneIsTheArmsPlane) {
  // The same arm on a wall, and hung on a frame that stands askew: the force turns with it, to the last digits.
  const Robot flat = test::own_robot("planar_3r");
  for (const Vector3& turn : {Vector3(std::numbers::pi / 2, 0, 0), Vector3(0.3, -1.1, 2.0)}) {
    RobotDescription description = flat.model.description();
    const Matrix3 R = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
    for (JointDescription& joint : description.joints) {
      if (joint.parent == description.root) joint.X_PJ = Pose{R, Vector3(0.1, 0.2, 0.3)} * joint.X_PJ;
    }
    Robot robot = flat;
    robot.model = RobotModel(description, flat.model.options());
    InstantReader reader(robot, {"tool"}), level(flat, {"tool"});
    DeployedEstimator estimator(reader), expected(level);
    for (const char* pose : {"bent", "straight"}) {
      ASSERT_EQ(level.at(observed(flat.pose(pose), VectorX::Unit(3, 0))).status(), Status::ok);
      ASSERT_EQ(reader
                    .at(observed(
                        flat.pose(pose),
                        VectorX::Unit(3, 0) + reader.at(observed(flat.pose(pose), VectorX::Zero(3))).gravity_torque()))
                    .status(),
                Status::ok);
      const WrenchEstimate &turned = estimator.solve(reader.instant())[0],
                           &straight = expected.solve(level.instant())[0];
      EXPECT_LE(largest(turned.wrench.force - R * straight.wrench.force), tolerance::kRecoveredWrench * straight.kappa)
          << pose;
      EXPECT_NEAR(turned.kappa, straight.kappa, tolerance::kSameQuantity * straight.kappa * straight.kappa);
      EXPECT_EQ(turned.rank, 2);
    }
  }
}

TEST(WrenchEstimators, BadInputGivesNaNAndRecovers) {
  const Robot robot = test::own_robot("h1_2");
  InstantReader reader(robot, kLimbs);
  DeployedEstimator deployed(reader, {.characteristic_length = 0.3});
  StackedEstimator stacked(reader), with_base(reader, StackedRows::motors_and_base);
  RandomStates random(802);
  SCOPED_TRACE(random.text());
  const Observation good = observed(random.vector(27), random.vector(27));
  Observation bad = good, small = good;
  bad.tau[5] = kNaN;
  small.q.resize(3);
  const auto expect_invalid = [](const WrenchEstimates& estimates, Status status) {
    ASSERT_EQ(estimates.size(), 4u);
    for (const WrenchEstimate& e : estimates) {
      EXPECT_EQ(e.status, status);
      EXPECT_EQ(e.verdict, Verdict::invalid_input);
      EXPECT_EQ(e.reasons, Reason::invalid_input);
      EXPECT_TRUE(e.wrench.to_vector().array().isNaN().all());
      EXPECT_TRUE(e.gain.array().isNaN().all());
      EXPECT_EQ(e.gain.cols(), 27);
      EXPECT_TRUE(e.reference_gain.array().isNaN().all());
      EXPECT_TRUE(std::isnan(e.reference_residual) && std::isnan(e.kappa) && std::isnan(e.sigma_min));
      EXPECT_TRUE(std::isnan(e.sigma_max) && std::isnan(e.manipulability) && std::isnan(e.kappa_scaled));
      EXPECT_EQ(e.rank, 0);
    }
  };
  const auto expect_all = [&](Status status) {
    expect_invalid(deployed.solve(reader.instant()), status);
    expect_invalid(stacked.solve(reader.instant()), status);
    expect_invalid(with_base.solve(reader.instant()), status);
  };
  expect_all(Status::not_computed);
  reader.at(good);
  reader.at(bad);
  expect_all(Status::not_finite);
  reader.at(small);
  expect_all(Status::wrong_size);
  reader.at(good);
  for (const auto* estimates :
       {&deployed.solve(reader.instant()), &stacked.solve(reader.instant()), &with_base.solve(reader.instant())}) {
    for (const WrenchEstimate& e : *estimates) EXPECT_TRUE(e.status == Status::ok && e.wrench.is_finite());
  }
}

TEST(WrenchEstimators, InstantOfAnotherRobotIsRefused) {
  const Robot robot = test::own_robot("h1_2"), arm = test::own_robot("planar_3r");
  InstantReader two(robot, {kLimbs[0], kLimbs[1]}), one(robot, {kLimbs[0]}), other(arm, {"tool"});
  two.at(observed(robot.pose("zero"), VectorX::Zero(27)));
  one.at(observed(robot.pose("zero"), VectorX::Zero(27)));
  other.at(observed(arm.pose("bent"), VectorX::Zero(3)));
  DeployedEstimator deployed(two);
  EXPECT_EQ(deployed.solve(two.instant())[1].status, Status::ok);
  const WrenchEstimates& estimates = deployed.solve(one.instant());
  EXPECT_EQ(estimates[0].status, Status::ok);
  EXPECT_EQ(estimates[1].status, Status::wrong_size) << "what was not computed now is not shown from before";
  EXPECT_TRUE(estimates[1].wrench.force.array().isNaN().all());
  EXPECT_EQ(deployed.solve(other.instant())[0].status, Status::wrong_size);
  StackedEstimator stacked(two);
  EXPECT_EQ(stacked.solve(one.instant())[0].status, Status::wrong_size);
  StackedEstimator stacked_one(one);
  EXPECT_EQ(stacked_one.solve(one.instant())[0].status, Status::ok);
  EXPECT_EQ(stacked_one.solve(other.instant())[0].status, Status::wrong_size);
  EXPECT_TRUE(stacked_one.solve(other.instant())[0].wrench.force.array().isNaN().all());
}

/// Four wrenches under which the six base rows are in balance too: three at will, the fourth so that all adds up.
TEST(StackedEstimator, RecoversFourWrenchesAtOnce) {
  const Robot robot = test::own_robot("h1_2");
  RandomStates random(803);
  SCOPED_TRACE(random.text());
  for (int i = 0; i < 20; ++i) {
    VectorX q = random.vector(27, 0.5);
    q[3] += 0.8, q[9] += 0.8;  // knees bent: no leg is stretched out
    q[16] += 0.5, q[23] += 0.5;
    InstantReader reader(robot, kLimbs);
    ASSERT_EQ(reader.at(observed(q, VectorX::Zero(27))).status(), Status::ok);
    std::vector<Vector6> w(4);
    Vector6 missing = -reader.instant().base_residual();  // g of the base rows
    for (int k = 0; k < 3; ++k) {
      w[static_cast<std::size_t>(k)] = random.vector(6, 40.0);
      missing -= reader.instant().base_jacobian(k).transpose() * w[static_cast<std::size_t>(k)];
    }
    w[3] = reader.instant().base_jacobian(3).transpose().partialPivLu().solve(missing);
    ASSERT_EQ(reader.at(observed(q, torque_at_rest(robot, q, kLimbs, w))).status(), Status::ok);
    for (const StackedRows rows : {StackedRows::motors, StackedRows::motors_and_base}) {
      for (const Sign sign : {Sign::on_environment, Sign::on_robot}) {
        StackedEstimator estimator(reader, rows, {.sign = sign});
        const WrenchEstimates& estimates = estimator.solve(reader.instant());
        EXPECT_EQ(estimator.matrix().rows(), rows == StackedRows::motors ? 27 : 33);
        EXPECT_EQ(estimator.matrix().cols(), 24);
        for (std::size_t k = 0; k < 4; ++k) {
          ASSERT_EQ(estimates[k].verdict, Verdict::ok);
          EXPECT_EQ(estimates[k].rank, 24);
          const Vector6 expected = sign == Sign::on_robot ? w[k] : Vector6(-w[k]);
          EXPECT_LE(largest(estimates[k].wrench.to_vector() - expected),
                    tolerance::kRecoveredWrench * estimates[k].kappa)
              << kLimbs[k];
        }
      }
    }
  }
}

TEST(StackedEstimator, OneEndpointWithMotorRowsIsTheDeployedOne) {
  const Robot robot = test::own_robot("h1_2");
  RandomStates random(804);
  SCOPED_TRACE(random.text());
  InstantReader reader(robot, {kLimbs[1]});
  ASSERT_EQ(reader.at(observed(random.vector(27), random.vector(27, 30.0))).status(), Status::ok);
  DeployedEstimator deployed(reader);
  StackedEstimator stacked(reader);
  const WrenchEstimate& a = deployed.solve(reader.instant())[0];
  const WrenchEstimate& b = stacked.solve(reader.instant())[0];
  EXPECT_LE(largest(a.wrench.to_vector() - b.wrench.to_vector()), tolerance::kRecoveredWrench * a.kappa);
  EXPECT_LE(largest(a.gain - b.gain), tolerance::kRecoveredWrench * a.kappa);
  EXPECT_NEAR(a.kappa, b.kappa, tolerance::kSameQuantity * a.kappa * a.kappa);
}

TEST(StackedEstimator, FixedBaseHasNoBaseRows) {
  const Robot robot = test::own_robot("planar_3r");
  const InstantReader reader(robot, {"tool"});
  EXPECT_NO_THROW(StackedEstimator(reader, StackedRows::motors));
  EXPECT_THROW(StackedEstimator(reader, StackedRows::motors_and_base), ModelError);
}

TEST(StackedEstimator, TheSameEndpointTwiceIsUnobservable) {
  const Robot robot = test::own_robot("h1_2");
  InstantReader reader(robot, {kLimbs[0], kLimbs[0]});
  ASSERT_EQ(reader.at(observed(robot.pose("zero"), VectorX::Ones(27))).status(), Status::ok);
  StackedEstimator estimator(reader, StackedRows::motors, {.relative_tolerance = 1e-12});
  for (const WrenchEstimate& estimate : estimator.solve(reader.instant())) {
    EXPECT_EQ(estimate.rank, 6);
    EXPECT_EQ(estimate.verdict, Verdict::unobservable);
    EXPECT_EQ(estimate.reasons, Reason::rank_deficient);
  }
}

}  // namespace
}  // namespace antaeus
