#pragma once
/// \file
/// The noise of a block's torque rows, over lanes: what antaeus::TorqueNoise makes of an identified noise.
///
///     R = diag(own variances) + (X F)(X F)ᵀ,  C = F Fᵀ,  and X θ̂ taken out of the residual
/// Only the rows of a block are formed, and only the parameters that they hang on are among F's.

#include "replay/batch_regressor.hpp"
#include "replay/batch_tangent.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::BatchMotorNoise;

/// X θ̂ of all motors, and the tanh of their speeds; call after the torques, whose scratch memory it uses.
template <class D>
void mean_error(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes) {
  const detail::BatchNoise& noise = *model.noise;
  const D zero = all_lanes<D>(0.0);
  for (int m = 0; m < model.motor_count; ++m) lanes.mean[m] = lanes.tangent[m] = zero;
  if (noise.bodies) {
    // Inverse dynamics is linear in the parameters: the same pass over a robot of these alone.
    BatchLanes<D> theirs = lanes;
    theirs.torque = lanes.mean;
    Vec3<D> force, moment;
    if (call.moving) {
      dynamic_torques(*noise.bodies, theirs, lanes.field, force, moment);
    } else {
      const Vec3<D> fall{-lanes.field.x, -lanes.field.y, -lanes.field.z};
      gravity_torques(*noise.bodies, theirs, fall, force, moment);
    }
  }
  for (int m = 0; m < model.motor_count; ++m) {
    const BatchMotorNoise& motor = noise.motors[m];
    D& mean = lanes.mean[m];
    if (!motor.known) {
      mean = zero;
      continue;
    }
    mean = mean + motor.offset;
    if (!call.moving) continue;
    mean = mean + motor.viscous * lanes.v[m];
    if (!motor.dry) continue;
    lanes.tangent[m] = hyperbolic_tangent(D(lanes.v[m] / noise.coulomb_speed));
    mean = mean + motor.coulomb * lanes.tangent[m];
  }
}

/// What a row does not share with others.
template <class D>
ANTAEUS_LANES_INLINE D own_variance(const BatchNumbers& model, const BatchCall& call, const BatchLanes<D>& lanes,
                                    int m) {
  const BatchMotorNoise& motor = model.noise->motors[m];
  const D zero = all_lanes<D>(0.0);
  D variance = call.variance.data ? lanes.variance[m] : zero;
  if (call.variance.data) variance = select(variance >= 0.0, variance, all_lanes<D>(__builtin_nan("")));
  // A row that nobody identified has what is given of it, or nothing that could be used.
  if (!motor.known) return select(variance > 0.0, variance, all_lanes<D>(__builtin_nan("")));
  const D& tangent = lanes.tangent[m];
  variance = variance + motor.variance + motor.standing * (1.0 - tangent * tangent);
  if (!model.noise->mean_counts) variance = variance + lanes.mean[m] * lanes.mean[m];
  if (!call.motion_share.data) return variance;
  const D share = *lanes.share;
  const D moving = select(share > 0.0, D(share * share * motor.motion), zero);
  return select((share >= 0.0) & (share <= 1.0), D(variance + moving), all_lanes<D>(__builtin_nan("")));
}

/// The larger of both; NaN where either is.
template <class D>
ANTAEUS_LANES_INLINE D at_least(const D& least, const D& variance) {
  return select(least == least, select(least > variance, least, variance), least);
}

/// R of a block's rows: its lower triangle row by row, with infinity on its diagonal for a row that is no evidence.
template <class D>
void noise_covariance(const BatchNumbers& model, const BatchBlock& block, const BatchCall& call, BatchLanes<D>& lanes,
                      D* R) {
  const BatchSharedErrors& shared = call.moving ? block.moving : block.still;
  shared_errors(model, block, shared, call.moving, lanes);
  const int n = block.rows, depth = shared.depth;
  for (int i = 0; i < n; ++i) {
    const D* mine = lanes.errors + block.errors + depth * i;
    for (int j = 0; j <= i; ++j) {
      const D* theirs = lanes.errors + block.errors + depth * j;
      const int length = shared.lengths[i] < shared.lengths[j] ? shared.lengths[i] : shared.lengths[j];
      D sum = all_lanes<D>(0.0);
      for (int k = 0; k < length; ++k) sum = sum + mine[k] * theirs[k];
      R[n * i + j] = sum;
    }
    const int m = block.motor[i];
    D& diagonal = R[n * i + i];
    diagonal = diagonal + own_variance(model, call, lanes, m);
    if (call.least_variance.data) diagonal = at_least(lanes.least[m], diagonal);
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
