#pragma once
/// \file
/// One sample of a robot's sensors, from its drivers, a simulation or a log.

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// One sample. Motor quantities are in motor order (RobotModel::motor_names), in rad or m and N·m or N.
/// What was not measured stays empty, and every estimate names the channels that it lacked.
struct Observation {
  double time = kNaN;    ///< [s], any origin, never going back
  VectorX q;             ///< motor positions
  VectorX v;             ///< motor velocities; empty when not measured
  VectorX a;             ///< motor accelerations; empty when not measured
  VectorX tau;           ///< motor torques: what the motor exerts on the joint, positive along the joint's axis
  bool has_imu = false;  ///< whether `imu_quaternion_xyzw` was measured
  /// Orientation of the sensor's frame in the world, x y z w (Pinocchio's and ROS' order; MuJoCo has w x y z).
  Eigen::Vector4d imu_quaternion_xyzw{0.0, 0.0, 0.0, 1.0};
  bool has_gyro = false;
  Vector3 imu_angular_velocity = Vector3::Zero();  ///< of the sensor against the world, in the sensor's axes [rad/s]
  bool has_accelerometer = false;
  /// Specific force a − g at the sensor, in its axes [m/s²]: +9.81 along the axis that points up, at rest.
  Vector3 imu_specific_force = Vector3::Zero();
  /// Whether a simulation made it. What was identified of a robot's torques is not in those of its simulation, and the
  /// other way round: identified noise counts where it comes from (NoiseModel::simulated), else the profile's figures.
  bool simulated = false;
};

/// Copies an observation into memory that is there already: a motor channel whose size differs becomes NaN in its
/// place.
/// \realtime (estimation_realtime_test)
ANTAEUS_API void copy_in_place(const Observation& from, Observation& to) noexcept;

}  // namespace antaeus
