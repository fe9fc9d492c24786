#include "antaeus/control/joint_path_reference.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "antaeus/core/error.hpp"
#include "control/tolerances.hpp"
#include "space/space_robots.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

struct Path {
  JointPathReference path;
  SingularCrossing crossing;
};

Path wrist_path(test::RandomStates& random) {
  const RobotModel model = test::own_robot("spacecraft_ur3").model;
  VectorX q = random.configuration(model);
  SingularCrossing crossing{.theta = VectorX(6), .direction = random.vector(6), .speed = 0.5, .offset = 0.02};
  crossing.theta << 0.3, -1.0, 1.4, -0.4, 0.0, 0.2;
  crossing.direction[4] = 1.0;
  Path result{JointPathReference(test::flyer("spacecraft_ur3"), q), crossing};
  EXPECT_EQ(result.path.offset_at(crossing.theta), Status::ok);
  return result;
}

Vector3 rotation_vector(const Matrix3& R) {
  const Eigen::AngleAxisd turn(R);
  return turn.angle() * turn.axis();
}

TEST(JointPathReference, VelocitiesAndAccelerationsAreTheDerivativesOfThePoses) {
  test::RandomStates random(6101);
  SCOPED_TRACE(random.text());
  Path p = wrist_path(random);
  const double h = 1e-5;
  // Within the offset's window, at its edge, on the constant part, while it stops and after.
  for (const double t : {0.05, 0.3, 0.7, 0.95, 1.2, 1.7, 2.0, 2.35, 3.0}) {
    SCOPED_TRACE(t);
    const PoseReference before = p.path.at(p.crossing, t - h).end_effector;
    const VectorX q_before = p.path.q();
    const VectorX v_before = p.path.v();
    const PoseReference after = p.path.at(p.crossing, t + h).end_effector;
    const VectorX q_after = p.path.q(), v_after = p.path.v();
    const PoseReference now = p.path.at(p.crossing, t).end_effector;
    ASSERT_EQ(p.path.status(), Status::ok);
    const auto rate = [h](const Vector3& a, const Vector3& b) { return Vector3((b - a) / (2.0 * h)); };
    EXPECT_LT((rate(before.X_WE.translation, after.X_WE.translation) - now.velocity).norm(), tolerance::kPathRate);
    EXPECT_LT((rate(before.velocity, after.velocity) - now.acceleration).norm(), tolerance::kPathRate);
    EXPECT_LT((rate(before.omega, after.omega) - now.omega_dot).norm(), tolerance::kPathRate);
    const Vector3 turned = rotation_vector(after.X_WE.rotation * before.X_WE.rotation.transpose()) / (2.0 * h);
    EXPECT_LT((turned - now.omega).norm(), tolerance::kPathRate);
    VectorX moved(12);
    const RobotModel model = test::own_robot("spacecraft_ur3").model;
    ASSERT_EQ(model.difference(q_before, q_after, moved), Status::ok);
    EXPECT_LT((moved / (2.0 * h) - p.path.v()).norm(), tolerance::kPathRate);
    EXPECT_LT(((v_after - v_before) / (2.0 * h) - p.path.v_dot()).norm(), tolerance::kPathRate);
  }
}

TEST(JointPathReference, IsAMotionOfTheRobotWithBaseAttitudeAndCentreOfMassAtRest) {
  test::RandomStates random(6102);
  SCOPED_TRACE(random.text());
  Path p = wrist_path(random);
  FreeFlyer flying = test::flyer("spacecraft_ur3");
  Dynamics dynamics(flying.model());
  VectorX tau(12);
  const FlyingReference start = p.path.at(p.crossing, 0.0);
  for (const double t : {0.0, 0.6, 1.5, 2.0, 5.0}) {
    p.crossing.offset = 0.0;
    const FlyingReference reference = p.path.at(p.crossing, t);
    const FreeFlyingMotion& motion = flying.motion_at(p.path.q(), p.path.v());
    EXPECT_LT(motion.v_c.norm() + motion.omega_b.norm(), tolerance::kPathState);
    EXPECT_LT((motion.p_com - reference.com.position).norm(), tolerance::kPathState);
    EXPECT_LT((motion.p_com - start.com.position).norm(), tolerance::kPathState);
    EXPECT_LT((motion.X_WE.translation - reference.end_effector.X_WE.translation).norm(), tolerance::kPathState);
    EXPECT_LT((motion.X_WE.rotation - reference.end_effector.X_WE.rotation).norm(), tolerance::kPathState);
    EXPECT_LT((motion.X_WE.rotation * motion.nu_e.head<3>() - reference.end_effector.velocity).norm(),
              tolerance::kPathState);
    ASSERT_EQ(dynamics.inverse_dynamics(p.path.q(), p.path.v(), p.path.v_dot(), tau), Status::ok);
    EXPECT_LT((tau - p.path.tau()).norm(), tolerance::kPathTorque);
    EXPECT_LT(p.path.tau().head<3>().norm(), tolerance::kPathTorque) << "nothing pushes the centre of mass";
  }
}

TEST(JointPathReference, OffsetPointsWhereTheSingularPoseCannotMove) {
  test::RandomStates random(6103);
  Path p = wrist_path(random);
  FreeFlyer flying = test::flyer("spacecraft_ur3");
  VectorX q = flying.model().neutral();
  q.tail(6) = p.crossing.theta;
  Matrix6X J(6, 6);
  ASSERT_EQ(flying.j_plus(q, J), Status::ok);
  EXPECT_NEAR(p.path.offset_direction().norm(), 1.0, tolerance::kPathState);
  EXPECT_LT((J.transpose() * p.path.offset_direction()).norm(), tolerance::kPathState) << "on any base pose";
  p.crossing.offset = 0.0;
  const Pose without = p.path.at(p.crossing, 0.7).end_effector.X_WE;
  p.crossing.offset = 0.02;
  const Pose with = p.path.at(p.crossing, 0.7).end_effector.X_WE;
  Vector6 moved;
  moved << without.rotation.transpose() * (with.translation - without.translation),
      rotation_vector(without.rotation.transpose() * with.rotation);
  EXPECT_LT((moved - 0.02 * p.path.offset_direction()).norm(), tolerance::kPathState) << "the whole of it at s = 0";
}

TEST(JointPathReference, BadInputGivesNaNAndAStatusAndDoesNotStick) {
  test::RandomStates random(6104);
  Path p = wrist_path(random);
  const VectorX theta = p.crossing.theta, still = VectorX::Zero(6);
  VectorX bad = theta;
  bad[2] = kNaN;
  EXPECT_TRUE(std::isnan(p.path.at(bad, still, still).end_effector.velocity.x()));
  EXPECT_EQ(p.path.status(), Status::not_finite);
  p.path.at(theta, still, bad);
  EXPECT_EQ(p.path.status(), Status::not_finite);
  p.path.at(theta, VectorX::Zero(5), still);
  EXPECT_EQ(p.path.status(), Status::wrong_size);
  p.crossing.speed = 0.0;
  p.path.at(p.crossing, 0.1);
  EXPECT_EQ(p.path.status(), Status::not_finite);
  EXPECT_EQ(p.path.offset_at(VectorX::Zero(5)), Status::wrong_size);
  EXPECT_EQ(p.path.offset_direction().norm(), 0.0);
  p.path.at(theta, still, still);
  EXPECT_EQ(p.path.status(), Status::ok);
  EXPECT_THROW(JointPathReference(test::flyer("spacecraft_ur3"), VectorX::Zero(13)), Error);
}

TEST(JointPathReference, DoesNotAllocate) {
  test::RandomStates random(6105);
  Path p = wrist_path(random);
  for (int i = 0; i < 20; ++i) {
    const double time = i == 13 ? kNaN : 0.1 * i;
    test::AllocationCounter counter;
    p.path.at(p.crossing, time);
    p.path.offset_at(p.crossing.theta);
    ASSERT_EQ(counter.count(), 0) << i;
  }
}

}  // namespace
}  // namespace antaeus
