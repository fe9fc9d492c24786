#pragma once
/// \file
/// The pose X_AB of a frame B in a frame A: p_A = rotation · p_B + translation.

#include "antaeus/core/types.hpp"

namespace antaeus {

struct Pose {
  Matrix3 rotation = Matrix3::Identity();  ///< R_AB, orthonormal
  Vector3 translation = Vector3::Zero();   ///< origin of B in A [m]

  Pose operator*(const Pose& X_BC) const noexcept {
    return {rotation * X_BC.rotation, rotation * X_BC.translation + translation};
  }
  Pose inverse() const noexcept { return {rotation.transpose(), -(rotation.transpose() * translation)}; }
};

}  // namespace antaeus
