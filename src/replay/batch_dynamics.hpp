#pragma once
/// \file
/// Gravity's torques and inverse dynamics of a flattened tree, over lanes, and what the sensors of a floating base say
/// of it. Algorithms: Featherstone, "Rigid Body Dynamics Algorithms" (2008), §5.3, written in base axes.

#include "replay/batch_kinematics.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// Torques of gravity \p fall at the motors, and of the root the force and moment that hold it.
template <class D>
void gravity_torques(const BatchNumbers& model, BatchLanes<D>& lanes, const Vec3<D>& fall, Vec3<D>& force,
                     Vec3<D>& moment) {
  lanes.moment[0] = constant<D>(model.root_moment);
  for (int j = 0; j < model.joint_count; ++j) {
    const BatchJoint& joint = model.joints[j];
    const Place<D>& body = lanes.places[j + 1];
    lanes.moment[j + 1] = all_lanes<D>(joint.mass) * body.p + turned(body.R, joint.moment);
  }
  // What a chain hands down stays in registers: a load would wait for the store before it.
  Vec3<D> handed = nothing<D>();
  bool chained = false;
  for (int j = model.joint_count - 1; j >= 0; --j) {
    const BatchJoint& joint = model.joints[j];
    const Place<D>& body = lanes.places[j + 1];
    const Vec3<D> h = chained ? handed : lanes.moment[j + 1];
    handed = lanes.moment[joint.before] + h;
    lanes.moment[joint.before] = handed;
    chained = joint.before == j;
    const D mass = all_lanes<D>(joint.subtree_mass);
    const Vec3<D> axis = axis_of(joint, body);
    D& torque = lanes.torque[joint.motor];
    if (joint.prismatic) {
      torque = -(mass * dot(axis, fall));
    } else {
      torque = -dot(axis, cross(h - mass * body.p, fall));
    }
  }
  const D mass = all_lanes<D>(-model.total_mass);
  force = mass * fall;
  moment = cross(fall, lanes.moment[0]);
}

/// Rᵀ… of a body's inertia [xx xy yy xz yz zz] times a vector in its axes.
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> times_inertia(const double* I, const Vec3<D>& x) {
  return {I[0] * x.x + I[1] * x.y + I[3] * x.z, I[1] * x.x + I[2] * x.y + I[4] * x.z,
          I[3] * x.x + I[4] * x.y + I[5] * x.z};
}

/// Velocities and accelerations of the bodies between the root and all others; the root turns with w, alpha and its
/// origin is not accelerated.
template <class D>
void motions(const BatchNumbers& model, BatchLanes<D>& lanes, const Vec3<D>& w, const Vec3<D>& alpha) {
  lanes.motions[0] = {w, alpha, nothing<D>()};
  for (int j = 0; j < model.joint_count; ++j) {
    const BatchJoint& joint = model.joints[j];
    const Place<D>& body = lanes.places[j + 1];
    const Motion<D>& before = lanes.motions[joint.before];
    Motion<D>& now = lanes.motions[j + 1];
    const Vec3<D> r = body.p - lanes.places[joint.before].p, axis = axis_of(joint, body);
    const Vec3<D> along = lanes.v[joint.motor] * axis, more = lanes.a[joint.motor] * axis;
    const Vec3<D> spin = cross(before.w, r);
    now.a = before.a + cross(before.alpha, r) + cross(before.w, spin);
    if (joint.prismatic) {
      now.w = before.w;
      now.alpha = before.alpha;
      const Vec3<D> coriolis = cross(before.w, along);
      now.a = now.a + more + coriolis + coriolis;
    } else {
      now.w = before.w + along;
      now.alpha = before.alpha + more + cross(before.w, along);
    }
  }
}

/// Force on a body and its moment about the body's origin, for the motion that it has.
template <class D>
ANTAEUS_LANES_INLINE void force_of(const double& mass, const double* moment, const double* inertia, const Turn<D>& R,
                                   const Motion<D>& motion, const Vec3<D>& field, Vec3<D>& f, Vec3<D>& n) {
  const Vec3<D> e = turned(R, moment), a = motion.a + field;
  f = all_lanes<D>(mass) * a + cross(motion.alpha, e) + cross(motion.w, cross(motion.w, e));
  const Vec3<D> w = turned_back(R, motion.w), alpha = turned_back(R, motion.alpha);
  n = cross(e, a) + turned(R, times_inertia(inertia, alpha) + cross(w, times_inertia(inertia, w)));
}

/// Torques of the motions at the motors; \p field is the specific force at the root's origin. Of the root the force
/// and moment that move it.
template <class D>
void dynamic_torques(const BatchNumbers& model, BatchLanes<D>& lanes, const Vec3<D>& field, Vec3<D>& force,
                     Vec3<D>& moment) {
  force_of(model.root_mass, model.root_moment, model.root_inertia, lanes.places[0].R, lanes.motions[0], field,
           lanes.force[0], lanes.moment[0]);
  for (int j = 0; j < model.joint_count; ++j) {
    const BatchJoint& joint = model.joints[j];
    force_of(joint.mass, joint.moment, joint.inertia, lanes.places[j + 1].R, lanes.motions[j + 1], field,
             lanes.force[j + 1], lanes.moment[j + 1]);
  }
  Vec3<D> handed_force = nothing<D>(), handed_moment = nothing<D>();
  bool chained = false;
  for (int j = model.joint_count - 1; j >= 0; --j) {
    const BatchJoint& joint = model.joints[j];
    const Place<D>& body = lanes.places[j + 1];
    const Vec3<D> f = chained ? handed_force : lanes.force[j + 1], n = chained ? handed_moment : lanes.moment[j + 1];
    const Vec3<D> axis = axis_of(joint, body);
    lanes.torque[joint.motor] = dot(axis, joint.prismatic ? f : n) + joint.armature * lanes.a[joint.motor];
    handed_force = lanes.force[joint.before] + f;
    handed_moment = lanes.moment[joint.before] + n + cross(body.p - lanes.places[joint.before].p, f);
    lanes.force[joint.before] = handed_force;
    lanes.moment[joint.before] = handed_moment;
    chained = joint.before == j;
  }
  force = lanes.force[0];
  moment = lanes.moment[0];
}

// With the sensors of a floating base ---------------------------------------------------------------------------------

using detail::BatchCall;

template <class D>
ANTAEUS_LANES_INLINE void spread(const Vec3<D>& x, D* out) {
  out[0] = x.x;
  out[1] = x.y;
  out[2] = x.z;
}

/// R_WB from a quaternion of the sensor, which read_orientation() has made one of unit length.
template <class D>
ANTAEUS_LANES_INLINE Turn<D> base_turn(const BatchNumbers& model, const BatchLanes<D>& lanes, const D* quaternion) {
  const Turn<D> R = rotation_of(quaternion);
  if (!model.mounted) return R;
  const Turn<D> S = axes_of(model.sensor, lanes);
  return {turned(R, Vec3<D>{S.x.x, S.y.x, S.z.x}), turned(R, Vec3<D>{S.x.y, S.y.y, S.z.y}),
          turned(R, Vec3<D>{S.x.z, S.y.z, S.z.z})};
}

/// Unit length, and which are too far from it.
template <class D>
ANTAEUS_LANES_INLINE Mask<D> normalise(D* q) {
  const D norm = square_root(D(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]));
  const D off = norm - 1.0;
  const Mask<D> tilted = (off > 1e-3) | (off < -1e-3);
  for (int i = 0; i < 4; ++i) q[i] = q[i] / norm;
  return tilted;
}

/// How the bodies move, with what a floating base's sensors say; puts the specific force at the root's origin in place
/// of the one at rest. \return the base's angular velocity
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> sensed_motions(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes,
                                            const D* gyro, const D* specific_force, const D* acceleration) {
  Vec3<D> w = nothing<D>(), alpha = nothing<D>();
  if (call.in.imu_angular_velocity.data) {
    w = turned(axes_of(model.sensor, lanes), Vec3<D>{gyro[0], gyro[1], gyro[2]});
    // The sensor turns with its link: take out what the joints between base and sensor add.
    for (int i = 0; i < model.sensor.supports; ++i) {
      const int j = model.sensor.support[i];
      const BatchJoint& joint = model.joints[j];
      if (!joint.prismatic) w = w - lanes.v[joint.motor] * axis_of(joint, lanes.places[j + 1]);
    }
  }
  if (call.in.base_angular_acceleration.data) alpha = {acceleration[0], acceleration[1], acceleration[2]};
  motions(model, lanes, w, alpha);
  if (!call.in.imu_specific_force.data) return w;
  const Place<D>& body = lanes.places[model.sensor.body];
  const Motion<D>& motion = lanes.motions[model.sensor.body];
  const Vec3<D> lever = turned(body.R, model.sensor.p);
  const Vec3<D> felt =
      turned(axes_of(model.sensor, lanes), Vec3<D>{specific_force[0], specific_force[1], specific_force[2]});
  lanes.field = felt - (motion.a + cross(motion.alpha, lever) + cross(motion.w, cross(motion.w, lever)));
  return w;
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
