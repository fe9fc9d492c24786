#pragma once
/// \file
/// The one source of all builds: batch_portable.cpp, batch_avx2.cpp and batch_avx512.cpp include it.

#include "antaeus/core/possible.hpp"
#include "replay/batch_dynamics.hpp"
#include "replay/batch_io.hpp"
#include "replay/batch_posterior.hpp"

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
  // A number at its bound or beyond overflows; what has no bound is multiplied by one.
  const auto overflow_at = [](double bound) { return 0x1p1023 / bound * 2.0; };
  const double force = overflow_at(kImpossibleTorque), speed = overflow_at(kImpossibleSpeed),
               acceleration = overflow_at(kImpossibleAcceleration);
  const struct {
    const BatchRows& rows;
    D* lanes;
    int width;
    bool read;
    double scale;
  } channels[] = {
      {call.in.q, lanes.q, motors, true, overflow_at(kImpossiblePosition)},
      {call.in.tau, lanes.tau, motors, call.in.tau.data != nullptr, force},
      {call.in.residual, lanes.residual, motors, call.in.residual.data != nullptr, force},
      {call.in.v, lanes.v, motors, call.moving, speed},
      {call.in.a, lanes.a, motors, call.dynamic, acceleration},
      {call.in.imu_quaternion_xyzw, sensed.quaternion, 4, sensed.oriented, 1.0},
      {call.in.imu_angular_velocity, sensed.gyro, 3, call.dynamic && call.in.imu_angular_velocity.data, speed},
      {call.in.imu_specific_force, sensed.specific_force, 3, call.dynamic && call.in.imu_specific_force.data,
       overflow_at(kImpossibleSpecificForce)},
      {call.in.base_angular_acceleration, sensed.acceleration, 3,
       call.dynamic && call.in.base_angular_acceleration.data, acceleration},
      {call.in.motion_share, lanes.share, 1, call.in.motion_share.data != nullptr, 1.0},
  };
  for (const auto& channel : channels) {
    if (!channel.read) continue;
    pack.read(channel.rows, channel.width, channel.lanes, channel.scale);
    if (channel.width == motors) pack.fetch(channel.rows, motors);
  }
  if (call.in.variance.data) {
    pack.read_any(call.in.variance, motors, lanes.variance);
    pack.fetch(call.in.variance, motors);
  }
  if (call.in.least_variance.data) {
    pack.read_any(call.in.least_variance, motors, lanes.least);
    pack.fetch(call.in.least_variance, motors);
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
  if (call.out.residual.data) pack.write(call.out.residual, 0, lanes.residual, model.motor_count);
  if (call.out.torque.data) pack.write(call.out.torque, 0, lanes.torque, model.motor_count);
  if (call.out.base_residual.data) {
    spread(Vec3<D>{-force.x, -force.y, -force.z}, lanes.out);
    spread(Vec3<D>{-moment.x, -moment.y, -moment.z}, lanes.out + 3);
    pack.write(call.out.base_residual, 0, lanes.out, 6);
  }
  if (call.out.base_angular_velocity.data) {
    spread(w, lanes.out);
    pack.write(call.out.base_angular_velocity, 0, lanes.out, 3);
  }
  if (call.out.base_rotation.data) {
    const D rows[9] = {R_WB.x.x, R_WB.y.x, R_WB.z.x, R_WB.x.y, R_WB.y.y, R_WB.z.y, R_WB.x.z, R_WB.y.z, R_WB.z.z};
    for (int i = 0; i < 9; ++i) lanes.out[i] = rows[i];
    pack.write(call.out.base_rotation, 0, lanes.out, 9);
  }
}

// The kernel ----------------------------------------------------------------------------------------------------------

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
  take(lanes.out, 6 * model.most_supports + 21);
  if (!model.blocks) return used;
  take(lanes.variance, motors);
  take(lanes.least, motors);
  take(lanes.share, 1);
  take(lanes.tangent, motors);
  take(lanes.mean, motors);
  take(lanes.B, 6 * model.most_rows);
  take(lanes.y, model.most_rows);
  take(lanes.errors, model.most_errors);
  take(lanes.noise, model.most_rows * model.most_rows);
  take(lanes.evidence, model.most_rows);
  take(lanes.triangles, 6 * model.frame_count);
  take(lanes.lean, model.most_rows + 1);
  if (model.reference < 0) return used;
  take(lanes.expected, model.frame_count);
  take(lanes.spread, model.frame_count);
  take(lanes.nis, model.frame_count);
  take(lanes.null_nis, model.frame_count);
  if (!model.noise) return used;
  const int rows = model.noise->rows;
  take(lanes.reference, 6 * model.frame_count);
  take(lanes.coupled, model.noise->most_depth);
  take(lanes.joint, rows * rows);
  take(lanes.picked, (rows + 1) * rows);
  take(lanes.used, rows);
  take(lanes.chosen, 2 * rows);
  return used;
}

/// Everything that is asked of one endpoint.
template <class D>
ANTAEUS_LANES_INLINE void endpoint(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes,
                                   const Turn<D>& R_WB, int index, std::ptrdiff_t jacobian_offset,
                                   const Pack<D>& pack) {
  const BatchFrame& frame = model.frames[index];
  if (call.out.pose.data) {
    const Turn<D> R = axes_of(frame, lanes);
    const Vec3<D> x = turned(R_WB, R.x), y = turned(R_WB, R.y), z = turned(R_WB, R.z);
    const D rows[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    for (int i = 0; i < 9; ++i) lanes.out[i] = rows[i];
    spread(turned(R_WB, origin_of(frame, lanes)), lanes.out + 9);
    pack.write(call.out.pose, 12 * index, lanes.out, 12);
  }
  const bool solved = call.out.wrench.data || call.out.sigma.data || call.out.rank.data, weighed = asks_posterior(call);
  if (!solved && !weighed && !call.out.jacobian.data) return;
  jacobian_rows(model, frame, lanes);
  if (call.out.jacobian.data) {
    for (int i = 0; i < frame.supports; ++i) {
      const D* row = lanes.A + 6 * i;
      spread(turned(R_WB, Vec3<D>{row[3], row[4], row[5]}), lanes.out + 6 * i);
      spread(turned(R_WB, Vec3<D>{row[0], row[1], row[2]}), lanes.out + 6 * i + 3);
    }
    pack.write(call.out.jacobian, jacobian_offset, lanes.out, 6 * frame.supports);
  }
  if (weighed) posterior(model, call, lanes, R_WB, index, pack);
  if (!solved) return;
  for (int i = 0; i < frame.supports; ++i) {
    lanes.r[i] = call.in.residual.data || call.in.tau.data ? lanes.residual[model.joints[frame.support[i]].motor]
                                                           : all_lanes<D>(0.0);
  }
  D w[6], sigma[6], rank;
  solve_wrench(lanes.A, lanes.r, frame.supports, model.relative_tolerance, w, sigma, rank);
  if (call.out.sigma.data) pack.write(call.out.sigma, 6 * index, sigma, 6);
  if (call.out.rank.data) pack.write_count(call.out.rank, index, rank);
  if (call.out.wrench.data) {
    D out[6];
    spread(turned(R_WB, Vec3<D>{w[3], w[4], w[5]}), out);
    spread(turned(R_WB, Vec3<D>{w[0], w[1], w[2]}), out + 3);
    pack.write(call.out.wrench, 6 * index, out, 6);
  }
}

/// What the torques hold besides the model's: given, or measured less computed, and less the noise's mean.
template <class D>
ANTAEUS_LANES_INLINE void form_residual(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes) {
  if (model.noise) mean_error(model, call, lanes);
  const bool less_mean = model.noise && model.noise->mean_counts;
  for (int m = 0; m < model.motor_count; ++m) {
    D& residual = lanes.residual[m];
    if (!call.in.residual.data) residual = lanes.tau[m] - lanes.torque[m];
    if (less_mean) residual = residual - lanes.mean[m];
  }
}

template <class D>
void run_pack(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes, std::ptrdiff_t first) {
  Pack<D> pack(call, first);
  Sensed<D> sensed;
  sensed.oriented = model.uses_imu && call.in.imu_quaternion_xyzw.data;
  read_states(model, call, lanes, sensed, pack);

  forward(model, lanes);
  const Turn<D> R_WB = sensed.oriented ? base_turn(model, lanes, sensed.quaternion) : identity<D>();
  const Vec3<D> gravity = constant<D>(model.gravity);
  const Vec3<D> fall = sensed.oriented ? turned_back(R_WB, gravity) : gravity;
  lanes.field = {-fall.x, -fall.y, -fall.z};
  Vec3<D> force, moment, w = nothing<D>();
  if (call.moving) w = sensed_motions(model, call, lanes, sensed.gyro, sensed.specific_force, sensed.acceleration);
  if (!call.in.residual.data || call.out.torque.data || call.out.base_residual.data) {
    if (call.dynamic) {
      dynamic_torques(model, lanes, lanes.field, force, moment);
    } else {
      gravity_torques(model, lanes, fall, force, moment);
    }
  }
  if (call.in.residual.data || call.in.tau.data) form_residual(model, call, lanes);
  write_state(model, call, lanes, R_WB, w, force, moment, pack);
  std::ptrdiff_t jacobian_offset = 0;
  for (int e = 0; e < model.frame_count; ++e) {
    endpoint(model, call, lanes, R_WB, e, jacobian_offset, pack);
    jacobian_offset += 6 * model.frames[e].supports;
  }
  if (call.out.force_sd.data || call.out.force_directions.data) write_principal(model, call, R_WB, lanes, pack);
  if (call.out.innovation.data || call.out.reference_nis.data) test_reference(model, call, lanes, pack);
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
