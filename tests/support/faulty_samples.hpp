#pragma once
/// Samples of a robot that hardly moves, whose channels go wrong at random.

#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "robot/test_robots.hpp"
#include "support/faulty_cycles.hpp"

namespace antaeus::test {

class FaultySamples {
 public:
  static constexpr double kCycle = 0.002;  // [s]

  /// \param centre  motors: about here it stays; torques are those of gravity there
  FaultySamples(const Robot& robot, VectorX centre)
      : centre_(std::move(centre)), tau_(VectorX::Zero(centre_.size())), noise_(tau_) {
    Dynamics dynamics(robot.model);
    VectorX q(robot.model.nq()), g(robot.model.nv());
    EXPECT_EQ(robot.model.position_from_motors(centre_, {0.0, 0.0, 0.0, 1.0}, q), Status::ok);
    EXPECT_EQ(dynamics.at(q).gravity_torque(g), Status::ok);
    EXPECT_EQ(robot.model.select_motor_rows(g, tau_), Status::ok);
    sample.has_imu = sample.has_gyro = sample.has_accelerometer = true;
  }

  /// What one object passes over and another reads goes wrong first: time and inertial sensors.
  void next(Faults& faults) {
    const double last = sample.time;
    clock_ += kCycle;
    sample.time = clock_;
    sample.imu_quaternion_xyzw << 0.0, 0.0, 0.0, 1.0;
    sample.imu_specific_force << 0.0, 0.0, 9.81;
    faults.fill(noise_, 1e-3);
    sample.imu_angular_velocity = 0.1 * noise_.head<3>();
    sample.q = centre_ + 0.1 * noise_;
    sample.v = noise_;
    sample.a = noise_;
    sample.tau = tau_ + 100.0 * noise_;
    faults.spoil_time(sample.time, last);
    faults.spoil_quaternion(sample.imu_quaternion_xyzw);
    faults.spoil_entry(sample.imu_angular_velocity);
    faults.spoil_entry(sample.imu_specific_force);
    faults.pass_over();
    faults.spoil(sample.v);
    faults.spoil(sample.a);
    faults.spoil(sample.q);
    faults.spoil(sample.tau);
  }

  Observation sample;

 private:
  VectorX centre_, tau_, noise_;
  double clock_ = 0.0;
};

}  // namespace antaeus::test
