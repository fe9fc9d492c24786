#include "antaeus/pose/preflight.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "pose/tolerances.hpp"
#include "robot/test_robots.hpp"
#include "support/printed_digits.hpp"
#include "support/source_folder.hpp"

namespace antaeus {
namespace {

using test::kWrists;

/// Figures of docs/validation.md#study-behind-the-defaults; they stand in the H1-2's profile too.
TEST(Preflight, MotorZeroIsWellConditioned) {
  const Robot robot = test::own_robot("h1_2");
  const PreflightReport report = preflight(robot, kWrists, robot.pose("zero"), VectorX());
  ASSERT_EQ(report.endpoints.size(), 2u);
  EXPECT_PRINTED(std::abs(report.endpoints[0].reference_gain[kFz]), "1.472");
  EXPECT_PRINTED(report.endpoints[0].kappa, "12.73");
  EXPECT_EQ(report.endpoints[0].status, Status::ok);
  EXPECT_TRUE(report.passed);
  ASSERT_EQ(report.checks.size(), 2u) << "without targets there is nothing to say of start errors";
  EXPECT_EQ(report.checks[0].kind, PreflightCheckKind::gain);
  EXPECT_EQ(report.checks[0].subject, kWrists[0]);
  EXPECT_EQ(report.checks[0].limit, 3.0);
  EXPECT_TRUE(report.checks[0].passed && report.checks[1].passed);
}

TEST(Preflight, TheIncidentsPoseFails) {
  const Robot robot = test::own_robot("h1_2");
  const PreflightReport report = preflight(robot, kWrists, robot.pose("arm_waist_target"), VectorX());
  const PoseConditioning& left = report.endpoints[0];
  EXPECT_PRINTED(std::abs(left.reference_gain[kFz]), "15.035");
  EXPECT_PRINTED(left.kappa, "38.58");
  EXPECT_PRINTED(left.position.x(), "0.171");
  EXPECT_PRINTED(left.position.y(), "0.202");
  EXPECT_PRINTED(left.position.z(), "-0.096");
  EXPECT_FALSE(report.passed);
  EXPECT_FALSE(report.checks[0].passed);
  EXPECT_PRINTED(report.checks[0].value, "15.035");
}

TEST(Preflight, AnImuTurnsTheBase) {
  Robot robot = test::own_robot("h1_2");
  robot.profile.settings.set("equation.imu=as_base");
  const VectorX q = robot.pose("arm_waist_target");
  const PreflightReport upright = preflight(robot, kWrists, q, VectorX());
  EXPECT_FALSE(upright.used_imu);
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(0.35, Vector3(1.0, 2.0, -0.5).normalized()));
  const Eigen::Vector4d xyzw = turn.coeffs();
  const PreflightReport turned = preflight(robot, kWrists, q, VectorX(), {}, &xyzw);
  EXPECT_TRUE(turned.used_imu);
  constexpr double kTurned = 1e-12;  // rounding of a turn, of gains of 15 N/(N·m)
  for (std::size_t k = 0; k < kWrists.size(); ++k) {
    const PoseConditioning &a = upright.endpoints[k], &b = turned.endpoints[k];
    EXPECT_LT((b.position - a.position).norm(), kTurned) << "in the base's axes";
    EXPECT_LT((b.reference_gain.head<3>() - turn * Vector3(a.reference_gain.head<3>())).norm(), kTurned);
    EXPECT_GT((b.reference_gain - a.reference_gain).norm(), 1.0);
  }
  const Eigen::Vector4d bad(0.0, 0.0, 0.0, 2.0);
  EXPECT_THROW(preflight(robot, kWrists, q, VectorX(), {}, &bad), OptionsError);
}

TEST(Preflight, TheCheckOfTheSdIsOfItsOwn) {
  const Robot robot = test::own_robot("h1_2");
  const PreflightReport zero = preflight(robot, kWrists, robot.pose("zero"), VectorX());
  ASSERT_EQ(zero.sd_checks.size(), 2u);
  EXPECT_EQ(zero.sd_checks[0].kind, PreflightCheckKind::sd);
  EXPECT_EQ(zero.sd_checks[0].subject, kWrists[0]);
  EXPECT_EQ(zero.sd_checks[0].limit, 5.0);
  EXPECT_PRINTED(zero.sd_checks[0].value, "1.8");  // study, §7
  EXPECT_TRUE(zero.sd_checks[0].passed && zero.sd_checks[1].passed);
  const PreflightReport target = preflight(robot, kWrists, robot.pose("arm_waist_target"), VectorX());
  EXPECT_FALSE(target.checks[0].passed);
  EXPECT_FALSE(target.sd_checks[0].passed);
  EXPECT_PRINTED(target.sd_checks[0].value, "20.0");
  // Between the two sets of limits: the published checks refuse what the posterior can use, and it alone decides here.
  VectorX q = robot.pose("arm_waist_target");
  q[robot.model.motor("left_elbow_joint")] = 0.9;
  const PreflightReport between = preflight(robot, {kWrists[0]}, q, VectorX());
  EXPECT_FALSE(between.checks[0].passed);
  EXPECT_TRUE(between.sd_checks[0].passed);
  EXPECT_FALSE(between.passed);
  const PreflightReport strict = preflight(robot, {kWrists[0]}, robot.pose("zero"), VectorX(), {.sd_limit = 1.0});
  EXPECT_TRUE(strict.checks[0].passed);
  EXPECT_FALSE(strict.sd_checks[0].passed);
  EXPECT_FALSE(strict.passed) << "every check counts";
}

TEST(Preflight, ReStartOfTheIncident) {
  const Robot robot = test::own_robot("h1_2");
  const PreflightReport report = preflight(robot, kWrists, robot.pose("re3_start"), VectorX());
  EXPECT_PRINTED(std::abs(report.endpoints[0].reference_gain[kFz]), "15.62");  // incident report, gain per step, step 0
  EXPECT_PRINTED(report.endpoints[0].kappa, "39.9");
}

/// The H1-2 in a pose, its motors without torque.
const Instant& unloaded(InstantReader& reader, const VectorX& q) {
  Observation observation;
  observation.q = q;
  observation.tau = VectorX::Zero(27);
  return reader.at(observation);
}

TEST(Preflight, FiguresAgreeWithOneAnother) {
  const Robot robot = test::own_robot("h1_2");
  const VectorX q = robot.pose("re3_start");
  const PreflightReport report = preflight(robot, kWrists, q, VectorX(), {.quality = {.characteristic_length = 0.2}});
  EXPECT_EQ(report.characteristic_length, 0.2);
  InstantReader reader(robot, kWrists);
  const Instant& now = unloaded(reader, q);
  ASSERT_EQ(now.status(), Status::ok);
  for (int k = 0; k < 2; ++k) {
    const PoseConditioning& pose = report.endpoints[static_cast<std::size_t>(k)];
    MatrixX J = now.jacobian(k);
    EXPECT_EQ(pose.endpoint, kWrists[static_cast<std::size_t>(k)]);
    EXPECT_EQ(pose.position, now.pose(k).translation);
    EXPECT_EQ(pose.reference_gain, pose.gain.col(12));
    EXPECT_NEAR(pose.reference_force_gain, pose.gain.col(12).head<3>().norm(), tolerance::kByHand);
    const VectorX sigma = Eigen::JacobiSVD<MatrixX>(J).singularValues();
    EXPECT_NEAR(pose.kappa, sigma[0] / sigma[5], tolerance::kByHand);
    EXPECT_NEAR(pose.sigma_min, sigma[5], tolerance::kByHand);
    EXPECT_NEAR(pose.manipulability, sigma.prod(), tolerance::kByHand);
    J.topRows<3>() /= 0.2;
    const VectorX scaled = Eigen::JacobiSVD<MatrixX>(J).singularValues();
    EXPECT_NEAR(pose.kappa_scaled, scaled[0] / scaled[5], tolerance::kByHand);
  }
}

TEST(Preflight, StartErrorsOfTheHips) {
  const Robot robot = test::own_robot("h1_2");
  const VectorX q = robot.pose("zero");
  VectorX target = q;
  target[2] = 0.355;   // the incident's left hip roll
  target[8] = -0.149;  // just below the limit
  target[3] = 2.0;     // a knee is not asked
  const PreflightReport report = preflight(robot, kWrists, q, target);
  ASSERT_EQ(report.checks.size(), 4u);
  EXPECT_EQ(report.checks[2].kind, PreflightCheckKind::start_error);
  EXPECT_EQ(report.checks[2].subject, "left_hip_roll_joint");
  EXPECT_NEAR(report.checks[2].value, 0.355, tolerance::kByHand);
  EXPECT_EQ(report.checks[2].limit, 0.15);
  EXPECT_FALSE(report.checks[2].passed);
  EXPECT_EQ(report.checks[3].subject, "right_hip_roll_joint");
  EXPECT_TRUE(report.checks[3].passed);
  EXPECT_FALSE(report.passed);
  target[2] = 0.0;
  EXPECT_TRUE(preflight(robot, kWrists, q, target).passed);
  target[2] = 0.15;
  EXPECT_FALSE(preflight(robot, kWrists, q, target).passed) << "the limit itself does not pass";
}

TEST(Preflight, RobotWithoutReferenceJoint) {
  const Robot robot = test::own_robot("planar_3r");
  for (const auto& [name, sigma_min] : {std::pair("bent", "0.299"), std::pair("straight", "0.035")}) {
    const PreflightReport report = preflight(robot, {"tool"}, robot.pose(name), VectorX());
    EXPECT_TRUE(report.checks.empty());
    EXPECT_TRUE(report.sd_checks.empty()) << "no pose of three joints could pass";
    const ForceKnowledge& rest = report.endpoints[0].rest;
    EXPECT_GT(rest.force_sd[2], 0.95 * robot.settings({"tool"}).get<PosteriorOptions>().prior.force);
    EXPECT_EQ(rest.insensible, 1);
    EXPECT_EQ(rest.worst_sd(), rest.force_sd[1]) << "of what it senses";
    ASSERT_FALSE(report.notes.empty());
    EXPECT_NE(note_text(report.notes[0]).find("senses x and y of the base; z not, by its build"), std::string::npos);
    ASSERT_EQ(report.conditioning_checks.size(), 1u);
    EXPECT_EQ(report.passed, std::string(name) == "bent");
    EXPECT_EQ(report.conditioning_checks[0].passed, report.passed);
    EXPECT_FALSE(report.endpoints[0].whole_wrench);
    const PoseConditioning& pose = report.endpoints[0];
    EXPECT_TRUE(std::isnan(pose.reference_force_gain) && pose.reference_gain.array().isNaN().all());
    EXPECT_EQ(pose.gain.cols(), 3);
    // Of the 2 × 3 Jacobian of x and y.
    InstantReader reader(robot, {"tool"});
    Observation observation;
    observation.q = robot.pose(name);
    observation.tau = VectorX::Zero(3);
    const Instant& now = reader.at(observation);
    ASSERT_EQ(now.status(), Status::ok);
    const MatrixX J = now.jacobian(0).topRows<2>();
    const VectorX sigma = Eigen::JacobiSVD<MatrixX>(J).singularValues();
    EXPECT_NEAR(pose.sigma_min, sigma[1], tolerance::kByHand);
    EXPECT_NEAR(pose.kappa, sigma[0] / sigma[1], tolerance::kByHand * pose.kappa);
    EXPECT_PRINTED(sigma[1], sigma_min);
  }
}

/// The wrists' own rows, by a dense inverse: torques off by the residual's sd, moments over 0.3 m.
TEST(Preflight, TorqueErrorsReadAsTheInverseOfTheOwnRows) {
  const Robot robot = test::own_robot("h1_2");
  test::RandomStates random(513);
  SCOPED_TRACE(random.text());
  for (int trial = 0; trial < 20; ++trial) {
    const VectorX q = random.vector(27, 1.2);
    const PreflightReport report = preflight(robot, kWrists, q, VectorX());
    InstantReader reader(robot, kWrists);
    const Instant& now = unloaded(reader, q);
    ASSERT_EQ(now.status(), Status::ok);
    for (int k = 0; k < 2; ++k) {
      Matrix6 information = Matrix6::Zero();
      for (int m = 13 + 7 * k; m < 20 + 7 * k; ++m) {
        const JointFigures& f = robot.profile.figures[static_cast<std::size_t>(m)];
        Vector6 column = now.jacobian(k).col(m);
        column.tail<3>() *= 0.3;
        information += column * column.transpose() / (f.static_sd * f.static_sd);
      }
      const Eigen::SelfAdjointEigenSolver<Matrix6> eigen(information);
      const PoseConditioning& pose = report.endpoints[static_cast<std::size_t>(k)];
      const double expected = 1.0 / std::sqrt(eigen.eigenvalues()[0]);
      EXPECT_TRUE(pose.whole_wrench);
      EXPECT_NEAR(pose.error_force / expected, 1.0, tolerance::kErrorForce);
      EXPECT_NEAR(std::abs(pose.error_direction.dot(eigen.eigenvectors().col(0))), 1.0, tolerance::kErrorForce);
      const PreflightCheck& check = report.conditioning_checks[static_cast<std::size_t>(k)];
      EXPECT_EQ(check.value, pose.error_force);
      EXPECT_EQ(check.limit, 20.0) << "posterior.force_prior";
      EXPECT_EQ(check.passed, pose.error_force < 20.0);
    }
  }
}

/// An arm as a UR5's: six joints, wrist_2 turns the last axis into that of the three parallel ones before it.
constexpr const char* kOffsetArm = R"(<robot name="arm"><link name="base"/>
  <joint name="pan" type="revolute"><parent link="base"/><child link="l1"/><origin xyz="0 0 0.089"/><axis xyz="0 0 1"/>LIMIT</joint>
  <joint name="lift" type="revolute"><parent link="l1"/><child link="l2"/><origin xyz="0 0.136 0" rpy="0 1.5708 0"/><axis xyz="0 1 0"/>LIMIT</joint>
  <joint name="elbow" type="revolute"><parent link="l2"/><child link="l3"/><origin xyz="0 -0.12 0.425"/><axis xyz="0 1 0"/>LIMIT</joint>
  <joint name="wrist_1" type="revolute"><parent link="l3"/><child link="l4"/><origin xyz="0 0 0.392" rpy="0 1.5708 0"/><axis xyz="0 1 0"/>LIMIT</joint>
  <joint name="wrist_2" type="revolute"><parent link="l4"/><child link="l5"/><origin xyz="0 0.093 0"/><axis xyz="0 0 1"/>LIMIT</joint>
  <joint name="wrist_3" type="revolute"><parent link="l5"/><child link="tool"/><origin xyz="0 0 0.095"/><axis xyz="0 1 0"/>LIMIT</joint>
  LINKS</robot>)";

Robot offset_arm() {
  std::string text = kOffsetArm, links;
  const std::string limit = R"(<limit lower="-6" upper="6" effort="150" velocity="3"/>)";
  for (std::size_t at; (at = text.find("LIMIT")) != std::string::npos;) text.replace(at, 5, limit);
  for (const char* name : {"l1", "l2", "l3", "l4", "l5", "tool"}) {
    links += std::string("<link name=\"") + name +
             "\"><inertial><mass value=\"1\"/><inertia ixx=\".01\" iyy=\".01\" izz=\".01\" ixy=\"0\" ixz=\"0\" "
             "iyz=\"0\"/></inertial></link>";
  }
  text.replace(text.find("LINKS"), 5, links);
  ModelOptions options;
  options.base = Base::fixed;
  RobotModel model(parse_urdf(text, "arm.urdf", ".", MeshPolicy::ignored), options);
  RobotProfile profile;
  profile.name = "arm";
  profile.motor_labels = profile.options.motors = model.motor_names();
  profile.figures.assign(6, JointFigures{});
  for (const auto& [option, value] : {std::pair{"force_prior", "20"}, std::pair{"moment_prior", "1.5"},
                                      std::pair{"full_use_sd", "5"}, std::pair{"observable_sd", "12"}}) {
    profile.settings.set({"posterior", option, value, "test"});
  }
  return {profile, model};
}

TEST(Preflight, ASingularPoseIsRefusedWithoutAReferenceJoint) {
  const Robot robot = offset_arm();
  VectorX q(6);
  q << 0.0, -1.0, 1.5, 0.5, 1.2, 0.0;
  EXPECT_TRUE(preflight(robot, {"tool"}, q, VectorX()).passed);
  double before = 0.0;
  for (const double wrist : {0.3, 0.1, 0.02, 0.001}) {
    q[4] = wrist;
    const PreflightReport report = preflight(robot, {"tool"}, q, VectorX());
    EXPECT_TRUE(report.checks.empty());
    EXPECT_TRUE(report.sd_checks[0].passed) << "the prior on moments hides it";
    EXPECT_EQ(report.conditioning_checks[0].kind, PreflightCheckKind::conditioning);
    EXPECT_GT(report.conditioning_checks[0].value, before);
    before = report.conditioning_checks[0].value;
    EXPECT_EQ(report.passed, before < 20.0);
    EXPECT_EQ(report.passed, wrist > 0.2) << wrist;
  }
  q[4] = 0.0;
  const PreflightReport singular = preflight(robot, {"tool"}, q, VectorX());
  EXPECT_EQ(singular.endpoints[0].error_force, kInfinity);
  EXPECT_FALSE(singular.passed);
  const Vector6 lost = singular.endpoints[0].error_direction;
  EXPECT_GT(std::abs(lost[1]), 0.3) << "along the four parallel axes";
  EXPECT_NEAR(Vector3(lost[0], 0.0, lost[2]).norm(), 0.0, tolerance::kByHand);
  q[4] = 1.2;
  EXPECT_FALSE(preflight(robot, {"tool"}, q, VectorX(), {.error_force_limit = 1.0}).passed);
  EXPECT_EQ(preflight(robot, {"base"}, q, VectorX()).endpoints[0].error_force, kInfinity) << "no joint carries it";
}

TEST(Preflight, AStretchedLegOfThreeJointsIsRefusedABentOneIsNot) {
  const std::filesystem::path file = antaeus::test::source_folder() / "tests/support/quadruped.urdf";
  const Robot robot = load_robot(file.string(), MeshPolicy::ignored);
  VectorX q = VectorX::Zero(12);
  const PreflightReport stretched = preflight(robot, {"front_left_foot"}, q, VectorX());
  EXPECT_FALSE(stretched.passed);
  EXPECT_EQ(stretched.endpoints[0].error_force, kInfinity);
  EXPECT_GT(std::abs(stretched.endpoints[0].error_direction[2]), 0.9) << "along the leg";
  q[robot.model.motor("front_left_pitch")] = 0.7;
  q[robot.model.motor("front_left_knee")] = -1.5;
  const PreflightReport bent = preflight(robot, {"front_left_foot"}, q, VectorX());
  EXPECT_TRUE(bent.passed);
  EXPECT_FALSE(bent.endpoints[0].whole_wrench);
}

TEST(Preflight, EveryReferenceJointIsCheckedWhereItCarries) {
  Robot robot = test::own_robot("h1_2");
  robot.profile.preflight.gain_joints = {"torso_joint", "left_shoulder_pitch_joint"};
  const PreflightReport report = preflight(robot, kWrists, robot.pose("zero"), VectorX());
  ASSERT_EQ(report.checks.size(), 3u) << "the left shoulder carries the left wrist alone";
  EXPECT_EQ(report.checks[0].joint, "torso_joint");
  EXPECT_EQ(report.checks[1].joint, "left_shoulder_pitch_joint");
  EXPECT_EQ(report.checks[1].subject, kWrists[0]);
  const int shoulder = robot.model.motor("left_shoulder_pitch_joint");
  EXPECT_EQ(report.checks[1].value, std::abs(report.endpoints[0].gain(kFz, shoulder)));
  EXPECT_EQ(report.checks[2].joint, "torso_joint");
  // A reference joint that does not carry the endpoint has nothing to say there.
  EXPECT_TRUE(
      preflight(test::own_robot("h1_2"), {"left_ankle_roll_link"}, robot.pose("zero"), VectorX()).checks.empty());
}

TEST(Preflight, RefusesWhatIsNoPose) {
  const Robot robot = test::own_robot("h1_2");
  const VectorX q = robot.pose("zero");
  VectorX bad = q;
  bad[4] = std::nan("");
  EXPECT_THROW(preflight(robot, kWrists, VectorX::Zero(26), VectorX()), OptionsError);
  EXPECT_THROW(preflight(robot, kWrists, bad, VectorX()), OptionsError);
  EXPECT_THROW(preflight(robot, kWrists, q, VectorX::Zero(26)), OptionsError);
  EXPECT_THROW(preflight(robot, kWrists, q, bad), OptionsError);
  EXPECT_THROW(preflight(robot, {"left_wrist_yaw_lnk"}, q, VectorX()), ModelError);
  EXPECT_THROW(preflight(robot, {}, q, VectorX()), ModelError);
}

}  // namespace
}  // namespace antaeus
