#pragma once
/// \file
/// Where a free-flying robot shall be at an instant, and how that moves: end-effector, base and centre of mass.

#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// Of the end-effector's frame E. All in world axes; velocities are of E's origin.
struct PoseReference {
  Pose X_WE;
  Vector3 velocity{0, 0, 0}, acceleration{0, 0, 0};  ///< [m/s], [m/s²]
  Vector3 omega{0, 0, 0}, omega_dot{0, 0, 0};        ///< [rad/s], [rad/s²]
};

/// Of the base frame B: its orientation alone.
struct AttitudeReference {
  Matrix3 R_WB = Matrix3::Identity();
  Vector3 omega{0, 0, 0}, omega_dot{0, 0, 0};  ///< world axes [rad/s], [rad/s²]
};

/// Of the whole robot's centre of mass, world axes.
struct PointReference {
  Vector3 position{0, 0, 0}, velocity{0, 0, 0}, acceleration{0, 0, 0};  ///< [m], [m/s], [m/s²]
};

/// Twelve degrees of freedom, given independently of each other; whether the arm can reach them is not asked here.
struct FlyingReference {
  PoseReference end_effector;
  AttitudeReference base;
  PointReference com;
};

}  // namespace antaeus
