#include "antaeus/sim/mujoco_plant.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <functional>
#include <iostream>
#include <map>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/sim/mujoco_robot.hpp"
#include "sim/scenes.hpp"
#include "sim/tolerances.hpp"

namespace antaeus {
namespace {

using test::message;

constexpr double kFree = 9.81;
constexpr double kRodAndFoot = 0.5 + 0.8, kFoot = 0.8;  // [kg] of the pusher

/// The pusher above a table whose upper face its ball touches when `down` is −0.07.
SceneDescription pusher_over_table() {
  SceneDescription scene = test::scene_of(test::kPusherMjcf);
  scene.table = SceneTable{};
  scene.force_sensor_site = "ankle";
  return scene;
}

/// The same over the file's own floor, which MuJoCo puts before the ball: the other order of geoms.
SceneDescription pusher_over_floor() {
  std::string text = test::kPusherMjcf;
  text.replace(text.find("<worldbody>"), 11, "<worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/>");
  SceneDescription scene = test::scene_of(text);
  scene.force_sensor_site = "ankle";
  return scene;
}

VectorX two(double first, double second) { return VectorX{{first, second}}; }

/// Lets the pusher down and presses with 10 N beside its weight.
void expect_push_on_robot(const SceneDescription& description) {
  MujocoPlant plant(MujocoScene(description), {.site = "sole"});
  ASSERT_EQ(plant.reset(two(0.1, -0.07)), Status::ok);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(plant.step(two(0.0, -10.0)), Status::ok);
  EXPECT_EQ(plant.truth().contacts, 1);
  EXPECT_NEAR(plant.truth().contact.force.z(), 10.0 + kRodAndFoot * kFree, tolerance::kRestingForce);
  EXPECT_NEAR(plant.reading().wrench.force.z(), 10.0 + kRodAndFoot * kFree, tolerance::kRestingForce);
  EXPECT_EQ(plant.truth().tau[1], -10.0);
}

TEST(MujocoPlant, AContactPushesTheRobotUp) { expect_push_on_robot(pusher_over_table()); }
TEST(MujocoPlant, AContactPushesTheRobotUpInTheOtherOrderOfGeoms) { expect_push_on_robot(pusher_over_floor()); }
TEST(MujocoPlant, AContactPushesTheRobotUpThroughAPair) {
  SceneDescription scene = pusher_over_table();
  scene.pairs = {{.geom = "tip", .other = "table"}};
  expect_push_on_robot(scene);
  scene.pairs = {{.geom = "table", .other = "tip"}};
  expect_push_on_robot(scene);
}

TEST(MujocoPlant, ASlidingPairHasItsFriction) {
  SceneDescription scene = pusher_over_table();
  scene.table->size = Vector3(5, 1, 0.05);
  scene.pairs = {{.geom = "tip", .other = "table", .friction = 0.2}};
  MujocoPlant plant(MujocoScene(scene), {.site = "sole"});
  ASSERT_EQ(plant.reset(two(0.0, -0.07)), Status::ok);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(plant.step(two(5.0, -10.0)), Status::ok);
  const Vector3 force = plant.truth().contact.force;
  EXPECT_GT(plant.truth().qvel[0], 0.2);
  EXPECT_NEAR(force.x() / force.z(), -0.2, tolerance::kSlidingFriction);
}

/// While everything slides, strikes and leaves: force at the mount less the payload's demand is the contacts' sum.
void expect_mount_force(const MujocoScene& scene, const PlantPlaces& places, const VectorX& q, const VectorX& press,
                        double shake, double tool_control, double torque_tolerance) {
  MujocoPlant plant(scene, places, {.tool_control = tool_control});
  ASSERT_EQ(plant.reset(q), Status::ok);
  test::RandomStates random(1403);
  SCOPED_TRACE(random.text());
  double worst_force = 0.0, worst_torque = 0.0, largest = 0.0;
  int touching = 0;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(plant.step(press + random.vector(q.size(), shake)), Status::ok);
    const PlantTruth& truth = plant.truth();
    worst_force = std::max(worst_force, (truth.sensor.force - truth.contact.force).norm());
    worst_torque = std::max(worst_torque, (truth.sensor.torque - truth.contact.torque).norm());
    largest = std::max(largest, truth.contact.force.norm());
    touching += truth.contacts > 0;
  }
  std::cout << "mount force against contacts, " << touching << " of 2000 steps in contact, up to " << largest
            << " N: " << worst_force << " N, " << worst_torque << " N·m\n";
  EXPECT_GT(touching, 200);
  EXPECT_GT(largest, 10.0);
  EXPECT_LE(worst_force, tolerance::kMountForce);
  EXPECT_LE(worst_torque, torque_tolerance);
}

TEST(MujocoPlant, TheMountFeelsTheContactsOfThePusher) {
  expect_mount_force(MujocoScene(pusher_over_table()), {.site = "sole"}, two(0.0, -0.07), two(0.5, -10.0), 20.0, 0.0,
                     tolerance::kMountForce);
}

VectorX ur5e_home() { return VectorX{{-1.5708, -1.5708, 1.5708, -1.5708, -1.5708, 0.0}}; }

/// Gravity's torque of the arm at home, which presses a little harder than it weighs.
void expect_mount_force_of_the_ur5e(ToolJoints gripper, double tool_control, double torque_tolerance) {
  Ur5eScene options{.gripper = gripper, .joint_damping = 1.0};
  MujocoScene scene(ur5e_scene(options));
  const RobotModel model = mujoco_robot(scene, {.root = "base"}).model();
  Dynamics dynamics(model);
  VectorX q = model.neutral();
  q.head(6) = ur5e_home();
  Pose X;
  ASSERT_EQ(dynamics.at(q).frame_pose(model.frame("fingertip"), X), Status::ok);
  options.X_WT.translation = X.translation - Vector3(0.0, 0.0, 0.002);
  scene = MujocoScene(ur5e_scene(options));
  VectorX g(model.nv());
  Matrix6X J(6, model.nv());
  ASSERT_EQ(dynamics.at(q).gravity_torque(g), Status::ok);
  ASSERT_EQ(dynamics.at(q).frame_jacobian(model.frame("fingertip"), J), Status::ok);
  const VectorX press = g.head(6) + J.leftCols(6).transpose() * (Vector6() << 0, 0, -20, 0, 0, 0).finished();
  expect_mount_force(scene, {.site = "fingertip"}, ur5e_home(), press, 2.0, tool_control, torque_tolerance);
}

TEST(MujocoPlant, TheMountFeelsTheContactsOfARigidGripper) {
  expect_mount_force_of_the_ur5e(ToolJoints::rigid, 0.0, tolerance::kMountForce);
}
TEST(MujocoPlant, TheMountFeelsTheContactsOfARealGripper) {
  expect_mount_force_of_the_ur5e(ToolJoints::real, 0.0, tolerance::kLinkageMoment);
  expect_mount_force_of_the_ur5e(ToolJoints::real, 255.0, tolerance::kLinkageMoment);
}

/// The arm at home under the torque of gravity alone, by the model that was read out of the scene. \return how far it
/// has gone after 2 s [rad]
double drift_at_home(const MujocoScene& scene, const MujocoRobotOptions& held, MujocoPlant& plant) {
  const RobotModel model = mujoco_robot(scene, held).model();
  const SceneOrder order(scene, model);
  Dynamics dynamics(model);
  VectorX q(model.nq()), v(model.nv()), g(model.nv());
  const VectorX start = plant.truth().qpos.head(6);
  for (int i = 0; i < 2000; ++i) {
    EXPECT_EQ(order.to_robot(plant.truth().qpos, plant.truth().qvel, q, v), Status::ok);
    EXPECT_EQ(dynamics.at(q).gravity_torque(g), Status::ok);
    EXPECT_EQ(plant.step(g), Status::ok);
  }
  return (plant.truth().qpos.head(6) - start).cwiseAbs().maxCoeff();
}

TEST(MujocoPlant, GravitysTorqueHoldsTheArm) {
  const MujocoScene scene(ur5e_scene());
  MujocoPlant plant(scene, {.site = "fingertip"});
  ASSERT_EQ(plant.reset(ur5e_home()), Status::ok);
  const double drift = drift_at_home(scene, {.root = "base"}, plant);
  std::cout << "drift in 2 s, rigid gripper: " << drift << " rad\n";
  EXPECT_LE(drift, tolerance::kGravityHold);
}

TEST(MujocoPlant, GravitysTorqueHoldsTheArmWithTheGripperAsItStands) {
  const MujocoScene scene(ur5e_scene({.gripper = ToolJoints::real, .joint_damping = 1.0}));
  MujocoPlant plant(scene, {.site = "fingertip"}, {.tool_control = 255.0});
  ASSERT_EQ(plant.reset(ur5e_home()), Status::ok);
  const RobotModel model = mujoco_robot(scene, {.root = "base"}).model();
  // The fingers close while the arm is held by a spring.
  for (int i = 0; i < 4000; ++i) {
    const VectorX hold = 4000.0 * (ur5e_home() - plant.reading().q) - 200.0 * plant.reading().v;
    ASSERT_EQ(plant.step(hold), Status::ok);
  }
  VectorX qpos = plant.truth().qpos;
  const std::map<std::string, double> closed = joint_positions(scene, "gripper_base_mount", qpos);
  EXPECT_GT(closed.at("gripper_left_driver_joint"), 0.7);
  qpos.head(6) = ur5e_home();
  ASSERT_EQ(plant.reset_scene(qpos), Status::ok);
  const double drift = drift_at_home(scene, {"", closed}, plant);
  std::cout << "drift in 2 s, real gripper held in the model: " << drift << " rad\n";
  EXPECT_LE(drift, tolerance::kGripperHold);
}

TEST(MujocoPlant, AWrongPayloadShowsAsItsWeight) {
  MujocoPlant plant(MujocoScene(pusher_over_table()), {.site = "sole"}, {.payload_error = 0.1});
  ASSERT_EQ(plant.reset(two(0.0, -0.07)), Status::ok);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(plant.step(two(0.0, -10.0)), Status::ok);
  EXPECT_NEAR(plant.reading().wrench.force.z() - plant.truth().contact.force.z(), 0.1 * kFoot * kFree,
              tolerance::kRestingForce);
}

TEST(MujocoPlant, NoiseHasItsSizeAndItsSeed) {
  const MujocoScene scene(pusher_over_table());
  PlantOptions options{.position_noise = 1e-3, .force_noise = 0.5, .seed = 7};
  MujocoPlant first(scene, {.site = "sole"}, options), same(scene, {.site = "sole"}, options);
  options.seed = 8;
  MujocoPlant other(scene, {.site = "sole"}, options);
  for (MujocoPlant* const plant : {&first, &same, &other}) ASSERT_EQ(plant->reset(two(0.0, 0.1)), Status::ok);
  double squares = 0.0, position_squares = 0.0;
  for (int i = 0; i < 3000; ++i) {
    const VectorX tau = two(0.0, kRodAndFoot * kFree);
    for (MujocoPlant* const plant : {&first, &same, &other}) ASSERT_EQ(plant->step(tau), Status::ok);
    EXPECT_EQ(first.reading().wrench.force, same.reading().wrench.force);
    EXPECT_NE(first.reading().wrench.force, other.reading().wrench.force);
    EXPECT_EQ(first.truth().qpos, other.truth().qpos);
    squares += std::pow(first.reading().wrench.force.x(), 2);
    position_squares += std::pow(first.reading().q[0] - first.truth().qpos[0], 2);
  }
  EXPECT_NEAR(std::sqrt(squares / 3000) / 0.5, 1.0, tolerance::kSensedNoise);
  EXPECT_NEAR(std::sqrt(position_squares / 3000) / 1e-3, 1.0, tolerance::kSensedNoise);
  const Vector3 last = first.reading().wrench.force;
  ASSERT_EQ(first.reset(two(0.0, 0.1)), Status::ok);
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(first.step(two(0.0, kRodAndFoot * kFree)), Status::ok);
  EXPECT_EQ(first.reading().wrench.force, last);
}

TEST(MujocoPlant, ADelayShiftsTheWrench) {
  const MujocoScene scene(pusher_over_table());
  MujocoPlant prompt(scene, {.site = "sole"}), late(scene, {.site = "sole"}, {.delay = 0.003});
  ASSERT_EQ(prompt.reset(two(0.0, -0.05)), Status::ok);
  ASSERT_EQ(late.reset(two(0.0, -0.05)), Status::ok);
  std::vector<double> forces;
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(prompt.step(two(1.0, -5.0)), Status::ok);
    ASSERT_EQ(late.step(two(1.0, -5.0)), Status::ok);
    forces.push_back(prompt.reading().wrench.force.z());
    if (i < 3) {
      EXPECT_TRUE(std::isnan(late.reading().wrench.force.z()));
    } else {
      EXPECT_EQ(late.reading().wrench.force.z(), forces[forces.size() - 4]);
    }
  }
  EXPECT_GT(forces.back(), 1.0);
}

TEST(MujocoPlant, CoulombFrictionSticks) {
  const VectorX lift = two(0.0, kRodAndFoot * kFree);
  MujocoPlant plant(MujocoScene(pusher_over_table()), {.site = "sole"}, {.coulomb = 2.0});
  ASSERT_EQ(plant.reset(two(0.0, 0.1)), Status::ok);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(plant.step(lift + two(1.8, 0.0)), Status::ok);
  EXPECT_LT(std::abs(plant.truth().qpos[0]), 2e-4);  // it gives by 0.9e-4, and slips a little when it is loaded
  EXPECT_LT(std::abs(plant.truth().qvel[0]), tolerance::kRestingForce);
  EXPECT_NEAR(plant.truth().friction[0], -1.8, tolerance::kRestingForce);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(plant.step(lift + two(2.2, 0.0)), Status::ok);
  EXPECT_GT(plant.truth().qpos[0], 0.02);  // 0.2 N on 2.3 kg for a second
  EXPECT_EQ(plant.truth().friction[0], -2.0);
}

TEST(MujocoPlant, APushIsAWrenchOnTheRobot) {
  MujocoPlant plant(MujocoScene(pusher_over_table()), {.site = "sole"});
  ASSERT_EQ(plant.reset(two(0.0, 0.1)), Status::ok);
  ASSERT_EQ(plant.push({Vector3(2.3, 5.0, kRodAndFoot * kFree), Vector3::Zero()}), Status::ok);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(plant.step(two(0.0, 0.0)), Status::ok);
  EXPECT_NEAR(plant.truth().qvel[0], 1.0, tolerance::kByHand);  // 2.3 N on 2.3 kg for a second
  EXPECT_NEAR(plant.truth().qvel[1], 0.0, tolerance::kByHand);
  EXPECT_EQ(plant.truth().contacts, 0);
  EXPECT_EQ(plant.push({Vector3::Constant(kNaN), Vector3::Zero()}), Status::not_finite);
}

TEST(MujocoPlant, MotorsKeepTheirLimits) {
  MujocoPlant plant(MujocoScene(pusher_over_table()), {.site = "sole"});
  ASSERT_EQ(plant.step(two(0.0, 1000.0)), Status::ok);
  EXPECT_EQ(plant.truth().tau[1], 60.0);
  EXPECT_EQ(plant.reading().tau[1], 60.0);
}

TEST(MujocoPlant, BadInputMovesNothing) {
  MujocoPlant plant(MujocoScene(pusher_over_table()), {.site = "sole"});
  ASSERT_EQ(plant.step(two(1.0, 0.0)), Status::ok);
  const VectorX before = plant.truth().qpos;
  EXPECT_EQ(plant.step(two(kNaN, 0.0)), Status::not_finite);
  EXPECT_TRUE(plant.truth().qpos.hasNaN());
  EXPECT_TRUE(std::isnan(plant.reading().wrench.force.x()));
  EXPECT_EQ(plant.step(two(1e10, 0.0)), Status::not_finite);
  EXPECT_EQ(plant.step(VectorX::Zero(3)), Status::wrong_size);
  EXPECT_TRUE(std::isnan(plant.reading().time));
  ASSERT_EQ(plant.step(two(0.0, 0.0)), Status::ok);
  EXPECT_NEAR(plant.truth().time, 2e-3, tolerance::kArithmetic);
  EXPECT_EQ(plant.reset(VectorX::Zero(1)), Status::wrong_size);
  EXPECT_EQ(plant.reset(two(kNaN, 0.0)), Status::not_finite);
  EXPECT_EQ(plant.reset_scene(before), Status::ok);
  EXPECT_EQ(plant.truth().qpos, before);
}

TEST(MujocoPlant, ABrokenSimulationSaysSoUntilItIsReset) {
  MujocoPlant plant(MujocoScene(pusher_over_table()), {.site = "sole"});
  Status status = Status::ok;
  for (int i = 0; i < 5000 && status == Status::ok; ++i) status = plant.step(two(9e9, 0.0));
  EXPECT_EQ(status, Status::not_finite);
  EXPECT_EQ(plant.step(two(0.0, 0.0)), Status::not_finite);
  ASSERT_EQ(plant.reset(two(0.0, 0.0)), Status::ok);
  EXPECT_EQ(plant.step(two(0.0, 0.0)), Status::ok);
}

TEST(MujocoPlant, SaysWhatItCannotDrive) {
  SceneDescription servos = ur5e_scene();
  servos.has_torque_motors = false;
  EXPECT_NE(message([&] {
              MujocoPlant(MujocoScene(servos), {.site = "fingertip"});
            }).find("actuator 'shoulder_pan' is not torque controlled"),
            std::string::npos);
  const MujocoScene scene(pusher_over_table());
  EXPECT_NE(message([&] { MujocoPlant(scene, {.site = "soul"}); }).find("unknown site 'soul'; did you mean 'sole'"),
            std::string::npos);
  EXPECT_NE(message([&] { MujocoPlant(scene, {.site = "sole", .contact_body = "hand"}); }).find("unknown body 'hand'"),
            std::string::npos);
  EXPECT_NE(message([&] { MujocoPlant(scene, {.site = "sole"}, {.delay = -1.0}); }).find("delay"), std::string::npos);
  EXPECT_NE(message([&] { MujocoPlant(scene, {.site = "sole"}, {}, VectorX::Ones(3)); }).find("give 2"),
            std::string::npos);
  EXPECT_NE(message([&] {
              MujocoPlant(MujocoScene(test::scene_of(test::kPusherMjcf)), {.site = "sole"});
            }).find("no force sensor"),
            std::string::npos);
}

}  // namespace
}  // namespace antaeus
