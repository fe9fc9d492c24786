// A mistake is planted, found, stated in a profile, and the log read through it is the right one.
#include "antaeus/check/fix.hpp"

#include <gtest/gtest.h>

#include "antaeus/check/mutate.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "check/check_support.hpp"
#include "check/tolerances.hpp"
#include "io/io_support.hpp"

namespace antaeus {
namespace {

using test::finding_of;
using test::right_log;

class Fixed : public testing::Test {
 protected:
  /// What the log reads as through the profile that mends the findings, after it was written and loaded.
  Episode read(const Episode& wrong, std::vector<Finding> findings) {
    CheckResult result;
    result.findings = std::move(findings);
    Robot fixed = robot_;
    fixed.profile = fixed_profile(robot_, result, not_fixed_);
    write_profile(fixed, folder_.path());
    reloaded_ = load_robot((folder_.path() / "profile.toml").string());
    Episode mended = wrong;
    apply_channel_map(reloaded_->profile.channels, mended);
    return mended;
  }
  Episode plant(Fault fault, std::vector<std::string> joints = {}, double size = kNaN) {
    planted_ = {fault, std::move(joints), size};
    return mutate(robot_, right_, planted_);
  }
  SampleMatrix torques(const Robot& robot, const Episode& log) const {
    SampleMatrix result = log.tau;
    for (Eigen::Index m = 0; m < result.cols(); ++m) {
      for (double& tau : result.col(m)) tau = robot.profile.joint_torque(static_cast<std::size_t>(m), tau);
    }
    return result;
  }
  void expect_right(const Episode& mended) const {
    const auto differs = [](const auto& a, const auto& b) { return (a - b).cwiseAbs().maxCoeff(); };
    EXPECT_LE(differs(mended.time, right_.time), tolerance::kMendedClock);
    EXPECT_LE(differs(mended.q, right_.q), tolerance::kMendedChannel);
    EXPECT_LE(differs(mended.target, right_.target), tolerance::kMendedChannel);
    EXPECT_LE(differs(mended.v, right_.v), tolerance::kMendedChannel);
    EXPECT_LE(differs(mended.a, right_.a), tolerance::kMendedChannel);
    EXPECT_LE(differs(torques(*reloaded_, mended), torques(robot_, right_)), tolerance::kMendedChannel);
    EXPECT_LE(differs(mended.imu_quaternion, right_.imu_quaternion), tolerance::kMendedChannel);
    EXPECT_LE(differs(mended.imu_specific_force, right_.imu_specific_force), tolerance::kMendedChannel);
    EXPECT_LE(differs(mended.imu_angular_velocity, right_.imu_angular_velocity), tolerance::kMendedChannel);
    EXPECT_TRUE(not_fixed_.empty());
  }

  test::TemporaryFolder folder_;
  Robot robot_ = test::own_robot("ur5e");
  Episode right_ = right_log(robot_);
  PlantedFault planted_;
  std::optional<Robot> reloaded_;
  std::vector<std::string> not_fixed_;
};

TEST_F(Fixed, UnitsAndSigns) {
  for (const Fault fault :
       {Fault::time_unit, Fault::position_unit, Fault::position_offset, Fault::position_sign, Fault::velocity_scale,
        Fault::velocity_sign, Fault::torque_sign, Fault::torque_gain, Fault::motor_side, Fault::quaternion_inverse,
        Fault::accelerometer_unit, Fault::accelerometer_sign, Fault::gyro_unit, Fault::gyro_sign}) {
    SCOPED_TRACE(to_string(fault));
    const Episode wrong = plant(fault);
    // What is planted as a gear is found as what the channel reads.
    const double found = fault == Fault::motor_side ? 1.0 / planted_.size : planted_.size;
    expect_right(read(wrong, {finding_of(fault, planted_.joints, found)}));
  }
  const Episode degrees = plant(Fault::positions_degrees);
  Finding found = finding_of(Fault::positions_degrees, planted_.joints, planted_.size);
  found.channel = "qpos, dq";
  expect_right(read(degrees, {found}));
}

TEST_F(Fixed, SomeJointsAndSizesThatDiffer) {
  Episode wrong = plant(Fault::torque_sign, {"elbow_joint", "wrist_1_joint"});
  expect_right(read(wrong, {finding_of(Fault::torque_sign, planted_.joints, -1.0)}));
  wrong = right_;
  wrong.tau.col(1) *= 2.0, wrong.tau.col(3) *= -0.25;
  expect_right(
      read(wrong, {finding_of(Fault::torque_gain, {"shoulder_lift_joint", "wrist_1_joint"}, 2.0, {2.0, -0.25})}));
}

TEST_F(Fixed, OrdersAreOfTheColumnThatHoldsEachMotor) {
  Episode wrong = right_;
  // Column 0 holds motor 1, 1 holds 2, 2 holds 0.
  wrong.tau.col(0) = right_.tau.col(1), wrong.tau.col(1) = right_.tau.col(2), wrong.tau.col(2) = right_.tau.col(0);
  const std::vector<std::string> all = robot_.model.motor_names();
  expect_right(read(wrong, {finding_of(Fault::torque_order, all, kNaN, {2, 0, 1, 3, 4, 5})}));
  const Episode joints = plant(Fault::joint_order);
  std::vector<double> columns = {0, 1, 2, 3, 4, 5};
  std::swap(columns[static_cast<std::size_t>(robot_.model.motor(planted_.joints[0]))],
            columns[static_cast<std::size_t>(robot_.model.motor(planted_.joints[1]))]);
  expect_right(read(joints, {finding_of(Fault::joint_order, all, kNaN, columns)}));
  Finding velocities = finding_of(Fault::joint_order, all, kNaN, columns);
  velocities.channel = "dq";
  read(joints, {velocities});
  EXPECT_EQ(not_fixed_.size(), 1U);
  EXPECT_THROW(read(joints, {finding_of(Fault::joint_order, all, kNaN, {0, 0, 1, 2, 3, 4})}), OptionsError);
  EXPECT_THROW(read(joints, {finding_of(Fault::joint_order, all, kNaN, {0, 1, 2, 3, 4, 9})}), OptionsError);
}

TEST_F(Fixed, TheQuaternionsOrder) {
  const Episode wrong = plant(Fault::quaternion_order);
  Finding found = finding_of(Fault::quaternion_order, {}, kNaN);
  found.unit = "wxyz";
  // The order of a file's numbers is applied where the file is read.
  write_episode(wrong, folder_.path() / "log");
  Episode mended = read(wrong, {found});
  mended = load_episode(folder_.path() / "log", *reloaded_);
  expect_right(mended);
}

TEST_F(Fixed, DelaysToTwoSamplesOfInterpolation) {
  for (const Fault fault : {Fault::torque_late, Fault::velocity_late}) {
    Episode wrong = plant(fault, {}, 0.0173);
    Episode mended = read(wrong, {finding_of(fault, {}, 0.0173)});
    const auto share = [](const SampleMatrix& a, const SampleMatrix& b) {
      constexpr Eigen::Index kEnds = 8;
      return (a - b).middleRows(kEnds, a.rows() - 2 * kEnds).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
    };
    EXPECT_LE(share(mended.v, right_.v), tolerance::kMendedDelay) << to_string(fault);
    EXPECT_LE(share(mended.tau, right_.tau), tolerance::kMendedTorqueDelay) << to_string(fault);
  }
}

TEST_F(Fixed, ASecondFixIsTakenAgainstTheFirst) {
  Episode wrong = right_;
  wrong.time *= 1e3;
  wrong.q *= 2.0, wrong.target *= 2.0;
  wrong.q.col(0).array() += 0.3, wrong.target.col(0).array() += 0.3;
  // q = reading / 2 first, so that the offset looks like 0.15.
  const Finding unit = finding_of(Fault::position_unit, {}, 2.0), clock = finding_of(Fault::time_unit, {}, 1e3);
  Episode once = read(wrong, {unit, clock});
  EXPECT_NEAR(once.q(5, 0) - right_.q(5, 0), 0.15, tolerance::kMendedChannel);
  robot_ = *reloaded_;
  expect_right(read(wrong, {finding_of(Fault::position_offset, {"shoulder_pan_joint"}, 0.15)}));
}

TEST_F(Fixed, WhatNoKeyMendsIsToldWithItsRemedy) {
  Finding payload = finding_of(Fault::payload, {}, 2.0);
  payload.remedy = "say --payload tool0=2";
  Finding note = finding_of(Fault::torque_quantised, {}, 0.1);
  note.severity = Severity::note;
  CheckResult result;
  result.findings = {payload, finding_of(Fault::gravity_removed, {}, kNaN), finding_of(Fault::torque_gain, {}, kNaN),
                     note};
  std::vector<std::string> not_fixed = {"of an earlier call"};
  const RobotProfile profile = fixed_profile(robot_, result, not_fixed);
  ASSERT_EQ(not_fixed.size(), 3U);
  EXPECT_EQ(not_fixed[0], "payload: say --payload tool0=2");
  EXPECT_TRUE(profile.channels.is_identity());
  EXPECT_EQ(profile.figures[0].scale, robot_.profile.figures[0].scale);
  result.findings = {finding_of(Fault::torque_sign, {"nobody"}, -1.0)};
  EXPECT_THROW(fixed_profile(robot_, result, not_fixed), OptionsError);
  result.findings = {finding_of(Fault::imu_link, {"tool0"}, kNaN)};
  EXPECT_EQ(fixed_profile(robot_, result, not_fixed).imu.frame, "tool0");
}

}  // namespace
}  // namespace antaeus
