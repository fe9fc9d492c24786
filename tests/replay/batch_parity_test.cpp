// Replayed states against the single-sample path, whose dynamics are Pinocchio's, on every kind of robot.
#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "replay/batch_states.hpp"
#include "replay/tolerances.hpp"

namespace antaeus {
namespace {

using test::BatchAnswers;
using test::BatchStates;
using test::RandomStates;

constexpr int kParityStates = 37;  // full packs and a tail of any width

struct ParityCase {
  std::string name;
  RobotModel model;
  std::vector<std::string> endpoints;
  std::string imu_frame;
};

/// Robots of files, and trees of random joints with all that ModelOptions can ask for.
std::vector<ParityCase> parity_cases() {
  std::vector<ParityCase> all;
  const Robot h1_2 = test::own_robot("h1_2");
  all.push_back({"h1_2",
                 h1_2.model,
                 {"left_wrist_yaw_link", "right_wrist_yaw_link", "left_ankle_roll_link"},
                 h1_2.profile.imu.frame});
  all.push_back({"panda", test::own_robot("panda").model, {"panda_hand"}, ""});
  all.push_back(
      {"planar_3r", test::own_robot("planar_3r").model, {test::own_robot("planar_3r").profile.endpoints[0].frame}, ""});
  for (const Base base : {Base::free_flyer, Base::fixed}) {
    ModelOptions options;
    options.base = base;
    options.gravity = {1.0, -4.0, -8.0};
    options.armature = {{"oblique", 0.02}, {"slide", 3.0}};
    Payload load;
    load.frame = "tip";
    load.inertial.mass = 0.7;
    load.inertial.center_of_mass = {0.05, -0.02, 0.1};
    load.inertial.inertia = Vector3(0.002, 0.003, 0.004).asDiagonal();
    options.payloads = {load};
    all.push_back(
        {"mixed", RobotModel(test::mixed_description(), options), {"tip", "platform", "root", "slide"}, "platform"});
    options.locked_joints = {{"oblique", 0.7}};
    options.armature = {};
    options.motors = {"oblique_wheel", "lift", "wheel"};  // another order, and a joint without a motor
    all.push_back({"mixed, some motors", RobotModel(test::mixed_description(), options), {"tip", "platform"}, "disc"});
  }
  for (unsigned seed = 1; seed <= 12; ++seed) {
    RandomStates random(seed);
    const int joints = 3 + static_cast<int>(2 * seed);
    ModelOptions options;
    options.base = seed % 3 == 0 ? Base::fixed : Base::free_flyer;
    options.gravity = random.vector(3, 9.81);
    RobotModel model(test::random_tree(random, joints), options);
    if (model.motor_count() == 0) continue;
    all.push_back({"tree " + std::to_string(seed),
                   model,
                   {"link_" + std::to_string(joints), "link_" + std::to_string(joints / 2)},
                   "link_" + std::to_string(joints / 3)});
  }
  return all;
}

double apart(const MatrixX& a, const MatrixX& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

/// A robot of any model, with the IMU where it is said to sit.
Robot with_imu(const ParityCase& subject) {
  Robot robot = test::own_robot("planar_3r");
  robot.model = subject.model;
  robot.profile.imu.frame = subject.imu_frame;
  robot.profile.reference_joint.clear();
  robot.profile.figures.assign(static_cast<std::size_t>(subject.model.motor_count()), JointFigures{});
  robot.profile.torque_sign = 1.0;
  return robot;
}

Observation observation_of(const BatchStates& states, int i) {
  Observation observation;
  observation.q = BatchStates::row(states.q, i, states.motors);
  observation.tau = BatchStates::row(states.tau, i, states.motors);
  observation.has_imu = true;
  observation.imu_quaternion_xyzw = BatchStates::row(states.quaternion, i, 4);
  return observation;
}

TEST(BatchParity, StatesAtRestAreThoseOfTheSingleSamplePath) {
  for (const ParityCase& subject : parity_cases()) {
    for (const ImuUse use : all_values<ImuUse>()) {
      RandomStates random(811);
      SCOPED_TRACE(subject.name + ", imu " + std::string(to_string(use)) + ", " + random.text());
      const BatchStates states(subject.model, kParityStates, random);
      BatchWorkspace workspace(
          BatchModel(subject.model, subject.endpoints, {.imu = use, .imu_frame = subject.imu_frame}));
      const BatchModel& model = workspace.model();
      BatchAnswers answers(model, kParityStates);
      check_block(model, states.at_rest(), answers.all(false));
      ASSERT_EQ(workspace.replay(states.at_rest(), answers.all(false)), Status::ok);
      InstantReader reader(with_imu(subject), subject.endpoints, {use});
      for (int i = 0; i < kParityStates; ++i) {
        const Instant& now = reader.at(observation_of(states, i));
        ASSERT_EQ(now.status(), Status::ok);
        ASSERT_EQ(answers.status[static_cast<std::size_t>(i)], Status::ok);
        EXPECT_LE(apart(BatchStates::row(answers.torque, i, answers.motors), now.gravity_torque()),
                  tolerance::kBatchParity);
        EXPECT_LE(apart(BatchStates::row(answers.residual, i, answers.motors), now.static_residual()),
                  tolerance::kBatchParity);
        if (model.base() == Base::free_flyer) {
          EXPECT_LE(apart(BatchStates::row(answers.base_residual, i, 6), now.base_residual()), tolerance::kBatchParity);
        }
        using Rows = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;
        EXPECT_LE(apart(Rows(&answers.base_rotation[static_cast<std::size_t>(9 * i)]), now.base_rotation()),
                  tolerance::kBatchParity);
        int column = answers.width * i;
        for (int e = 0; e < answers.endpoints; ++e) {
          Matrix6X J = Matrix6X::Zero(6, answers.motors);
          for (const int motor : model.supporting_motors(e)) {
            J.col(motor) = Eigen::Map<const Vector6>(&answers.jacobian[static_cast<std::size_t>(column)]);
            column += 6;
          }
          EXPECT_LE(apart(J, now.jacobian(e)), tolerance::kBatchParity);
          const double* pose = &answers.pose[static_cast<std::size_t>(12 * (answers.endpoints * i + e))];
          EXPECT_LE(apart(Rows(pose), now.pose(e).rotation), tolerance::kBatchParity);
          EXPECT_LE(apart(Eigen::Map<const Vector3>(pose + 9), now.pose(e).translation), tolerance::kBatchParity);
        }
      }
    }
  }
}

TEST(BatchParity, WrenchAndSingularValuesAreThoseOfAnotherDecomposition) {
  for (const ParityCase& subject : parity_cases()) {
    RandomStates random(821);
    SCOPED_TRACE(subject.name + ", " + random.text());
    const BatchStates states(subject.model, kParityStates, random);
    BatchWorkspace workspace(BatchModel(subject.model, subject.endpoints, {.imu_frame = subject.imu_frame}));
    BatchAnswers answers(workspace.model(), kParityStates);
    ASSERT_EQ(workspace.replay(states.at_rest(), answers.all(false)), Status::ok);
    InstantReader reader(with_imu(subject), subject.endpoints);
    for (int i = 0; i < kParityStates; ++i) {
      const Instant& now = reader.at(observation_of(states, i));
      for (int e = 0; e < answers.endpoints; ++e) {
        const auto at = static_cast<std::size_t>(answers.endpoints * i + e);
        const Eigen::JacobiSVD<MatrixX> svd(now.jacobian(e).transpose(), Eigen::ComputeThinU | Eigen::ComputeThinV);
        const VectorX& sigma = svd.singularValues();
        const Eigen::Map<const Vector6> ours(&answers.sigma[6 * at]);
        EXPECT_LE(apart(ours.head(sigma.size()), sigma), tolerance::kBatchParity);
        EXPECT_TRUE((ours.array() >= 0.0).all());
        // Which singular values count is a question where they are of the size of rounding.
        const double scale = std::max(sigma[0], 1e-300);
        const auto unsure = [&](double s) { return s > 1e-17 * scale && s < 1e-12 * scale; };
        const auto certain = [&](double s) { return s >= 1e-12 * scale; };
        if (std::any_of(sigma.begin(), sigma.end(), unsure)) continue;
        const auto rank = static_cast<int>(std::count_if(sigma.begin(), sigma.end(), certain));
        EXPECT_EQ(answers.rank[at], sigma[0] > 0.0 ? rank : 0);
        if (rank == 0) continue;
        const VectorX r = now.static_residual();
        Vector6 w = Vector6::Zero();
        for (int k = 0; k < rank; ++k) w += svd.matrixV().col(k) * (svd.matrixU().col(k).dot(r) / sigma[k]);
        // A residual that no wrench explains counts κ times as much.
        const double kappa = sigma[0] / sigma[rank - 1];
        EXPECT_LE((Eigen::Map<const Vector6>(&answers.wrench[6 * at]) - w).norm(),
                  tolerance::kBatchWrench * kappa * r.norm() / sigma[rank - 1])
            << "kappa " << kappa;
      }
    }
  }
}

TEST(BatchParity, InverseDynamicsIsPinocchios) {
  for (const ParityCase& subject : parity_cases()) {
    RandomStates random(823);
    SCOPED_TRACE(subject.name + ", " + random.text());
    const RobotModel& robot = subject.model;
    const BatchStates states(robot, kParityStates, random);
    BatchWorkspace workspace(BatchModel(robot, subject.endpoints, {.imu_frame = subject.imu_frame}));
    const BatchModel& model = workspace.model();
    BatchAnswers answers(model, kParityStates);
    const BatchInput in = states.moving(robot.base());
    check_block(model, in, answers.all(true));
    ASSERT_EQ(workspace.replay(in, answers.all(true)), Status::ok);
    Dynamics dynamics(robot);
    const bool floating = robot.base() == Base::free_flyer;
    const FrameId sensor = robot.frame(subject.imu_frame.empty() ? robot.description().root : subject.imu_frame);
    const Eigen::Vector4d upright(0.0, 0.0, 0.0, 1.0);
    VectorX q(robot.nq()), v(robot.nv()), a(robot.nv()), tau(robot.nv()), expected(robot.motor_count());
    Matrix6X J(6, robot.nv());
    for (int i = 0; i < kParityStates; ++i) {
      ASSERT_EQ(robot.position_from_motors(BatchStates::row(states.q, i, states.motors), upright, q), Status::ok);
      v.setZero();
      a.setZero();
      for (int m = 0; m < states.motors; ++m) {
        v[robot.motor_rows()[static_cast<std::size_t>(m)]] = BatchStates::row(states.v, i, states.motors)[m];
        a[robot.motor_rows()[static_cast<std::size_t>(m)]] = BatchStates::row(states.a, i, states.motors)[m];
      }
      const PositionTerms terms = dynamics.at(q);
      if (floating) {
        Pose X_BS;
        ASSERT_EQ(terms.frame_pose(sensor, X_BS), Status::ok);
        ASSERT_EQ(terms.frame_jacobian(sensor, J), Status::ok);
        const Vector3 w = X_BS.rotation * BatchStates::row(states.gyro, i, 3) - (J * v).tail<3>();
        v.segment<3>(3) = w;
        a.segment<3>(3) = BatchStates::row(states.acceleration, i, 3);
        EXPECT_LE(apart(BatchStates::row(answers.base_velocity, i, 3), w), tolerance::kBatchParity);
        ASSERT_EQ(terms.inverse_dynamics(v, a, sensor, BatchStates::row(states.specific_force, i, 3), tau), Status::ok);
        EXPECT_LE(apart(BatchStates::row(answers.base_residual, i, 6), -tau.head<6>()), tolerance::kBatchParity);
      } else {
        ASSERT_EQ(terms.inverse_dynamics(v, a, tau), Status::ok);
      }
      ASSERT_EQ(robot.select_motor_rows(tau, expected), Status::ok);
      EXPECT_LE(apart(BatchStates::row(answers.torque, i, answers.motors), expected), tolerance::kBatchParity);
    }
  }
}

TEST(BatchParity, WithoutAnAccelerometerTheBaseIsNotAccelerated) {
  const Robot robot = test::own_robot("h1_2");
  RandomStates random(827);
  SCOPED_TRACE(random.text());
  const BatchStates states(robot.model, kParityStates, random);
  BatchWorkspace workspace(BatchModel(robot, {}));
  BatchInput in = states.at_rest();
  const std::vector<double> still(states.v.size(), 0.0);
  BatchAnswers answers(workspace.model(), kParityStates), moving(workspace.model(), kParityStates);
  BatchOutput out;
  out.torque = {answers.torque};
  out.base_residual = {answers.base_residual};
  ASSERT_EQ(workspace.replay(in, out), Status::ok);
  in.v = {still};
  in.a = {still};
  out.torque = {moving.torque};
  out.base_residual = {moving.base_residual};
  ASSERT_EQ(workspace.replay(in, out), Status::ok);
  for (int i = 0; i < kParityStates; ++i) {
    EXPECT_LE(
        apart(BatchStates::row(moving.torque, i, states.motors), BatchStates::row(answers.torque, i, states.motors)),
        tolerance::kBatchParity);
    EXPECT_LE(apart(BatchStates::row(moving.base_residual, i, 6), BatchStates::row(answers.base_residual, i, 6)),
              tolerance::kBatchParity);
  }
}

TEST(BatchParity, AnglesOfManyTurnsAreThoseOfTheLibrary) {
  const RobotModel model(test::mixed_description());
  RandomStates random(829);
  SCOPED_TRACE(random.text());
  const BatchStates states(model, kParityStates, random, 1e7);
  BatchWorkspace workspace(BatchModel(model, {}));
  BatchAnswers answers(workspace.model(), kParityStates);
  BatchInput in = states.at_rest();
  // Slides of 1e7 m leave no digits: turns only.
  std::vector<double> q = states.q;
  for (int i = 0; i < kParityStates; ++i) {
    for (const char* slide : {"slide", "lift"})
      q[static_cast<std::size_t>(i * states.motors + model.motor(slide))] = 0.1;
  }
  in.q = {q};
  BatchOutput out;
  out.torque = {answers.torque};
  ASSERT_EQ(workspace.replay(in, out), Status::ok);
  Dynamics dynamics(model);
  VectorX full(model.nq()), g(model.nv()), expected(model.motor_count());
  for (int i = 0; i < kParityStates; ++i) {
    ASSERT_EQ(model.position_from_motors(BatchStates::row(q, i, states.motors),
                                         BatchStates::row(states.quaternion, i, 4), full),
              Status::ok);
    ASSERT_EQ(dynamics.at(full).gravity_torque(g), Status::ok);
    ASSERT_EQ(model.select_motor_rows(g, expected), Status::ok);
    EXPECT_LE(apart(BatchStates::row(answers.torque, i, states.motors), expected), tolerance::kBatchParity);
  }
}

}  // namespace
}  // namespace antaeus
