#pragma once
// Decompositions of Eigen in the sizes that we use, compiled once (decompositions.cpp). Each costs 3 to 10 s of the
// compiler in every file that makes its own. Include this in place of <Eigen/Cholesky> and <Eigen/Eigenvalues>; what is
// computed, and every bit of it, is the same.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"

// clang heeds no visibility here, so other components would not find them: it compiles its own in every file.
#ifndef __clang__
namespace Eigen {

extern template ANTAEUS_API LLT<antaeus::MatrixX>& LLT<antaeus::MatrixX>::compute(const EigenBase<antaeus::MatrixX>&);
extern template ANTAEUS_API LLT<antaeus::Matrix6>& LLT<antaeus::Matrix6>::compute(const EigenBase<antaeus::Matrix6>&);

extern template ANTAEUS_API SelfAdjointEigenSolver<antaeus::MatrixX>& SelfAdjointEigenSolver<antaeus::MatrixX>::compute(
    const EigenBase<antaeus::MatrixX>&, int);
extern template ANTAEUS_API SelfAdjointEigenSolver<antaeus::Matrix6>& SelfAdjointEigenSolver<antaeus::Matrix6>::compute(
    const EigenBase<antaeus::Matrix6>&, int);

extern template ANTAEUS_API void ColPivHouseholderQR<antaeus::MatrixX>::computeInPlace();
extern template ANTAEUS_API void HouseholderQR<antaeus::MatrixX>::computeInPlace();

}  // namespace Eigen
#endif
