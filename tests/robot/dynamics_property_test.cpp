#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <map>
#include <set>

#include "antaeus/robot/point_jacobian.hpp"
#include "robot/test_robots.hpp"
#include "robot/tolerances.hpp"
#include "support/largest.hpp"

namespace antaeus {
namespace {

using test::inverse_dynamics;
using test::largest;
using test::NamedModel;
using test::RandomStates;
using test::Regime;

constexpr int kStatesEach = 5;
constexpr double kDifferenceStep = 1e-6;

/// Runs a law on every robot, in every regime, at a few random states.
template <class Law>
void for_all(unsigned seed, Law&& law) {
  for (const NamedModel& robot : test::all_models()) {
    Dynamics dynamics(robot.model);
    for (const Regime& regime : test::kRegimes) {
      RandomStates random(seed);
      for (int i = 0; i < kStatesEach; ++i) {
        SCOPED_TRACE(robot.name + ", " + regime.name + ", state " + std::to_string(i) + ", " + random.text());
        law(dynamics, random.configuration(robot.model, regime.spread), random);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

MatrixX mass_matrix(Dynamics& dynamics, const VectorX& q) {
  MatrixX M(dynamics.model().nv(), dynamics.model().nv());
  EXPECT_EQ(dynamics.mass_matrix(q, M), Status::ok);
  return M;
}

VectorX nonlinear_effects(Dynamics& dynamics, const VectorX& q, const VectorX& v) {
  VectorX h(dynamics.model().nv());
  EXPECT_EQ(dynamics.nonlinear_effects(q, v, h), Status::ok);
  return h;
}

VectorX moved(const RobotModel& model, const VectorX& q, const VectorX& v) {
  VectorX result(model.nq());
  EXPECT_EQ(model.integrate(q, v, result), Status::ok);
  return result;
}

Pose pose_of(Dynamics& dynamics, const VectorX& q, FrameId frame) {
  Pose X;
  EXPECT_EQ(dynamics.at(q).frame_pose(frame, X), Status::ok);
  return X;
}

TEST(DynamicsProperty, MassMatrixIsSymmetricAndPositiveDefinite) {
  for_all(101, [](Dynamics& dynamics, const VectorX& q, RandomStates&) {
    const MatrixX M = mass_matrix(dynamics, q);
    EXPECT_EQ(largest(M - M.transpose()), 0.0);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixX>(M).eigenvalues()[0], 0.0);
  });
}

TEST(DynamicsProperty, MassMatrixChangesByCoriolisMatrixAndItsTranspose) {
  for_all(102, [](Dynamics& dynamics, const VectorX& q, RandomStates& random) {
    const RobotModel& model = dynamics.model();
    const VectorX v = random.vector(model.nv());
    MatrixX C(model.nv(), model.nv());
    ASSERT_EQ(dynamics.coriolis_matrix(q, v, C), Status::ok);
    const MatrixX difference = mass_matrix(dynamics, moved(model, q, kDifferenceStep * v)) -
                               mass_matrix(dynamics, moved(model, q, -kDifferenceStep * v));
    EXPECT_LE(largest(difference / (2.0 * kDifferenceStep) - C - C.transpose()), tolerance::kFiniteDifference);
  });
}

TEST(DynamicsProperty, EquationOfMotionAddsUp) {
  for_all(103, [](Dynamics& dynamics, const VectorX& q, RandomStates& random) {
    const VectorX v = random.vector(dynamics.model().nv());
    const VectorX a = random.vector(dynamics.model().nv(), 10.0);
    const VectorX tau = mass_matrix(dynamics, q) * a + nonlinear_effects(dynamics, q, v);
    EXPECT_LE(largest(tau - inverse_dynamics(dynamics, q, v, a)), tolerance::kSameQuantity);
  });
}

TEST(DynamicsProperty, ForwardUndoesInverse) {
  for_all(104, [](Dynamics& dynamics, const VectorX& q, RandomStates& random) {
    const VectorX v = random.vector(dynamics.model().nv());
    const VectorX a = random.vector(dynamics.model().nv(), 10.0);
    VectorX again(dynamics.model().nv());
    ASSERT_EQ(dynamics.forward_dynamics(q, v, inverse_dynamics(dynamics, q, v, a), again), Status::ok);
    EXPECT_LE(largest(again - a), tolerance::kForwardDynamics);
  });
}

TEST(DynamicsProperty, GravityTorqueIsInverseDynamicsAtRest) {
  for_all(105, [](Dynamics& dynamics, const VectorX& q, RandomStates&) {
    const VectorX rest = VectorX::Zero(dynamics.model().nv());
    VectorX g(dynamics.model().nv());
    ASSERT_EQ(dynamics.at(q).gravity_torque(g), Status::ok);
    EXPECT_LE(largest(g - inverse_dynamics(dynamics, q, rest, rest)), tolerance::kSameQuantity);
  });
}

TEST(DynamicsProperty, CoriolisAndGravityAreTheNonlinearEffects) {
  for_all(106, [](Dynamics& dynamics, const VectorX& q, RandomStates& random) {
    const int nv = dynamics.model().nv();
    const VectorX v = random.vector(nv);
    MatrixX C(nv, nv);
    VectorX g(nv);
    ASSERT_EQ(dynamics.coriolis_matrix(q, v, C), Status::ok);
    ASSERT_EQ(dynamics.at(q).gravity_torque(g), Status::ok);
    EXPECT_LE(largest(C * v + g - nonlinear_effects(dynamics, q, v)), tolerance::kSameQuantity);
  });
}

TEST(DynamicsProperty, CenterOfMassIsTheMeanOfTheLinks) {
  for_all(107, [](Dynamics& dynamics, const VectorX& q, RandomStates&) {
    Vector3 moment = Vector3::Zero();
    double mass = 0.0;
    for (const LinkDescription& link : dynamics.model().description().links) {
      if (!link.has_inertial) continue;
      const Pose X = pose_of(dynamics, q, dynamics.model().frame(link.name));
      moment += link.inertial.mass * (X.rotation * link.inertial.center_of_mass + X.translation);
      mass += link.inertial.mass;
    }
    Vector3 p_WC;
    ASSERT_EQ(dynamics.at(q).center_of_mass(p_WC), Status::ok);
    EXPECT_LE(largest(p_WC - moment / mass), tolerance::kSameQuantity);
  });
}

TEST(DynamicsProperty, CenterOfMassMovesAsItsJacobianSays) {
  for_all(117, [](Dynamics& dynamics, const VectorX& q, RandomStates&) {
    const RobotModel& model = dynamics.model();
    const int nv = model.nv();
    Eigen::Matrix<double, 3, Eigen::Dynamic> J(3, nv), slope(3, nv), wrong(3, nv + 1);
    Vector3 ahead, behind;
    ASSERT_EQ(dynamics.at(q).center_of_mass_jacobian(J), Status::ok);
    EXPECT_EQ(dynamics.at(q).center_of_mass_jacobian(wrong), Status::wrong_size);
    for (int j = 0; j < nv; ++j) {
      ASSERT_EQ(dynamics.at(moved(model, q, kDifferenceStep * VectorX::Unit(nv, j))).center_of_mass(ahead), Status::ok);
      ASSERT_EQ(dynamics.at(moved(model, q, -kDifferenceStep * VectorX::Unit(nv, j))).center_of_mass(behind),
                Status::ok);
      slope.col(j) = (ahead - behind) / (2.0 * kDifferenceStep);
    }
    EXPECT_LE(largest(J - slope), tolerance::kFiniteDifference);
  });
}

TEST(DynamicsProperty, PointMovesAsItsJacobianPredicts) {
  for_all(119, [](Dynamics& dynamics, const VectorX& q, RandomStates& random) {
    const RobotModel& model = dynamics.model();
    const FrameId frame = model.frame(model.frame_names().back());
    const Vector3 point = random.vector(3);
    const auto position = [&](double step, Eigen::Index j) -> Vector3 {
      const Pose X = pose_of(dynamics, moved(model, q, step * VectorX::Unit(model.nv(), j)), frame);
      return X.rotation * point + X.translation;
    };
    Matrix6X J(6, model.nv());
    ASSERT_EQ(point_jacobian(dynamics.at(q), frame, point, PointIn::frame, J), Status::ok);
    for (Eigen::Index j = 0; j < J.cols(); ++j) {
      const Vector3 slope = (position(kDifferenceStep, j) - position(-kDifferenceStep, j)) / (2.0 * kDifferenceStep);
      EXPECT_LE(largest(J.col(j).head<3>() - slope), tolerance::kFiniteDifference) << "row " << j << " of v";
    }
  });
}

/// Gravity's torque is minus the weight times how the centre of mass rises: another algorithm, to rounding.
TEST(DynamicsProperty, CenterOfMassJacobianCarriesTheWeight) {
  for_all(118, [](Dynamics& dynamics, const VectorX& q, RandomStates&) {
    const RobotModel& model = dynamics.model();
    Eigen::Matrix<double, 3, Eigen::Dynamic> J(3, model.nv());
    VectorX g(model.nv());
    ASSERT_EQ(dynamics.at(q).center_of_mass_jacobian(J), Status::ok);
    ASSERT_EQ(dynamics.at(q).gravity_torque(g), Status::ok);
    EXPECT_LE(largest(g + J.transpose() * (model.total_mass() * model.gravity())), tolerance::kSameQuantity);
  });
}

/// Joints between the root and a link, from the description alone.
std::set<std::string> joints_above(const RobotDescription& description, std::string link) {
  std::map<std::string, const JointDescription*> above;
  for (const JointDescription& joint : description.joints) above[joint.child] = &joint;
  std::set<std::string> names;
  for (auto at = above.find(link); at != above.end(); at = above.find(at->second->parent))
    names.insert(at->second->name);
  return names;
}

/// The geometric Jacobian of a link, column by column from poses: [a × r; a] of a hinge, [a; 0] of a slide.
MatrixX jacobian_from_poses(Dynamics& dynamics, const VectorX& q, const std::string& link) {
  const RobotModel& model = dynamics.model();
  const RobotDescription& description = model.description();
  const Vector3 p_WF = pose_of(dynamics, q, model.frame(link)).translation;
  MatrixX J = MatrixX::Zero(6, model.nv());
  if (model.base() == Base::free_flyer) {
    const Pose X = pose_of(dynamics, q, model.frame(description.root));
    for (int i = 0; i < 3; ++i) {
      const Vector3 a = X.rotation.col(i);
      J.col(i).head<3>() = a;
      J.col(3 + i) << a.cross(p_WF - X.translation), a;
    }
  }
  const std::set<std::string> above = joints_above(description, link);
  for (const JointDescription& joint : description.joints) {
    if (joint.type == JointType::fixed || !above.count(joint.name)) continue;
    const Pose X = pose_of(dynamics, q, model.frame(joint.name));
    const Vector3 a = X.rotation * joint.axis;  // a joint leaves its own axis where it is
    const int column = model.motor_rows()[static_cast<std::size_t>(model.motor(joint.name))];
    if (joint.type == JointType::prismatic) {
      J.col(column).head<3>() = a;
    } else {
      J.col(column) << a.cross(p_WF - X.translation), a;
    }
  }
  return J;
}

TEST(DynamicsProperty, JacobianColumnsAreTheJointsMotions) {
  for_all(108, [](Dynamics& dynamics, const VectorX& q, RandomStates&) {
    const RobotModel& model = dynamics.model();
    for (const LinkDescription& link : model.description().links) {
      const MatrixX by_hand = jacobian_from_poses(dynamics, q, link.name);
      Matrix6X J(6, model.nv());
      ASSERT_EQ(dynamics.at(q).frame_jacobian(model.frame(link.name), J), Status::ok);
      EXPECT_LE(largest(J - by_hand), tolerance::kSameQuantity) << link.name;
      for (int column = 0; column < model.nv(); ++column) {
        EXPECT_TRUE(!by_hand.col(column).isZero(0.0) || J.col(column).isZero(0.0)) << link.name << " " << column;
      }
    }
  });
}

TEST(DynamicsProperty, JacobianIsTheDerivativeOfThePose) {
  for_all(109, [](Dynamics& dynamics, const VectorX& q, RandomStates&) {
    const RobotModel& model = dynamics.model();
    for (const LinkDescription& link : model.description().links) {
      const FrameId frame = model.frame(link.name);
      Matrix6X J(6, model.nv());
      ASSERT_EQ(dynamics.at(q).frame_jacobian(frame, J), Status::ok);
      for (int column = 0; column < model.nv(); ++column) {
        const VectorX v = kDifferenceStep * VectorX::Unit(model.nv(), column);
        const Pose after = pose_of(dynamics, moved(model, q, v), frame);
        const Pose before = pose_of(dynamics, moved(model, q, -v), frame);
        const Matrix3 turn = after.rotation * before.rotation.transpose();
        Vector6 rate;
        rate << after.translation - before.translation,
            Vector3(turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1)) / 2.0;
        ASSERT_LE(largest(rate / (2.0 * kDifferenceStep) - J.col(column)), tolerance::kFiniteDifference)
            << link.name << " " << column;
      }
    }
  });
}

TEST(DynamicsProperty, BoltingTheRootLeavesTheMotorsAlone) {
  const RobotModel floating = test::own_robot("h1_2").model;
  ModelOptions options = floating.options();
  options.base = Base::fixed;
  const RobotModel bolted(floating.description(), options);
  EXPECT_EQ(floating.nq(), 34);
  EXPECT_EQ(floating.nv(), 33);
  EXPECT_EQ(bolted.nq(), 27);
  EXPECT_EQ(bolted.nv(), 27);
  Dynamics floating_dynamics(floating), bolted_dynamics(bolted);
  RandomStates random(110);
  SCOPED_TRACE(random.text());
  for (int i = 0; i < 20; ++i) {
    const VectorX q_motor = random.vector(27, 2.0);
    VectorX q_floating(34), q_bolted(27);
    ASSERT_EQ(floating.position_from_motors(q_motor, {0, 0, 0, 1}, q_floating), Status::ok);
    ASSERT_EQ(bolted.position_from_motors(q_motor, {0, 0, 0, 1}, q_bolted), Status::ok);
    const PositionTerms on_floating = floating_dynamics.at(q_floating);
    const PositionTerms on_bolted = bolted_dynamics.at(q_bolted);
    VectorX g_floating(33), g_bolted(27);
    ASSERT_EQ(on_floating.gravity_torque(g_floating), Status::ok);
    ASSERT_EQ(on_bolted.gravity_torque(g_bolted), Status::ok);
    EXPECT_LE(largest(g_floating.tail(27) - g_bolted), tolerance::kSameQuantity);
    for (const std::string frame : {"left_wrist_yaw_link", "right_ankle_roll_link", "imu_link", "pelvis"}) {
      Matrix6X J_floating(6, 33), J_bolted(6, 27);
      ASSERT_EQ(on_floating.frame_jacobian(floating.frame(frame), J_floating), Status::ok);
      ASSERT_EQ(on_bolted.frame_jacobian(bolted.frame(frame), J_bolted), Status::ok);
      EXPECT_LE(largest(J_floating.rightCols(27) - J_bolted), tolerance::kSameQuantity) << frame;
    }
  }
}

TEST(DynamicsProperty, StalePositionTermsSaySo) {
  for (const NamedModel& robot : test::all_models()) {
    SCOPED_TRACE(robot.name);
    Dynamics dynamics(robot.model);
    const int nv = robot.model.nv();
    const VectorX& q = robot.model.neutral();
    VectorX g(nv);
    MatrixX M(nv, nv);
    const PositionTerms first = dynamics.at(q);
    EXPECT_EQ(first.gravity_torque(g), Status::ok);
    EXPECT_TRUE(g.allFinite());
    const PositionTerms second = dynamics.at(q);
    EXPECT_EQ(first.gravity_torque(g), Status::not_computed);
    EXPECT_TRUE(g.array().isNaN().all());
    EXPECT_EQ(second.gravity_torque(g), Status::ok);
    EXPECT_EQ(dynamics.mass_matrix(q, M), Status::ok);  // writes into the same memory
    Pose X;
    Matrix6X J(6, nv);
    Vector3 p_WC;
    EXPECT_EQ(second.frame_pose({1}, X), Status::not_computed);
    EXPECT_EQ(second.frame_jacobian({1}, J), Status::not_computed);
    EXPECT_EQ(second.center_of_mass(p_WC), Status::not_computed);
    EXPECT_TRUE(X.translation.array().isNaN().all() && X.rotation.array().isNaN().all());
    EXPECT_TRUE(J.array().isNaN().all());
    EXPECT_TRUE(p_WC.array().isNaN().all());
    const PositionTerms third = dynamics.at(q);
    const Dynamics elsewhere = std::move(dynamics);
    EXPECT_EQ(third.gravity_torque(g), Status::not_computed);
  }
}

/// Every function of the module on one (q, v, w), each of which must give `expected` and nothing but NaN.
void expect_refused(Dynamics& dynamics, const VectorX& q, const VectorX& v, const VectorX& w, Status expected,
                    bool reads_position_only_too) {
  const int nv = dynamics.model().nv();
  VectorX out = VectorX::Zero(nv);
  MatrixX square = MatrixX::Zero(nv, nv);
  const auto refused = [&](Status status, auto& result, const char* what) {
    EXPECT_EQ(status, expected) << what;
    EXPECT_TRUE(result.array().isNaN().all()) << what;
    result.setZero();
  };
  refused(dynamics.inverse_dynamics(q, v, w, out), out, "inverse_dynamics");
  refused(dynamics.inverse_dynamics(q, w, v, out), out, "inverse_dynamics, a and v swapped");
  refused(dynamics.forward_dynamics(q, v, w, out), out, "forward_dynamics");
  refused(dynamics.nonlinear_effects(q, v, out), out, "nonlinear_effects");
  refused(dynamics.coriolis_matrix(q, v, square), square, "coriolis_matrix");
  if (!reads_position_only_too) return;
  refused(dynamics.mass_matrix(q, square), square, "mass_matrix");
  const PositionTerms terms = dynamics.at(q);
  EXPECT_EQ(terms.status(), expected);
  refused(terms.gravity_torque(out), out, "gravity_torque");
  Matrix6X J = Matrix6X::Zero(6, nv);
  refused(terms.frame_jacobian({1}, J), J, "frame_jacobian");
  Pose X;
  refused(terms.frame_pose({1}, X), X.rotation, "frame_pose");
  EXPECT_TRUE(X.translation.array().isNaN().all());
  Vector3 p_WC = Vector3::Zero();
  refused(terms.center_of_mass(p_WC), p_WC, "center_of_mass");
}

TEST(DynamicsProperty, BadInputGivesItsStatusAndNaN) {
  for (const NamedModel& robot : test::all_models()) {
    SCOPED_TRACE(robot.name);
    Dynamics dynamics(robot.model);
    const VectorX q = robot.model.neutral();
    const VectorX v = VectorX::Ones(robot.model.nv());
    for (const double bad : {kNaN, kInfinity, -kInfinity}) {
      for (Eigen::Index i = 0; i < q.size(); ++i) {
        VectorX wrong = q;
        wrong[i] = bad;
        expect_refused(dynamics, wrong, v, v, Status::not_finite, true);
      }
      VectorX wrong = v;
      wrong[v.size() - 1] = bad;
      expect_refused(dynamics, q, wrong, wrong, Status::not_finite, false);
    }
    const VectorX short_q = q.head(q.size() - 1), short_v = v.head(v.size() - 1);
    VectorX long_q(q.size() + 1), long_v(v.size() + 1);
    long_q << q, 0.0;
    long_v << v, 0.0;
    expect_refused(dynamics, short_q, v, v, Status::wrong_size, true);
    expect_refused(dynamics, long_q, v, v, Status::wrong_size, true);
    expect_refused(dynamics, VectorX(), v, v, Status::wrong_size, true);
    expect_refused(dynamics, q, short_v, short_v, Status::wrong_size, false);
    expect_refused(dynamics, q, long_v, long_v, Status::wrong_size, false);
  }
}

TEST(DynamicsProperty, OneOfTwoVectorsIsEnoughToRefuse) {
  Dynamics dynamics(test::own_robot("planar_3r").model);
  const VectorX q = VectorX::Zero(3), good = VectorX::Zero(3), bad = VectorX::Constant(3, kNaN),
                small = VectorX::Zero(2);
  VectorX out(3);
  EXPECT_EQ(dynamics.inverse_dynamics(q, good, bad, out), Status::not_finite);
  EXPECT_EQ(dynamics.inverse_dynamics(q, good, small, out), Status::wrong_size);
  EXPECT_EQ(dynamics.forward_dynamics(q, good, bad, out), Status::not_finite);
  EXPECT_EQ(dynamics.forward_dynamics(q, good, small, out), Status::wrong_size);
  EXPECT_TRUE(out.array().isNaN().all());
}

TEST(DynamicsProperty, OutputsOfAnotherSizeAreFilledWithNaN) {
  for (const NamedModel& robot : test::all_models()) {
    Dynamics dynamics(robot.model);
    const VectorX q = robot.model.neutral(), v = VectorX::Zero(robot.model.nv());
    VectorX out = VectorX::Zero(robot.model.nv() + 1);
    MatrixX square = MatrixX::Zero(robot.model.nv(), robot.model.nv() + 1);
    Matrix6X J = Matrix6X::Zero(6, robot.model.nv() + 1);
    const auto refused = [](Status status, auto& result) {
      EXPECT_EQ(status, Status::wrong_size);
      EXPECT_TRUE(result.array().isNaN().all());
      result.setZero();
    };
    refused(dynamics.inverse_dynamics(q, v, v, out), out);
    refused(dynamics.forward_dynamics(q, v, v, out), out);
    refused(dynamics.nonlinear_effects(q, v, out), out);
    refused(dynamics.mass_matrix(q, square), square);
    refused(dynamics.coriolis_matrix(q, v, square), square);
    refused(dynamics.at(q).gravity_torque(out), out);
    refused(dynamics.at(q).frame_jacobian({1}, J), J);
  }
}

TEST(DynamicsProperty, FrameOfAnotherModelIsUnknown) {
  for (const NamedModel& robot : test::all_models()) {
    Dynamics dynamics(robot.model);
    for (const FrameId frame : {FrameId{}, FrameId{-7}, FrameId{1000}}) {
      Pose X;
      Matrix6X J = Matrix6X::Zero(6, robot.model.nv());
      EXPECT_EQ(dynamics.at(robot.model.neutral()).frame_pose(frame, X), Status::unknown_frame);
      EXPECT_EQ(dynamics.at(robot.model.neutral()).frame_jacobian(frame, J), Status::unknown_frame);
      EXPECT_TRUE(X.translation.array().isNaN().all() && X.rotation.array().isNaN().all());
      EXPECT_TRUE(J.array().isNaN().all());
    }
  }
}

TEST(DynamicsProperty, QuaternionsAreNormalisedOrRefused) {
  const RobotModel model = test::own_robot("h1_2").model;
  Dynamics dynamics(model);
  RandomStates random(111);
  SCOPED_TRACE(random.text());
  const VectorX q = random.configuration(model);
  VectorX g(33), g_scaled(33);
  ASSERT_EQ(dynamics.at(q).gravity_torque(g), Status::ok);
  for (const double length : {1.0 - 9e-4, 1.0 + 9e-4}) {
    VectorX scaled = q;
    scaled.segment<4>(3) *= length;
    ASSERT_EQ(dynamics.at(scaled).gravity_torque(g_scaled), Status::ok);
    EXPECT_LE(largest(g - g_scaled), tolerance::kSameQuantity);
  }
  for (const double length : {0.0, 1.0 - 1.1e-3, 1.0 + 1.1e-3, 2.0}) {
    VectorX scaled = q;
    scaled.segment<4>(3) *= length;
    expect_refused(dynamics, scaled, VectorX::Zero(33), VectorX::Zero(33), Status::bad_orientation, true);
  }
}

/// (cos, sin) pairs are orientations too: those of a continuous joint and of a planar one.
TEST(DynamicsProperty, CosineAndSineAreNormalisedOrRefused) {
  constexpr const char* kPuck = R"(<robot name="puck"><link name="table"/>
    <joint name="glide" type="planar"><parent link="table"/><child link="puck"/><axis xyz="0 0 1"/></joint>
    <link name="puck"><inertial><mass value="2"/><origin xyz="0.1 0 0"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>)";
  const RobotModel puck(parse_urdf(kPuck, "puck.urdf", ".", MeshPolicy::required), test::fixed_base());
  const RobotModel mixed(test::mixed_description(), test::fixed_base());
  ASSERT_EQ(puck.nq(), 4);
  ASSERT_EQ(puck.nv(), 3);
  ASSERT_EQ(mixed.nq(), mixed.nv() + 2);
  // The wheel's pair comes before everything but the slides, which come first by name: read its place from the neutral.
  Eigen::Index pair = 0;
  while (mixed.neutral()[pair] != 1.0) ++pair;
  for (const auto& [model, at] : {std::pair(puck, Eigen::Index{2}), std::pair(mixed, pair)}) {
    Dynamics dynamics(model);
    const VectorX rest = VectorX::Zero(model.nv());
    for (const double length : {0.0, 0.99, 1.01}) {
      VectorX q = model.neutral();
      q.segment<2>(at) = length * Eigen::Vector2d(0.6, 0.8);
      expect_refused(dynamics, q, rest, rest, Status::bad_orientation, true);
    }
    VectorX q = model.neutral(), nearly = q;
    q.segment<2>(at) = Eigen::Vector2d(0.6, 0.8);
    nearly.segment<2>(at) = 1.0005 * Eigen::Vector2d(0.6, 0.8);
    EXPECT_LE(largest(mass_matrix(dynamics, q) - mass_matrix(dynamics, nearly)), tolerance::kSameQuantity);
  }
}

TEST(DynamicsProperty, DriftIsTheTwistsChangeAtConstantVelocity) {
  for_all(118, [](Dynamics& dynamics, const VectorX& q, RandomStates& random) {
    const RobotModel& model = dynamics.model();
    const int nv = model.nv();
    const VectorX v = random.vector(nv);
    for (const LinkDescription& link : model.description().links) {
      const FrameId frame = model.frame(link.name);
      Matrix6X before(6, nv), after(6, nv);
      ASSERT_EQ(dynamics.at(moved(model, q, -kDifferenceStep * v)).frame_jacobian(frame, before), Status::ok);
      ASSERT_EQ(dynamics.at(moved(model, q, kDifferenceStep * v)).frame_jacobian(frame, after), Status::ok);
      VectorX h(nv);
      Vector6 drift;
      ASSERT_EQ(dynamics.at(q).nonlinear_effects(v, h, frame, drift), Status::ok);
      EXPECT_LE(largest((after - before) * v / (2.0 * kDifferenceStep) - drift), tolerance::kFiniteDifference)
          << link.name;
      EXPECT_LE(largest(h - nonlinear_effects(dynamics, q, v)), tolerance::kSameQuantity);
    }
  });
}

/// A tool's controller reads all of them from one view: none may spoil what the next one reads.
TEST(DynamicsProperty, TermsOfTheVelocityLeaveTheOthersAsTheyWere) {
  for_all(119, [](Dynamics& dynamics, const VectorX& q, RandomStates& random) {
    const RobotModel& model = dynamics.model();
    const int nv = model.nv();
    const FrameId frame = model.frame(model.description().links.back().name);
    const PositionTerms terms = dynamics.at(q);
    Matrix6X J(6, nv), J_after(6, nv);
    Pose X, X_after;
    VectorX g(nv), g_after(nv), h(nv);
    Vector6 drift;
    MatrixX M(nv, nv);
    ASSERT_EQ(terms.frame_jacobian(frame, J), Status::ok);
    ASSERT_EQ(terms.frame_pose(frame, X), Status::ok);
    ASSERT_EQ(terms.gravity_torque(g), Status::ok);
    ASSERT_EQ(terms.nonlinear_effects(random.vector(nv), h, frame, drift), Status::ok);
    ASSERT_EQ(terms.mass_matrix(M), Status::ok);
    ASSERT_EQ(terms.frame_jacobian(frame, J_after), Status::ok);
    ASSERT_EQ(terms.frame_pose(frame, X_after), Status::ok);
    ASSERT_EQ(terms.gravity_torque(g_after), Status::ok);
    EXPECT_EQ(J, J_after);
    EXPECT_EQ(X.rotation, X_after.rotation);
    EXPECT_EQ(X.translation, X_after.translation);
    EXPECT_EQ(g, g_after);
    EXPECT_LE(largest(M - mass_matrix(dynamics, q)), tolerance::kSameQuantity);
  });
}

TEST(DynamicsProperty, TermsOfTheVelocityRefuseWhatIsWrong) {
  const RobotModel model = test::own_robot("planar_3r").model;
  Dynamics dynamics(model);
  const int nv = model.nv();
  VectorX h(nv);
  Vector6 drift;
  MatrixX M(nv, nv), small(nv - 1, nv);
  const VectorX v = VectorX::Ones(nv), nan = VectorX::Constant(nv, kNaN);
  const PositionTerms terms = dynamics.at(model.neutral());
  const auto refused = [&](Status given, Status why) {
    EXPECT_EQ(given, why);
    EXPECT_TRUE(h.array().isNaN().all());
    EXPECT_TRUE(drift.array().isNaN().all());
  };
  refused(terms.nonlinear_effects(nan, h, {1}, drift), Status::not_finite);
  refused(terms.nonlinear_effects(v.head(nv - 1), h, {1}, drift), Status::wrong_size);
  refused(terms.nonlinear_effects(v, h, {-1}, drift), Status::unknown_frame);
  refused(terms.nonlinear_effects(v, h, {1000}, drift), Status::unknown_frame);
  EXPECT_EQ(terms.mass_matrix(small), Status::wrong_size);
  EXPECT_TRUE(small.array().isNaN().all());
  dynamics.at(model.neutral());
  refused(terms.nonlinear_effects(v, h, {1}, drift), Status::not_computed);
  EXPECT_EQ(terms.mass_matrix(M), Status::not_computed);
  EXPECT_TRUE(M.array().isNaN().all());
}

TEST(DynamicsProperty, VelocityTermsAreThoseOfTheirOwnPasses) {
  for_all(131, [](Dynamics& dynamics, const VectorX& q, RandomStates& random) {
    const RobotModel& model = dynamics.model();
    const int nv = model.nv();
    const VectorX v = random.vector(nv);
    const FrameId frame = model.frame(model.frame_names().back());
    const MatrixX M = mass_matrix(dynamics, q);
    MatrixX C(nv, nv), C_again(nv, nv), M_again(nv, nv);
    ASSERT_EQ(dynamics.coriolis_matrix(q, v, C), Status::ok);
    Matrix6X J_W(6, nv), J(6, nv), J_dot(6, nv);
    Pose X;
    const PositionTerms still = dynamics.at(q);
    ASSERT_EQ(still.frame_jacobian(frame, J_W), Status::ok);
    ASSERT_EQ(still.frame_pose(frame, X), Status::ok);
    const VelocityTerms terms = dynamics.at(q, v);
    ASSERT_EQ(terms.coriolis_matrix(C_again), Status::ok);
    EXPECT_EQ(C, C_again);
    ASSERT_EQ(terms.frame_jacobian(frame, J, J_dot), Status::ok);
    EXPECT_LT(largest(X.rotation * J.topRows<3>() - J_W.topRows<3>()), tolerance::kSameKinematics);
    EXPECT_LT(largest(X.rotation * J.bottomRows<3>() - J_W.bottomRows<3>()), tolerance::kSameKinematics);
    Vector6 velocity;
    ASSERT_EQ(terms.frame_velocity(frame, velocity), Status::ok);
    EXPECT_LT(largest(velocity - J * v), tolerance::kSameKinematics);
    ASSERT_EQ(terms.position().mass_matrix(M_again), Status::ok);
    EXPECT_LT(largest(M - M_again), tolerance::kSameQuantity);

    // The derivative, by poses that moved a little on.
    Matrix6X after(6, nv), before(6, nv), unused(6, nv);
    ASSERT_EQ(dynamics.at(moved(model, q, kDifferenceStep * v), v).frame_jacobian(frame, after, unused), Status::ok);
    ASSERT_EQ(dynamics.at(moved(model, q, -kDifferenceStep * v), v).frame_jacobian(frame, before, unused), Status::ok);
    EXPECT_LT(largest((after - before) / (2.0 * kDifferenceStep) - J_dot), tolerance::kFiniteDifference);
    EXPECT_EQ(terms.coriolis_matrix(C_again), Status::not_computed) << "a later call has overwritten it";
    EXPECT_TRUE(C_again.array().isNaN().all());
  });
}

TEST(DynamicsProperty, VelocityTermsSayWhatIsWrong) {
  Dynamics dynamics(test::own_robot("h1_2").model);
  const int nv = dynamics.model().nv();
  VectorX q = dynamics.model().neutral(), v = VectorX::Zero(nv);
  Vector6 velocity;
  Matrix6X J(6, nv), J_dot(6, nv);
  EXPECT_EQ(VelocityTerms().frame_velocity({0}, velocity), Status::not_computed);
  EXPECT_EQ(dynamics.at(q, VectorX::Zero(nv - 1)).status(), Status::wrong_size);
  EXPECT_EQ(dynamics.at(q, v).frame_velocity({-1}, velocity), Status::unknown_frame);
  EXPECT_EQ(dynamics.at(q, v).frame_jacobian({100000}, J, J_dot), Status::unknown_frame);
  v[3] = std::nan("");
  EXPECT_EQ(dynamics.at(q, v).status(), Status::not_finite);
  EXPECT_EQ(dynamics.at(q, v).frame_velocity({0}, velocity), Status::not_finite);
  EXPECT_TRUE(velocity.array().isNaN().all());
}

}  // namespace
}  // namespace antaeus
