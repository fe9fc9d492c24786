#pragma once
/// \file
/// What the sensors of a floating base say of it: its orientation, and inverse dynamics with its motion.

#include "replay/batch_dynamics.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

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
  if (call.gyro.data) {
    w = turned(axes_of(model.sensor, lanes), Vec3<D>{gyro[0], gyro[1], gyro[2]});
    // The sensor turns with its link: take out what the joints between base and sensor add.
    for (int i = 0; i < model.sensor.supports; ++i) {
      const int j = model.sensor.support[i];
      const BatchJoint& joint = model.joints[j];
      if (!joint.prismatic) w = w - lanes.v[joint.motor] * axis_of(joint, lanes.places[j + 1]);
    }
  }
  if (call.base_acceleration.data) alpha = {acceleration[0], acceleration[1], acceleration[2]};
  motions(model, lanes, w, alpha);
  if (!call.specific_force.data) return w;
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
