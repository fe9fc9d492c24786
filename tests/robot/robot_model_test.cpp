#include "antaeus/robot/robot_model.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "robot/check_inertia.hpp"
#include "robot/test_robots.hpp"
#include "robot/tolerances.hpp"
#include "support/largest.hpp"

namespace antaeus {
namespace {

using test::largest;
using test::RandomStates;

VectorX gravity_torque(const RobotModel& model, const VectorX& q) {
  Dynamics dynamics(model);
  VectorX g(model.nv());
  EXPECT_EQ(dynamics.at(q).gravity_torque(g), Status::ok);
  return g;
}

MatrixX mass_matrix(const RobotModel& model, const VectorX& q) {
  Dynamics dynamics(model);
  MatrixX M(model.nv(), model.nv());
  EXPECT_EQ(dynamics.mass_matrix(q, M), Status::ok);
  return M;
}

VectorX full_position(const RobotModel& model, const VectorX& q_motor) {
  VectorX q(model.nq());
  EXPECT_EQ(model.position_from_motors(q_motor, {0, 0, 0, 1}, q), Status::ok);
  return q;
}

/// What the function throws must be a ModelError whose text holds all the parts.
template <class Function>
void expect_model_error(Function&& function, const std::vector<std::string>& parts) {
  try {
    function();
    ADD_FAILURE() << "nothing was thrown; expected a message with '" << parts.front() << "'";
  } catch (const ModelError& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
  }
}

TEST(RobotModel, FactsOfTheH1_2) {
  const RobotModel model = test::own_robot("h1_2").model;
  EXPECT_EQ(model.nq(), 34);
  EXPECT_EQ(model.nv(), 33);
  EXPECT_EQ(model.motor_count(), 27);
  EXPECT_NEAR(model.total_mass(), 66.984, 5e-4 * tolerance::scale());
  EXPECT_EQ(model.gravity(), Vector3(0, 0, -9.81));
  double sum = 0.0;
  for (const LinkDescription& link : model.description().links) sum += link.inertial.mass;
  EXPECT_NEAR(model.total_mass(), sum, tolerance::kSameQuantity);
}

TEST(RobotModel, PayloadAddsItsMassAndItsWeight) {
  const RobotModel bare = test::own_robot("h1_2").model;
  Payload payload{"left_wrist_yaw_link", {2.5, {0.1, -0.03, 0.04}, 0.01 * Matrix3::Identity()}};
  ModelOptions options = bare.options();
  options.payloads = {payload};
  const RobotModel loaded(bare.description(), options);
  EXPECT_NEAR(loaded.total_mass(), bare.total_mass() + 2.5, tolerance::kSameQuantity);

  RandomStates random(201);
  SCOPED_TRACE(random.text());
  for (int i = 0; i < 10; ++i) {
    const VectorX q = random.configuration(bare);
    Dynamics dynamics(bare);
    const PositionTerms terms = dynamics.at(q);
    Matrix6X J(6, bare.nv());
    Pose X;
    ASSERT_EQ(terms.frame_jacobian(bare.frame(payload.frame), J), Status::ok);
    ASSERT_EQ(terms.frame_pose(bare.frame(payload.frame), X), Status::ok);
    // The load's weight pulls at its centre of mass; the motors hold it with the opposite of Jᵀ m γ.
    const Vector3 arm = X.rotation * payload.inertial.center_of_mass;
    const Vector3 weight = 2.5 * bare.gravity();
    const VectorX by_hand = -(J.topRows<3>().transpose() * weight + J.bottomRows<3>().transpose() * arm.cross(weight));
    EXPECT_LE(largest(gravity_torque(loaded, q) - gravity_torque(bare, q) - by_hand), tolerance::kSameQuantity);
    // Its inertia in joint space: m J_cᵀ J_c + J_ωᵀ I J_ω.
    MatrixX J_c = J.topRows<3>();
    for (int k = 0; k < bare.nv(); ++k) J_c.col(k) += J.col(k).tail<3>().cross(arm);
    const MatrixX inertia = 2.5 * J_c.transpose() * J_c + 0.01 * J.bottomRows<3>().transpose() * J.bottomRows<3>();
    EXPECT_LE(largest(mass_matrix(loaded, q) - mass_matrix(bare, q) - inertia), tolerance::kSameQuantity);
  }
}

TEST(RobotModel, LockedJointsEqualTheFullModelAtThatPosition) {
  const RobotModel full = test::own_robot("h1_2").model;
  ModelOptions options = full.options();
  options.locked_joints = {{"torso_joint", 0.3}, {"right_elbow_joint", -0.5}};
  options.motors.clear();
  const RobotModel locked(full.description(), options);
  ASSERT_EQ(locked.nv(), 31);
  ASSERT_EQ(locked.motor_count(), 25);
  EXPECT_TRUE(locked.has_frame("torso_joint"));
  EXPECT_NEAR(locked.total_mass(), full.total_mass(), tolerance::kSameQuantity);
  RandomStates random(202);
  SCOPED_TRACE(random.text());
  for (int i = 0; i < 10; ++i) {
    const VectorX q_locked_motor = random.vector(25, 2.0);
    VectorX q_motor = VectorX::Zero(27);
    q_motor[full.motor("torso_joint")] = 0.3;
    q_motor[full.motor("right_elbow_joint")] = -0.5;
    std::vector<int> rows = {0, 1, 2, 3, 4, 5};  // of the full model, in the locked one's order
    std::vector<int> locked_rows = rows;
    for (int m = 0; m < 25; ++m) {
      const int motor = full.motor(locked.motor_names()[static_cast<std::size_t>(m)]);
      q_motor[motor] = q_locked_motor[m];
      rows.push_back(full.motor_rows()[static_cast<std::size_t>(motor)]);
      locked_rows.push_back(locked.motor_rows()[static_cast<std::size_t>(m)]);
    }
    const VectorX q = full_position(full, q_motor), q_locked = full_position(locked, q_locked_motor);
    const VectorX g = gravity_torque(full, q)(rows);
    EXPECT_LE(largest(gravity_torque(locked, q_locked)(locked_rows) - g), tolerance::kSameQuantity);
    const MatrixX M = mass_matrix(full, q)(rows, rows);
    EXPECT_LE(largest(mass_matrix(locked, q_locked)(locked_rows, locked_rows) - M), tolerance::kSameQuantity);
    Dynamics full_dynamics(full), locked_dynamics(locked);
    for (const std::string frame : {"right_wrist_yaw_link", "imu_link", "torso_joint"}) {
      Pose X, X_locked;
      Matrix6X J(6, 33), J_locked(6, 31);
      const PositionTerms terms = full_dynamics.at(q), locked_terms = locked_dynamics.at(q_locked);
      ASSERT_EQ(terms.frame_pose(full.frame(frame), X), Status::ok);
      ASSERT_EQ(locked_terms.frame_pose(locked.frame(frame), X_locked), Status::ok);
      ASSERT_EQ(terms.frame_jacobian(full.frame(frame), J), Status::ok);
      ASSERT_EQ(locked_terms.frame_jacobian(locked.frame(frame), J_locked), Status::ok);
      EXPECT_LE(largest(X.translation - X_locked.translation), tolerance::kSameQuantity) << frame;
      EXPECT_LE(largest(X.rotation - X_locked.rotation), tolerance::kSameQuantity) << frame;
      EXPECT_LE(largest(MatrixX(J(Eigen::all, rows)) - MatrixX(J_locked(Eigen::all, locked_rows))),
                tolerance::kSameQuantity)
          << frame;
    }
  }
}

TEST(RobotModel, LockedSlideStandsWhereItIsHeld) {
  ModelOptions options = test::fixed_base();
  options.locked_joints = {{"slide", 0.3}};
  const RobotModel model(test::mixed_description(), options);
  options.locked_joints = {{"slide", 0.0}};
  const RobotModel at_zero(test::mixed_description(), options);
  const auto position = [](const RobotModel& m) {
    Dynamics dynamics(m);
    Pose X;
    EXPECT_EQ(dynamics.at(m.neutral()).frame_pose(m.frame("carriage"), X), Status::ok);
    return X;
  };
  const Vector3 by_hand = position(at_zero).rotation * Vector3(0.1, 0.2, -0.2);  // 0.3 m along (1, 2, −2)/3
  EXPECT_LE(largest(position(model).translation - position(at_zero).translation - by_hand), tolerance::kSameQuantity);
}

TEST(RobotModel, ArmatureIsOnTheDiagonalAlone) {
  const RobotModel profiled = test::own_robot("h1_2").model;  // its profile gives every joint one
  ModelOptions options = profiled.options();
  options.armature.clear();
  const RobotModel bare(profiled.description(), options);
  options.armature = {{"torso_joint", 0.25}, {"left_elbow_joint", 0.1}};
  const RobotModel geared(bare.description(), options);
  RandomStates random(203);
  SCOPED_TRACE(random.text());
  const VectorX q = random.configuration(bare);
  VectorX diagonal = VectorX::Zero(33);
  diagonal[bare.motor_rows()[12]] = 0.25;
  diagonal[bare.motor_rows()[static_cast<std::size_t>(bare.motor("left_elbow_joint"))]] = 0.1;
  const MatrixX added = mass_matrix(geared, q) - mass_matrix(bare, q);
  EXPECT_LE(largest(added - MatrixX(diagonal.asDiagonal())), tolerance::kSameQuantity);
  EXPECT_LE(largest(gravity_torque(geared, q) - gravity_torque(bare, q)), tolerance::kSameQuantity);
  // The recursions know it too.
  const VectorX v = random.vector(33), a = random.vector(33);
  Dynamics with(geared), without(bare);
  VectorX tau_with(33), tau_without(33), a_again(33);
  ASSERT_EQ(with.inverse_dynamics(q, v, a, tau_with), Status::ok);
  ASSERT_EQ(without.inverse_dynamics(q, v, a, tau_without), Status::ok);
  EXPECT_LE(largest(tau_with - tau_without - diagonal.cwiseProduct(a)), tolerance::kSameQuantity);
  ASSERT_EQ(with.forward_dynamics(q, v, tau_with, a_again), Status::ok);
  EXPECT_LE(largest(a_again - a), tolerance::kForwardDynamics);
}

TEST(RobotModel, GravityPullsWhereItIsTold) {
  const RobotModel model = test::own_robot("h1_2").model;
  for (const Vector3& gravity : {Vector3(0, 0, -9.81), Vector3(1.62, 0, 0), Vector3(-1, 2, 3), Vector3(0, 0, 0)}) {
    ModelOptions options = model.options();
    options.gravity = gravity;
    const RobotModel tilted(model.description(), options);
    const VectorX g = gravity_torque(tilted, tilted.neutral());
    Dynamics dynamics(tilted);
    Vector3 p_WC;
    ASSERT_EQ(dynamics.at(tilted.neutral()).center_of_mass(p_WC), Status::ok);
    // Base rows at the identity: what must hold the whole robot at the root's origin.
    const Vector3 hold = -tilted.total_mass() * gravity;
    EXPECT_LE(largest(g.head<3>() - hold), tolerance::kSameQuantity);
    EXPECT_LE(largest(g.segment<3>(3) - p_WC.cross(hold)), tolerance::kSameQuantity);
  }
}

TEST(RobotModel, PlanarArmByTrigonometry) {
  const Robot robot = test::own_robot("planar_3r");
  ModelOptions options = robot.profile.options;
  options.gravity = {0.0, -9.81, 0.0};
  const RobotModel hanging(robot.model.description(), options);
  RandomStates random(204);
  SCOPED_TRACE(random.text());
  for (int i = 0; i < 20; ++i) {
    const VectorX q = random.vector(3, 3.0);
    const double a1 = q[0], a2 = a1 + q[1], a3 = a2 + q[2];
    const double c1 = std::cos(a1), c2 = std::cos(a2), c3 = std::cos(a3);
    const double s1 = std::sin(a1), s2 = std::sin(a2), s3 = std::sin(a3);
    Dynamics dynamics(hanging);
    const PositionTerms terms = dynamics.at(q);
    Pose X;
    ASSERT_EQ(terms.frame_pose(hanging.frame("tool"), X), Status::ok);
    EXPECT_LE(largest(X.translation - Vector3(0.5 * c1 + 0.4 * c2 + 0.3 * c3, 0.5 * s1 + 0.4 * s2 + 0.3 * s3, 0.0)),
              tolerance::kSameQuantity);
    Matrix6X J(6, 3);
    ASSERT_EQ(terms.frame_jacobian(hanging.frame("tool"), J), Status::ok);
    MatrixX by_hand = MatrixX::Zero(6, 3);
    by_hand.row(0) << -0.5 * s1 - 0.4 * s2 - 0.3 * s3, -0.4 * s2 - 0.3 * s3, -0.3 * s3;
    by_hand.row(1) << 0.5 * c1 + 0.4 * c2 + 0.3 * c3, 0.4 * c2 + 0.3 * c3, 0.3 * c3;
    by_hand.row(5).setOnes();
    EXPECT_LE(largest(J - by_hand), tolerance::kSameQuantity);
    const double w1 = 9.81 * 1.0, w2 = 9.81 * 0.8, w3 = 9.81 * 0.5;
    const double about_3 = w3 * 0.15 * c3;
    const double about_2 = about_3 + w3 * 0.4 * c2 + w2 * 0.2 * c2;
    const double about_1 = about_2 + (w3 + w2) * 0.5 * c1 + w1 * 0.25 * c1;
    EXPECT_LE(largest(gravity_torque(hanging, q) - Vector3(about_1, about_2, about_3)), tolerance::kSameQuantity);
    EXPECT_EQ(largest(gravity_torque(robot.model, q)), 0.0) << "on the table nothing pulls";
  }
}

TEST(RobotModel, MotorOrderIsTheCallers) {
  const RobotModel model = test::own_robot("h1_2").model;
  ModelOptions options = model.options();
  std::reverse(options.motors.begin(), options.motors.end());
  const RobotModel reversed(model.description(), options);
  EXPECT_EQ(reversed.motor_names().front(), "right_wrist_yaw_joint");
  EXPECT_EQ(reversed.motor("torso_joint"), 14);
  RandomStates random(205);
  SCOPED_TRACE(random.text());
  const VectorX q_motor = random.vector(27);
  const VectorX q = full_position(model, q_motor);
  EXPECT_EQ(full_position(reversed, q_motor.reverse()), q);
  const VectorX full = random.vector(33);
  VectorX rows(27), reversed_rows(27);
  ASSERT_EQ(model.select_motor_rows(full, rows), Status::ok);
  ASSERT_EQ(reversed.select_motor_rows(full, reversed_rows), Status::ok);
  EXPECT_EQ(rows.reverse(), reversed_rows);
  EXPECT_EQ(model.lower_limits().reverse(), reversed.lower_limits());
  EXPECT_EQ(model.effort_limits().reverse(), reversed.effort_limits());
  EXPECT_EQ(model.supporting_motors(model.frame("left_ankle_roll_link")), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(reversed.supporting_motors(reversed.frame("left_ankle_roll_link")),
            (std::vector<int>{21, 22, 23, 24, 25, 26}));
}

TEST(RobotModel, SupportingMotorsAreTheColumnsThatMove) {
  const RobotModel model = test::own_robot("h1_2").model;
  EXPECT_EQ(model.supporting_motors(model.frame("left_wrist_yaw_link")),
            (std::vector<int>{12, 13, 14, 15, 16, 17, 18, 19}));
  EXPECT_EQ(model.supporting_motors(model.frame("right_wrist_yaw_link")),
            (std::vector<int>{12, 20, 21, 22, 23, 24, 25, 26}));
  EXPECT_EQ(model.supporting_motors(model.frame("right_ankle_roll_link")), (std::vector<int>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(model.supporting_motors(model.frame("imu_link")), (std::vector<int>{12}));
  EXPECT_TRUE(model.supporting_motors(model.frame("pelvis")).empty());
}

TEST(RobotModel, LimitsAreTheFiles) {
  const RobotModel model = test::own_robot("h1_2").model;
  const int hip = model.motor("left_hip_yaw_joint");
  EXPECT_EQ(model.lower_limits()[hip], -0.43);
  EXPECT_EQ(model.upper_limits()[hip], 0.43);
  EXPECT_EQ(model.effort_limits()[hip], 200.0);
  EXPECT_EQ(model.velocity_limits()[hip], 23.0);
  const RobotModel panda = test::own_robot("panda").model;  // as Franka states them
  const int elbow = panda.motor("panda_joint4"), wrist = panda.motor("panda_joint6");
  EXPECT_EQ(panda.lower_limits()[elbow], -3.0718);
  EXPECT_EQ(panda.upper_limits()[elbow], -0.0698);
  EXPECT_EQ(panda.lower_limits()[wrist], -0.0175);
  EXPECT_EQ(panda.upper_limits()[wrist], 3.7525);
  const RobotModel mixed(test::mixed_description());
  const int wheel = mixed.motor("wheel");
  EXPECT_EQ(mixed.lower_limits()[wheel], -kInfinity);
  EXPECT_EQ(mixed.upper_limits()[wheel], kInfinity);
  EXPECT_EQ(mixed.effort_limits()[wheel], kInfinity);
  EXPECT_EQ(mixed.velocity_limits()[wheel], kInfinity);
  EXPECT_EQ(mixed.upper_limits()[mixed.motor("slide")], 0.5);
}

TEST(RobotModel, JointsAreDepthFirstAndByName) {
  EXPECT_EQ(RobotModel(test::mixed_description()).motor_names(),
            (std::vector<std::string>{"slide", "lift", "wheel", "oblique", "oblique_wheel"}));
}

TEST(RobotModel, PositionFromMotorsPlacesBaseAndWheels) {
  const RobotModel model(test::mixed_description());
  VectorX q(model.nq());
  const VectorX q_motor = (VectorX(5) << 0.1, 0.2, 2.5, -0.4, 1.0).finished();
  const Eigen::Vector4d xyzw(0.0, 0.6, 0.0, 0.8);
  ASSERT_EQ(model.position_from_motors(q_motor, xyzw, q), Status::ok);
  VectorX by_hand(14);
  by_hand << 0, 0, 0, xyzw, 0.1, 0.2, std::cos(2.5), std::sin(2.5), -0.4, std::cos(1.0), std::sin(1.0);
  EXPECT_EQ(q, by_hand);
  VectorX wrong(3);
  EXPECT_EQ(model.position_from_motors(VectorX::Zero(4), xyzw, q), Status::wrong_size);
  EXPECT_TRUE(q.array().isNaN().all());
  EXPECT_EQ(model.position_from_motors(q_motor, xyzw, wrong), Status::wrong_size);
  EXPECT_TRUE(wrong.array().isNaN().all());
  VectorX bad = q_motor;
  bad[1] = kNaN;
  EXPECT_EQ(model.position_from_motors(bad, xyzw, q), Status::not_finite);
  EXPECT_TRUE(q.array().isNaN().all());
  EXPECT_EQ(model.position_from_motors(q_motor, {0, 0, kNaN, 1}, q), Status::not_finite);
  EXPECT_TRUE(q.array().isNaN().all());
  VectorX rows(5);
  EXPECT_EQ(model.select_motor_rows(VectorX::Zero(3), rows), Status::wrong_size);
  EXPECT_TRUE(rows.array().isNaN().all());
}

TEST(RobotModel, IntegrateAndDifferenceAreInverse) {
  for (const test::NamedModel& robot : test::all_models()) {
    RandomStates random(206);
    SCOPED_TRACE(robot.name + ", " + random.text());
    const RobotModel& model = robot.model;
    const VectorX q = random.configuration(model), v = random.vector(model.nv());
    VectorX moved(model.nq()), back(model.nv());
    ASSERT_EQ(model.integrate(q, v, moved), Status::ok);
    ASSERT_EQ(model.difference(q, moved, back), Status::ok);
    EXPECT_LE(largest(back - v), tolerance::kSameQuantity);
    VectorX bad = q;
    bad[0] = kNaN;
    EXPECT_EQ(model.integrate(bad, v, moved), Status::not_finite);
    EXPECT_TRUE(moved.array().isNaN().all());
    EXPECT_EQ(model.integrate(q, v.head(1), moved), Status::wrong_size);
    EXPECT_EQ(model.difference(q, bad, back), Status::not_finite);
    EXPECT_TRUE(back.array().isNaN().all());
    EXPECT_EQ(model.difference(q.head(1), q, back), Status::wrong_size);
  }
}

TEST(RobotModel, UnknownNamesComeWithTheNearest) {
  const Robot robot = test::own_robot("h1_2");
  const RobotModel& model = robot.model;
  const auto with = [&](auto change) {
    return [&model, change] {
      ModelOptions options = model.options();
      change(options);
      RobotModel(model.description(), options);
    };
  };
  expect_model_error([&] { model.motor("torso_jiont"); }, {"torso_jiont", "'torso_joint'"});
  expect_model_error([&] { model.frame("left_wrist_yaw_lnk"); }, {"left_wrist_yaw_lnk", "'left_wrist_yaw_link'"});
  expect_model_error(with([](auto& o) { o.motors[3] = "left_nee_joint"; }), {"left_nee_joint", "'left_knee_joint'"});
  expect_model_error(with([](auto& o) { o.armature["torso_joit"] = 1; }), {"armature", "'torso_joint'"});
  expect_model_error(with([](auto& o) { o.locked_joints["torso_joit"] = 1; }), {"locked", "'torso_joint'"});
  expect_model_error(with([](auto& o) { o.payloads = {{"pelvs", {1.0, {}, {}}}}; }), {"payload", "'pelvis'"});
  EXPECT_FALSE(model.has_frame("pelvs"));
  EXPECT_TRUE(model.has_frame("pelvis"));
  for (const std::string& name : model.frame_names()) EXPECT_EQ(model.frame_name(model.frame(name)), name);
}

TEST(RobotModel, RefusesWhatNoRobotCanBe) {
  const RobotModel model = test::own_robot("h1_2").model;
  const auto with = [&](auto change) {
    return [&model, change] {
      ModelOptions options = model.options();
      change(options);
      RobotModel(model.description(), options);
    };
  };
  expect_model_error(with([](auto& o) { o.motors[1] = o.motors[0]; }), {"left_hip_yaw_joint", "twice"});
  expect_model_error(with([](auto& o) { o.armature["torso_joint"] = -0.1; }), {"torso_joint", "negative"});
  expect_model_error(with([](auto& o) { o.armature["torso_joint"] = kNaN; }), {"torso_joint"});
  expect_model_error(with([](auto& o) { o.locked_joints["torso_joint"] = kNaN; }), {"torso_joint", "finite"});
  expect_model_error(with([](auto& o) { o.gravity[1] = kInfinity; }), {"gravity", "finite"});
  const Matrix3 zero = Matrix3::Zero();
  expect_model_error(with([&](auto& o) { o.payloads = {{"pelvis", {kNaN, Vector3::Zero(), zero}}}; }), {"payload"});
  expect_model_error(with([&](auto& o) { o.payloads = {{"pelvis", {-1.0, Vector3::Zero(), zero}}}; }), {"payload"});
  expect_model_error(with([&](auto& o) { o.payloads = {{"pelvis", {1.0, Vector3(0, kNaN, 0), zero}}}; }), {"payload"});

  RobotDescription massless = test::mixed_description();
  for (LinkDescription& link : massless.links) {
    if (link.name == "disc") link.inertial = {};
  }
  EXPECT_NO_THROW(RobotModel{massless}) << "its kinematics are whole";
  expect_model_error([&] { detail::check_inertia(RobotModel{massless}); }, {"oblique_wheel", "'disc'", "singular"});
  RobotDescription floating = test::mixed_description();
  for (JointDescription& joint : floating.joints) {
    if (joint.name == "wheel") joint.type = JointType::floating;
  }
  ModelOptions driven, held;
  driven.motors = {"wheel"};
  held.locked_joints = {{"wheel", 0.0}};
  expect_model_error([&] { RobotModel(floating, driven); }, {"wheel", "more than one degree"});
  expect_model_error([&] { RobotModel(floating, held); }, {"wheel", "more than one degree"});
  EXPECT_EQ(RobotModel(floating).motor_count(), 4) << "a floating joint moves without a motor";
}

}  // namespace
}  // namespace antaeus
