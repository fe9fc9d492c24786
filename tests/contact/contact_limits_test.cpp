// Limits of contacts and motors: kept where they can be, named with their size where they cannot. The conditions are
// written here from the wrenches; the robot stands flat, so the soles' axes are the heading's.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "antaeus/contact/contact_result.hpp"
#include "contact/tolerances.hpp"
#include "support/biped.hpp"

namespace antaeus {
namespace {

using test::kSoles;
constexpr double kLever = 0.1;  // [m] at which moments count as newtons
constexpr double kHeading = 0.7;

using Polygon = std::vector<Eigen::Vector2d>;
const Polygon kRectangle{{-0.11, -0.05}, {0.11, -0.05}, {0.11, 0.05}, {-0.11, 0.05}};
/// A heel narrower than the ball, and the toes' corner cut on one side.
const Polygon kFoot{{-0.11, -0.03}, {0.02, -0.05}, {0.08, -0.05}, {0.11, 0.0}, {0.08, 0.05}, {-0.11, 0.02}};

class ContactLimits : public testing::TestWithParam<LimitSet> {
 protected:
  Robot robot_ = test::biped();
  VectorX q_ = test::standing(robot_, kHeading);
  ContactOptions options_;
  double weight_ = robot_.weight();

  void SetUp() override {
    options_.least_torque = 1.0;
    options_.torque_limits = false;
  }

  /// States what a sole can exert, as a profile does.
  void state(const std::string& frame, const ContactSurface& surface) {
    robot_.profile.endpoints.push_back({frame, frame, EndpointKind::foot, "", surface});
  }

  /// Both soles asked to exert `wanted`, in the heading's axes: the solution is as near to it as limits and the total
  /// allow.
  ContactMotion asked(const Vector6& left, const Vector6& right) const {
    ContactMotion motion = test::at_rest(robot_, q_);
    motion.guess.resize(1, 12);
    motion.guess << turned(left).transpose(), turned(right).transpose();
    return motion;
  }
  Vector6 turned(const Vector6& w) const {
    const Matrix3 R = Eigen::AngleAxisd(kHeading, Vector3::UnitZ()).toRotationMatrix();
    return (Vector6() << R * w.head<3>(), R * w.tail<3>()).finished();
  }
  /// In the heading's axes about the point `depth` below the contact's origin.
  Vector6 at_sole(const ContactResult& result, int contact, double depth = 0.0) const {
    const Matrix3 R = Eigen::AngleAxisd(-kHeading, Vector3::UnitZ()).toRotationMatrix();
    const Vector6 w = result.solution.wrench.col(contact);
    Vector6 at;
    at.head<3>() = R * w.head<3>();
    at.tail<3>() = R * Vector3(w.tail<3>()) - Vector3(0.0, 0.0, -depth).cross(Vector3(at.head<3>()));
    return at;
  }
  Vector6 half() const { return (Vector6() << 0.0, 0.0, weight_ / 2, 0.0, 0.0, 0.0).finished(); }

  ContactResult solve(const ContactMotion& motion, bool limited = true,
                      std::vector<std::string> contacts = kSoles) const {
    ContactRequest request{std::move(contacts)};
    request.limits = limited ? GetParam() : LimitSet::none;
    ContactResult result = contact_inverse_dynamics(robot_, motion, request, options_);
    EXPECT_LE(result.torque.leftCols<6>().cwiseAbs().maxCoeff(), tolerance::kRootResidual) << "the motion is made";
    return result;
  }
  static double broken(const ContactResult& result, LimitKind kind) {
    double sum = 0.0;
    for (const LimitViolation& violation : result.violations) {
      if (violation.kind == kind) sum += violation.size;
    }
    return sum;
  }
  static void expect_only(const ContactResult& result, LimitKind kind, double size) {
    EXPECT_FALSE(result.feasible);
    for (const LimitViolation& violation : result.violations) {
      EXPECT_EQ(violation.kind, kind) << violation.subject << " " << to_string(violation.kind) << " " << violation.size;
    }
    EXPECT_NEAR(broken(result, kind), size, tolerance::kBrokenSum);
  }
  /// A generalised force on the base: force and moment about its origin, heading's axes, which are the base's.
  ContactMotion pushed(const Vector3& force, const Vector3& moment) const {
    ContactMotion motion = test::at_rest(robot_, q_);
    motion.external = SampleMatrix::Zero(1, robot_.model.nv());
    motion.external.row(0).head<3>() = force;
    motion.external.row(0).segment<3>(3) = moment;
    return motion;
  }
  /// By how much friction is broken [N]; below zero: kept.
  double slip(const Vector6& w, double friction) const {
    return GetParam() == LimitSet::cone ? w.head<2>().norm() - friction * w[2]
                                        : w.head<2>().cwiseAbs().maxCoeff() - friction * w[2];
  }
  /// By how much the centre of pressure is out of the polygon [N].
  static double out_of(const Polygon& sole, const Vector6& w) {
    double worst = -kInfinity;
    for (std::size_t i = 0; i < sole.size(); ++i) {
      const Eigen::Vector2d a = sole[i], edge = (sole[(i + 1) % sole.size()] - a).normalized();
      const Eigen::Vector2d moment(-w[4] - a.x() * w[2], w[3] - a.y() * w[2]);  // (cop − a) F_z
      worst = std::max(worst, (edge.y() * moment.x() - edge.x() * moment.y()) / kLever);
    }
    return worst;
  }
};

TEST_P(ContactLimits, FeetDoNotPull) {
  const Vector6 pulling = (Vector6() << 0, 0, -800, 0, 0, 0).finished(), rest = 2 * half() - pulling;
  EXPECT_LT(at_sole(solve(asked(pulling, rest), false), 0)[2], -50.0);
  const ContactResult kept = solve(asked(pulling, rest));
  EXPECT_GE(at_sole(kept, 0)[2], -tolerance::kKeptLimit);
  EXPECT_NEAR(at_sole(kept, 0)[2], 0.0, 1.0) << "and no more than needed";
  EXPECT_TRUE(kept.feasible);
  EXPECT_NEAR(kept.margins[0].unilateral, at_sole(kept, 0)[2], tolerance::kKeptLimit);
}

TEST_P(ContactLimits, FrictionHolds) {
  options_.torsion = 1.0;  // else yaw gives way first: opposite forces at 0.2 m turn the feet
  for (const Vector3& way : {Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0.7, 0.7, 0)}) {
    Vector6 left = half(), right = half();
    left.head<3>() += 800 * way, right.head<3>() -= 800 * way;
    EXPECT_GT(slip(at_sole(solve(asked(left, right), false), 0), 0.7), 20.0);
    const ContactResult kept = solve(asked(left, right));
    EXPECT_TRUE(kept.feasible);
    for (const int foot : {0, 1}) {
      const Vector6 w = at_sole(kept, foot);
      EXPECT_LE(slip(w, 0.7), tolerance::kKeptLimit);
      EXPECT_GT(slip(w, 0.7), -1.0) << "the limit is reached";
      // The pyramid's edge is √2 times the cone.
      if (way.y() <= 0) continue;
      EXPECT_EQ(w.head<2>().norm() > 0.8 * w[2], GetParam() == LimitSet::pyramid);
    }
  }
  // The profile's friction counts before the option's.
  ContactSurface slippery;
  slippery.friction = 0.2;
  state("left_sole", slippery);
  Vector6 left = half(), right = half();
  left[0] += 120, right[0] -= 120;
  const ContactResult kept = solve(asked(left, right));
  EXPECT_LE(slip(at_sole(kept, 0), 0.2), tolerance::kKeptLimit);
  EXPECT_LE(slip(at_sole(kept, 1), 0.7), tolerance::kKeptLimit);
}

TEST_P(ContactLimits, TheCentreOfPressureStaysInTheSole) {
  for (const Polygon& sole : {kRectangle, kFoot}) {
    robot_ = test::biped();
    ContactSurface surface;
    surface.sole = sole;
    for (const std::string& frame : kSoles) state(frame, surface);
    for (const Vector3& moment : {Vector3(0, 60, 0), Vector3(0, -60, 0), Vector3(25, 0, 0), Vector3(15, -30, 0)}) {
      Vector6 left = half(), right = half();
      left.tail<3>() += moment, right.tail<3>() -= moment;
      const ContactResult free = solve(asked(left, right), false), kept = solve(asked(left, right));
      EXPECT_GT(std::max(out_of(sole, at_sole(free, 0)), out_of(sole, at_sole(free, 1))), 10.0);
      EXPECT_TRUE(kept.feasible);
      double nearest = -kInfinity;
      for (const int foot : {0, 1}) {
        EXPECT_LE(out_of(sole, at_sole(kept, foot)), tolerance::kKeptLimit);
        nearest = std::max(nearest, out_of(sole, at_sole(kept, foot)));
      }
      EXPECT_GT(nearest, -1.0) << "an edge is reached";
      EXPECT_NEAR(kept.margins[0].cop, -nearest, tolerance::kKeptLimit);
    }
  }
}

TEST_P(ContactLimits, TheSoleLiesBelowTheFramesOrigin) {
  ContactSurface surface;
  surface.sole = {{-0.08, -0.05}, {0.14, -0.05}, {0.14, 0.05}, {-0.08, 0.05}};
  surface.sole_depth = 0.08;
  const std::vector<std::string> ankles{"left_foot", "right_foot"};
  for (const std::string& frame : ankles) state(frame, surface);
  Vector6 left = half(), right = half();
  left[0] = 100, right[0] = -100;  // 8 N·m at the soles
  left[4] = 60, right[4] = -60;
  const ContactResult kept = solve(asked(left, right), true, ankles);
  EXPECT_TRUE(kept.feasible);
  double nearest = -kInfinity;
  for (const int foot : {0, 1})
    nearest = std::max(nearest, out_of(surface.sole, at_sole(kept, foot, surface.sole_depth)));
  EXPECT_LE(nearest, tolerance::kKeptLimit);
  EXPECT_GT(nearest, -1.0);
}

TEST_P(ContactLimits, FeetDoNotTurn) {
  Vector6 left = half(), right = half();
  left[5] = 40, right[5] = -40;  // 0.05 m · 206 N = 10 N·m
  EXPECT_GT(std::abs(at_sole(solve(asked(left, right), false), 0)[5]), 20.0);
  const ContactResult kept = solve(asked(left, right));
  EXPECT_TRUE(kept.feasible);
  for (const int foot : {0, 1}) {
    const Vector6 w = at_sole(kept, foot);
    EXPECT_LE((std::abs(w[5]) - 0.05 * w[2]) / kLever, tolerance::kKeptLimit);
    EXPECT_GT((std::abs(w[5]) - 0.05 * w[2]) / kLever, -1.0);
  }
}

TEST_P(ContactLimits, CapsHold) {
  ContactSurface weak;
  weak.force_cap = 120;
  state("right_sole", weak);
  const ContactResult kept = solve(asked(half(), half()));
  EXPECT_TRUE(kept.feasible);
  EXPECT_LE(at_sole(kept, 1)[2], 120 + tolerance::kKeptLimit);
  EXPECT_GT(at_sole(kept, 1)[2], 119.0);
}

TEST_P(ContactLimits, MotorsHold) {
  options_.friction = 5.0;
  Vector6 left = half(), right = half();
  left[1] = 400, right[1] = -400;  // the feet squeeze: 300 N·m about the hips' x
  const ContactResult free = solve(asked(left, right));
  options_.torque_limits = true;
  const ContactResult kept = solve(asked(left, right));
  EXPECT_TRUE(kept.feasible);
  const auto over = [&](const ContactResult& result) {
    return ((result.torque.row(0).transpose().cwiseAbs() - result.torque_limits).array() / kLever).maxCoeff();
  };
  EXPECT_GT(over(free), 100.0);
  EXPECT_LE(over(kept), tolerance::kKeptLimit);
  EXPECT_GT(over(kept), -1.0);
  EXPECT_NEAR(kept.margins[0].torque, -over(kept), tolerance::kKeptLimit);
}

TEST_P(ContactLimits, WhatCannotBeKeptIsNamedWithItsSize) {
  // The least sums, by hand. Friction: 0.9 of the weight forwards, of which 0.7 hold.
  ContactResult result = solve(pushed({-0.9 * weight_, 0, 0}, {0, 0, 0}));
  expect_only(result, LimitKind::friction, 0.2 * weight_);
  EXPECT_TRUE(result.violations[0].subject == "left_sole" || result.violations[0].subject == "right_sole");
  // Lifted by 1.2 weights.
  result = solve(pushed({0, 0, 1.2 * weight_}, {0, 0, 0}));
  EXPECT_FALSE(result.feasible);
  EXPECT_NEAR(broken(result, LimitKind::unilateral), 0.2 * weight_, tolerance::kBrokenSum);
  // Caps of 150 N under 412 N.
  options_.force_cap = 150;
  expect_only(solve(pushed({0, 0, 0}, {0, 0, 0})), LimitKind::force_cap, weight_ - 300);
  options_.force_cap = 0;
  // One foot without friction against 40 N·m about the vertical.
  options_.friction = 0.0;
  result = solve(pushed({0, 0, 0}, {0, 0, 40}), true, {"left_sole"});
  expect_only(result, LimitKind::yaw, (40 - 0.05 * weight_) / kLever);
  EXPECT_EQ(result.violations[0].subject, "left_sole");
  options_.friction = 0.7;
  // The centre of pressure of both at 0.15 m ahead of soles of 0.11 m: a moment that only edges can refuse.
  options_.half_length = 0.11, options_.half_width = 0.05;
  const ContactResult still = solve(pushed({0, 0, 0}, {0, 0, 0}));
  const double at_rest = -(at_sole(still, 0)[4] + at_sole(still, 1)[4]) / weight_;  // [m] ahead of the soles' middles
  result = solve(pushed({0, 0, 0}, {0, (0.15 - at_rest) * weight_, 0}));
  expect_only(result, LimitKind::cop, 0.04 * weight_ / kLever);
  options_.half_length = options_.half_width = 0.0;
  // One foot leaves the torques no choice.
  options_.torque_limits = true;
  ContactMotion twisted = pushed({0, 0, 0}, {0, 0, 0});
  twisted.external(0, test::row_of(robot_, "left_knee")) = -300;
  result = solve(twisted, true, {"left_sole"});
  const int knee = test::row_of(robot_, "left_knee");
  expect_only(result, LimitKind::torque, (std::abs(result.torque(0, knee)) - 200) / kLever);
  EXPECT_EQ(result.violations[0].subject, "left_knee");
  EXPECT_GT(result.violations[0].size, 500.0);
  // Nobody asked for limits, or not for those of motors: nothing is called broken.
  options_.torque_limits = false;
  EXPECT_TRUE(solve(twisted, true, {"left_sole"}).feasible);
  EXPECT_TRUE(solve(twisted, false, {"left_sole"}).feasible);
}

TEST_P(ContactLimits, FrameByFrameIsOverTimeWithoutSmoothing) {
  constexpr int kFrames = 12;
  const auto motion_of = [&](double dt) {
    ContactMotion motion;
    motion.name = "pushes";
    motion.q = q_.transpose().replicate(kFrames, 1);
    motion.v = motion.a = SampleMatrix::Zero(kFrames, robot_.model.nv());
    motion.external = SampleMatrix::Zero(kFrames, robot_.model.nv());
    for (int t = 0; t < kFrames; ++t) {
      motion.external(t, 0) = 260 * std::sin(0.9 * t), motion.external(t, 1) = 150 * std::cos(1.3 * t);
      motion.external(t, 5) = 15 * std::sin(2.0 * t);
    }
    motion.dt = VectorX::Constant(1, dt);
    return motion;
  };
  options_.smoothing = 0.0;
  options_.half_length = 0.3, options_.half_width = 0.2;
  for (const bool limited : {false, true}) {
    ContactRequest request{kSoles};
    request.limits = limited ? GetParam() : LimitSet::none;
    const ContactResult frames = contact_inverse_dynamics(robot_, motion_of(0.01), request, options_);
    request.over_time = true;
    const ContactResult together = contact_inverse_dynamics(robot_, motion_of(0.01), request, options_);
    EXPECT_LE((frames.solution.wrench - together.solution.wrench).cwiseAbs().maxCoeff(),
              limited ? tolerance::kSameOptimum : tolerance::kRootResidual);
    for (int t = 0; t < kFrames && limited; ++t) {
      for (const LimitKind kind : {LimitKind::friction, LimitKind::cop, LimitKind::yaw, LimitKind::unilateral}) {
        double sums[2] = {0.0, 0.0};
        for (const LimitViolation& v : frames.violations) sums[0] += v.frame == t && v.kind == kind ? v.size : 0.0;
        for (const LimitViolation& v : together.violations) sums[1] += v.frame == t && v.kind == kind ? v.size : 0.0;
        EXPECT_NEAR(sums[0], sums[1], tolerance::kBrokenSum) << "frame " << t << " " << to_string(kind);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Friction, ContactLimits, testing::Values(LimitSet::pyramid, LimitSet::cone),
                         [](const auto& set) { return std::string(to_string(set.param)); });

}  // namespace
}  // namespace antaeus
