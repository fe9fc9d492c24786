#pragma once
// Whether a target's axes are axes.
#include <Eigen/LU>

#include "antaeus/core/types.hpp"

namespace antaeus::detail {

/// Orthonormal and right-handed, as far as Status::bad_orientation lets a quaternion off unit length.
inline bool is_rotation(const Matrix3& R) noexcept {
  constexpr double kOrthonormal = 1e-3;
  return (R * R.transpose() - Matrix3::Identity()).cwiseAbs().maxCoeff() < kOrthonormal && R.determinant() > 0.0;
}

}  // namespace antaeus::detail
