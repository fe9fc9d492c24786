#include "antaeus/sim/mujoco_flyer.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <iostream>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/sim/mujoco_dynamics.hpp"
#include "antaeus/space/free_flyer.hpp"
#include "sim/scenes.hpp"
#include "sim/tolerances.hpp"

namespace antaeus {
namespace {

using test::own_robot;
using test::RandomStates;

MujocoScene free_scene(const std::string& text) { return MujocoScene(test::scene_of(text)); }

RobotModel model_of(const MujocoScene& scene, const std::string& root = "") {
  return mujoco_robot(scene, {.root = root, .base = Base::free_flyer}).model();
}

/// Joints of the second model in the first's order; both have one number of q for each row but the base's.
struct Renaming {
  Renaming(const RobotModel& first, const RobotModel& second) : q_shift(first.nq() - first.nv()) {
    for (const std::string& name : second.row_names()) {
      const auto found = std::find(first.row_names().begin(), first.row_names().end(), name);
      EXPECT_NE(found, first.row_names().end()) << name;
      rows.push_back(static_cast<int>(found - first.row_names().begin()));
    }
  }
  VectorX q(const VectorX& from) const {
    VectorX to = from;
    for (int row = q_shift == 1 ? 6 : 0; row < std::ssize(rows); ++row) to[row + q_shift] = from[rows[row] + q_shift];
    return to;
  }
  VectorX v(const VectorX& from) const {
    VectorX to(from.size());
    for (int row = 0; row < std::ssize(rows); ++row) to[row] = from[rows[row]];
    return to;
  }
  MatrixX M(const MatrixX& from) const {
    MatrixX to(from.rows(), from.cols());
    for (int i = 0; i < std::ssize(rows); ++i) {
      for (int j = 0; j < std::ssize(rows); ++j) to(i, j) = from(rows[i], rows[j]);
    }
    return to;
  }
  int q_shift;
  std::vector<int> rows;
};

struct Differences {
  double M = 0.0, a = 0.0, h = 0.0;  // each as a share of the largest entry, or of the norm
};

/// Largest differences over random states: Pinocchio on `ours`, and on what was read back; and MuJoCo itself.
void expect_one_robot(const std::string& name, const RobotModel& ours, const MujocoScene& scene,
                      bool has_mujoco_order) {
  const RobotModel theirs = ours.base() == Base::free_flyer ? model_of(scene) : mujoco_robot(scene).model();
  ASSERT_EQ(theirs.nv(), ours.nv());
  ASSERT_EQ(theirs.nq(), ours.nq());
  EXPECT_EQ(theirs.base(), ours.base());
  EXPECT_NEAR(theirs.total_mass(), ours.total_mass(), tolerance::kMujocoParity);
  const Renaming order(ours, theirs);
  Dynamics dynamics(ours), read_back(theirs);
  MujocoDynamics mujoco(scene, has_mujoco_order ? ours : theirs);
  RandomStates random(6221);
  SCOPED_TRACE(name + ", " + random.text());
  const int n = ours.nv();
  MatrixX M(n, n), M_back(n, n), M_mujoco(n, n);
  VectorX a(n), a_back(n), a_mujoco(n), h(n), h_back(n);
  Differences back, direct;
  const auto keep = [](double& largest, double value) {
    if (!(value <= largest) && !std::isnan(largest)) largest = value;  // NaN is larger than all
  };
  for (int state = 0; state < 200; ++state) {
    const VectorX q = random.configuration(ours), v = random.vector(n, 2.0), tau = random.vector(n, 5.0);
    ASSERT_EQ(dynamics.mass_matrix(q, M), Status::ok);
    ASSERT_EQ(dynamics.forward_dynamics(q, v, tau, a), Status::ok);
    ASSERT_EQ(dynamics.nonlinear_effects(q, v, h), Status::ok);
    const VectorX q_back = order.q(q), v_back = order.v(v), tau_back = order.v(tau);
    ASSERT_EQ(read_back.mass_matrix(q_back, M_back), Status::ok);
    ASSERT_EQ(read_back.forward_dynamics(q_back, v_back, tau_back, a_back), Status::ok);
    ASSERT_EQ(read_back.nonlinear_effects(q_back, v_back, h_back), Status::ok);
    keep(back.M, (M_back - order.M(M)).cwiseAbs().maxCoeff() / M.cwiseAbs().maxCoeff());
    keep(back.a, (a_back - order.v(a)).norm() / a.norm());
    keep(back.h, (h_back - order.v(h)).norm() / std::max(1.0, h.norm()));
    ASSERT_EQ(mujoco.mass_matrix(has_mujoco_order ? q : q_back, M_mujoco), Status::ok);
    ASSERT_EQ(mujoco.forward_dynamics(has_mujoco_order ? q : q_back, has_mujoco_order ? v : v_back,
                                      has_mujoco_order ? tau : tau_back, a_mujoco),
              Status::ok);
    keep(direct.M, (M_mujoco - (has_mujoco_order ? M : order.M(M))).cwiseAbs().maxCoeff() / M.cwiseAbs().maxCoeff());
    keep(direct.a, (a_mujoco - (has_mujoco_order ? a : order.v(a))).norm() / a.norm());
  }
  std::cout << name << ", nv " << n << ": read back M " << back.M << ", a " << back.a << ", h " << back.h
            << "; MuJoCo M " << direct.M << ", a " << direct.a << '\n';
  EXPECT_LE(back.M, tolerance::kFlyerMass);
  EXPECT_LE(back.a, tolerance::kFlyerAcceleration);
  EXPECT_LE(back.h, tolerance::kFlyerAcceleration);
  EXPECT_LE(direct.M, tolerance::kFlyerMass);
  EXPECT_LE(direct.a, tolerance::kFlyerAcceleration);
}

TEST(MujocoFlyer, TheSpacecraftAreOneRobotInBothEngines) {
  for (const char* const name : {"spacecraft_ur3", "spacecraft_panda"}) {
    const RobotModel model = own_robot(name).model;
    const MujocoScene scene(flyer_scene(model));
    expect_one_robot(name, model, scene, true);
    EXPECT_EQ(scene.motor_names(), model.motor_names());
    const RobotModel back = model_of(scene);
    EXPECT_EQ(back.motor_names(), model.motor_names());
    EXPECT_EQ(back.lower_limits(), model.lower_limits());
    EXPECT_EQ(back.upper_limits(), model.upper_limits());
    EXPECT_EQ(back.effort_limits(), model.effort_limits());
    EXPECT_EQ(back.gravity(), Vector3::Zero());
    for (const LinkDescription& link : model.description().links) EXPECT_TRUE(back.has_frame(link.name)) << link.name;
    EXPECT_TRUE(back.has_frame("base"));
  }
}

/// What lies in robots/ is what examples/write_mjcf.cpp makes of the URDF beside it.
TEST(MujocoFlyer, TheFilesOfTheProjectAreItsRobots) {
  for (const std::string name : {"spacecraft_ur3", "spacecraft_panda"}) {
    SceneDescription description;
    description.name = name;
    description.robot.file = robots_folder() / name / (name + ".xml");
    description.physics.gravity.setZero();
    description.physics.integrator = Integrator::runge_kutta_4;
    expect_one_robot(name + ".xml", own_robot(name).model, MujocoScene(description), true);
  }
}

TEST(MujocoFlyer, BranchesGravityAndOddJointsToo) {
  expect_one_robot("h1_2", own_robot("h1_2").model, MujocoScene(flyer_scene(own_robot("h1_2").model)), true);
  expect_one_robot("planar_3r", own_robot("planar_3r").model, MujocoScene(flyer_scene(own_robot("planar_3r").model)),
                   true);
}

TEST(MujocoFlyer, PayloadsArmatureAndHeldJointsAreInIt) {
  const Robot robot = own_robot("spacecraft_ur3");
  ModelOptions options = robot.profile.options;
  Inertial load;
  load.mass = 1.7;
  load.center_of_mass = Vector3(0.05, -0.02, 0.1);
  load.inertia << 0.02, 0.001, -0.002, 0.001, 0.03, 0.0005, -0.002, 0.0005, 0.025;
  options.payloads = {{"ee_link", load}, {"wrist_2_joint", load}, {"spacecraft", load}};
  options.armature = {{"elbow_joint", 0.3}, {"wrist_3_joint", 0.01}};
  options.locked_joints = {{"shoulder_lift_joint", -0.7}};
  options.motors = {"wrist_1_joint", "elbow_joint"};
  const RobotModel model(robot.model.description(), options);
  const MujocoScene scene(flyer_scene(model));
  expect_one_robot("spacecraft_ur3, loaded", model, scene, true);
  EXPECT_EQ(model_of(scene).motor_names(), options.motors);
  EXPECT_NEAR(model.total_mass(), own_robot("spacecraft_ur3").model.total_mass() + 5.1, tolerance::kMujocoParity);
}

TEST(MujocoFlyer, WhatMjcfLacksIsRefusedByName) {
  RobotDescription description = own_robot("spacecraft_ur3").model.description();
  for (JointDescription& joint : description.joints) {
    if (joint.name == "elbow_joint") joint.type = JointType::floating;
  }
  try {
    mjcf_of(RobotModel(description));
    FAIL() << "a floating joint in the arm";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("joint 'elbow_joint' is floating"), std::string::npos) << error.what();
  }
  for (JointDescription& joint : description.joints) {
    if (joint.name == "elbow_joint") joint.type = JointType::continuous;
  }
  const RobotModel endless(description);
  const MujocoScene scene(flyer_scene(endless));
  EXPECT_EQ(model_of(scene).nq(), endless.nq() - 1);
  try {
    SceneOrder(scene, endless);
    FAIL() << "(cos, sin) in the model, an angle in MuJoCo";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("joint 'elbow_joint' of the model is continuous"), std::string::npos)
        << error.what();
  }
}

TEST(MujocoFlyer, NamesAreEscapedAndStayApart) {
  RobotDescription description = own_robot("spacecraft_ur3").model.description();
  const auto rename = [&](const std::string& from, const std::string& to) {
    for (LinkDescription& link : description.links) {
      if (link.name == from) link.name = to;
    }
    for (JointDescription& joint : description.joints) {
      if (joint.parent == from) joint.parent = to;
      if (joint.child == from) joint.child = to;
      if (joint.name == from) joint.name = to;
    }
  };
  rename("forearm_link", R"(a "b" & <c>'d')");
  rename("ee_link", "base");
  rename("mount_joint", "root_joint");
  rename("wrist_2_link", "payload");
  ModelOptions options;
  Inertial load;
  load.mass = 1.0;
  load.inertia = 0.01 * Matrix3::Identity();
  options.payloads = {{"payload", load}, {"payload", load}};
  const RobotModel model(description, options);
  const MujocoScene scene(flyer_scene(model));
  const RobotModel back = model_of(scene);
  EXPECT_EQ(back.nv(), 12);
  EXPECT_TRUE(back.has_frame(R"(a "b" & <c>'d')"));
  EXPECT_NEAR(back.total_mass(), model.total_mass(), tolerance::kMujocoParity);
}

/// Written by hand: the base has no inertia of its own axes, bodies are turned, anchors stand off, one link is welded.
constexpr const char* kFreeArmMjcf = R"(<mujoco>
  <compiler angle="radian"/>
  <option gravity="0 0 0"/>
  <worldbody>
    <body name="target" pos="3 0 0"><freejoint/><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/></body>
    <body name="bus" pos="1 2 3" quat="0.5 0.5 -0.5 0.5">
      <freejoint name="drift"/>
      <inertial pos="0.02 -0.03 0.01" mass="80" fullinertia="9 8 7 0.4 -0.3 0.2"/>
      <body name="mast" pos="0.3 0 0.1" quat="0.7 0.7 0 0.1">
        <inertial pos="0 0 0.05" mass="1" diaginertia="0.01 0.01 0.002"/>
        <body name="one" pos="0 0 0.2">
          <inertial pos="0 0 0.1" quat="0.9 0.1 0.2 0.3" mass="2" diaginertia="0.02 0.02 0.01"/>
          <joint name="one" axis="0 0 1" armature="0.1" ref="0.2"/>
          <body name="two" pos="0 0.1 0.1">
            <inertial pos="0.2 0 0" mass="1.5" diaginertia="0.004 0.03 0.03"/>
            <joint name="two" axis="0 1 0" pos="0.01 0 -0.02"/>
            <body name="three" pos="0.4 0 0" quat="0.9 0 0.4 0">
              <inertial pos="0.15 0 0" mass="1" diaginertia="0.003 0.01 0.01"/>
              <joint name="three" axis="0 1 0"/>
              <body name="four" pos="0.3 0 0">
                <inertial pos="0 0 0" mass="0.5" diaginertia="0.001 0.001 0.001"/>
                <joint name="four_a" axis="1 0 0"/>
                <joint name="four_b" axis="0 1 0.1"/>
                <body name="five" pos="0.05 0 0">
                  <inertial pos="0.02 0 0" mass="0.3" diaginertia="0.0005 0.0006 0.0007"/>
                  <joint name="five" axis="1 0 0.2"/>
                  <site name="tip" pos="0.1 0 0" quat="0.7 0 0.7 0.1"/>
                </body>
              </body>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="m6" joint="five"/><motor name="m1" joint="one"/><motor name="m2" joint="two"/>
    <motor name="m3" joint="three"/><motor name="m4" joint="four_a"/><motor name="m5" joint="four_b"/>
  </actuator>
</mujoco>)";

TEST(MujocoFlyer, AFreeFlyerOutOfAHandWrittenFile) {
  SceneDescription description = test::scene_of(kFreeArmMjcf);
  description.physics.gravity.setZero();
  const MujocoScene scene(description);
  const RobotModel model = model_of(scene, "bus");
  EXPECT_EQ(model.base(), Base::free_flyer);
  EXPECT_EQ(model.description().root, "bus");
  EXPECT_EQ(model.nv(), 12);
  EXPECT_FALSE(model.has_frame("target"));
  EXPECT_EQ(model.motor_names(), (std::vector<std::string>{"five", "one", "two", "three", "four_a", "four_b"}));
  FreeFlyer flying(model, "tip");
  EXPECT_EQ(flying.joints(), 6);
  MujocoDynamics mujoco(scene, model);
  Dynamics dynamics(model);
  RandomStates random(6222);
  SCOPED_TRACE(random.text());
  MatrixX M(12, 12);
  VectorX a(12), ours(12);
  Pose X_WT;
  for (int state = 0; state < 200; ++state) {
    const VectorX q = random.configuration(model), v = random.vector(12), tau = random.vector(12);
    const FreeFlyingTerms& terms = flying.at(q, v);
    ASSERT_EQ(mujoco.mass_matrix(q, M), Status::ok);
    EXPECT_LE((terms.M - M).cwiseAbs().maxCoeff() / M.cwiseAbs().maxCoeff(), tolerance::kFlyerMass);
    // The target, which the model does not have, leaves the others' rows as they are: two trees do not couple.
    ASSERT_EQ(mujoco.forward_dynamics(q, v, tau, a), Status::ok);
    ASSERT_EQ(dynamics.forward_dynamics(q, v, tau, ours), Status::ok);
    EXPECT_LE((a - ours).norm() / a.norm(), tolerance::kFlyerAcceleration);
    ASSERT_EQ(mujoco.frame_pose(q, model.frame("tip"), X_WT), Status::ok);
    EXPECT_LE((X_WT.translation - flying.motion().X_WE.translation).norm(), tolerance::kMujocoParity);
  }
}

void expect_model_error(const std::function<void()>& act, const std::vector<std::string>& words) {
  try {
    act();
    FAIL() << "nothing was thrown: " << words[0];
  } catch (const ModelError& error) {
    const std::string text = error.what();
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(MujocoFlyer, RootsThatCannotFly) {
  expect_model_error([] { model_of(free_scene(kFreeArmMjcf)); }, {"several bodies", "'target'", "'bus'"});
  expect_model_error([] { model_of(free_scene(kFreeArmMjcf), "buss"); }, {"buss", "bus"});
  expect_model_error([] { model_of(free_scene(kFreeArmMjcf), "mast"); }, {"carried by a moving one, 'bus'"});
  expect_model_error([] { model_of(free_scene(test::kPusherMjcf)); }, {"no body has a free joint", "<freejoint/>"});
  expect_model_error([] { model_of(free_scene(test::kPusherMjcf), "carriage"); }, {"'carriage' has no free joint"});
  const RobotModel ur3 = own_robot("spacecraft_ur3").model;
  expect_model_error([&] { SceneOrder(free_scene(kFreeArmMjcf), ur3); }, {"unknown root body 'spacecraft'"});
  RobotDescription named = ur3.description();
  for (LinkDescription& link : named.links) {
    if (link.name == "spacecraft") link.name = "carriage";
  }
  for (JointDescription& joint : named.joints) {
    if (joint.parent == "spacecraft") joint.parent = "carriage";
  }
  named.root = "carriage";
  expect_model_error([&] { SceneOrder(free_scene(test::kPusherMjcf), RobotModel(named)); },
                     {"body 'carriage' has no free joint"});
}

/// One clear line for each, whatever is cut off or turned into nonsense.
TEST(MujocoFlyer, BrokenFilesGiveOneLine) {
  const std::string good = mjcf_of(own_robot("spacecraft_ur3").model).text;
  int refused = 0, read = 0;
  const auto expect_sound = [&](const std::string& text) {
    try {
      model_of(free_scene(text));
      ++read;
    } catch (const ModelError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  };
  for (std::size_t length = 0; length < good.size(); length += 97) expect_sound(good.substr(0, length));
  EXPECT_EQ(read, 0);
  RandomStates random(6223);
  SCOPED_TRACE(random.text());
  for (int i = 0; i < 150; ++i) {
    std::string text = good;
    const VectorX where = random.vector(6);
    for (int at = 0; at < 3; ++at) {
      const auto place = static_cast<std::size_t>(0.5 * (where[at] + 1.0) * static_cast<double>(text.size() - 1));
      text[place] = " -9e<\"/>\n&z"[static_cast<int>(5.5 * (where[at + 3] + 1.0)) % 11];
    }
    expect_sound(text);
  }
  EXPECT_GT(refused, 100);
  std::string deep = "<mujoco><worldbody><body name=\"root\"><freejoint/>";
  for (int body = 0; body < 5000; ++body) deep += "<body>";
  deep += "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>";
  for (int body = 0; body < 5001; ++body) deep += "</body>";
  const int before_deep = refused;
  expect_sound(deep + "</worldbody></mujoco>");
  EXPECT_EQ(refused, before_deep + 1);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"mass=\"150\"", "mass=\"-150\""},
           {"mass=\"150\"", "mass=\"nan\""},
           {"mass=\"150\"", "mass=\"0\""},
           {"diaginertia=\"25.25 27.625 22.625\"", "diaginertia=\"1 1 5\""},
           {"diaginertia=\"25.25 27.625 22.625\"", "diaginertia=\"1 inf 1\""},
           {"axis=\"0 0 1\"", "axis=\"0 0 0\""},
           {"type=\"hinge\"", "type=\"ball\""},
           {"<freejoint ", "<freejoint limited=\"true\" "}}) {
    std::string text = good;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    const int before = refused;
    expect_sound(text.replace(at, from.size(), to));
    EXPECT_EQ(refused, before + 1) << to;
  }
}

}  // namespace
}  // namespace antaeus
