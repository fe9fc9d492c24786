#pragma once
/// Robots and states that tasks are tried on.

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "antaeus/tasks/objectives.hpp"
#include "antaeus/tasks/task_solver.hpp"
#include "antaeus/tasks/tasks.hpp"
#include "robot/test_robots.hpp"
#include "support/largest.hpp"
#include "support/tolerances.hpp"

namespace antaeus::test {

inline const char* const kHand = "left_wrist_yaw_link";

/// The state of a robot at a q, as TaskSolver makes it.
class StateAt {
 public:
  explicit StateAt(const RobotModel& model)
      : dynamics_(model), positions_(model.nv()), first_(6, model.nv()), second_(6, model.nv()) {}
  TaskState operator()(const VectorX& q) {
    q_ = q;
    const PositionTerms terms = dynamics_.at(q_);
    EXPECT_EQ(terms.status(), Status::ok);
    EXPECT_EQ(dynamics_.model().difference(dynamics_.model().neutral(), q_, positions_), Status::ok);
    return {dynamics_.model(), terms, q_, positions_, first_, second_};
  }

 private:
  Dynamics dynamics_;
  VectorX q_, positions_;
  Matrix6X first_, second_;
};

inline VectorX moved(const RobotModel& model, const VectorX& q, const VectorX& v) {
  VectorX result(model.nq());
  EXPECT_EQ(model.integrate(q, v, result), Status::ok);
  return result;
}

/// Random joints, 5 % and more of their range away from limits; the base at the origin.
inline VectorX within_limits(const RobotModel& model, RandomStates& random, double share = 0.9) {
  const VectorX lower = model.lower_limits().cwiseMax(-3.0), upper = model.upper_limits().cwiseMin(3.0);
  const VectorX motors =
      0.5 * (lower + upper) + 0.5 * share * (upper - lower).cwiseProduct(random.vector(lower.size()));
  VectorX q(model.nq());
  EXPECT_EQ(model.position_from_motors(motors, {0.0, 0.0, 0.0, 1.0}, q), Status::ok);
  return q;
}

inline Matrix3 random_rotation(RandomStates& random, double angle) {
  const Vector3 axis = random.vector(3);
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

/// The H1-2 on its feet, knees bent: pelvis level, soles flat.
inline VectorX standing(const RobotModel& model, double bend = 0.4) {
  VectorX motors = VectorX::Zero(model.motor_count());
  for (const std::string side : {"left", "right"}) {
    motors[model.motor(side + "_hip_pitch_joint")] = -bend;
    motors[model.motor(side + "_knee_joint")] = 2.0 * bend;
    motors[model.motor(side + "_ankle_pitch_joint")] = -bend;
    motors[model.motor(side + "_elbow_joint")] = 0.8;
  }
  VectorX q(model.nq());
  EXPECT_EQ(model.position_from_motors(motors, {0.0, 0.0, 0.0, 1.0}, q), Status::ok);
  return q;
}

inline Pose pose_of(const RobotModel& model, const VectorX& q, const std::string& frame) {
  Dynamics dynamics(model);
  Pose X;
  EXPECT_EQ(dynamics.at(q).frame_pose(model.frame(frame), X), Status::ok);
  return X;
}

inline Vector3 center_of_mass(const RobotModel& model, const VectorX& q) {
  Dynamics dynamics(model);
  Vector3 p;
  EXPECT_EQ(dynamics.at(q).center_of_mass(p), Status::ok);
  return p;
}

/// Angle between two orientations [rad].
inline double angle_between(const Matrix3& A, const Matrix3& B) { return Eigen::AngleAxisd(A.transpose() * B).angle(); }

}  // namespace antaeus::test
