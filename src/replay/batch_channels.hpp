#pragma once
/// \file
/// What is given of a pack of states, and what is asked of each of them as a whole.

#include "replay/batch_pack.hpp"
#include "replay/batch_sensed.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// What the sensors of a state's base say, and of what is given of its noise what must be finite.
template <class D>
struct Sensed {
  D quaternion[4] = {}, gyro[3] = {}, specific_force[3] = {}, acceleration[3] = {};
  bool oriented = false;
};

/// Reads a pack's rows, and empties those of lanes that have no result.
template <class D>
ANTAEUS_LANES_INLINE void read_states(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes,
                                      Sensed<D>& sensed, Pack<D>& pack) {
  const int motors = model.motor_count;
  const struct {
    const BatchRows& rows;
    D* lanes;
    int width;
    bool read;
  } channels[] = {
      {call.q, lanes.q, motors, true},
      {call.tau, lanes.tau, motors, call.tau.data != nullptr},
      {call.given, lanes.residual, motors, call.given.data != nullptr},
      {call.v, lanes.v, motors, call.moving},
      {call.a, lanes.a, motors, call.dynamic},
      {call.quaternion, sensed.quaternion, 4, sensed.oriented},
      {call.gyro, sensed.gyro, 3, call.dynamic && call.gyro.data},
      {call.specific_force, sensed.specific_force, 3, call.dynamic && call.specific_force.data},
      {call.base_acceleration, sensed.acceleration, 3, call.dynamic && call.base_acceleration.data},
      {call.motion_share, lanes.share, 1, call.motion_share.data != nullptr},
  };
  for (const auto& channel : channels) {
    if (!channel.read) continue;
    pack.read(channel.rows, channel.width, channel.lanes);
    if (channel.width == motors) pack.fetch(channel.rows, motors);
  }
  if (call.variance.data) {
    pack.read_any(call.variance, motors, lanes.variance);
    pack.fetch(call.variance, motors);
  }
  if (call.least_variance.data) {
    pack.read_any(call.least_variance, motors, lanes.least);
    pack.fetch(call.least_variance, motors);
  }
  for (int m = 0; m < motors && call.moving && !call.dynamic; ++m) lanes.a[m] = all_lanes<D>(0.0);
  pack.judge();
  if (sensed.oriented) pack.refuse_orientation(normalise(sensed.quaternion));
  for (const auto& channel : channels) {
    if (channel.read) pack.clear(channel.lanes, channel.width);
  }
}

/// What is asked of a state as a whole.
template <class D>
ANTAEUS_LANES_INLINE void write_state(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes,
                                      const Turn<D>& R_WB, const Vec3<D>& w, const Vec3<D>& force,
                                      const Vec3<D>& moment, const Pack<D>& pack) {
  if (call.residual.data) pack.write(call.residual, 0, lanes.residual, model.motor_count);
  if (call.torque.data) pack.write(call.torque, 0, lanes.torque, model.motor_count);
  if (call.base_residual.data) {
    spread(Vec3<D>{-force.x, -force.y, -force.z}, lanes.out);
    spread(Vec3<D>{-moment.x, -moment.y, -moment.z}, lanes.out + 3);
    pack.write(call.base_residual, 0, lanes.out, 6);
  }
  if (call.base_velocity.data) {
    spread(w, lanes.out);
    pack.write(call.base_velocity, 0, lanes.out, 3);
  }
  if (call.base_rotation.data) {
    const D rows[9] = {R_WB.x.x, R_WB.y.x, R_WB.z.x, R_WB.x.y, R_WB.y.y, R_WB.z.y, R_WB.x.z, R_WB.y.z, R_WB.z.z};
    for (int i = 0; i < 9; ++i) lanes.out[i] = rows[i];
    pack.write(call.base_rotation, 0, lanes.out, 9);
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
