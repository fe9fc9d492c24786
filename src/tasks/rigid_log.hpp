#pragma once
// Logarithms of rotations and poses, and how they change. Private to src/tasks.
//
// Source: Sola, Deray & Atchuthan, "A micro Lie theory for state estimation in robotics" (2018), for the Jacobians of
// SO(3); the one of SE(3) follows from ρ = V(φ)⁻¹ p by differentiation.

#include "antaeus/core/pose.hpp"

namespace antaeus::detail {

/// φ with exp(φ) = R, |φ| ≤ π.
Vector3 log_rotation(const Matrix3& R) noexcept;
/// d log(R exp(w t))/dt = right · w, d log(exp(w t) R)/dt = left · w, at φ = log R. left = rightᵀ.
Matrix3 right_log_jacobian(const Vector3& phi) noexcept;

/// log(X) = (ρ, φ), linear part first, and its derivative: d log(X exp(ξ t))/dt = jacobian · ξ.
void log_pose(const Pose& X, Vector6& log, Matrix6& jacobian) noexcept;

/// Whether R is orthonormal and right-handed within 1e-6.
bool is_rotation(const Matrix3& R) noexcept;

}  // namespace antaeus::detail
