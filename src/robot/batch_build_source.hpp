#pragma once
/// \file
/// The one source of all builds: batch_portable.cpp, batch_avx2.cpp and batch_avx512.cpp include it.

#include "robot/batch_pack.hpp"
#include "robot/batch_sensed.hpp"
#include "robot/batch_wrench.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::BatchBuild;

/// Hands out the scratch memory of one pack; without memory it counts alone. \return bytes
template <class D>
std::size_t lay_out(const BatchNumbers& model, void* memory, BatchLanes<D>& lanes) {
  std::size_t used = 0;
  const auto take = [&]<class T>(T*& part, int count) {
    part = reinterpret_cast<T*>(static_cast<char*>(memory) + used);
    used += sizeof(T) * static_cast<std::size_t>(count);
  };
  const int motors = model.motor_count, bodies = model.joint_count + 1;
  take(lanes.q, motors);
  take(lanes.tau, motors);
  take(lanes.v, motors);
  take(lanes.a, motors);
  take(lanes.torque, motors);
  take(lanes.residual, motors);
  take(lanes.sine, model.joint_count);
  take(lanes.cosine, model.joint_count);
  take(lanes.places, bodies);
  take(lanes.motions, bodies);
  take(lanes.moment, bodies);
  take(lanes.force, bodies);
  take(lanes.A, 6 * model.most_supports);
  take(lanes.r, model.most_supports);
  take(lanes.out, 6 * model.most_supports + 12);
  return used;
}

/// Everything that is asked of one endpoint.
template <class D>
ANTAEUS_LANES_INLINE void endpoint(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes,
                                   const Turn<D>& R_WB, int index, std::ptrdiff_t jacobian_offset,
                                   const Pack<D>& pack) {
  const BatchFrame& frame = model.frames[index];
  if (call.pose.data) {
    const Turn<D> R = axes_of(frame, lanes);
    const Vec3<D> x = turned(R_WB, R.x), y = turned(R_WB, R.y), z = turned(R_WB, R.z);
    const D rows[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    for (int i = 0; i < 9; ++i) lanes.out[i] = rows[i];
    spread(turned(R_WB, origin_of(frame, lanes)), lanes.out + 9);
    pack.write(call.pose, 12 * index, lanes.out, 12);
  }
  const bool solved = call.wrench.data || call.sigma.data || call.rank;
  if (!solved && !call.jacobian.data) return;
  jacobian_rows(model, frame, lanes);
  if (call.jacobian.data) {
    for (int i = 0; i < frame.supports; ++i) {
      const D* row = lanes.A + 6 * i;
      spread(turned(R_WB, Vec3<D>{row[3], row[4], row[5]}), lanes.out + 6 * i);
      spread(turned(R_WB, Vec3<D>{row[0], row[1], row[2]}), lanes.out + 6 * i + 3);
    }
    pack.write(call.jacobian, jacobian_offset, lanes.out, 6 * frame.supports);
  }
  if (!solved) return;
  for (int i = 0; i < frame.supports; ++i) {
    lanes.r[i] = call.tau.data ? lanes.residual[model.joints[frame.support[i]].motor] : all_lanes<D>(0.0);
  }
  D w[6], sigma[6], rank;
  solve_wrench(lanes.A, lanes.r, frame.supports, model.relative_tolerance, w, sigma, rank);
  if (call.sigma.data) pack.write(call.sigma, 6 * index, sigma, 6);
  if (call.rank) pack.write_rank(index, rank);
  if (call.wrench.data) {
    D out[6];
    spread(turned(R_WB, Vec3<D>{w[3], w[4], w[5]}), out);
    spread(turned(R_WB, Vec3<D>{w[0], w[1], w[2]}), out + 3);
    pack.write(call.wrench, 6 * index, out, 6);
  }
}

template <class D>
void run_pack(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes, std::ptrdiff_t first) {
  const int motors = model.motor_count;
  Pack<D> pack(call, first);
  D quaternion[4] = {}, gyro[3] = {}, specific_force[3] = {}, acceleration[3] = {};
  const bool oriented = model.uses_imu && call.quaternion.data;
  pack.read(call.q, motors, lanes.q);
  pack.fetch(call.q, motors);
  if (call.tau.data) {
    pack.read(call.tau, motors, lanes.tau);
    pack.fetch(call.tau, motors);
  }
  if (oriented) pack.read(call.quaternion, 4, quaternion);
  if (call.dynamic) {
    pack.read(call.v, motors, lanes.v);
    pack.read(call.a, motors, lanes.a);
    pack.fetch(call.v, motors);
    pack.fetch(call.a, motors);
    if (call.gyro.data) pack.read(call.gyro, 3, gyro);
    if (call.specific_force.data) pack.read(call.specific_force, 3, specific_force);
    if (call.base_acceleration.data) pack.read(call.base_acceleration, 3, acceleration);
  }
  pack.judge();
  if (oriented) pack.refuse_orientation(normalise(quaternion));
  pack.clear(lanes.q, motors);
  if (call.tau.data) pack.clear(lanes.tau, motors);
  pack.clear(quaternion, 4);
  if (call.dynamic) {
    pack.clear(lanes.v, motors);
    pack.clear(lanes.a, motors);
    pack.clear(gyro, 3);
    pack.clear(specific_force, 3);
    pack.clear(acceleration, 3);
  }

  forward(model, lanes);
  const Turn<D> R_WB = oriented ? base_turn(model, lanes, quaternion) : identity<D>();
  const Vec3<D> gravity = constant<D>(model.gravity);
  const Vec3<D> fall = oriented ? turned_back(R_WB, gravity) : gravity;
  Vec3<D> force, moment, w = nothing<D>();
  if (call.dynamic) {
    w = sensed_dynamics(model, call, lanes, fall, gyro, specific_force, acceleration, force, moment);
  } else {
    gravity_torques(model, lanes, fall, force, moment);
  }
  if (call.tau.data) {
    for (int m = 0; m < motors; ++m) lanes.residual[m] = lanes.tau[m] - lanes.torque[m];
    if (call.residual.data) pack.write(call.residual, 0, lanes.residual, motors);
  }
  if (call.torque.data) pack.write(call.torque, 0, lanes.torque, motors);
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
  std::ptrdiff_t jacobian_offset = 0;
  for (int e = 0; e < model.frame_count; ++e) {
    endpoint(model, call, lanes, R_WB, e, jacobian_offset, pack);
    jacobian_offset += 6 * model.frames[e].supports;
  }
  if (call.status) pack.write_status();
}

#if defined(__AVX512F__)
using BatchWidest = Double8;
#elif defined(__AVX2__)
using BatchWidest = Double4;
#else
using BatchWidest = Double2;
#endif

template <class D>
BatchBuild batch_build() {
  return {LaneTraits<D>::kLanes,
          [](const BatchNumbers& model) noexcept {
            BatchLanes<D> lanes;
            return lay_out<D>(model, nullptr, lanes);
          },
          [](const BatchNumbers& model, const BatchCall& call, void* memory) noexcept {
            BatchLanes<D> lanes;
            lay_out<D>(model, memory, lanes);
            for (std::ptrdiff_t first = 0; first < call.count; first += LaneTraits<D>::kLanes) {
              run_pack<D>(model, call, lanes, first);
            }
          }};
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
