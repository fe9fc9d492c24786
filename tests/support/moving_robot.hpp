#pragma once
/// A robot on a known path, with the torques and the inertial measurements that belong to it. Everything that a sensor
/// reads is differenced numerically from poses, independent of the code that is tested.

#include <Eigen/Geometry>
#include <cmath>

#include "antaeus/robot/dynamics.hpp"
#include "robot/test_robots.hpp"

namespace antaeus::test {

class MovingRobot {
 public:
  /// \param swing  amplitude of every joint [rad], \param bounce  of the base [m, rad]; 0 stands still
  MovingRobot(const Robot& robot, unsigned seed, double swing, double bounce)
      : robot_(robot), dynamics_(robot.model), swing_(swing), bounce_(bounce) {
    RandomStates random(seed);
    const int motors = robot.model.motor_count();
    centre_ = random.vector(motors, 0.6);
    phase_ = random.vector(motors, 3.0);
    pace_ = random.vector(motors, 1.5).array() + 4.0;
    base_phase_ = random.vector(6, 3.0);
  }

  VectorX motors(double t) const { return centre_.array() + swing_ * (pace_.array() * t + phase_.array()).sin(); }

  VectorX q(double t) const {
    const RobotModel& model = robot_.model;
    Vector6 s = bounce_ * (Vector6::Constant(5.0 * t) + base_phase_).array().sin();
    const Eigen::Quaterniond R = Eigen::AngleAxisd(0.3 + 2 * s[3], Vector3::UnitZ()) *
                                 Eigen::AngleAxisd(s[4], Vector3::UnitY()) * Eigen::AngleAxisd(s[5], Vector3::UnitX());
    VectorX q(model.nq());
    model.position_from_motors(motors(t), R.coeffs(), q);
    if (model.base() == Base::free_flyer) q.head<3>() = s.head<3>();
    return q;
  }
  VectorX v(double t) const {
    VectorX d(robot_.model.nv());
    robot_.model.difference(q(t - kStep), q(t + kStep), d);
    return d / (2 * kStep);
  }
  VectorX a(double t) const { return (v(t + kStep) - v(t - kStep)) / (2 * kStep); }
  Pose pose(const std::string& frame, double t) {
    Pose X;
    dynamics_.at(q(t)).frame_pose(robot_.model.frame(frame), X);
    return X;
  }

  /// Joint torques that the motion takes while \p wrench (world axes, on the robot) acts at \p frame.
  Observation observe(double t, const std::string& frame, const Vector6& wrench) {
    const RobotModel& model = robot_.model;
    VectorX full(model.nv()), tau(model.motor_count()), rate(model.motor_count()), acceleration(model.motor_count());
    const VectorX q = this->q(t), v = this->v(t), a = this->a(t);
    dynamics_.inverse_dynamics(q, v, a, full);
    Matrix6X J(6, model.nv());
    dynamics_.at(q).frame_jacobian(model.frame(frame), J);
    full -= J.transpose() * wrench;
    model.select_motor_rows(full, tau);
    model.select_motor_rows(v, rate);
    model.select_motor_rows(a, acceleration);
    Observation o;
    o.time = t;
    o.q = motors(t);
    o.v = rate;
    o.a = acceleration;
    o.tau = tau;
    if (!robot_.profile.imu.frame.empty()) {
      const std::string& imu = robot_.profile.imu.frame;
      const Pose now = pose(imu, t), before = pose(imu, t - kStep), after = pose(imu, t + kStep);
      const Eigen::AngleAxisd turned(Matrix3(before.rotation.transpose() * after.rotation));
      const Vector3 acceleration_W = (after.translation - 2 * now.translation + before.translation) / (kStep * kStep);
      o.has_imu = o.has_gyro = o.has_accelerometer = true;
      o.imu_quaternion_xyzw = Eigen::Quaterniond(now.rotation).coeffs();
      o.imu_angular_velocity = turned.angle() / (2 * kStep) * turned.axis();
      o.imu_specific_force = now.rotation.transpose() * (acceleration_W - model.gravity());
    }
    return o;
  }

 private:
  /// Balances truncation (h²) and rounding (ε/h²) of second differences: about 1e-7 relative.
  static constexpr double kStep = 1e-4;
  Robot robot_;
  Dynamics dynamics_;
  double swing_, bounce_;
  VectorX centre_, phase_, pace_;
  Vector6 base_phase_;
};

}  // namespace antaeus::test
