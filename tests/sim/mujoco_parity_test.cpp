#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <iostream>

#include "antaeus/robot/dynamics.hpp"
#include "antaeus/sim/mujoco_dynamics.hpp"
#include "sim/scenes.hpp"
#include "sim/tolerances.hpp"

namespace antaeus {
namespace {

using test::RandomStates;

constexpr int kStates = 1000;

/// Largest differences between Pinocchio's numbers, on the model that was read out of the scene, and MuJoCo's.
struct Parity {
  double gravity = 0.0, mass_matrix = 0.0, bias = 0.0, jacobian = 0.0, position = 0.0, rotation = 0.0;
  double inverse_dynamics = 0.0, forward_dynamics = 0.0;  // the last relative to max(1, |a|)
};

void expect_ok(Status status) { ASSERT_EQ(to_string(status), to_string(Status::ok)); }

Parity compare(const MujocoScene& scene, const RobotModel& model, const std::vector<std::string>& frames,
               RandomStates& random) {
  MujocoDynamics mujoco(scene, model);
  Dynamics dynamics(model);
  const int nv = model.nv();
  VectorX ours(nv), theirs(nv);
  MatrixX M(nv, nv), M_mujoco(nv, nv);
  Matrix6X J(6, nv), J_mujoco(6, nv);
  Pose X, X_mujoco;
  Parity worst;
  const auto keep = [](double& largest, double value) {
    if (!(value <= largest) && !std::isnan(largest)) largest = value;  // NaN is larger than all
  };
  for (int state = 0; state < kStates; ++state) {
    const VectorX q = random.configuration(model), v = random.vector(nv, 3.0);
    const VectorX a = random.vector(nv, 5.0), tau = random.vector(nv, 5.0);
    const PositionTerms terms = dynamics.at(q);
    expect_ok(terms.gravity_torque(ours));
    expect_ok(mujoco.gravity_torque(q, theirs));
    keep(worst.gravity, (ours - theirs).cwiseAbs().maxCoeff());
    expect_ok(dynamics.mass_matrix(q, M));
    expect_ok(mujoco.mass_matrix(q, M_mujoco));
    keep(worst.mass_matrix, (M - M_mujoco).cwiseAbs().maxCoeff());
    expect_ok(dynamics.nonlinear_effects(q, v, ours));
    expect_ok(mujoco.nonlinear_effects(q, v, theirs));
    keep(worst.bias, (ours - theirs).cwiseAbs().maxCoeff());
    expect_ok(dynamics.inverse_dynamics(q, v, a, ours));
    expect_ok(mujoco.inverse_dynamics(q, v, a, theirs));
    keep(worst.inverse_dynamics, (ours - theirs).cwiseAbs().maxCoeff());
    expect_ok(dynamics.forward_dynamics(q, v, tau, ours));
    expect_ok(mujoco.forward_dynamics(q, v, tau, theirs));
    keep(worst.forward_dynamics, (ours - theirs).norm() / std::max(1.0, theirs.norm()));
    for (const std::string& name : frames) {
      const FrameId frame = model.frame(name);
      const PositionTerms here = dynamics.at(q);
      expect_ok(here.frame_pose(frame, X));
      expect_ok(mujoco.frame_pose(q, frame, X_mujoco));
      keep(worst.position, (X.translation - X_mujoco.translation).cwiseAbs().maxCoeff());
      keep(worst.rotation, (X.rotation - X_mujoco.rotation).cwiseAbs().maxCoeff());
      expect_ok(here.frame_jacobian(frame, J));
      expect_ok(mujoco.frame_jacobian(q, frame, J_mujoco));
      keep(worst.jacobian, (J - J_mujoco).cwiseAbs().maxCoeff());
    }
  }
  return worst;
}

void expect_parity(const char* name, const MujocoScene& scene, const RobotModel& model,
                   const std::vector<std::string>& frames) {
  RandomStates random(1401);
  SCOPED_TRACE(std::string(name) + ", " + random.text());
  const Parity worst = compare(scene, model, frames, random);
  std::cout << name << ", nv " << model.nv() << ": g " << worst.gravity << ", M " << worst.mass_matrix << ", bias "
            << worst.bias << ", J " << worst.jacobian << ", position " << worst.position << ", rotation "
            << worst.rotation << ", inverse dynamics " << worst.inverse_dynamics << ", forward dynamics "
            << worst.forward_dynamics << '\n';
  EXPECT_LE(worst.gravity, tolerance::kMujocoParity);
  EXPECT_LE(worst.mass_matrix, tolerance::kMujocoParity);
  EXPECT_LE(worst.bias, tolerance::kMujocoParity);
  EXPECT_LE(worst.jacobian, tolerance::kMujocoParity);
  EXPECT_LE(worst.position, tolerance::kMujocoParity);
  EXPECT_LE(worst.rotation, tolerance::kMujocoParity);
  EXPECT_LE(worst.inverse_dynamics, tolerance::kMujocoParity);
  EXPECT_LE(worst.forward_dynamics, tolerance::kMujocoParity);
}

TEST(MujocoParity, Ur5eWithRigidGripper) {
  const MujocoScene scene(ur5e_scene());
  const MujocoRobot robot = mujoco_robot(scene, {.root = "base"});
  EXPECT_EQ(robot.model().nv(), 6);
  expect_parity("UR5e, rigid gripper", scene, robot.model(),
                {"fingertip", "mount", "wrist_3_link", "gripper_left_pad"});
}

TEST(MujocoParity, Ur5eWithRealGripperAsAWholeTree) {
  const MujocoScene scene(ur5e_scene({.gripper = ToolJoints::real}));
  const MujocoRobot robot = mujoco_robot(scene);
  EXPECT_EQ(robot.model().nv(), 14);
  expect_parity("UR5e, real gripper", scene, robot.model(), {"fingertip", "mount", "gripper_left_pad"});
}

TEST(MujocoParity, Ur5eWithRealGripperHeld) {
  const MujocoScene scene(ur5e_scene({.gripper = ToolJoints::real}));
  VectorX qpos(14);
  // Closed, as it stands in MuJoCo after a while.
  qpos << 0, 0, 0, 0, 0, 0, 0.79, -0.01, 0.78, -0.76, 0.79, -0.02, 0.77, -0.75;
  const MujocoRobot robot = mujoco_robot(scene, {"", joint_positions(scene, "gripper_base_mount", qpos)});
  EXPECT_EQ(robot.model().nv(), 6);
  EXPECT_EQ(robot.model().motor_count(), 6);
  expect_parity("UR5e, real gripper held", scene, robot.model(), {"fingertip", "mount", "gripper_left_pad"});
}

TEST(MujocoParity, SlidesAnchorsReferencesTurnedBodiesAndAFreeJoint) {
  const MujocoScene scene(test::scene_of(test::kMixedMjcf));
  const MujocoRobot robot = mujoco_robot(scene);
  EXPECT_EQ(robot.model().nv(), 15);
  expect_parity("own MJCF", scene, robot.model(),
                {"tool", "tool_site", "gimbal", "branch", "craft", "boom_end", "piston"});
}

TEST(MujocoParity, ActuatorsAsTheFileHasThem) {
  SceneDescription description = test::scene_of(test::kMixedMjcf);
  description.has_torque_motors = false;
  const MujocoScene scene(description);
  expect_parity("own MJCF, its own actuators", scene, mujoco_robot(scene).model(), {"tool"});
}

TEST(MujocoParity, OneTreeOfSeveral) {
  const MujocoScene scene(test::scene_of(test::kMixedMjcf));
  const MujocoRobot robot = mujoco_robot(scene, {"rail", {{"lift", 0.3}, {"a_turn", -0.8}}});
  EXPECT_EQ(robot.model().nv(), 5);
  EXPECT_FALSE(robot.model().has_frame("craft"));
  expect_parity("own MJCF, one tree with two joints held", scene, robot.model(), {"tool", "tool_site", "branch"});
}

}  // namespace
}  // namespace antaeus
