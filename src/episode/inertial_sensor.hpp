#pragma once
// What a gyro and an accelerometer on a moving robot feel. Private to src/episode.

#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

struct InertialReading {
  Vector3 angular_velocity;  ///< of the sensor against the world, sensor axes [rad/s]
  Vector3 specific_force;    ///< a − g at the sensor's origin, sensor axes [m/s²]
};

/// What the sensor at a frame feels while the robot moves. Set-up code: allocates.
///
/// The base is a moving frame, in which the joints move the sensor:
///
///     a_S = a_B + α × r + ω × (ω × r) + 2 ω × u + Σ l_j q̈_j + Σ_j z_j × l_j q̇_j² + 2 Σ_{i<j} z_i × l_j q̇_i q̇_j
///
/// with r from base to sensor, u = Σ l_j q̇_j, and l_j, z_j the linear and angular columns of the sensor's Jacobian.
/// Source: ∂l_j/∂q_i = z_i × l_j for i ≤ j, z_j × l_i for i > j (Bruyninckx & De Schutter, J. Robotic Systems 13
/// (1996)).
/// \param terms  of \p q
InertialReading inertial_reading(const RobotModel& model, const PositionTerms& terms, FrameId sensor, const VectorX& q,
                                 const VectorX& v, const VectorX& a);

}  // namespace antaeus
