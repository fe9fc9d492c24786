#include "robot/check_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus::detail {

namespace {

/// One pose may be singular by chance, as a ball joint of three hinges in its gimbal lock; four are not.
constexpr int kChancePoses = 4;
/// Below this share of a row's own inertia, what is left of it beside the joints beyond is rounding.
constexpr double kLeftShare = 1e-10;
/// Smallest eigenvalue of a symmetric 3 × 3 matrix, by its characteristic polynomial.
/// Source: Smith, "Eigenvalues of a symmetric 3 × 3 matrix", Comm. ACM 4 (1961).
double least_moment(const Matrix3& I) {
  const double mean = I.trace() / 3.0;
  const Matrix3 centred = I - mean * Matrix3::Identity();
  const double size = std::sqrt(centred.squaredNorm() / 6.0);
  if (!(size > 0)) return mean;
  const double half = std::clamp(centred.determinant() / (2.0 * size * size * size), -1.0, 1.0);
  return mean + 2.0 * size * std::cos((std::acos(half) + 2.0 * std::numbers::pi) / 3.0);
}

/// The first row, from the tips inwards, that adds nothing to those beyond it; -1: M is positive. Cholesky, in place.
Eigen::Index row_without_inertia(MatrixX& M) {
  for (Eigen::Index i = M.rows() - 1; i >= 0; --i) {
    const double whole = M(i, i);
    for (Eigen::Index k = i + 1; k < M.rows(); ++k) M(i, i) -= M(k, i) * M(k, i);
    if (!(whole > 0) || !(M(i, i) > kLeftShare * whole)) return i;
    M(i, i) = std::sqrt(M(i, i));
    for (Eigen::Index j = 0; j < i; ++j) {
      for (Eigen::Index k = i + 1; k < M.rows(); ++k) M(i, j) -= M(k, i) * M(k, j);
      M(i, j) /= M(i, i);
    }
  }
  return -1;
}

}  // namespace

void check_inertia(const RobotModel& model) {
  for (const LinkDescription& link : model.description().links) {
    const Inertial& body = link.inertial;
    // As the readers, which note it: below -slack rounding explains it no more.
    if (!link.has_inertial || !(least_moment(body.inertia) < -1e-3 * body.inertia.norm() - 1e-12)) continue;
    throw ModelError(model.description().source + (link.line > 0 ? ":" + std::to_string(link.line) : ""),
                     "link '" + link.name + "': the inertia is not positive",
                     "check signs and order of ixx…izz; ik, robot and show take it as it is");
  }
  if (model.nv() == 0) return;
  Dynamics dynamics(model);
  MatrixX M(model.nv(), model.nv());
  VectorX q(model.nq()), v(model.nv());
  Eigen::Index row = -1;
  for (int pose = 0; pose < kChancePoses; ++pose) {
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = std::sin(static_cast<double>((pose + 1) * (7 * i + 3)));
    if (model.integrate(model.neutral(), v, q) != Status::ok || dynamics.mass_matrix(q, M) != Status::ok) return;
    if (!M.allFinite()) return;  // whoever computes with it says so
    row = row_without_inertia(M);
    // A base that floats and weighs nothing beside its limbs is no joint's matter; who inverts the whole of M says so.
    if (row < (model.base() == Base::free_flyer ? 6 : 0)) return;
  }
  const RobotDescription& description = model.description();
  const std::string& name = model.row_names()[static_cast<std::size_t>(row)];
  const auto joint = std::ranges::find(description.joints, name, &JointDescription::name);
  if (joint == description.joints.end()) return;
  throw ModelError(description.source + (joint->line > 0 ? ":" + std::to_string(joint->line) : ""),
                   "joint '" + name + "' has no inertia of its own to move (link '" + joint->child +
                       "' and those beyond lack mass or inertia): the mass matrix is singular",
                   "give link '" + joint->child +
                       "' mass and inertia, or make the joint fixed; ik, robot and show take it as it is");
}

}  // namespace antaeus::detail
