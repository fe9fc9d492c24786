#pragma once
// A log that is right, of an arm whose torques are those of its model.
#include <cmath>

#include "antaeus/check/check_log.hpp"
#include "antaeus/episode/episode.hpp"
#include "robot/test_robots.hpp"

namespace antaeus::test {

inline constexpr Eigen::Index kRightSteps = 2000;
inline constexpr double kRightPeriod = 0.005;
inline constexpr double kRightCoulomb = 1.5;  ///< [N·m] of every joint, with tanh(v / 0.03)

/// Every joint in sines of its own, every channel there.
inline Episode right_log(const Robot& robot) {
  const int motors = robot.model.motor_count();
  Episode log;
  log.name = "right";
  log.time.resize(kRightSteps);
  for (SampleMatrix* samples : {&log.q, &log.tau, &log.target, &log.v, &log.a}) samples->resize(kRightSteps, motors);
  log.imu_quaternion.resize(kRightSteps, 4);
  log.imu_angular_velocity.resize(kRightSteps, 3);
  log.imu_specific_force.resize(kRightSteps, 3);
  Dynamics dynamics(robot.model);
  VectorX q(robot.model.nq()), tau(robot.model.nv());
  for (Eigen::Index i = 0; i < kRightSteps; ++i) {
    const double t = log.time[i] = kRightPeriod * static_cast<double>(i);
    for (int m = 0; m < motors; ++m) {
      const double rate = 2.0 + 0.3 * m, phase = rate * t + 0.7 * m, size = 0.4;
      log.q(i, m) = 0.2 * m - 0.3 + size * std::sin(phase);
      log.target(i, m) = log.q(i, m) + 0.01;
      log.v(i, m) = size * rate * std::cos(phase);
      log.a(i, m) = -size * rate * rate * std::sin(phase);
    }
    const VectorX v = log.v.row(i), a = log.a.row(i);
    EXPECT_EQ(robot.model.position_from_motors(log.q.row(i).transpose(), Eigen::Vector4d(0, 0, 0, 1), q), Status::ok);
    EXPECT_EQ(dynamics.inverse_dynamics(q, v, a, tau), Status::ok);
    for (int m = 0; m < motors; ++m) log.tau(i, m) = tau[m] + kRightCoulomb * std::tanh(v[m] / 0.03);
    const double tilt = 0.4 * std::sin(t);
    log.imu_quaternion.row(i) << std::sin(tilt / 2), 0.0, 0.0, std::cos(tilt / 2);
    log.imu_angular_velocity.row(i) << 0.4 * std::cos(t), 0.1, -0.2;
    log.imu_specific_force.row(i) << 0.0, 9.81 * std::sin(tilt), 9.81 * std::cos(tilt);
  }
  return log;
}

/// As check_log would find what was planted; the conventions are those of Finding.
inline Finding finding_of(Fault fault, std::vector<std::string> joints, double size, std::vector<double> sizes = {}) {
  Finding finding;
  finding.fault = fault, finding.joints = std::move(joints), finding.size = size, finding.sizes = std::move(sizes);
  finding.remedy = "as the test says";
  return finding;
}

}  // namespace antaeus::test
