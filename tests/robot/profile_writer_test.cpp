#include "antaeus/robot/files/profile_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "robot/test_robots.hpp"
#include "support/temporary_folder.hpp"

namespace antaeus {
namespace {

namespace fs = std::filesystem;
using test::RandomStates;

/// Some of everything that identification may leave: rows of all three kinds, an envelope, masses that hang together.
NoiseModel drawn_noise(const RobotModel& model, RandomStates& random) {
  const TorqueParameters at = torque_parameters(model);
  NoiseModel noise;
  noise.origin = NoiseOrigin::held_pose;
  noise.white_sd = VectorX::Constant(at.motors, 0.7) + 0.4 * random.vector(at.motors);
  noise.white_sd[0] = kNaN;
  noise.white_sd[1] = kInfinity;
  noise.offset_sd = random.vector(at.motors).cwiseAbs();
  noise.slow_sd = random.vector(at.motors).cwiseAbs();
  noise.coulomb_sd = random.vector(at.motors).cwiseAbs();
  noise.viscous_sd = random.vector(at.motors).cwiseAbs();
  noise.standing_sd = random.vector(at.motors).cwiseAbs();
  noise.logs = 3;
  noise.rate = 95.5;
  noise.motion_sd = random.vector(at.motors).cwiseAbs();
  noise.motion_sd[2] = kInfinity;
  noise.joint_speed = random.vector(at.motors).cwiseAbs();
  noise.largest_residual = random.vector(at.motors).cwiseAbs();
  noise.correlation_time = random.vector(at.motors).cwiseAbs();
  // Of joint 1 nothing is known at its limit; joint 0 never saw its own.
  noise.limit = noise.limit_sd = VectorX::Constant(at.motors, kInfinity);
  noise.limit_offset = VectorX::Zero(at.motors);
  noise.limit[1] = 40.0;
  noise.limit.tail(at.motors - 2) = random.vector(at.motors - 2).cwiseAbs();
  noise.limit_offset.tail(at.motors - 2) = random.vector(at.motors - 2);
  noise.limit_sd.tail(at.motors - 2) = random.vector(at.motors - 2).cwiseAbs();
  noise.simulated = true;
  noise.identified_speed = 1.86;
  noise.envelope_motors = {0, 2};
  noise.parameters = VectorX::Zero(at.count());
  noise.factor = MatrixX::Zero(at.count(), 5);
  for (const int k : {at.inertial(1), at.inertial(1) + 3, at.rotor(2), at.coulomb(2), at.viscous(2), at.offset(2)}) {
    noise.parameters[k] = random.vector(1)[0];
    noise.factor.row(k) = random.vector(5).transpose();
  }
  noise.provenance = "a \"quoted\" log, re1 0–14 s\\";
  // Rows that were not identified have no more than that.
  for (VectorX* vector : {&noise.offset_sd, &noise.slow_sd, &noise.motion_sd, &noise.correlation_time,
                          &noise.coulomb_sd, &noise.viscous_sd, &noise.standing_sd}) {
    (*vector)[0] = 0.0;
  }
  noise.joint_speed[0] = noise.largest_residual[0] = kInfinity;
  return noise;
}

void expect_same_bits(const VectorX& a, const VectorX& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))
        << what << " " << i << ": " << a[i] << ", " << b[i];
  }
}

void expect_same_profile(const RobotProfile& a, const RobotProfile& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.provenance, b.provenance);
  EXPECT_EQ(a.options.base, b.options.base);
  EXPECT_EQ(a.options.gravity, b.options.gravity);
  EXPECT_EQ(a.options.motors, b.options.motors);
  EXPECT_EQ(a.motor_labels, b.motor_labels);
  EXPECT_EQ(a.reference_joint, b.reference_joint);
  EXPECT_TRUE(a.rated_load == b.rated_load || (std::isnan(a.rated_load) && std::isnan(b.rated_load)));
  EXPECT_EQ(a.imu.frame, b.imu.frame);
  EXPECT_EQ(a.imu.order, b.imu.order);
  EXPECT_EQ(a.imu.deployed_as, b.imu.deployed_as);
  const ChannelMap &c = a.channels, &d = b.channels;
  EXPECT_EQ(c.time_scale, d.time_scale);
  EXPECT_EQ(c.position_scale, d.position_scale);
  EXPECT_EQ(c.position_offset, d.position_offset);
  EXPECT_EQ(c.velocity_scale, d.velocity_scale);
  EXPECT_EQ(c.position_order, d.position_order);
  EXPECT_EQ(c.torque_order, d.torque_order);
  EXPECT_EQ(c.velocity_delay, d.velocity_delay);
  EXPECT_EQ(c.torque_delay, d.torque_delay);
  EXPECT_EQ(c.quaternion_order, d.quaternion_order);
  EXPECT_EQ(c.quaternion_inverse, d.quaternion_inverse);
  EXPECT_EQ(c.accelerometer_scale, d.accelerometer_scale);
  EXPECT_EQ(c.gyro_scale, d.gyro_scale);
  EXPECT_EQ(a.deployed_sign, b.deployed_sign);
  EXPECT_EQ(a.deployed_endpoints, b.deployed_endpoints);
  EXPECT_EQ(a.torque_source, b.torque_source);
  EXPECT_EQ(a.torque_sign, b.torque_sign);
  EXPECT_EQ(a.friction, b.friction);
  EXPECT_TRUE(fs::equivalent(a.model, b.model));
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (std::size_t i = 0; i < a.groups.size(); ++i) {
    EXPECT_EQ(a.groups[i].name, b.groups[i].name);
    EXPECT_EQ(a.groups[i].title, b.groups[i].title);
    EXPECT_EQ(a.groups[i].joints, b.groups[i].joints);
  }
  ASSERT_EQ(a.endpoints.size(), b.endpoints.size());
  for (std::size_t i = 0; i < a.endpoints.size(); ++i) {
    const Endpoint &x = a.endpoints[i], &y = b.endpoints[i];
    EXPECT_EQ(x.frame, y.frame);
    EXPECT_EQ(x.label, y.label);
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.group, y.group);
    EXPECT_EQ(x.surface.sole, y.surface.sole);
    EXPECT_EQ(x.surface.sole_depth, y.surface.sole_depth);
    const auto same = [](double s, double t) { return s == t || (std::isnan(s) && std::isnan(t)); };
    EXPECT_TRUE(same(x.surface.friction, y.surface.friction) && same(x.surface.torsion, y.surface.torsion) &&
                same(x.surface.force_cap, y.surface.force_cap));
  }
  ASSERT_EQ(a.figures.size(), b.figures.size());
  for (std::size_t i = 0; i < a.figures.size(); ++i) {
    const JointFigures &x = a.figures[i], &y = b.figures[i];
    SCOPED_TRACE(a.options.motors[i]);
    EXPECT_EQ(x.torque_sd, y.torque_sd);
    EXPECT_EQ(x.torque_sd_from, y.torque_sd_from);
    EXPECT_EQ(x.static_sd, y.static_sd);
    EXPECT_EQ(x.static_sd_from, y.static_sd_from);
    EXPECT_EQ(x.coulomb, y.coulomb);
    EXPECT_EQ(x.stribeck, y.stribeck);
    EXPECT_EQ(x.stribeck_speed, y.stribeck_speed);
    EXPECT_EQ(x.viscous, y.viscous);
    EXPECT_EQ(x.friction_offset, y.friction_offset);
    EXPECT_EQ(x.armature, y.armature);
    EXPECT_EQ(x.gear, y.gear);
    EXPECT_EQ(x.scale, y.scale);
    EXPECT_EQ(x.torque_offset, y.torque_offset);
    EXPECT_EQ(x.torque_limit, y.torque_limit);
  }
  ASSERT_EQ(a.poses.size(), b.poses.size());
  for (std::size_t i = 0; i < a.poses.size(); ++i) {
    EXPECT_EQ(a.poses[i].name, b.poses[i].name);
    EXPECT_EQ(a.poses[i].title, b.poses[i].title);
    EXPECT_EQ(a.poses[i].positions, b.poses[i].positions);
  }
  EXPECT_EQ(a.preflight.gain_limit, b.preflight.gain_limit);
  EXPECT_EQ(a.preflight.gain_row, b.preflight.gain_row);
  EXPECT_EQ(a.preflight.gain_joints, b.preflight.gain_joints);
  EXPECT_EQ(a.preflight.start_error_limit, b.preflight.start_error_limit);
  EXPECT_EQ(a.preflight.start_error_joints, b.preflight.start_error_joints);
  ASSERT_EQ(a.settings.all().size(), b.settings.all().size());
  for (const Setting& setting : a.settings.all()) {
    const auto same = [&](const Setting& other) { return other.group == setting.group && other.name == setting.name; };
    const auto found = std::ranges::find_if(b.settings.all(), same);
    ASSERT_NE(found, b.settings.all().end()) << setting.group << "." << setting.name;
    EXPECT_EQ(found->value, setting.value);
  }
}

class WrittenProfile : public testing::TestWithParam<const char*> {
 protected:
  test::TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path() / "written";
};

TEST_P(WrittenProfile, ReadsBackToTheLastBit) {
  Robot robot = test::own_robot(GetParam());
  RandomStates random(1616);
  SCOPED_TRACE(random.text());
  robot.profile.noise = std::make_shared<NoiseModel>(drawn_noise(robot.model, random));
  const auto motors = static_cast<std::size_t>(robot.model.motor_count());
  ChannelMap& channels = robot.profile.channels;
  channels.time_scale = 1e-3;
  channels.position_scale.assign(motors, 0.1 + random.vector(1)[0] * 0.01);
  for (std::size_t m = 0; m < motors; ++m) {
    channels.position_offset.push_back(random.vector(1)[0]);
    channels.velocity_scale.push_back(1.0 + 0.5 * static_cast<double>(m));
    channels.position_order.push_back(static_cast<int>(motors - 1 - m));
    channels.torque_order.push_back(static_cast<int>((m + 1) % motors));
  }
  channels.velocity_delay = 0.191;
  channels.torque_delay = -0.0123;
  channels.quaternion_order = QuaternionOrder::wxyz;
  channels.quaternion_inverse = true;
  channels.accelerometer_scale.setConstant(-9.81);
  channels.gyro_scale = {1.0, -1.0, 0.1};
  write_profile(robot, folder_ / "deeper");
  const Robot again = load_robot((folder_ / "deeper").string());
  expect_same_profile(robot.profile, again.profile);
  ASSERT_TRUE(again.profile.noise);
  const NoiseModel &a = *robot.profile.noise, &b = *again.profile.noise;
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.unit, b.unit);
  EXPECT_EQ(a.simulated, b.simulated);
  EXPECT_EQ(a.provenance, b.provenance);
  EXPECT_EQ(a.identified_speed, b.identified_speed);
  EXPECT_EQ(a.envelope_motors, b.envelope_motors);
  expect_same_bits(a.white_sd, b.white_sd, "white_sd");
  expect_same_bits(a.offset_sd, b.offset_sd, "offset_sd");
  expect_same_bits(a.slow_sd, b.slow_sd, "slow_sd");
  expect_same_bits(a.coulomb_sd, b.coulomb_sd, "coulomb_sd");
  expect_same_bits(a.viscous_sd, b.viscous_sd, "viscous_sd");
  expect_same_bits(a.standing_sd, b.standing_sd, "standing_sd");
  EXPECT_EQ(a.logs, b.logs);
  EXPECT_EQ(a.rate, b.rate);
  expect_same_bits(a.motion_sd, b.motion_sd, "motion_sd");
  expect_same_bits(a.correlation_time, b.correlation_time, "correlation_time");
  expect_same_bits(a.joint_speed, b.joint_speed, "joint_speed");
  expect_same_bits(a.largest_residual, b.largest_residual, "largest_residual");
  expect_same_bits(a.limit, b.limit, "limit");
  expect_same_bits(a.limit_offset, b.limit_offset, "limit_offset");
  expect_same_bits(a.limit_sd, b.limit_sd, "limit_sd");
  expect_same_bits(a.parameters, b.parameters, "parameters");
  EXPECT_EQ(a.factor, b.factor);

  // What was read and is written again is the same bytes.
  EXPECT_EQ(profile_text(robot, folder_ / "deeper"), profile_text(again, folder_ / "deeper"));
}

TEST_P(WrittenProfile, WithoutNoiseIsOneFile) {
  const Robot robot = test::own_robot(GetParam());
  write_profile(robot, folder_);
  const Robot again = load_robot(folder_.string());
  expect_same_profile(robot.profile, again.profile);
}

INSTANTIATE_TEST_SUITE_P(Robots, WrittenProfile,
                         testing::Values("h1_2", "panda", "ur5e", "planar_3r", "spacecraft_ur3"));

/// A written profile that a test may spoil.
class NoiseInAProfile : public testing::Test {
 protected:
  void SetUp() override {
    Robot robot = test::own_robot("planar_3r");
    RandomStates random(1617);
    robot.profile.noise = std::make_shared<NoiseModel>(drawn_noise(robot.model, random));
    write_profile(robot, folder_);
    text_ = read_file(folder_ / "profile.toml");
  }

  std::string changed(const std::string& from, const std::string& to) const {
    const std::size_t at = text_.find(from);
    EXPECT_NE(at, std::string::npos) << "the profile has no: " << from << "\n" << text_;
    return at == std::string::npos ? text_ : std::string(text_).replace(at, from.size(), to);
  }
  /// The first \p key of the noise gets the value.
  std::string with(const std::string& key, const std::string& value) const {
    const std::size_t noise = text_.find("[noise]"), at = text_.find(key + " = ", noise);
    EXPECT_NE(at, std::string::npos) << key;
    return text_.substr(0, at) + key + " = " + value + text_.substr(text_.find_first_of(",}\n", at));
  }
  void expect_refused(const std::string& text, const std::string& at, const std::string& part) const {
    const fs::path file = folder_ / "profile.toml";
    std::ofstream(file, std::ios::binary) << text;
    const std::size_t place = text.rfind(at);
    ASSERT_NE(place, std::string::npos) << at;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n');
    try {
      load_robot(file.string());
      ADD_FAILURE() << "accepted: " << part;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.rfind(file.string() + ":" + std::to_string(line) + " [noise", 0), 0u)
          << message << "\nexpected line " << line;
      EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
    }
  }
  test::TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path() / "written";
  std::string text_;
};

TEST_F(NoiseInAProfile, WhatIsImpossibleIsRefusedWithItsLine) {
  for (const char* key : {"offset_sd", "coulomb_sd", "viscous_sd", "standing_sd", "slow_sd", "motion_sd",
                          "correlation_time", "joint_speed", "limit_sd", "se"}) {
    expect_refused(with(key, "-0.25"), std::string(key) + " = -0.25", std::string("'") + key + "' is negative");
    expect_refused(with(key, "nan"), std::string(key) + " = nan", std::string("'") + key + "' must be finite");
  }
  expect_refused(with("limit", "0.0"), "limit = 0.0", "'limit' must be more than zero");
  expect_refused(changed(", limit = 40", ", limit_offset = 0.5, limit_sd = 0.5"), "limit_offset = 0.5",
                 "without its limit");
  expect_refused(changed(", limit = 40", ", limit = 40, limit_sd = 0.5"), "limit = 40, limit_sd",
                 "one of 'limit_offset' and 'limit_sd'");
  expect_refused(with("white_sd", "0.0"), "white_sd = 0.0", "'white_sd' must be more than zero");
  expect_refused(with("value", "inf"), "value = inf", "'value' must be finite");
  expect_refused(with("se", "0.125"), "se = 0.125", "by its 'row'");
  expect_refused(with("identified_speed", "0.0"), "identified_speed = 0.0",
                 "'identified_speed' must be more than zero");
  expect_refused(with("evidence", "\"no\""), "evidence = \"no\"", "'evidence' must be true or false");
  expect_refused(with("origin", "\"held_pos\""), "origin = \"held_pos\"", "held_pose");
  expect_refused(changed("evidence = false", "evidence = false, white_sd = 1.0"), "evidence = false, white_sd = 1.0",
                 "not evidence");
  expect_refused(changed("motion_identified = false", "motion_identified = false, motion_sd = 1.5"), "motion_sd = 1.5",
                 "not identified");
}

TEST_F(NoiseInAProfile, NamesAreTheRobots) {
  expect_refused(changed("joint = \"joint_3\"", "joint = \"joint_33\""), "joint = \"joint_33\"", "joint_3");
  expect_refused(changed("joint = \"joint_3\"", "joint = \"joint_2\""), "{ joint = \"joint_2\", white", "two rows");
  expect_refused(changed("name = \"joint_3.rotor\"", "name = \"joint_3.roter\""), "name = \"joint_3.roter\"", "rotor");
  expect_refused(changed("name = \"joint_3.rotor\"", "name = \"joint_3.offset\""), "{ name = \"joint_3.offset\"",
                 "a second parameter");
  expect_refused(changed("    \"joint_1\",\n", "    \"joint_9\",\n"), "\"joint_9\"", "joint_9");
  expect_refused(changed(", slow_sd = ", ", slow_ds = "), ", slow_ds", "slow_sd");
}

TEST_F(NoiseInAProfile, ARowIsWhatItsErrorSays) {
  const std::size_t at = text_.find(" row = \"") + 1;
  ASSERT_NE(at, 0U);
  const std::size_t end = text_.find('"', at + 7);
  const auto row = [&](const std::string& with) { return text_.substr(0, at + 7) + with + text_.substr(end); };
  const std::string bytes = text_.substr(at + 7, end - at - 7);
  expect_refused(row(bytes.substr(0, bytes.size() - 4)), "row = \"" + bytes.substr(0, 8), "is not a row of numbers");
  expect_refused(row("*" + bytes.substr(1)), "row = \"*", "is not a row of numbers");
  expect_refused(row("AAAAAAAA+H8="), "row = \"AAAAAAAA+H8=", "is not finite");
  expect_refused(row(""), "row = \"\"", "by its 'row' 0");
}

TEST_F(NoiseInAProfile, OfLockedJointsIsLeftOut) {
  RobotProfile profile = read_profile(folder_ / "profile.toml");
  const Robot whole = make_robot(profile);
  profile.options.locked_joints["joint_1"] = 0.25;
  for (auto* texts : {&profile.options.motors, &profile.motor_labels}) texts->erase(texts->begin());
  profile.figures.erase(profile.figures.begin());
  for (JointGroup& group : profile.groups) std::erase(group.joints, "joint_1");
  for (NamedPose& pose : profile.poses) pose.positions.erase("joint_1");
  const Robot locked = make_robot(profile);
  const NoiseModel &a = *whole.profile.noise, &b = *locked.profile.noise;
  ASSERT_EQ(b.white_sd.size(), 2);
  expect_same_bits(a.white_sd.tail(2), b.white_sd, "white_sd");
  EXPECT_EQ(b.envelope_motors, std::vector<int>{1});
  const TorqueParameters of_a = torque_parameters(whole.model), of_b = torque_parameters(locked.model);
  EXPECT_EQ(a.factor.row(of_a.coulomb(2)), b.factor.row(of_b.coulomb(1)));
  EXPECT_EQ(a.parameters[of_a.offset(2)], b.parameters[of_b.offset(1)]);
}

TEST_F(NoiseInAProfile, OfAnotherRobotIsNotWritten) {
  Robot robot = test::own_robot("planar_3r");
  NoiseModel noise;
  noise.white_sd = VectorX::Constant(7, 0.1);
  robot.profile.noise = std::make_shared<NoiseModel>(noise);
  EXPECT_THROW(write_profile(robot, folder_ / "other"), OptionsError);
  EXPECT_FALSE(fs::exists(folder_ / "other"));
}

}  // namespace
}  // namespace antaeus
