// What is planted in a log, channel by channel.
#include "antaeus/check/mutate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "check/check_support.hpp"
#include "check/tolerances.hpp"

namespace antaeus {
namespace {

using test::right_log;

class Planted : public testing::Test {
 protected:
  Episode plant(Fault fault, std::vector<std::string> joints = {}, double size = kNaN) {
    planted_ = {fault, std::move(joints), size};
    return mutate(robot_, right_, planted_);
  }
  static double largest(const SampleMatrix& samples) { return samples.cwiseAbs().maxCoeff(); }
  /// Generalised torque of the arm's model with another load or gravity, at a step.
  VectorX torque(const Robot& robot, Eigen::Index step) {
    Dynamics dynamics(robot.model);
    VectorX q(robot.model.nq()), tau(robot.model.nv());
    const VectorX v = right_.v.row(step), a = right_.a.row(step);
    EXPECT_EQ(robot.model.position_from_motors(right_.q.row(step).transpose(), Eigen::Vector4d(0, 0, 0, 1), q),
              Status::ok);
    EXPECT_EQ(dynamics.inverse_dynamics(q, v, a, tau), Status::ok);
    return tau;
  }
  Robot robot_ = test::own_robot("ur5e");
  Episode right_ = right_log(robot_);
  PlantedFault planted_;
};

TEST_F(Planted, EveryFaultChangesTheLogAndSaysWhat) {
  for (const Fault fault : plantable_faults()) {
    const Episode wrong = plant(fault);
    const bool same = wrong.steps() == right_.steps() && wrong.time == right_.time && wrong.tau == right_.tau &&
                      wrong.q == right_.q && wrong.v == right_.v && wrong.imu_quaternion == right_.imu_quaternion &&
                      wrong.imu_specific_force == right_.imu_specific_force &&
                      wrong.imu_angular_velocity == right_.imu_angular_velocity;
    EXPECT_FALSE(same) << to_string(fault);
    EXPECT_EQ(wrong.name, "right-" + std::string(to_string(fault)));
    ASSERT_FALSE(wrong.notes.empty());
    EXPECT_NE(note_text(wrong.notes.back()).find(to_string(fault)), std::string::npos);
  }
}

TEST_F(Planted, UnitsAndSigns) {
  EXPECT_EQ(plant(Fault::time_unit).time, right_.time * 1e3);
  EXPECT_EQ(plant(Fault::time_unit, {}, 1e9).time, right_.time * 1e9);
  EXPECT_EQ(plant(Fault::torque_sign).tau, -right_.tau);
  EXPECT_EQ(plant(Fault::torque_gain, {}, 3.0).tau, 3.0 * right_.tau);
  EXPECT_LE(largest(plant(Fault::motor_side).tau - right_.tau / 100.0), tolerance::kMendedChannel);
  const Episode degrees = plant(Fault::positions_degrees);
  EXPECT_LE(largest(degrees.q - right_.q * 180.0 / std::numbers::pi), tolerance::kMendedChannel);
  EXPECT_LE(largest(degrees.v - right_.v * 180.0 / std::numbers::pi), tolerance::kMendedChannel);
  EXPECT_EQ(plant(Fault::position_unit).v, right_.v);
  const Episode sign = plant(Fault::velocity_sign, {"elbow_joint"});
  EXPECT_EQ(sign.v.col(2), -right_.v.col(2));
  EXPECT_EQ(sign.v.col(1), right_.v.col(1));
  EXPECT_EQ(planted_.joints, std::vector<std::string>{"elbow_joint"});
  EXPECT_EQ(plant(Fault::gyro_sign).imu_angular_velocity, -right_.imu_angular_velocity);
  EXPECT_LE(std::abs(plant(Fault::accelerometer_unit).imu_specific_force.row(0).norm() - 9.81 / 9.80665),
            tolerance::kMendedChannel);
}

TEST_F(Planted, OrdersDelaysAndTime) {
  const Episode order = plant(Fault::torque_order, {"shoulder_lift_joint", "elbow_joint"});
  EXPECT_EQ(order.tau.col(1), right_.tau.col(2));
  EXPECT_EQ(order.tau.col(2), right_.tau.col(1));
  EXPECT_EQ(order.q, right_.q);
  const Episode joints = plant(Fault::joint_order, {"shoulder_lift_joint", "elbow_joint"});
  EXPECT_EQ(joints.q.col(1), right_.q.col(2));
  EXPECT_EQ(joints.v.col(2), right_.v.col(1));
  EXPECT_EQ(joints.tau, right_.tau);
  // Sixteen samples are 0.08 s.
  const Episode late = plant(Fault::velocity_late);
  EXPECT_LE(largest(late.v.bottomRows(1900) - right_.v.middleRows(84, 1900)), tolerance::kMendedChannel);
  EXPECT_EQ(plant(Fault::time_gap).steps(), right_.steps() - 200);
  EXPECT_LT(plant(Fault::time_back).time[1000], right_.time[999]);
  const VectorX repeated = plant(Fault::time_repeated).time;
  EXPECT_EQ(repeated[10], repeated[9]);
  EXPECT_FALSE(plant(Fault::time_missing).has_time());
}

TEST_F(Planted, TheQuaternionsNumbersMoveAndItsSenseTurns) {
  const Episode order = plant(Fault::quaternion_order);
  EXPECT_EQ(order.imu_quaternion(7, 0), right_.imu_quaternion(7, 3));
  EXPECT_EQ(order.imu_quaternion(7, 1), right_.imu_quaternion(7, 0));
  const Episode inverse = plant(Fault::quaternion_inverse);
  EXPECT_EQ(inverse.imu_quaternion(7, 0), -right_.imu_quaternion(7, 0));
  EXPECT_EQ(inverse.imu_quaternion(7, 3), right_.imu_quaternion(7, 3));
  // A sensor that sits turned still measures gravity upwards in the world.
  const Episode turned = plant(Fault::imu_link);
  const Eigen::Vector4d c = turned.imu_quaternion.row(300).transpose();
  const Vector3 force = turned.imu_specific_force.row(300).transpose();
  const Vector3 v = c.head<3>();
  const Vector3 up = force + 2.0 * v.cross(v.cross(force) + c[3] * force);
  EXPECT_LE((up - Vector3(0, 0, 9.81)).norm(), tolerance::kModelTorque);
  EXPECT_LE(plant(Fault::accelerometer_gravity_removed).imu_specific_force.norm(), tolerance::kModelTorque * 100);
}

TEST_F(Planted, TorquesOfAnotherModel) {
  constexpr Eigen::Index kStep = 700;
  const auto differs_by = [&](const Episode& wrong, const VectorX& wanted) {
    return (VectorX(wrong.tau.row(kStep) - right_.tau.row(kStep)) - wanted).cwiseAbs().maxCoeff();
  };
  const VectorX own = torque(robot_, kStep);
  const Episode loaded = plant(Fault::payload, {}, 2.0);
  Payload payload;
  payload.frame = planted_.joints.front(), payload.inertial.mass = 2.0;
  EXPECT_LE(differs_by(loaded, torque(with_payload(robot_, payload), kStep) - own), tolerance::kModelTorque);
  // A world whose gravity is tilted by hand.
  RobotProfile profile = robot_.profile;
  profile.options.gravity = Vector3(0.0, -9.81 * std::sin(0.1), -9.81 * std::cos(0.1));
  const Robot tilted = make_robot(profile, robot_.model.description());
  EXPECT_LE(differs_by(plant(Fault::base_tilted), torque(tilted, kStep) - own), tolerance::kModelTorque);
  Dynamics dynamics(robot_.model);
  VectorX g(robot_.model.nv());
  ASSERT_EQ(dynamics.at(right_.q.row(kStep).transpose()).gravity_torque(g), Status::ok);
  EXPECT_LE(differs_by(plant(Fault::gravity_removed), -g), tolerance::kModelTorque);
  EXPECT_LE(differs_by(plant(Fault::other_robot), 0.4 * own), tolerance::kModelTorque);
  VectorX friction = right_.v.row(kStep);
  for (double& each : friction) each = -test::kRightCoulomb * std::tanh(each / 0.03);
  EXPECT_LE(differs_by(plant(Fault::friction_removed), friction), tolerance::kFittedFriction);
}

TEST_F(Planted, SaturatedQuantisedFrozenAndSpoilt) {
  const Episode flat = plant(Fault::torque_saturated, {"elbow_joint"}, 0.5);
  EXPECT_DOUBLE_EQ(flat.tau.col(2).cwiseAbs().maxCoeff(), 0.5 * right_.tau.col(2).cwiseAbs().maxCoeff());
  const Episode steps = plant(Fault::torque_quantised, {}, 2.0);
  EXPECT_EQ(steps.tau(11, 1), 2.0 * std::round(right_.tau(11, 1) / 2.0));
  const Episode frozen = plant(Fault::torque_frozen);
  const auto motor = motor_named(robot_.model, planted_.joints.front(), "test");
  EXPECT_EQ(frozen.tau.col(motor).maxCoeff(), frozen.tau.col(motor).minCoeff());
  EXPECT_FALSE(plant(Fault::not_numbers).tau.allFinite());
}

TEST_F(Planted, RefusesWhatCannotBePlanted) {
  EXPECT_THROW(plant(Fault::external_force), OptionsError);
  EXPECT_THROW(plant(Fault::torque_sign, {"elbw"}), OptionsError);
  EXPECT_THROW(plant(Fault::torque_order, {"elbow_joint"}), OptionsError);
  EXPECT_THROW(plant(Fault::torque_gain, {}, 0.0), OptionsError);
  EXPECT_THROW(plant(Fault::time_gap, {}, 100.0), OptionsError);
  right_.v.resize(0, 0);
  EXPECT_THROW(plant(Fault::velocity_sign), OptionsError);
  right_.time.setConstant(kNaN);
  EXPECT_THROW(plant(Fault::time_unit), OptionsError);
}

}  // namespace
}  // namespace antaeus
