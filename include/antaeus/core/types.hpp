#pragma once
/// \file
/// Shapes that every module shares. SI units throughout; linear part before angular part.

#include <Eigen/Core>

namespace antaeus {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using VectorX = Eigen::VectorXd;
using MatrixX = Eigen::MatrixXd;
/// 6 × n: a Jacobian (rows vx vy vz wx wy wz) or the n-joint columns of pinv(Jᵀ) (rows Fx Fy Fz Mx My Mz).
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

using ConstVectorRef = Eigen::Ref<const VectorX>;
using VectorRef = Eigen::Ref<VectorX>;
using ConstMatrixRef = Eigen::Ref<const MatrixX>;
using MatrixRef = Eigen::Ref<MatrixX>;
using Matrix6XRef = Eigen::Ref<Matrix6X>;

/// Names of the six components of a wrench, in storage order.
inline constexpr const char* kWrenchRowNames[6] = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"};
/// Rows of a wrench and of pinv(Jᵀ) by name.
enum WrenchRow : int { kFx = 0, kFy = 1, kFz = 2, kMx = 3, kMy = 4, kMz = 5 };

}  // namespace antaeus
