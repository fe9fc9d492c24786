#include "tasks/rigid_log.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "core/cross_matrix.hpp"

namespace antaeus::detail {

namespace {

/// c(θ) = (1 − (θ/2) cot(θ/2)) / θ² and c'(θ)/θ: V⁻¹ = I − ½ [φ] + c [φ]².
struct Series {
  double value, slope;
};

Series series(double angle) noexcept {
  const double s = angle * angle;
  if (angle < 0.1) {
    return {1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s / 1209600.0)),
            1.0 / 360.0 + s * (1.0 / 7560.0 + s * (1.0 / 201600.0 + s * 1.67e-7))};
  }
  const double half = 0.5 * angle, sine = std::sin(half), cotangent = std::cos(half) / sine;
  const double c = (1.0 - half * cotangent) / s;
  return {c, -0.5 * (cotangent - half / (sine * sine)) / (s * angle) - 2.0 * c / s};
}

}  // namespace

Vector3 log_rotation(const Matrix3& R) noexcept {
  const Eigen::Quaterniond q(R);
  const double sign = q.w() < 0.0 ? -1.0 : 1.0, w = sign * q.w(), n = q.vec().norm();
  return sign * (n < 1e-9 ? 2.0 / w : 2.0 * std::atan2(n, w) / n) * q.vec();
}

Matrix3 right_log_jacobian(const Vector3& phi) noexcept {
  const Matrix3 P = cross_matrix(phi);
  return Matrix3::Identity() + 0.5 * P + series(phi.norm()).value * (P * P);
}

void log_pose(const Pose& X, Vector6& log, Matrix6& jacobian) noexcept {
  const Vector3 phi = log_rotation(X.rotation);
  const Vector3& p = X.translation;
  const Series c = series(phi.norm());
  const double along = phi.dot(p);
  const Vector3 twice = phi * along - phi.squaredNorm() * p;  // [φ]² p
  log << p - 0.5 * phi.cross(p) + c.value * twice, phi;
  const Matrix3 right = right_log_jacobian(phi);
  const Matrix3 turning = 0.5 * cross_matrix(p) + c.slope * twice * phi.transpose() +
                          c.value * (along * Matrix3::Identity() + phi * p.transpose() - 2.0 * p * phi.transpose());
  jacobian.topLeftCorner<3, 3>() = right;
  jacobian.topRightCorner<3, 3>() = turning * right;
  jacobian.bottomLeftCorner<3, 3>().setZero();
  jacobian.bottomRightCorner<3, 3>() = right;
}

bool is_rotation(const Matrix3& R) noexcept {
  return (R.transpose() * R - Matrix3::Identity()).cwiseAbs().maxCoeff() < 1e-6 && R.determinant() > 0.0;
}

}  // namespace antaeus::detail
