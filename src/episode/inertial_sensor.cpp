#include "inertial_sensor.hpp"

#include <Eigen/Geometry>

namespace antaeus {

InertialReading inertial_reading(const RobotModel& model, const PositionTerms& terms, FrameId sensor, const VectorX& q,
                                 const VectorX& v, const VectorX& a) {
  Pose X_WS;
  Matrix6X J(6, model.nv());
  terms.frame_pose(sensor, X_WS);
  terms.frame_jacobian(sensor, J);
  const bool floating = model.base() == Base::free_flyer;
  const Eigen::Index first = floating ? 6 : 0;

  // Parents come before children in v, and columns of joints beside the chain are zero: i < j means nearer the base.
  Vector3 turned = Vector3::Zero();  // Σ_{i<j} z_i q̇_i
  Vector3 moved = Vector3::Zero();   // u
  Vector3 relative = Vector3::Zero();
  for (Eigen::Index j = first; j < model.nv(); ++j) {
    const Vector3 l = J.col(j).head<3>(), z = J.col(j).tail<3>();
    relative += l * a[j] + z.cross(l) * (v[j] * v[j]) + 2.0 * turned.cross(l) * v[j];
    turned += z * v[j];
    moved += l * v[j];
  }
  Vector3 omega = turned, acceleration = relative;
  if (floating) {
    // v and a hold the base's components in its own axes.
    const Matrix3 R_WB = J.topLeftCorner<3, 3>();
    const Vector3 r = X_WS.translation - q.head<3>();
    const Vector3 base_omega = R_WB * v.segment<3>(3), alpha = R_WB * a.segment<3>(3);
    omega += base_omega;
    acceleration += R_WB * (a.head<3>() + v.segment<3>(3).cross(v.head<3>())) + alpha.cross(r) +
                    base_omega.cross(base_omega.cross(r)) + 2.0 * base_omega.cross(moved);
  }
  return {X_WS.rotation.transpose() * omega, X_WS.rotation.transpose() * (acceleration - model.gravity())};
}

}  // namespace antaeus
