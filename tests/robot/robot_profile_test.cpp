#include "antaeus/robot/robot_profile.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/io/files.hpp"
#include "robot/test_robots.hpp"
#include "support/temporary_folder.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

namespace fs = std::filesystem;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the profile has no: " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

int line_of(const std::string& text, const std::string& what) {
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(what)), '\n'));
}

/// A copy of a robot's folder whose profile a test may spoil.
std::string base_of(const Robot& robot) { return spelled(base_text(robot), FrontEnd::neutral); }

class Profile : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy(test::robots_folder() / "planar_3r" / "planar_3r.urdf", folder_ / "planar_3r.urdf");
    text_ = read_file(test::robots_folder() / "planar_3r" / "profile.toml");
  }

  fs::path write(const std::string& text) const {
    std::ofstream(folder_ / "profile.toml", std::ios::binary) << text;
    return folder_ / "profile.toml";
  }

  /// The message names the file, the line of `at` where given, and holds the parts.
  void expect_refused(const std::string& text, const std::string& at, const std::vector<std::string>& parts) const {
    const fs::path file = write(text);
    try {
      load_robot(file.string());
      ADD_FAILURE() << "accepted; expected '" << parts.front() << "'";
    } catch (const ModelError& error) {
      const std::string message = error.what();
      std::string place = file.string();
      if (!at.empty()) place.append(":").append(std::to_string(line_of(text, at)));
      EXPECT_EQ(message.rfind(place, 0), 0u) << message << "\nexpected to begin with: " << place;
      for (const std::string& part : parts)
        EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
    }
  }

  test::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
  std::string text_;
};

TEST_F(Profile, FactsOfTheH1_2) {
  const Robot robot = test::own_robot("h1_2");
  const RobotProfile& profile = robot.profile;
  EXPECT_EQ(profile.name, "h1_2");
  EXPECT_EQ(profile.options.base, Base::free_flyer);
  EXPECT_EQ(profile.options.gravity, Vector3(0, 0, -9.81));
  ASSERT_EQ(profile.options.motors.size(), 27u);
  EXPECT_EQ(profile.options.motors[12], "torso_joint");
  EXPECT_EQ(profile.motor_labels[13], "L_sh_pitch");
  EXPECT_EQ(robot.reference_motor(), 12);
  EXPECT_EQ(profile.reference_joint, "torso_joint");
  ASSERT_EQ(profile.endpoints.size(), 4u);
  EXPECT_EQ(profile.endpoint("left wrist").frame, "left_wrist_yaw_link");
  EXPECT_EQ(profile.endpoint("right_ankle_roll_link").kind, EndpointKind::foot);
  EXPECT_EQ(profile.find_group("left_arm")->joints.size(), 7u);
  EXPECT_EQ(profile.find_group("third_arm"), nullptr);
  EXPECT_EQ(profile.imu.frame, "imu_link");
  EXPECT_EQ(profile.imu.order, QuaternionOrder::xyzw);
  EXPECT_EQ(profile.imu.deployed_as, DeployedImu::base);
  EXPECT_EQ(profile.deployed_sign, Sign::on_environment);
  EXPECT_EQ(profile.deployed_endpoints, (std::vector<std::string>{"left_wrist_yaw_link", "right_wrist_yaw_link"}));
  EXPECT_EQ(profile.torque_source, TorqueSource::motor);
  ASSERT_EQ(profile.figures.size(), 27u);
  EXPECT_EQ(profile.figures[0].torque_sd, 0.2);
  EXPECT_EQ(profile.figures[12].coulomb, 0.8);
  EXPECT_EQ(profile.figures[19].coulomb, 0.15);
  for (const JointFigures& figures : profile.figures) EXPECT_EQ(figures.armature, 0.1);
  EXPECT_EQ(profile.preflight.gain_limit, 3.0);
  EXPECT_EQ(profile.preflight.gain_row, kFz);
  EXPECT_EQ(profile.preflight.start_error_limit, 0.15);
  EXPECT_EQ(profile.preflight.start_error_joints.size(), 2u);
  EXPECT_EQ(profile.poses.size(), 3u);
  const VectorX q = robot.pose("arm_waist_target");
  EXPECT_EQ(q[13], -0.3);
  EXPECT_EQ(q[16], 1.5);
  EXPECT_EQ(q[20], -0.9);
  EXPECT_EQ(q[21], -0.47);
  EXPECT_EQ(q[23], 0.5);
  EXPECT_EQ((q.array() != 0.0).count(), 5);
  EXPECT_TRUE(robot.pose("zero").isZero(0.0));
  EXPECT_EQ(profile.sha256, test::own_robot("h1_2").profile.sha256);
}

TEST_F(Profile, UnknownNamesComeWithTheNearest) {
  const Robot robot = test::own_robot("h1_2");
  const auto message = [](auto function) {
    try {
      function();
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_NE(message([&] { robot.pose("re3_strt"); }).find("'re3_start'"), std::string::npos);
  EXPECT_NE(message([&] { robot.profile.endpoint("left_wrist_yaw_lnk"); }).find("'left_wrist_yaw_link'"),
            std::string::npos);
  EXPECT_NE(message([&] { load_robot("no_such_robot_zzz"); }).find("give a .toml or .urdf file"), std::string::npos);
}

TEST_F(Profile, GoodCopyIsAccepted) {
  const Robot robot = load_robot(write(text_).string());
  EXPECT_EQ(robot.profile.name, "planar_3r");
  EXPECT_EQ(robot.model.base(), Base::fixed);
  EXPECT_EQ(robot.reference_motor(), -1);
  EXPECT_EQ(load_robot(folder_.string()).model.nv(), 3) << "a folder with a profile names a robot too";
}

TEST_F(Profile, BareDescriptionIsARobot) {
  const Robot robot = load_robot((folder_ / "planar_3r.urdf").string());
  EXPECT_EQ(robot.model.base(), Base::fixed) << "one limb";
  EXPECT_EQ(robot.profile.base_source, BaseSource::limbs);
  EXPECT_EQ(base_of(robot), "fixed (one limb; base=floating otherwise)");
  EXPECT_EQ(robot.profile.options.motors, (std::vector<std::string>{"joint_1", "joint_2", "joint_3"}));
  EXPECT_EQ(robot.profile.motor_labels, robot.profile.options.motors);
  EXPECT_EQ(robot.profile.figures.size(), 3u);
  EXPECT_TRUE(robot.profile.endpoints.empty());
}

TEST_F(Profile, TheBaseIsTheUsersElseTheProfilesElseByLimbs) {
  const std::string file = write(text_).string();
  EXPECT_EQ(base_of(load_robot(file)), "fixed (the profile's)");
  const Robot freed = load_robot(file, MeshPolicy::required, Base::free_flyer);
  EXPECT_EQ(base_of(freed), "floating (base)");
  EXPECT_EQ(freed.model.nv(), 9);
  EXPECT_EQ(load_robot(write(replaced(text_, "base = \"fixed\"", "base = \"floating\"")).string()).model.base(),
            Base::free_flyer);
  EXPECT_EQ(base_of(load_robot(write(replaced(text_, "base = \"fixed\"", "")).string())),
            "fixed (one limb; base=floating otherwise)");
  EXPECT_EQ(base_of(test::own_robot("h1_2")), "floating (the profile's)");
  const std::string h1_2 = (test::robots_folder() / "h1_2" / "h1_2.urdf").string();
  EXPECT_EQ(base_of(load_robot(h1_2)), "floating (4 limbs; base=fixed otherwise)");
  EXPECT_EQ(load_robot(h1_2, MeshPolicy::required, Base::fixed).model.nv(), 27);
  // A profile that a program made keeps its base.
  RobotProfile own;
  own.model = h1_2;
  own.options.base = Base::fixed;
  EXPECT_EQ(base_of(make_robot(own)), "fixed");
  EXPECT_EQ(parse_base("floating", "--base"), Base::free_flyer);
  try {
    parse_base("fxied", "--base");
    ADD_FAILURE() << "accepted";
  } catch (const OptionsError& error) {
    EXPECT_STREQ(error.what(), "--base: unknown base 'fxied'; did you mean 'fixed'?");
  }
}

TEST_F(Profile, UnknownKeys) {
  expect_refused(replaced(text_, "gravity = ", "gravty = "), "gravty", {"'gravty'", "'gravity'"});
  expect_refused(replaced(text_, "torque_sd = 0.1", "torque_std = 0.1"), "torque_std",
                 {"'torque_std'", "'torque_sd'", "joint_figures"});
  expect_refused(replaced(text_, "kind = \"hand\"", "knd = \"hand\""), "knd", {"'knd'", "'kind'", "endpoints"});
  expect_refused(text_ + "\n[preflight]\ngain_limits = 3\n", "gain_limits",
                 {"'gain_limits'", "'gain_limit'", "preflight"});
}

TEST_F(Profile, WrongTypes) {
  expect_refused(replaced(text_, "name = \"planar_3r\"", "name = 3"), "name = 3", {"'name' must be a text"});
  expect_refused(replaced(text_, "torque_sd = 0.1", "torque_sd = \"0.1\""), "torque_sd",
                 {"'torque_sd' must be a number"});
  expect_refused(replaced(text_, "torque_sd = 0.1", "torque_sd = nan"), "torque_sd", {"must be finite"});
  expect_refused(replaced(text_, "torque_sd = 0.1", "torque_sd = true"), "torque_sd", {"must be a number"});
  expect_refused(replaced(text_, "gravity = [0.0, 0.0, 0.0]", "gravity = [0.0, 0.0]"), "gravity", {"3 numbers"});
  expect_refused(replaced(text_, "gravity = [0.0, 0.0, 0.0]", "gravity = -9.81"), "gravity", {"must be a list"});
  expect_refused(replaced(text_, "motors = [", "motors = [1, "), "motors = [1", {"'motors' must be a text"});
  expect_refused(replaced(text_, "[torque]\nsource = \"motor\"", "[torque]\nsource = \"motr\""), "motr",
                 {"'motr'", "'motor'"});
  expect_refused(replaced(text_, "base = \"fixed\"", "base = \"fxed\""), "base = ", {"'fxed'", "'fixed'"});
  expect_refused(replaced(text_, "[torque]", "torque = 1\n[torque_]"), "torque = 1", {"torque"});
  expect_refused(replaced(text_, "joint_1 = 0.523599", "joint_1 = \"a\""), "joint_1 = \"a\"",
                 {"'joint_1' must be a number"});
}

TEST_F(Profile, BadFigures) {
  for (const std::string key : {"torque_sd", "coulomb", "viscous", "armature"}) {
    const std::string now = key + (key == "torque_sd" ? " = 0.1" : " = 0.0");
    expect_refused(replaced(text_, now, key + " = -0.5"), key + " = -0.5", {"'" + key + "' is negative"});
  }
  expect_refused(replaced(text_, "torque_sd = 0.1", "torque_sd = 0"), "torque_sd", {"zero", "no sensor is exact"});
  for (const std::string key : {"static_sd", "stribeck_speed", "gear", "torque_limit"}) {
    for (const std::string value : {"0", "-2"}) {
      const std::string line = key + " = " + value;
      expect_refused(replaced(text_, "torque_sd = 0.1", "torque_sd = 0.1\n" + line), line,
                     {"'" + key + "' must be more than zero", "joint_figures"});
    }
  }
  // A negative scale is a channel that is positive against its joint's axis.
  expect_refused(replaced(text_, "torque_sd = 0.1", "torque_sd = 0.1\nscale = 0"), "scale = 0", {"'scale' is zero"});
  EXPECT_EQ(read_profile(write(replaced(text_, "torque_sd = 0.1", "torque_sd = 0.1\nscale = -2"))).figures[0].scale,
            -2.0);
  expect_refused(replaced(text_, "torque_sd = 0.1", "torque_sd = 0.1\nstribeck = -1"), "stribeck = -1",
                 {"'stribeck' is negative"});
  expect_refused(replaced(text_, "[[joint_figures]]\ngroup = \"arm\"", "[[joint_figures]]\ngroup = \"amr\""),
                 "group = \"amr\"", {"'amr'"});
  expect_refused(replaced(text_, "[[joint_figures]]\ngroup = \"arm\"", "[[joint_figures]]\njoints = [\"joint_7\"]"),
                 "[\"joint_7\"]", {"'joint_7'", "'joint_1'"});
}

TEST_F(Profile, WhatAnEndpointsContactCanExert) {
  const std::string place = "label = \"tool\"\n";
  const auto with = [&](const std::string& lines) { return replaced(text_, place, place + lines + "\n"); };
  const RobotProfile bare = read_profile(write(text_));
  EXPECT_TRUE(std::isnan(bare.endpoints[0].surface.friction) && std::isnan(bare.endpoints[0].surface.torsion));
  EXPECT_TRUE(std::isnan(bare.endpoints[0].surface.force_cap) && !bare.endpoints[0].surface.has_sole());
  const RobotProfile profile =
      read_profile(write(with("friction = 0.6\ntorsion = 0\nforce_cap = 400\nsole_depth = 0.06\n"
                              "sole = [[-0.05, -0.04], [0.12, -0.02], [0.15, 0.01], [0.12, 0.03], [-0.05, 0.04]]")));
  const ContactSurface& surface = profile.endpoints[0].surface;
  EXPECT_EQ(surface.friction, 0.6);
  EXPECT_EQ(surface.torsion, 0.0);
  EXPECT_EQ(surface.force_cap, 400.0);
  EXPECT_EQ(surface.sole_depth, 0.06);
  ASSERT_EQ(surface.sole.size(), 5u);
  EXPECT_EQ(surface.sole[2], Eigen::Vector2d(0.15, 0.01));
  EXPECT_NEAR((surface.middle() - Eigen::Vector2d(0.05, 0.0)).norm(), 0.0, tolerance::kArithmetic);
  EXPECT_NEAR((surface.half_size() - Eigen::Vector2d(0.1, 0.04)).norm(), 0.0, tolerance::kArithmetic);

  for (const std::string key : {"friction", "torsion"}) {
    expect_refused(with(key + " = -0.1"), key + " = -0.1", {"'" + key + "' is negative", "endpoints"});
  }
  for (const std::string value : {"0", "-5"}) {
    expect_refused(with("force_cap = " + value), "force_cap = " + value, {"'force_cap' must be more than zero"});
  }
  for (const std::string key : {"friction", "torsion", "force_cap", "sole_depth"}) {
    expect_refused(with(key + " = nan"), key + " = nan", {"must be finite"});
    expect_refused(with(key + " = inf"), key + " = inf", {"must be finite"});
    expect_refused(with(key + " = \"high\""), key + " = \"high\"", {"'" + key + "' must be a number"});
  }
  expect_refused(with("frictoin = 0.6"), "frictoin", {"'frictoin'", "'friction'"});
  const std::string corners = "counter-clockwise";
  for (const std::string sole : {"[]", "[[0.1, 0.0], [0.2, 0.0]]",                       // no area
                                 "[[0, 0], [0.1, 0], [0.2, 0]]",                         // in a line
                                 "[[0, 0], [0, 0.1], [0.1, 0.1], [0.1, 0]]",             // clockwise
                                 "[[0, 0], [0.1, 0], [0.1, 0], [0, 0.1]]",               // a corner twice
                                 "[[0, 0], [0.2, 0], [0.05, 0.05], [0, 0.2]]",           // a dent
                                 "[[0, 0], [0.1, 0.1], [0.1, 0], [0, 0.1]]",             // crossed
                                 "[[0, 10], [-6, -8], [9.5, 3], [-9.5, 3], [6, -8]]",    // a star
                                 "[[0, 0], [1e200, 0], [1e200, 1e200], [0, 1e200]]"}) {  // beyond numbers
    expect_refused(with("sole = " + sole), "sole = " + sole, {"'sole' is not a convex polygon", corners});
  }
  expect_refused(with("sole = [[0, 0], [0.1, 0], [0.1, 0.1, 0.1]]"), "sole = ", {"a corner has 3 numbers", corners});
  expect_refused(with("sole = [[0, 0], [0.1, 0], [nan, 0.1]]"), "sole = ", {"must be finite"});
  expect_refused(with("sole = [[0, 0], [0.1, 0], [0.1, \"a\"]]"), "sole = ", {"must be a number"});
  expect_refused(with("sole = [0.1, 0.2]"), "sole = ", {"must be a list"});
  expect_refused(with("sole = 0.1"), "sole = ", {"must be a list"});
}

TEST_F(Profile, TorqueChannel) {
  const std::string place = "[torque]\nsource = \"motor\"";
  expect_refused(replaced(text_, place, place + "\nsign = 2"), "sign = 2", {"'sign' is neither 1 nor -1"});
  expect_refused(replaced(text_, place, place + "\nfriction = \"bond\""), "friction", {"'bond'", "'bound'"});
  const std::string figures = "gear = 50.0\nscale = 1.1\ntorque_offset = 0.02\ntorque_limit = 30.0\nstatic_sd = 0.7\n";
  const Robot robot =
      load_robot(write(replaced(replaced(text_, place, place + "\nsign = -1\nfriction = \"identified\""),
                                "torque_sd = 0.1", figures + "torque_sd = 0.1"))
                     .string());
  EXPECT_EQ(robot.profile.friction, FrictionUse::identified);
  EXPECT_EQ(robot.profile.figures[1].torque_limit, 30.0);
  EXPECT_EQ(robot.profile.figures[1].static_sd, 0.7);
  // −1 · 1.1 · 50 · (0.22 − 0.02)
  EXPECT_NEAR(robot.profile.joint_torque(1, 0.22), -11.0, tolerance::kByHand);
}

TEST_F(Profile, ChannelsOfALog) {
  const std::string good = R"(
[channels]
time_scale = 0.001
position_scale = 0.0174
position_offset = [0.0, 0.1, -0.2]
velocity_scale = [1, -1, 1]
position_order = [1, 0, 2]
torque_order = [2, 1, 0]
velocity_delay = 0.08
torque_delay = -0.01
quaternion_order = "wxyz"
quaternion_inverse = true
accelerometer_scale = 9.81
gyro_scale = [1, 1, -1]
)";
  EXPECT_TRUE(load_robot(write(text_).string()).profile.channels.is_identity());
  const ChannelMap map = load_robot(write(text_ + good).string()).profile.channels;
  EXPECT_EQ(map.time_scale, 0.001);
  EXPECT_EQ(map.position_scale, (std::vector<double>{0.0174, 0.0174, 0.0174}));
  EXPECT_EQ(map.position_offset, (std::vector<double>{0.0, 0.1, -0.2}));
  EXPECT_EQ(map.velocity_scale, (std::vector<double>{1.0, -1.0, 1.0}));
  EXPECT_EQ(map.position_order, (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(map.torque_order, (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(map.velocity_delay, 0.08);
  EXPECT_EQ(map.torque_delay, -0.01);
  EXPECT_EQ(map.quaternion_order, QuaternionOrder::wxyz);
  EXPECT_TRUE(map.quaternion_inverse);
  EXPECT_EQ(map.accelerometer_scale, Vector3::Constant(9.81));
  EXPECT_EQ(map.gyro_scale, Vector3(1, 1, -1));

  const auto refused = [&](const std::string& from, const std::string& to, const std::string& part) {
    expect_refused(text_ + replaced(good, from, to), to, {"[channels]", part});
  };
  refused("time_scale = 0.001", "time_scale = 0", "'time_scale' must be more than zero");
  refused("time_scale", "time_scael", "did you mean 'time_scale'");
  refused("[1, -1, 1]", "[1, -1]", "'velocity_scale' has 2 numbers, not 3; give one a motor, or one number for all");
  refused("[1, -1, 1]", "[1, 0, 1]", "'velocity_scale' holds 0");
  refused("[1, 0, 2]", "[1, 0]", "'position_order' has 2 columns, not 3");
  refused("[1, 0, 2]", "[1, 0, 3]", "write numbers from 0 to 2");
  refused("[2, 1, 0]", "[2, 1, 1]", "'torque_order' names column 1 twice");
  refused("[2, 1, 0]", "[2, 1, 0.5]", "'torque_order' holds what is no column");
  refused("\"wxyz\"", "\"wzyx\"", "did you mean 'wxyz'");
  refused("[1, 1, -1]", "[1, 1]", "'gyro_scale' has 2 numbers, not 3; give one an axis");
  refused("0.0174", "\"degrees\"", "must be a list");
}

TEST_F(Profile, ArmatureIsOfTheMotorsTorqueAlone) {
  const std::string place = "armature = 0.0";
  const std::string with = replaced(text_, place, "armature = 0.3");
  const Robot motor = load_robot(write(with).string());
  EXPECT_EQ(motor.model.options().armature.at("joint_2"), 0.3);
  const Robot joint = load_robot(write(replaced(with, "source = \"motor\"", "source = \"joint\"")).string());
  EXPECT_TRUE(joint.model.options().armature.empty());
}

TEST_F(Profile, OptionsAreReadAndRefusedByLine) {
  const std::string options =
      "\n[options.posterior]\nforce_prior = 30.0\nrows = \"all\"\n[options.consumer_guard]\nrecorder_samples = 7\n";
  const RobotProfile profile = read_profile(write(text_ + options));
  const std::vector<Setting>& settings = profile.settings.all();
  ASSERT_EQ(settings.size(), 3u);
  // The TOML library hands tables over by name.
  EXPECT_EQ(settings[0].group + "." + settings[0].name, "consumer_guard.recorder_samples");
  EXPECT_EQ(settings[0].value, "7");
  EXPECT_EQ(settings[1].name + "=" + settings[1].value, "force_prior=30");
  EXPECT_EQ(settings[2].value, "all");
  EXPECT_EQ(settings[0].place, profile.file.string() + ":" + std::to_string(line_of(text_ + options, "recorder")));
  expect_refused(text_ + "\n[options.postrior]\nforce_prior = 30.0\n", "[options.postrior]",
                 {"'postrior'", "'posterior'"});
  expect_refused(text_ + "\n[options.postrior]\n", "[options.postrior]", {"'postrior'", "'posterior'"});
  expect_refused(text_ + "\n[options.published_guard]\nclamp_forse = 20.0\n", "clamp_forse",
                 {"'clamp_forse'", "'clamp_force'"});
  expect_refused(text_ + "\n[options.published_guard]\nclamp_force = -1\n", "clamp_force", {"'-1'", "zero or more"});
  expect_refused(text_ + "\n[options.consumer_guard]\nrecorder_samples = 7.5\n", "recorder", {"'7.5'", "whole number"});
  expect_refused(text_ + "\n[options.posterior]\nrows = \"al\"\n", "rows", {"'al'", "'all'"});
  expect_refused(text_ + "\n[options.posterior]\nforce_prior = [1]\n", "force_prior = [1]", {"must be a number"});
  expect_refused(text_ + "\n[options.posterior]\nforce_prior = inf\n", "force_prior = inf", {"must be finite"});
  expect_refused(text_ + "\n[options]\nposterior = 3\n", "posterior = 3", {"must be a table"});
}

TEST_F(Profile, LabelsAndNames) {
  expect_refused(replaced(text_, "motor_labels = [\"joint 1\", ", "motor_labels = ["), "motor_labels",
                 {"2 labels for 3 motors"});
  expect_refused(text_ + "\n[[groups]]\nname = \"more\"\njoints = [\"joint_9\"]\n", "[\"joint_9\"]",
                 {"group more", "'joint_9'", "'joint_1'"});
  expect_refused(replaced(text_, "frame = \"tool\"", "frame = \"tol\""), "\"tol\"", {"endpoints", "'tol'", "'tool'"});
  expect_refused(replaced(text_, "kind = \"hand\"\ngroup = \"arm\"", "kind = \"hand\"\ngroup = \"arn\""), "\"arn\"",
                 {"endpoint tool", "'arn'", "'arm'"});
  expect_refused(replaced(text_, "base = \"fixed\"", "base = \"fixed\"\nreference_joint = \"joint_l\""), "\"joint_l\"",
                 {"reference_joint", "'joint_l'", "'joint_1'"});
  expect_refused(replaced(text_, "positions = { joint_1", "positions = { jont_1"), "{ jont_1",
                 {"pose bent", "'jont_1'"});
  expect_refused(text_ + "\n[imu]\nframe = \"tol\"\n", "\"tol\"", {"imu", "'tol'", "'tool'"});
  expect_refused(text_ + "\n[imu]\nframe = \"tool\"\nquaternion_order = \"zyxw\"\n", "zyxw", {"'zyxw'", "'xyzw'"});
  expect_refused(text_ + "\n[imu]\nframe = \"tool\"\nquaternion_order = \"euler\"\n", "euler",
                 {"'euler'", "xyzw, wxyz"});
  expect_refused(text_ + "\n[deployed]\nendpoints = [\"tol\"]\n", "[\"tol\"]", {"deployed endpoints", "'tool'"});
  expect_refused(text_ + "\n[preflight]\ngain_row = \"Fq\"\n", "Fq", {"'Fq'", "'Fx'"});
  expect_refused(text_ + "\n[preflight]\ngain_row = \"vertical\"\n", "gain_row = \"vertical\"",
                 {"'vertical'", "Fx, Fy, Fz, Mx, My, Mz"});
  expect_refused(text_ + "\n[preflight]\nstart_error_joints = [\"jont_1\"]\n", "[\"jont_1\"]",
                 {"preflight", "'jont_1'"});
}

TEST_F(Profile, MistakesAreBlamedOnTheirOwnLine) {
  // What the file lacks as a whole has no line, and comes after what does.
  const std::string motors = "motors = [\"joint_1\", \"joint_2\"";
  const std::string without = replaced(text_, motors + ", \"joint_3\"]", "");
  expect_refused(without, "", {"profile.toml: no key 'motors'"});
  expect_refused(without + "\n[options.posterior]\nforce_prior = -3\n", "force_prior = -3", {"'-3'"});
  expect_refused(replaced(text_, motors, "motosr = [\"joint_1\", \"joint_2\""), "motosr", {"'motosr'", "'motors'"});
  expect_refused(replaced(text_, "model = ", "modle = "), "modle", {"'modle'", "'model'"});
  expect_refused(replaced(text_, "frame = \"tool\"", "frme = \"tool\""), "frme", {"'frme'", "'frame'"});
  expect_refused(replaced(text_, "name = \"planar_3r\"", "") + "\n[torque_]\n", "[torque_]", {"'torque_'"});
  // Items of a list that takes several lines.
  expect_refused(replaced(text_, motors, "motors = [\"joint_1\",\n\"jiont_2\""), "\"jiont_2",
                 {"motors", "'jiont_2'", "'joint_2'"});
  expect_refused(replaced(text_, motors, "motors = [\"joint_1\",\n \"joint_1\""), " \"joint_1\", ",
                 {"names 'joint_1' twice"});
  expect_refused(replaced(text_, "[[joint_figures]]\ngroup = \"arm\"",
                          "[[joint_figures]]\njoints = [\n  \"joint_1\",\n  \"joint_7\"]"),
                 "\"joint_7\"", {"'joint_7'"});
  expect_refused(text_ + "\n[[groups]]\nname = \"more\"\njoints = [\n\"joint_1\",\n\"joint_9\"]\n", "\"joint_9\"",
                 {"group more"});
  expect_refused(text_ + "\n[[poses]]\nname = \"p\"\n[poses.positions]\njoint_1 = 0\njoint_8 = 1\n", "joint_8",
                 {"pose p", "'joint_8'"});
  // Twice.
  for (const std::string again : {"[[groups]]\nname = \"arm\" # again", "[[endpoints]]\nframe = \"tool\" # again",
                                  "[[poses]]\nname = \"bent\" # again"}) {
    expect_refused(text_ + "\n" + again + "\n", "# again", {"a second "});
  }
  // Of no effect, or of no file.
  expect_refused(text_ + "\n[[joint_figures]] # whose\ntorque_sd = 1\n", "[[joint_figures]] # whose",
                 {"neither 'group' nor 'joints'"});
  expect_refused(replaced(text_, "planar_3r.urdf\"", "absent.urdf\""), "absent.urdf", {"missing file"});
}

TEST_F(Profile, NotAProfile) {
  expect_refused(replaced(text_, "schema = 1", ""), "", {"schema 1", "`schema = 1`"});
  expect_refused(replaced(text_, "schema = 1", "schema = 2"), "schema = 2", {"schema 1"});
  expect_refused(replaced(text_, "schema = 1", "schema = \"1\""), "schema = ", {"schema 1"});
  expect_refused(replaced(text_, "name = \"planar_3r\"", ""), "", {"no key 'name'"});
  expect_refused(replaced(text_, "model = \"planar_3r.urdf\"", ""), "", {"no key 'model'"});
  expect_refused(replaced(text_, "motors = [\"joint_1\", \"joint_2\", \"joint_3\"]", "motors = []"), "motors",
                 {"no motors"});
  expect_refused("schema = = 1", "schema", {"not valid TOML"});
  expect_refused(std::string("[\0a]", 4), "", {"not valid TOML"});
  expect_refused("", "", {"schema 1"});
  expect_refused("schema = 1\n[[groups", "[[groups", {"not valid TOML"});
}

/// "a.a.a…" of that many names.
std::string dotted(int levels) {
  std::string text = "a";
  for (int i = 1; i < levels; ++i) text += ".a";
  return text;
}

TEST_F(Profile, NestingIsBounded) {
  const std::string begin = text_ + "\n# mark\n";
  const std::string lists = std::string(40, '[') + std::string(40, ']');
  for (const std::string& line :
       {"[" + dotted(65) + "]", "[[" + dotted(65) + "]]", dotted(65) + " = 1", "x = {" + dotted(65) + " = 1}",
        "[" + dotted(40) + "]\n" + dotted(40) + " = 1", "x = {" + dotted(30) + " = " + lists + "}",
        "['" + std::string(4000, '.') + "'." + dotted(40000) + "]", R"("a\"".)" + dotted(100) + " = 1"}) {
    SCOPED_TRACE(line.substr(0, 60));
    const fs::path file = write(begin + line + "\n");
    try {
      load_robot(file.string());
      ADD_FAILURE() << "accepted";
    } catch (const ModelError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(": nested more than 64 levels deep; "), std::string::npos) << message;
      EXPECT_EQ(message.rfind(file.string() + ":", 0), 0U) << message;
    }
  }
  expect_refused(begin + dotted(40000) + " = 1\n", dotted(40000), {"nested more than 64 levels deep"});
}

TEST_F(Profile, DotsAndBracketsInTextsAndCommentsDoNotNest) {
  const std::string dots(200, '.'), open(200, '[');
  for (const std::string& value :
       {"\"" + dots + open + "\"", "'" + dots + open + "'", "\"\"\"\n" + dots + "\"" + open + "\"\"\"\"\"",
        "'''\n" + dots + "'" + open + "''''", R"("\")" + dots + "\" # " + open, "\"x\" # \"" + dots}) {
    SCOPED_TRACE(value);
    const fs::path file = write("schema = 1 # " + open + "\nname = " + value + "\nx." + dotted(60) + " = 1\n");
    try {
      load_robot(file.string());
      ADD_FAILURE() << "accepted";
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find("unknown key 'x'"), std::string::npos) << error.what();
    }
  }
}

TEST_F(Profile, FilesThatCannotBeRead) {
  EXPECT_THROW(read_profile(folder_ / "absent.toml"), Error);
  EXPECT_THROW(read_profile(folder_), Error) << "a folder is no profile";
  EXPECT_THROW(load_robot((folder_ / "absent.urdf").string()), Error);
  EXPECT_THROW(load_robot(write(replaced(text_, "planar_3r.urdf", "absent.urdf")).string()), Error);
  EXPECT_THROW(load_robot(""), ModelError);
}

}  // namespace
}  // namespace antaeus
