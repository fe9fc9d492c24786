#include "core/decompositions.hpp"

namespace Eigen {

template ANTAEUS_API LLT<antaeus::MatrixX>& LLT<antaeus::MatrixX>::compute(const EigenBase<antaeus::MatrixX>&);
template ANTAEUS_API LLT<antaeus::Matrix6>& LLT<antaeus::Matrix6>::compute(const EigenBase<antaeus::Matrix6>&);

template ANTAEUS_API SelfAdjointEigenSolver<antaeus::MatrixX>& SelfAdjointEigenSolver<antaeus::MatrixX>::compute(
    const EigenBase<antaeus::MatrixX>&, int);
template ANTAEUS_API SelfAdjointEigenSolver<antaeus::Matrix6>& SelfAdjointEigenSolver<antaeus::Matrix6>::compute(
    const EigenBase<antaeus::Matrix6>&, int);

template ANTAEUS_API void ColPivHouseholderQR<antaeus::MatrixX>::computeInPlace();
template ANTAEUS_API void HouseholderQR<antaeus::MatrixX>::computeInPlace();

}  // namespace Eigen
