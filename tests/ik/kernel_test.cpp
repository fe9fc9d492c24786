// The kernel's derivatives against differences of its own forward kinematics, on every kind of arm.
#define ANTAEUS_LANES portable
#include <gtest/gtest.h>

#include "ik/closest.hpp"
#include "ik/tolerances.hpp"
#include "support/reach_sets.hpp"

namespace antaeus {
namespace {

using lanes::Vec3;
using test::Arm;
using test::ReachArm;
using test::ReachSets;

struct Value {
  double f;
  VectorX gradient;
  MatrixX hessian;
};

template <bool kRotation>
Value value_at(const detail::ChainNumbers& chain, const lanes::Target<double>& target, const VectorX& q) {
  lanes::Forward<double, 0> now;
  Vec3<double> ep{}, er{};
  double angle = 0.0;
  Value value;
  value.f = lanes::closest_value<0, kRotation>(chain, target, q.data(), now, ep, er, angle);
  static lanes::Curvature<0> at;
  lanes::curvature<0, kRotation>(chain, now, ep, er, angle, at);
  const int n = chain.joints;
  value.gradient.resize(n);
  value.hessian.resize(n, n);
  for (int j = 0; j < n; ++j) {
    value.gradient[j] = at.gradient[j];
    for (int i = 0; i <= j; ++i) value.hessian(i, j) = value.hessian(j, i) = at.hessian[j * (j + 1) / 2 + i];
  }
  return value;
}

lanes::Target<double> random_target(ReachSets& sets) {
  const Matrix3 R = sets.orientation();
  const Vector3 p = 0.7 * sets.direction();
  return {{R(0, 0), R(1, 0), R(2, 0)}, {R(0, 1), R(1, 1), R(2, 1)}, {R(0, 2), R(1, 2), R(2, 2)}, {p.x(), p.y(), p.z()}};
}

template <bool kRotation>
void derivatives_are_exact(ReachArm& arm) {
  const detail::ChainNumbers& chain = arm.chain.numbers();
  ReachSets sets(arm, 53);
  double gradient = 0.0, hessian = 0.0;
  for (int k = 0; k < 20; ++k) {
    const VectorX q = sets.positions();
    const lanes::Target<double> target = random_target(sets);
    const Value at = value_at<kRotation>(chain, target, q);
    const double h = 1e-5;
    for (int i = 0; i < chain.joints; ++i) {
      VectorX up = q, down = q;
      up[i] += h;
      down[i] -= h;
      const Value a = value_at<kRotation>(chain, target, up), b = value_at<kRotation>(chain, target, down);
      gradient = std::max(gradient, std::abs((a.f - b.f) / (2 * h) - at.gradient[i]));
      hessian = std::max(hessian, ((a.gradient - b.gradient) / (2 * h) - at.hessian.col(i)).cwiseAbs().maxCoeff());
    }
  }
  EXPECT_LE(gradient, tolerance::kClosestGradient) << arm.name;
  EXPECT_LE(hessian, tolerance::kClosestHessian) << arm.name;
}

TEST(IkKernel, GradientAndHessianAreExact) {
  for (const Arm& each : test::all_arms()) {
    ReachArm arm(each);
    derivatives_are_exact<true>(arm);
    derivatives_are_exact<false>(arm);
  }
}

TEST(IkKernel, RotationErrorsAreThoseOfEigen) {
  ReachArm arm(test::panda_arm());
  ReachSets sets(arm, 59);
  for (const double turn : {1e-12, 1e-9, 1e-6, 1e-3, 0.3, 1.5, 3.0, 3.1415, M_PI - 1e-6, M_PI - 1e-9, M_PI}) {
    for (int k = 0; k < 20; ++k) {
      const Matrix3 R = sets.orientation();
      const Vector3 axis = sets.direction();
      const Matrix3 T = Eigen::AngleAxisd(turn, axis).toRotationMatrix() * R;
      lanes::Forward<double, 7> now{};
      const auto column = [](const Matrix3& M, int c) { return Vec3<double>{M(0, c), M(1, c), M(2, c)}; };
      now.x = column(R, 0);
      now.y = column(R, 1);
      now.z = column(R, 2);
      const lanes::Target<double> target{column(T, 0), column(T, 1), column(T, 2), {}};
      double angle;
      const Vec3<double> r = lanes::rotation_log(now, target, angle);
      const Vector3 log(r.x, r.y, r.z);
      EXPECT_NEAR(angle, turn, tolerance::kReachAngle) << turn;
      // At half a turn both axes are right.
      const double sign = turn > 3.14 && log.dot(axis) < 0.0 ? -1.0 : 1.0;
      EXPECT_LE((sign * log - turn * axis).norm(), tolerance::kRotationLog) << turn;
      const Vec3<double> chord = lanes::chordal_error(now, target);
      if (turn < 3.0) {
        EXPECT_LE((Vector3(chord.x, chord.y, chord.z) - 2.0 * std::sin(0.5 * turn) * axis).norm(),
                  tolerance::kArithmetic)
            << turn;
      }
    }
  }
}

}  // namespace
}  // namespace antaeus
