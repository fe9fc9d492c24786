// What check_log calls a log: right ones, wrong ones, and what is hardly a log.
#include <gtest/gtest.h>

#include <algorithm>

#include "antaeus/check/mutate.hpp"
#include "check/check_support.hpp"
#include "core/random.hpp"

namespace antaeus {
namespace {

using test::right_log;

/// The arm's log with the noise of sensors: without any, a covariance of nothing would be asked for.
Episode noisy_log(const Robot& robot) {
  Episode log = right_log(robot);
  log.imu_quaternion.resize(0, 4);
  log.imu_angular_velocity.resize(0, 3);
  log.imu_specific_force.resize(0, 3);
  detail::Random<> random(7);
  for (Eigen::Index i = 0; i < log.steps(); ++i) {
    for (Eigen::Index m = 0; m < log.q.cols(); ++m) {
      log.q(i, m) += 1e-4 * random.normal();
      log.v(i, m) += 0.005 * random.normal();
      log.tau(i, m) += 0.1 * random.normal();
    }
  }
  return log;
}

class CheckLog : public testing::Test {
 protected:
  CheckResult planted(Fault fault, std::vector<std::string> joints = {}, double size = kNaN) {
    PlantedFault what{fault, std::move(joints), size};
    return check_log(robot_, mutate(robot_, right_, what));
  }
  static std::string first(const CheckResult& result) {
    return result.findings.empty() ? "" : std::string(to_string(result.findings.front().fault));
  }
  Robot robot_ = test::own_robot("ur5e");
  Episode right_ = noisy_log(robot_);
};

TEST_F(CheckLog, FindsNothingInALogThatIsRight) {
  const CheckResult result = check_log(robot_, right_);
  EXPECT_TRUE(result.torques_judged);
  EXPECT_FALSE(has_errors(result)) << first(result);
  EXPECT_EQ(result.torque.gravity, GravityContent::included);
  EXPECT_EQ(result.torque.sign, "as the model");
  EXPECT_NEAR(result.rate, 200.0, 0.1);
  for (const CheckedJoint& joint : result.joints) EXPECT_GT(joint.moved, 0.5) << joint.joint;
}

TEST_F(CheckLog, NamesWhatIsPlanted) {
  for (const Fault fault : {Fault::time_unit, Fault::positions_degrees, Fault::velocity_scale, Fault::velocity_late,
                            Fault::torque_frozen, Fault::gravity_removed, Fault::time_gap, Fault::time_back}) {
    const CheckResult result = planted(fault);
    EXPECT_EQ(first(result), to_string(fault));
    ASSERT_FALSE(result.findings.empty());
    EXPECT_FALSE(result.findings.front().remedy.empty());
  }
}

TEST_F(CheckLog, NamesWhatIsPlantedInTheImu) {
  const Episode with_imu = right_log(robot_);
  right_.imu_quaternion = with_imu.imu_quaternion;
  right_.imu_specific_force = with_imu.imu_specific_force;
  right_.imu_angular_velocity = with_imu.imu_angular_velocity;
  right_.imu_angular_velocity.rightCols<2>().setZero();  // the quaternion turns about x alone
  EXPECT_FALSE(has_errors(check_log(robot_, right_)));
  for (const Fault fault : {Fault::gyro_unit, Fault::gyro_sign, Fault::accelerometer_unit, Fault::accelerometer_sign,
                            Fault::quaternion_order, Fault::quaternion_inverse}) {
    EXPECT_EQ(first(planted(fault)), to_string(fault));
  }
}

TEST_F(CheckLog, NamesTheJointAndTheSize) {
  const CheckResult gain = planted(Fault::torque_gain, {"elbow_joint"}, 3.0);
  ASSERT_EQ(first(gain), "torque_gain");
  EXPECT_EQ(gain.findings.front().joints, std::vector<std::string>{"elbow_joint"});
  EXPECT_NEAR(gain.findings.front().size, 3.0, 4.0 * std::max(gain.findings.front().sd, 0.05));
  const CheckResult order = planted(Fault::torque_order, {"shoulder_lift_joint", "elbow_joint"});
  ASSERT_EQ(first(order), "torque_order");
  ASSERT_EQ(order.findings.front().sizes.size(), 6u);
  EXPECT_EQ(order.findings.front().sizes[1], 2.0);
  EXPECT_EQ(order.findings.front().sizes[2], 1.0);
  const CheckResult sign = planted(Fault::torque_sign, {"shoulder_lift_joint"});
  ASSERT_EQ(first(sign), "torque_sign");
  EXPECT_EQ(sign.findings.front().joints, std::vector<std::string>{"shoulder_lift_joint"});
}

TEST_F(CheckLog, TheMarginOfAFindingIsOverTheNextExplanation) {
  const CheckResult result = planted(Fault::torque_sign, {"shoulder_lift_joint"});
  ASSERT_FALSE(result.findings.empty());
  EXPECT_GT(result.findings.front().margin, CheckOptions{}.tie);
  EXPECT_TRUE(result.findings.front().alternatives.empty());
}

TEST_F(CheckLog, SaysALineOfWhatIsHardlyALog) {
  std::vector<std::pair<const char*, Episode>> logs;
  logs.emplace_back("empty", Episode{});
  Episode row = right_;
  const auto cut = [](Episode& log, Eigen::Index rows) {
    for (SampleMatrix* m : {&log.q, &log.tau, &log.v, &log.target, &log.a}) m->conservativeResize(rows, m->cols());
    log.time.conservativeResize(rows);
  };
  cut(row, 1);
  logs.emplace_back("one row", row);
  Episode brief = right_;
  cut(brief, 150);
  logs.emplace_back("shorter than a second", brief);
  Episode nothing = right_;
  nothing.tau.setConstant(kNaN);
  nothing.q.setConstant(kNaN);
  logs.emplace_back("NaN", nothing);
  Episode untimed = right_;
  untimed.time.setConstant(kNaN);
  logs.emplace_back("no time", untimed);
  Episode huge = right_;
  huge.tau *= 1e300;
  logs.emplace_back("huge", huge);
  Episode without = right_;
  without.tau.resize(0, 6);
  logs.emplace_back("no torques", without);
  Episode still = right_;
  for (Eigen::Index i = 0; i < still.q.rows(); ++i) still.q.row(i) = still.q.row(0), still.v.row(i).setZero();
  logs.emplace_back("no motion", still);
  for (const auto& [name, log] : logs) {
    const CheckResult result = check_log(robot_, log);
    EXPECT_FALSE(result.torques_judged) << name;
    EXPECT_FALSE(result.findings.empty()) << name;
    for (const Finding& finding : result.findings) EXPECT_FALSE(finding.text.empty()) << name;
  }
}

}  // namespace
}  // namespace antaeus
