#pragma once
/// The size of a difference.

#include "antaeus/core/types.hpp"

namespace antaeus::test {

inline double largest(const MatrixX& A) { return A.size() == 0 ? 0.0 : A.cwiseAbs().maxCoeff(); }

}  // namespace antaeus::test
