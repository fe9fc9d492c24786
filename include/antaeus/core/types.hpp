#pragma once
/// \file
/// Vector and matrix types that every module uses. SI units throughout; linear part before angular part.

#include <Eigen/Core>

#include "antaeus/core/numbers.hpp"

namespace antaeus {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using VectorX = Eigen::VectorXd;
using MatrixX = Eigen::MatrixXd;
/// 6 × n: a Jacobian (rows vx vy vz wx wy wz) or the n-joint columns of pinv(Jᵀ) (rows Fx Fy Fz Mx My Mz).
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
/// Samples by rows: row i is step i.
using SampleMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

using ConstVectorRef = Eigen::Ref<const VectorX>;
using VectorRef = Eigen::Ref<VectorX>;
using ConstMatrixRef = Eigen::Ref<const MatrixX>;
using MatrixRef = Eigen::Ref<MatrixX>;
using Matrix6XRef = Eigen::Ref<Matrix6X>;
/// 3 × n, also rows of a larger matrix.
using Matrix3XRef = Eigen::Ref<Eigen::Matrix<double, 3, Eigen::Dynamic>, 0, Eigen::OuterStride<>>;

}  // namespace antaeus
